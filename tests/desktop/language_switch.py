"""What tests of a live switch of language share: an example in the window, and the switch itself."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.desktop.window.windows import Windows
from gpuplanner_gui.paths import resources_dir

WAIT_MS = 60_000


def open_example(windows: Windows, qtbot: QtBot) -> MainWindow:
    """The front window with an example and its first answer."""
    window = windows.front
    window.resize(1280, 720)
    window.build_results()
    with qtbot.waitSignal(window.compute.completed, timeout=WAIT_MS):
        window.compute.start()
        window.file.open_template(resources_dir() / "examples" / "13b-two-deployments.gpuplan")
    return window


def change_language(windows: Windows, code: str, qtbot: QtBot) -> MainWindow:
    """The window that takes the other's place, once it has an answer."""
    with qtbot.waitSignal(windows.renewed, timeout=WAIT_MS):
        windows.front.appearance.use_language(code)
    window = windows.front
    qtbot.waitUntil(
        lambda: window.compute.results is not None and window.compute.results.scenario is window.store.scenario,
        timeout=WAIT_MS,
    )
    return window
