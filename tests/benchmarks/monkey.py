"""Random events in the window with a seed; prints every kind of exception once, with what led to it.

python tests/benchmarks/monkey.py [EVENTS] [SEED]      # 20000 and 1 where not said
"""

from __future__ import annotations

import sys
import tempfile
import time
import traceback
from pathlib import Path
from types import TracebackType

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.widgets import theme
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.paths import resources_dir
from tests.desktop.monkey import Monkey

BATCH = 250


def main() -> int:
    events, seed = (int(one) for one in [*sys.argv[1:], *("20000", "1")[len(sys.argv) - 1 :]])
    app = QApplication([])
    theme.load_font(app)
    theme.apply_theme(app, theme.ThemeChoice.LIGHT)
    with tempfile.TemporaryDirectory() as folder:
        settings = QSettings(str(Path(folder) / "window.ini"), QSettings.Format.IniFormat)
        engine = ShippedEngine()
        window = MainWindow(lambda: engine, settings)
        window.show()
        window.build_results()
        window.compute.start()
        window.file.open_template(resources_dir() / "examples" / "70b-chat.gpuplan")
        monkey, kinds = Monkey(window, seed), set[str]()

        def note(kind: type[BaseException], problem: BaseException, trace: TracebackType | None) -> None:
            last = traceback.extract_tb(trace)[-1]
            name = f"{kind.__name__} {last.filename}:{last.lineno}"
            if name not in kinds:
                kinds.add(name)
                traceback.print_exception(kind, problem, trace)
                print("  after:", *monkey.done[-6:], sep="\n    ")

        sys.excepthook = note
        began = time.perf_counter()
        for done in range(0, events, BATCH):
            monkey.run(min(BATCH, events - done))
            print(f"{done + BATCH} events, {time.perf_counter() - began:.0f} s, {len(kinds)} kinds", flush=True)
        window.store.undo_stack.setClean()
        window.file.unread = str  # What is half typed at the end asks for nothing.
        window.close()
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
