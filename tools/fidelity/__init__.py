"""Compares predictions with published measurements and writes reports under `build/fidelity/`."""
