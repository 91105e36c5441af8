"""What goes in and out on disk: projects and their migrations, catalogues, importers, exporters. Knows no Qt."""
