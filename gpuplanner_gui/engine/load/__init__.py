"""Latency against load: closed forms, queues, and the simulation of continuous batching; replicas and their scaling.

Everything here works on numbers: rates, lengths, and a `StepTime` that says how long one forward pass takes.
"""
