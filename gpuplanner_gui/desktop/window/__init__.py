"""One window and what works in it: menus, docks, files, recovery, and the controls between pages and tasks.

Only `main_window`, `windows`, `window_handover` and `smoke` know the window itself; controls take its `WindowParts`.
"""
