"""Widgets that know nothing of a plan, such as labels, tables and the message bar; event turns; the look."""
