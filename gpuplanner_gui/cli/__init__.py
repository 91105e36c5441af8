"""The same program without a window: `gpuplanner COMMAND`. A stable contract that other tools rely on.

Exit status: 0 done, 1 the file or the input is at fault (one sentence on standard error), 2 unusable arguments.
"""

from gpuplanner_gui.cli.main import main

__all__ = ["main"]
