"""What a simulation of requests says of a service: answers, curves, published cases."""
