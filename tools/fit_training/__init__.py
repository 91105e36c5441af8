"""Fits what training frameworks make of measured kernels and links to published training results."""
