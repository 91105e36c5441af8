"""How the shipped hardware catalogues are made from collected facts: `python -m tools.make_catalogs FACTS_FOLDER`."""
