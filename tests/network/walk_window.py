"""Opens the window without a screen, shows every page, edits, saves, closes.

    python -m tests.network.walk_window PROJECT SAVED [--guard]

With --guard, the first socket that Python is asked for ends the walk with status 9.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

LIMIT_S = 200


def guard() -> None:
    """End the process at anything that opens, connects or resolves."""

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        if event.startswith(("socket.", "urllib.", "http.", "ftplib.", "smtplib.")):
            print(f"socket call: {event} {arguments!r}", file=sys.stderr, flush=True)
            os._exit(9)

    sys.addaudithook(refuse)


def main() -> int:
    project, saved = Path(sys.argv[1]), Path(sys.argv[2])
    if "--guard" in sys.argv:
        guard()
    from PySide6.QtCore import QSettings, QTimer

    from gpuplanner_gui.desktop.main import Application
    from gpuplanner_gui.desktop.window.main_window import MainWindow
    from gpuplanner_gui.domain.scenario import Project

    app = Application(["gpuplanner-gui"])
    window = MainWindow(settings=QSettings(str(saved.with_suffix(".ini")), QSettings.Format.IniFormat),
                        project=Project())  # fmt: skip
    window.show()
    window.build_results()
    window.commands.open_path(project)
    window.planner.ask()
    window.compute.start()
    failed: list[str] = []
    window.compute.completed.connect(lambda: QTimer.singleShot(0, walk))

    def give_up() -> None:
        failed.append("no result in time")
        app.exit(3)

    QTimer.singleShot(LIMIT_S * 1000, give_up)

    def walk() -> None:
        window.compute.completed.disconnect()
        pane = window.results_pane
        assert pane is not None
        for name in pane.page_names():
            pane.show_page_named(name)
            app.processEvents()
            window.grab()
        for name in ("browse", "about"):
            window.menus.actions[name].trigger()
            app.processEvents()
        window.store.edit_project("name", "walked", "Rename")
        window.file.path = saved
        if not window.file.save():
            failed.append("not saved")
        window.close()
        app.exit(0)

    code = app.exec()
    if failed or not saved.is_file():
        print(failed or "nothing was saved", file=sys.stderr)
        return 3
    return code


if __name__ == "__main__":
    sys.exit(main())
