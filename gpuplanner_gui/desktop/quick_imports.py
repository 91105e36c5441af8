"""Imports without a look at each module's source."""

from __future__ import annotations

import builtins

HIDDEN = "__orig_import__"


def spare_source_reading() -> None:
    """From now on no module's source is read as it is imported.

    WORKAROUND for PySide6 (seen in 6.10.3): it takes `__import__` over, and reads the source of every module that any
    other imports, compiled or not, to see whether it may use `from __feature__ import`. No module of this program does,
    and the reading was a tenth of the time until the window could be used. What PySide6 had hidden takes its place
    again; where a later version hides nothing, there is nothing to be done.
    """
    hidden = getattr(builtins, HIDDEN, None)
    if hidden is not None:
        builtins.__import__ = hidden
