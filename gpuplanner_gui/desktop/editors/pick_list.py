"""A searchable list that opens under a button: pick one, or tick several."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.clear_button import add_clear_button
from gpuplanner_gui.desktop.editors.base import Choice

_CODE = Qt.ItemDataRole.UserRole
_LEAST_WIDTH, _HEIGHT = 320, 360


class PickList(QFrame):
    """Closes by Escape or a click beside it. Without `ticked`, one entry is picked and closes it."""

    picked = Signal(str)
    picked_many = Signal(tuple)

    def __init__(
        self, choices: Sequence[Choice], ticked: Sequence[str] | None, search_hint: str, parent: QWidget
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._is_many = ticked is not None
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(search_hint)
        self.search.setAccessibleName(search_hint)
        add_clear_button(self.search)
        self.search.textChanged.connect(self._filter)
        self.search.installEventFilter(self)
        self.list = QListWidget(self)
        self.list.setUniformItemSizes(True)
        self.list.setAccessibleName(search_hint)
        self._fill(choices, set(ticked or ()))
        self.list.itemActivated.connect(self._on_activated)
        self.list.itemClicked.connect(self._on_clicked)
        self.list.itemChanged.connect(self._on_ticked)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 6, 6, 6)
        layout.setSpacing(6)
        layout.addWidget(self.search)
        layout.addWidget(self.list)

    def open_under(self, widget: QWidget) -> None:
        self.resize(max(widget.width(), _LEAST_WIDTH), _HEIGHT)
        corner = widget.mapToGlobal(QPoint(0, widget.height()))
        screen = QGuiApplication.screenAt(corner) or QGuiApplication.primaryScreen()
        room = screen.availableGeometry()
        corner.setX(max(room.left(), min(corner.x(), room.right() - self.width())))
        corner.setY(max(room.top(), min(corner.y(), room.bottom() - self.height())))
        self.move(corner)
        self.show()
        self.search.setFocus(Qt.FocusReason.PopupFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
                self._move(1 if event.key() == Qt.Key.Key_Down else -1)
                return True
            current = self.list.currentItem()
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and current is not None:
                self._on_activated(current)
                return True
        return super().eventFilter(watched, event)

    def _fill(self, choices: Sequence[Choice], ticked: set[str]) -> None:
        known = {code for code, _ in choices}
        gone = [(code, code) for code in sorted(ticked - known)]
        # Those that are ticked come first, so that they are found again.
        for code, words in sorted([*choices, *gone], key=lambda choice: choice[0] not in ticked):
            item = QListWidgetItem(words)
            item.setData(_CODE, code)
            if self._is_many:
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                item.setCheckState(Qt.CheckState.Checked if code in ticked else Qt.CheckState.Unchecked)
            self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(row) for row in range(self.list.count())]

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        first = None
        for item in self._items():
            key = f"{item.text()} {item.data(_CODE)}".casefold()
            is_match = all(word in key for word in words)
            item.setHidden(not is_match)
            first = first or (item if is_match else None)
        self.list.setCurrentItem(first)  # type: ignore[arg-type]

    def _move(self, step: int) -> None:
        rows = [row for row in range(self.list.count()) if not self.list.item(row).isHidden()]
        if rows:
            at = rows.index(self.list.currentRow()) if self.list.currentRow() in rows else -1
            self.list.setCurrentRow(rows[max(0, min(at + step, len(rows) - 1))])

    def _on_activated(self, item: QListWidgetItem) -> None:
        if self._is_many:
            is_ticked = item.checkState() == Qt.CheckState.Checked
            item.setCheckState(Qt.CheckState.Unchecked if is_ticked else Qt.CheckState.Checked)
        else:
            self.picked.emit(item.data(_CODE))
            self.close()

    def _on_clicked(self, item: QListWidgetItem) -> None:
        if not self._is_many:
            self._on_activated(item)

    def _on_ticked(self) -> None:
        ticked = [item.data(_CODE) for item in self._items() if item.checkState() == Qt.CheckState.Checked]
        self.picked_many.emit(tuple(ticked))
