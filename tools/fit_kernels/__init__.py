"""Fits the kernel-time parameters of `catalogs/calibration_kernels.json` to measured kernel timings."""
