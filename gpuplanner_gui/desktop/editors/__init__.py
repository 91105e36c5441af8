"""Editors made from the descriptions of fields: a widget for each kind of value, a form for each struct.

An editor is shown a value (`show_value`) and says what the planner wants (`edited(path, value)`, `path` from its own
value down, empty for the value itself). It reaches into no store. `kinds` says which editor a field gets.
"""
