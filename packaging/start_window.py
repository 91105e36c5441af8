"""Where the frozen window starts."""

import sys

from gpuplanner_gui.desktop.main import main

sys.exit(main())
