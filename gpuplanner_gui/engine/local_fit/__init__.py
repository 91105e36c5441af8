"""What own measurements teach: factors on predicted times by phase, shrunk towards the shipped calibration.

A factor is a Gaussian process over what cases have in common (model, accelerator, engine, precision) and how near they
are in load, so that few points help where they apply and nowhere else, and one outlier does not hurt.
"""
