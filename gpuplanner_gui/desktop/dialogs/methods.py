"""Help: methods with their formulas, the commonest tasks, and what the program is; offline."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

from PySide6 import __version__ as pyside_version
from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, qVersion
from PySide6.QtGui import QKeyEvent, QPalette, QShowEvent, QTextCursor
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QSplitter,
    QStackedWidget,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui import paths
from gpuplanner_gui.desktop.widgets.flow_layout import STRETCH, lay_out
from gpuplanner_gui.desktop.widgets.labels import plain_label
from gpuplanner_gui.desktop.widgets.theme import application_icon, push_button, search_line
from gpuplanner_gui.domain.method import Method
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.method_pages import method_html, method_of, method_text, module_formulas
from gpuplanner_gui.drawing.words.guided_start import TASKS, Task
from gpuplanner_gui.files.migrations import version_text
from gpuplanner_gui.files.shipped_tables import methods

if TYPE_CHECKING:
    from gpuplanner_gui.engine.explaining.formula import Formula


class AboutDialog(QDialog):
    """Versions and licences, offline."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("About GPU Planner"))
        sign = QLabel()
        sign.setPixmap(application_icon().pixmap(64, 64))
        title = plain_label(f"GPU Planner {version_text()}", name="partTitle")
        text = QLabel(
            tr("Which accelerators to buy or rent to train and to serve machine-learning models. Works offline.")
        )
        text.setWordWrap(True)
        licences = QPlainTextEdit(_licence_text())
        licences.setReadOnly(True)
        licences.setAccessibleName(tr("Licences"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        for widget in (sign, title, text, licences, buttons):
            layout.addWidget(widget)
        self.resize(560, 460)


def _licence_text() -> str:
    versions = f"Python {platform.python_version()}, Qt {qVersion()}, PySide6 {pyside_version}"
    parts = tr(
        "GPU Planner is licensed under the Apache License 2.0.\n\n"
        "Qt and PySide6 are used under the GNU Lesser General Public License, version 3, linked dynamically: the"
        " libraries in the program's folder may be exchanged for others. Their source is at https://download.qt.io.\n"
        "pyqtgraph: MIT License. NumPy and msgspec: BSD 3-Clause License. platformdirs: MIT License. PyNaCl: Apache"
        " License 2.0 (with libsodium: ISC License). A build's folder “licences” holds the licences of all parts.\n"
        "The typeface is Inter, under the SIL Open Font License 1.1:"
    )
    font_licence = paths.resources_dir() / "fonts" / "OFL.txt"
    return "\n\n".join((versions, parts, font_licence.read_text(encoding="utf-8") if font_licence.is_file() else ""))


TASKS_SIZE = (760, 420)
TASKS_WIDTH = 330


class HowDoIDialog(QDialog):
    """Stays open beside the window, so that steps can be read while they are done."""

    wanted = Signal(str)
    """What a task begins with: a command, or `page:` and a page's name."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("how_do_i")
        self.setWindowTitle(tr("How do I …"))
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Tasks"))
        self.list.setFrameShape(QListWidget.Shape.NoFrame)
        self.list.setWordWrap(True)
        self.list.setFixedWidth(TASKS_WIDTH)
        self.list.addItems([tr(task.question) for task in TASKS])
        self.title = plain_label(name="partTitle", wraps=True)
        self.steps = plain_label(wraps=True, is_selectable=True)
        tip = tr("Open the place of the first step")
        self.show_me = push_button(tr("&Show me"), lambda: self.wanted.emit(self.task().opens), tip=tip)
        right = lay_out(
            QVBoxLayout(), self.title, self.steps, STRETCH, (self.show_me, 0, Qt.AlignmentFlag.AlignRight),
            margins=(12, 12, 12, 12), spacing=12,
        )  # fmt: skip
        lay_out(QHBoxLayout(self), self.list, (right, 1), margins=(8, 8, 0, 0))
        self.list.currentRowChanged.connect(self._show)
        self.list.setCurrentRow(0)
        self.resize(*TASKS_SIZE)

    def task(self) -> Task:
        return TASKS[max(self.list.currentRow(), 0)]

    def _show(self, _row: int) -> None:
        task = self.task()
        self.title.setText(tr("How do I {question}").format(question=tr(task.question)))
        self.steps.setText("\n\n".join(f"{number}. {tr(step)}" for number, step in enumerate(task.steps, 1)))


METHODS_SIZE = (980, 660)
METHODS_WIDTH = 260
LIST_INDENT = 20
KEYS_FOR_LIST = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class MethodsDialog(QDialog):
    """The list of methods beside the page of the chosen one; what is typed above the list is searched on all pages."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Methods"))
        self.resize(*METHODS_SIZE)
        self._formulas: dict[str, tuple[Formula, ...]] = {}
        """Formulas by module of the engine, as far as they were read."""
        self._texts: dict[str, str] = {}
        self._anchor = ""
        self.typed = search_line(tr("Search the methods"))
        self.typed.textChanged.connect(self._search)
        self.typed.installEventFilter(self)
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Methods"))
        self.list.setFrameShape(QListWidget.Shape.NoFrame)
        self.list.setWordWrap(True)
        self.nothing = plain_label(tr("No method contains all of these words."), name="quiet", wraps=True)
        self.nothing.setMargin(16)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.page = QTextBrowser()
        self.page.setAccessibleName(tr("Method"))
        self.page.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.page.setOpenLinks(False)
        self.page.document().setDocumentMargin(16)
        self.page.setViewportMargins(0, 0, 8, 0)
        self.page.document().setIndentWidth(LIST_INDENT)
        # The typeface has no heavier weight: a bolder one would be smeared.
        self.page.document().setDefaultStyleSheet("h2, h3, b { font-weight: 600; }")
        self._lay_out()
        for method in methods():
            item = QListWidgetItem(tr(method.title))
            item.setData(Qt.ItemDataRole.UserRole, method.code)
            self.list.addItem(item)
        self.list.currentItemChanged.connect(self._show_page)
        self.list.setCurrentRow(0)
        self._reader = QTimer(self, interval=0)
        self._reader.timeout.connect(self._read_one)
        self._reader.start()

    def _lay_out(self) -> None:
        left = QWidget()
        column = lay_out(QVBoxLayout(left), self.typed, self.list, margins=(8, 8, 8, 8))
        column.setStretchFactor(self.list, 1)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(left)
        self._right = QStackedWidget()
        self._right.addWidget(self.page)
        self._right.addWidget(self.nothing)
        split.addWidget(self._right)
        split.setStretchFactor(1, 1)
        split.setSizes([METHODS_WIDTH, METHODS_SIZE[0] - METHODS_WIDTH])
        lay_out(QVBoxLayout(self), split, margins=(0, 0, 0, 0))

    def method_code(self) -> str:
        """Code of the page on screen."""
        item = self.list.currentItem()
        return str(item.data(Qt.ItemDataRole.UserRole)) if item is not None else ""

    def show_method(self, code: str) -> None:
        """Turn to a method's page."""
        self._anchor = ""
        self.typed.clear()
        for row in range(self.list.count()):
            if self.list.item(row).data(Qt.ItemDataRole.UserRole) == code:
                self.list.setCurrentRow(row)

    def show_formula(self, key: str) -> None:
        """Turn to the page that tells of a formula, at its place."""
        method = method_of(key)
        if method is not None:
            self.show_method(method.code)
            self._anchor = key
            self._go_to_formula()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in KEYS_FOR_LIST:
            QApplication.sendEvent(self.list, event)
            return True
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self.isVisible():
            self._show_page()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_page()  # the colours may have changed while it was closed

    def _chosen(self) -> Method | None:
        item = self.list.currentItem()
        code = item.data(Qt.ItemDataRole.UserRole) if item is not None else ""
        return next((one for one in methods() if one.code == code), None)

    def _is_read(self, method: Method) -> bool:
        return all(module in self._formulas for module in method.formulas)

    def _formulas_of(self, method: Method) -> list[Formula]:
        return [one for module in method.formulas for one in self._formulas.get(module, ())]

    def _show_page(self, *_: object) -> None:
        method = self._chosen()
        if method is None:
            return
        formulas = self._formulas_of(method) if self._is_read(method) else None
        quiet = self.palette().color(QPalette.ColorRole.PlaceholderText).name()
        self.page.setHtml(method_html(method, formulas, quiet))
        self._go_to_formula()

    def _go_to_formula(self) -> None:
        """Scroll to the requested formula, else to the first word that was searched."""
        words = self.typed.text().split()
        if self._anchor:
            self.page.scrollToAnchor(self._anchor)
            return
        self.page.moveCursor(QTextCursor.MoveOperation.Start)
        if words:
            self.page.find(words[0])

    def _read_one(self) -> None:
        """Import one module more, that of the page on screen first, so that the window answers in between."""
        chosen = self._chosen()
        in_order = [*(chosen.formulas if chosen else ()), *(one for method in methods() for one in method.formulas)]
        waiting = next((module for module in in_order if module not in self._formulas), None)
        if waiting is None:
            self._reader.stop()
            return
        self._formulas[waiting] = module_formulas(waiting)
        for method in methods():
            if waiting in method.formulas and self._is_read(method):
                self._texts.pop(method.code, None)
                if method is chosen:
                    self._show_page()
        if self.typed.text():
            self._filter()

    def _text_of(self, method: Method) -> str:
        if method.code not in self._texts:
            self._texts[method.code] = method_text(method, self._formulas_of(method))
        return self._texts[method.code]

    def _search(self) -> None:
        self._anchor = ""
        self._filter()
        self._go_to_formula()

    def _filter(self) -> None:
        """Keep the methods that hold every word, and turn to the first where the chosen one does not."""
        words = self.typed.text().casefold().split()
        by_code = {one.code: one for one in methods()}
        first = None
        for row in range(self.list.count()):
            item = self.list.item(row)
            text = self._text_of(by_code[item.data(Qt.ItemDataRole.UserRole)])
            item.setHidden(not all(word in text for word in words))
            if first is None and not item.isHidden():
                first = item
        self._right.setCurrentWidget(self.nothing if first is None else self.page)
        current = self.list.currentItem()
        if first is not None and (current is None or current.isHidden()):
            self.list.setCurrentItem(first)
