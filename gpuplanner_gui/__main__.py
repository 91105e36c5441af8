"""`python -m gpuplanner_gui [FILE]` opens the window."""

import sys

from gpuplanner_gui.desktop.main import main

if __name__ == "__main__":
    sys.exit(main())
