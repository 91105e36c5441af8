"""Where the frozen command line starts."""

import sys

from gpuplanner_gui.cli import main

sys.exit(main())
