"""Widgets that know nothing of a plan: labels, tables, icons, questions, the message bar, turns of the event loop, and how all of it looks."""
