"""Training: which layouts fit, how long a step takes, what the run needs."""
