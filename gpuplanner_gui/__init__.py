"""GPU Planner: which accelerators to buy or rent to train and to serve machine-learning models."""

import os

__version__ = "0.1.0"

# Matrices here are small. With a thread for every core they wait for each other wherever other programs are at work: a
# fit of 300 own measurements took 8 s instead of 0.15 s. Read when NumPy is imported, so it stands before that.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
