"""Pictures of results: each plot keeps its pyqtgraph items, fills them, and can give its numbers as a table."""
