"""Fits what software on families of devices makes of timed kernels to published inference results."""
