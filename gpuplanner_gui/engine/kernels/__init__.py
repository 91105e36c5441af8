"""How long one operation takes: the measured efficiency that stands for a device, or its nearest relative's."""
