"""What published sources saw of a deployment, on top of its plain steady state: how they measured, and with what."""
