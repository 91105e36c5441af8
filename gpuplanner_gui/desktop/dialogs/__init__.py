"""Dialogs: each is built when it is first asked for, and says by signals what the planner chose."""
