"""Takes the README's picture anew: the 70B chat example in a window of 1600 × 1000, light.

python tests/benchmarks/readme_picture.py      # after the examples carry the results of the present program
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from gpuplanner_gui.desktop.widgets import theme
from gpuplanner_gui.paths import HOME_VARIABLE, resources_dir
from tests.benchmarks.contact_sheet import pictured, settle, started, wait

SIZE = (1600, 1000)
QUIET_MS = 6000
"""Until what is simulated and sampled in the background has come in."""


def main() -> int:
    app = QApplication([])
    theme.load_font(app)
    theme.apply_theme(app, theme.ThemeChoice.LIGHT)
    target = resources_dir() / "pictures" / "window.png"
    with tempfile.TemporaryDirectory() as home:
        os.environ[HOME_VARIABLE] = home
        window = started(Path(home), SIZE)
        window.resize(*SIZE)
        window.build_results()
        window.compute.start()
        window.file.open_template(resources_dir() / "examples" / "70b-chat.gpuplan")
        settle(window)
        wait(QUIET_MS)
        pictured(window).save(str(target))
        if window.messages.isVisible():
            print(f"a message is in the picture: {window.messages.text.text()}")
        window.store.undo_stack.setClean()
        window.close()
    print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
