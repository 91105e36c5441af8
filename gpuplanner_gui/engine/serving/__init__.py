"""A service on any candidate: its steps, memory, load, cost and rank."""
