"""Makes the catalogue of models and the list of names that benchmark tables use for them."""
