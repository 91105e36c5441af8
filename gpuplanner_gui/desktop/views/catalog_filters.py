"""What narrows the catalogue's table: text, and for hardware vendor, kind, memory and precision."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QLineEdit, QWidget

from gpuplanner_gui.desktop.clear_button import add_clear_button
from gpuplanner_gui.desktop.views.catalog_model import CatalogFilter, CatalogModel
from gpuplanner_gui.domain.catalog import CatalogKind
from gpuplanner_gui.domain.hardware import PEAK_PRECISIONS
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.units import format_value

MEMORY_STEPS_BYTES = (8e9, 16e9, 24e9, 48e9, 80e9, 141e9, 192e9, 288e9)
_HAS_VENDOR = {"accelerators": "vendor", "nodes": "vendor", "offers": "provider"}
_HAS_KIND = ("accelerators", "links")


class CatalogFilters(QWidget):
    """Emits `changed` with a `CatalogFilter` at every key press and choice."""

    changed = Signal(object)

    def __init__(self, kind: CatalogKind, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = kind
        self.text = QLineEdit(self)
        self.text.setPlaceholderText(tr("Search"))
        self.text.setAccessibleName(tr("Search the catalogue"))
        add_clear_button(self.text)
        self.text.setMinimumWidth(90)
        self.text.setMaximumWidth(220)
        self.vendor = self._choice(tr("Vendor"), tr("Any vendor"), kind in _HAS_VENDOR)
        self.entry_kind = self._choice(tr("Kind"), tr("Any kind"), kind in _HAS_KIND)
        self.memory = self._choice(tr("Memory"), tr("Any memory"), kind == "accelerators")
        self.precision = self._choice(tr("Precision"), tr("Any precision"), kind == "accelerators")
        for step in MEMORY_STEPS_BYTES:
            self.memory.addItem(f"≥ {format_value(step, 'bytes')}", step)
        for precision in PEAK_PRECISIONS:
            self.precision.addItem(precision.upper(), precision)
        self._count = QLabel(self)
        self._count.setTextFormat(Qt.TextFormat.PlainText)
        self._count.setForegroundRole(self._count.palette().ColorRole.PlaceholderText)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for widget in (self.text, self.vendor, self.entry_kind, self.memory, self.precision):
            layout.addWidget(widget)
        layout.addStretch(1)
        layout.addWidget(self._count)
        self.text.textChanged.connect(self._tell)

    def _choice(self, name: str, anything: str, is_shown: bool) -> QComboBox:
        choice = QComboBox(self)
        choice.setAccessibleName(name)
        choice.addItem(anything, "")
        choice.setVisible(is_shown)
        choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        choice.setMinimumContentsLength(11)
        choice.setMinimumWidth(72)
        choice.currentIndexChanged.connect(self._tell)
        return choice

    def offer(self, model: CatalogModel) -> None:
        """Fill the choices with what the entries have; a choice already made stays where it can."""
        attribute = _HAS_VENDOR.get(self.kind)
        if attribute:
            self._refill(self.vendor, [(value, value) for value in model.values_of(attribute)])
        if self.kind in _HAS_KIND:
            kinds = model.values_of("kind")
            self._refill(self.entry_kind, [(_kind_text(value), value) for value in kinds])

    def _refill(self, choice: QComboBox, values: list[tuple[str, str]]) -> None:
        chosen = choice.currentData()
        blocker = QSignalBlocker(choice)
        while choice.count() > 1:
            choice.removeItem(1)
        for text, value in values:
            choice.addItem(text, value)
        choice.setCurrentIndex(max(choice.findData(chosen), 0))
        del blocker
        self._tell()

    def wanted(self) -> CatalogFilter:
        return CatalogFilter(
            words=tuple(self.text.text().casefold().split()),
            vendor=self.vendor.currentData() or "",
            kind=self.entry_kind.currentData() or "",
            memory_bytes=float(self.memory.currentData() or 0.0),
            precision=self.precision.currentData() or "",
        )

    def show_count(self, shown: int, total: int) -> None:
        if shown == total:
            self._count.setText("")
        else:
            self._count.setText(tr("{shown} of {total}").format(shown=format_value(shown), total=format_value(total)))

    def _tell(self) -> None:
        self.changed.emit(self.wanted())


def _kind_text(kind: str) -> str:
    return kind.replace("_", " ") if "_" in kind else kind.upper()
