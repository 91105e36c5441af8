"""The window: the store holds the project; editors change it, tasks compute plans, pages show them, a window holds all.

Rooms import downwards only: `window` → `dialogs` → `pages` → `tasks` → `editors` → `widgets`.
"""
