"""Own measurements judged on published results: points of groups left out, and how far a few of them help."""
