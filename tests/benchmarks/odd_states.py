"""States of the window that no example shows: odd names, wrong inputs, little room, docks on their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QWidget

from gpuplanner_gui.desktop.editors.number_edit import NumberLine
from gpuplanner_gui.desktop.widgets.message_bar import Severity
from gpuplanner_gui.desktop.window.main_window import MainWindow

Picture = tuple[str, QPixmap]
Grab = Callable[[QWidget], QPixmap]
Settle = Callable[[MainWindow], None]
LATIN = "A scenario whose name says everything there is to say about it, twice, and then once more for good measure"
NAMES = {
    "Latin": f"{LATIN}, up to here",
    "one word": "W" * 120,
    "Chinese": "針對企業內部知識庫檢索與多輪對話的大型語言模型推論服務容量規劃方案" * 4,
    "right to left": "خطة سعة لخدمة محادثة بنموذج لغوي كبير مع أهداف زمن الاستجابة وتكلفة شهرية محددة لكل منطقة " * 2,
    "emoji": "🚀 Launch 👩‍👩‍👧‍👦 plan 🇹🇼 " * 8,
}
"""As long as anybody types them, in writings that differ in height, direction and how they break."""


def named(window: MainWindow, grab: Grab, settle: Settle) -> Iterator[Picture]:
    """The same plan under other names, of scenario, model and request class."""
    pane = window.results_pane
    assert pane is not None
    before = (window.store.scenario.name, window.store.scenario.model.name) if window.store.scenario else ("", "")
    for name, text in NAMES.items():
        window.store.rename_scenario(window.store.current, text[:120], "rename")
        window.store.edit("model.name", text[:120], "rename")
        window.store.edit("serving.classes[0].name", text[:60], "rename")
        pane.show_page_named("overview")
        settle(window)
        yield f"names, {name}", grab(window)
    pane.show_page_named("compare")
    settle(window)
    yield "names, compared", grab(window)
    window.store.rename_scenario(window.store.current, before[0], "rename")
    window.store.edit("model.name", before[1], "rename")
    window.store.edit("serving.classes[0].name", "assistant", "rename")


def wrong(window: MainWindow, grab: Grab) -> Iterator[Picture]:
    """What was typed is no value; and what the bar above the results says."""
    line = next(one for one in window.inputs.findChildren(NumberLine) if one.isVisible() and "req/s" in one.text())
    line.setText("forty per fortnight")
    line.setModified(True)
    line.editingFinished.emit()
    yield "a value that cannot be read", grab(window)
    line.given_up.emit()
    for severity in Severity:
        window.messages.show_message(
            "plan.gpuplan was changed by another program since it was opened. Load it again, or save over it.",
            severity, lambda: "Load again", (QWidget, lambda _: None),
        )  # fmt: skip
        yield f"message, {severity.value}", grab(window)
    window.messages.hide()


def little_room(window: MainWindow, grab: Grab, settle: Settle) -> Iterator[Picture]:
    """The window and its docks as small as they go, the inputs as wide as half of it, and docks on their own."""
    pane, desk = window.results_pane, window.desk
    assert pane is not None
    pane.show_page_named("overview")
    size = QSize(window.size())
    window.resize(window.minimumSizeHint())
    settle(window)
    yield "window at its least", grab(window)
    window.resize(size)
    for name, width in (("narrow", 1), ("wide", size.width() // 2)):
        desk.resizeDocks([desk.inputs_dock], [width], Qt.Orientation.Horizontal)
        settle(window)
        yield f"inputs, {name}", grab(window)
    desk.arrange()
    for dock in (desk.inputs_dock, desk.candidates_dock):
        dock.setFloating(True)
        settle(window)
        yield f"{dock.objectName()}, floating", grab(dock)
    yield "without docks", grab(window)
    desk.arrange()
    settle(window)
