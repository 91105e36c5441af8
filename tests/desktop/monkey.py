"""Random but repeatable use of the window: keys, clicks, wheel, drags, menu entries, pages, scenarios, undo."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QAction, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QDialog, QLineEdit, QMenu, QWidget
from shiboken6 import isValid

from gpuplanner_gui.desktop.window.main_window import MainWindow

LEFT, NO_BUTTON, NO_KEY = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
LEAVES_THE_PROGRAM = {
    "new", "guided_start", "open", "save", "save_as", "import_measurements", "import_model", "import_trace",
    "export_report", "quit", "close_window", "user_folder", "import_pack", "take_back_pack", "logs", "recover",
    "about", "whats_this", "launch_flags", "palette", "new_window", "next_window", "preferences", "tour",
    "add_device", "import_prices", "fault_report", "how_do_i",
}  # fmt: skip
"""Entries that open a question of the system or of the program, or leave the project; each has tests of its own."""
KEYS = (
    Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right,
    Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageDown, Qt.Key.Key_Delete,
    Qt.Key.Key_Space, Qt.Key.Key_Backspace,
)  # fmt: skip
TEXTS = ("0", "1", "-1", "40 req/s", "80GB", "20..60", "1e400", "nan", "abc", "", "2 weeks", "100000000", "0.5")


REFUSE_MS = 100


def refuse_question() -> None:
    """Close a question that would wait for an answer: what it is about stays as it is."""
    asked = QApplication.activeModalWidget()
    if asked is not None:
        asked.close()


class Monkey:
    """One step after another, all from one seed."""

    def __init__(self, window: MainWindow, seed: int) -> None:
        self.window = window
        self.random = random.Random(seed)
        self.done: list[str] = []
        """What was done last, for the report of a failure."""
        self._steps: list[tuple[int, Callable[[], str]]] = [
            (5, self._press_key), (4, self._type_text), (5, self._click), (2, self._wheel), (2, self._drag),
            (2, self._turn_page), (2, self._trigger), (2, self._undo), (1, self._pick_scenario),
            (2, self._use_plot), (1, self._resize), (3, self._move_mouse),
        ]  # fmt: skip

        self._refuser = QTimer()
        self._refuser.setInterval(REFUSE_MS)
        self._refuser.timeout.connect(refuse_question)
        self._refuser.start()

    def run(self, events: int) -> None:
        weights, steps = zip(*self._steps)
        for _ in range(events):
            step = self.random.choices(steps, weights)[0]
            self.done = [*self.done[-19:], step()]
            QApplication.processEvents()
            # A running loop deletes what was to be deleted later; outside of one it would pile up until a dialog opens.
            QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
            self._close_what_opened()
            self._keep_a_scenario()

    def _keep_a_scenario(self) -> None:
        store = self.window.store
        if not store.project.scenarios:
            self.window.commands.add_scenario()
        while len(store.project.scenarios) > 4:
            store.remove_scenario(0, "trim")

    def _close_what_opened(self) -> None:
        popup = QApplication.activePopupWidget()
        if popup is not None and self.random.random() < 0.5:
            QTest.keyClick(popup, Qt.Key.Key_Down)
        for _ in range(4):
            popup = QApplication.activePopupWidget()
            if popup is None:
                break
            popup.close()
        for dialog in self.window.findChildren(QDialog):
            if dialog.isVisible():
                dialog.close()

    def _widgets(self) -> list[QWidget]:
        return [one for one in widgets_within(self.window) if one.isVisible() and one.isEnabled()]

    def _some(self, kind: type[QWidget] = QWidget) -> QWidget | None:
        found = [one for one in self._widgets() if isinstance(one, kind) and one.width() > 2 and one.height() > 2]
        return self.random.choice(found) if found else None

    def _place(self, widget: QWidget) -> QPoint:
        return QPoint(self.random.randrange(widget.width()), self.random.randrange(widget.height()))

    def _press_key(self) -> str:
        target = QApplication.focusWidget() or self.window
        key = self.random.choice(KEYS)
        if isinstance(target, QAbstractButton) and key in (Qt.Key.Key_Space, Qt.Key.Key_Return):
            return self._press(target)
        QTest.keyClick(target, key)
        return f"key {key.name} in {type(target).__name__}"

    def _type_text(self) -> str:
        field = self._some(QLineEdit)
        text = self.random.choice(TEXTS)
        name = field.accessibleName() if field is not None else None
        if isinstance(field, QLineEdit) and not field.isReadOnly():
            field.setFocus()
            field.selectAll()
            for letter in [*text, Qt.Key.Key_Return]:
                if isValid(field):
                    QTest.keyClick(field, letter)
                    QApplication.processEvents()
        return f"typed {text!r} in {name!r}"

    def _press(self, button: QAbstractButton) -> str:
        name = button.accessibleName() or button.text()
        if any(word in name for word in ("…", "Open", "Import", "Save", "Recover", "Choose a file")):
            return f"left alone {name!r}"
        if not button.isVisible() or not button.isEnabled() or (hasattr(button, "menu") and button.menu() is not None):
            return f"left alone {name!r}"
        button.click()
        return f"pressed {name!r}"

    def _click(self) -> str:
        widget = self._some()
        if isinstance(widget, QAbstractButton):
            return self._press(widget)
        if widget is None or isinstance(widget, QComboBox) or widget is self.window.menuBar():
            return "no click"
        QTest.mouseClick(widget, LEFT, NO_KEY, self._place(widget))
        return f"click in {type(widget).__name__}"

    def _mouse(self, widget: QWidget, kind: QEvent.Type, place: QPoint, button: Qt.MouseButton) -> None:
        held = NO_BUTTON if kind == QEvent.Type.MouseButtonRelease else button
        changed = NO_BUTTON if kind == QEvent.Type.MouseMove else button
        if not isValid(widget):
            return  # An event before this one has ended it.
        event = QMouseEvent(kind, QPointF(place), QPointF(widget.mapToGlobal(place)), changed, held, NO_KEY)
        QApplication.sendEvent(widget, event)
        QApplication.processEvents()  # Each is a turn of its own, as from hands.

    def _move_mouse(self) -> str:
        widget = self._some()
        if widget is not None:
            self._mouse(widget, QEvent.Type.MouseMove, self._place(widget), NO_BUTTON)
        return f"mouse over {type(widget).__name__}"

    def _canvas(self) -> QWidget | None:
        from gpuplanner_gui.desktop.pages.plot_view import PlotView

        views = [one for one in self._widgets() if isinstance(one, PlotView) and one.canvas.isVisible()]
        return self.random.choice(views).canvas.viewport() if views else None

    def _drag(self) -> str:
        canvas = self._canvas()
        if canvas is None:
            return "no plot to drag in"
        start, end = self._place(canvas), self._place(canvas)
        self._mouse(canvas, QEvent.Type.MouseMove, start, NO_BUTTON)
        self._mouse(canvas, QEvent.Type.MouseButtonPress, start, LEFT)
        for step in range(1, 5):
            self._mouse(canvas, QEvent.Type.MouseMove, start + (end - start) * (step / 4), LEFT)
        self._mouse(canvas, QEvent.Type.MouseButtonRelease, end, LEFT)
        return f"drag from {start.toTuple()} to {end.toTuple()}"

    def _wheel(self) -> str:
        widget = self._canvas() if self.random.random() < 0.5 else self._some()
        if widget is None:
            return "no wheel"
        place, turn = QPointF(self._place(widget)), QPoint(0, self.random.choice((-240, -120, 120, 240)))
        phase = Qt.ScrollPhase.NoScrollPhase
        event = QWheelEvent(place, widget.mapToGlobal(place), QPoint(), turn, NO_BUTTON, NO_KEY, phase, False)
        QApplication.sendEvent(widget, event)
        return f"wheel in {type(widget).__name__}"

    def _turn_page(self) -> str:
        pane = self.window.results_pane
        assert pane is not None
        page = self.random.choice(pane.page_names())
        pane.show_page_named(page)
        return f"page {page}"

    def _trigger(self) -> str:
        actions: dict[str, QAction] = self.window.menus.actions
        name = self.random.choice(sorted(set(actions) - LEAVES_THE_PROGRAM))
        if actions[name].isEnabled():
            actions[name].trigger()
        return f"menu {name}"

    def _undo(self) -> str:
        stack = self.window.store.undo_stack
        step = self.random.choice((stack.undo, stack.redo))
        step()
        return step.__name__

    def _pick_scenario(self) -> str:
        store = self.window.store
        index = self.random.randrange(len(store.project.scenarios))
        store.select_scenario(index)
        return f"scenario {index}"

    def _use_plot(self) -> str:
        from gpuplanner_gui.desktop.pages.plot_menu import fill_plot_menu
        from gpuplanner_gui.desktop.pages.plot_view import PlotView

        views = [one for one in self._widgets() if isinstance(one, PlotView)]
        if not views:
            return "no plot"
        view = self.random.choice(views)
        menu = QMenu()
        fill_plot_menu(menu, view)
        offered = [one for one in all_actions(menu) if one.isEnabled() and "…" not in one.text()]
        action = self.random.choice(offered)
        action.trigger()
        return f"{type(view.plot).__name__}: {action.text()}"

    def _resize(self) -> str:
        width, height = self.random.randrange(900, 1700), self.random.randrange(600, 1000)
        self.window.resize(width, height)
        return f"size {width} × {height}"


def all_actions(menu: QMenu) -> list[QAction]:
    """Those of the menus within it too; the menus are not asked for by their actions, which would end them."""
    return [one for one in menu.findChildren(QAction) if not one.isSeparator()]


def widgets_within(widget: QWidget) -> Iterator[QWidget]:
    """Those of `findChildren`, in its order.

    WORKAROUND for PySide6 (seen in 6.10.3): `findChildren` ties all that it finds to the widget that was asked, which
    holds what is found, such as the list of a box of choices, after that has gone: 400 of them in four minutes.
    """
    for child in widget.children():
        if isinstance(child, QWidget):
            yield child
            yield from widgets_within(child)
