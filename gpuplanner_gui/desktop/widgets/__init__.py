"""Widgets that know nothing of a plan, such as labels, tables and the message bar; turns of the event loop; the look."""
