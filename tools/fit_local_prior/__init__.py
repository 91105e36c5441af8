"""Fits the prior of local calibration: how predictions are off, and how far one case's error tells of another's."""
