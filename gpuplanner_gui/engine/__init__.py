"""The models: pure functions over NumPy arrays, codes and values; no file, no widget, no sentence."""
