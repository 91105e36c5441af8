"""Catalogue packs: one signed file with new accelerators, prices or calibration."""
