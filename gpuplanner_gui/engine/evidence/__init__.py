"""What a prediction rests on, the one rule for bands of serving, and what own measurements teach and call for next."""
