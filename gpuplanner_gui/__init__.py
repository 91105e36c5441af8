"""GPU Planner: which accelerators to buy or rent to train and to serve machine-learning models."""

__version__ = "0.1.0"
