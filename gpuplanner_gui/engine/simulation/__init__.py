"""Traffic, and the event simulation of replicas on the step table that the closed form uses; its curves."""
