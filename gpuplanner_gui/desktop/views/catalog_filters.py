"""What narrows the catalogue's table: text, and a chip for each property that tells entries apart."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QToolButton, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.clear_button import add_clear_button
from gpuplanner_gui.desktop.editors.flow_layout import FlowBox
from gpuplanner_gui.desktop.views.catalog_facets import FACETS, MEMORY_STEPS_BYTES
from gpuplanner_gui.desktop.views.catalog_model import CatalogFilter, CatalogModel
from gpuplanner_gui.desktop.views.filter_chip import FilterChip
from gpuplanner_gui.domain.catalog import CatalogKind
from gpuplanner_gui.domain.hardware import PEAK_PRECISIONS
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.choices import words_of_choice

SEARCH_WIDTH = 200


class CatalogFilters(QWidget):
    """Emits `changed` with a `CatalogFilter` at every key press and tick."""

    changed = Signal(object)
    kept = ("text", "own", "all_chips")

    def __init__(self, kind: CatalogKind, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = kind
        self.text = QLineEdit(self)
        self.text.setPlaceholderText(tr("Search"))
        self.text.setAccessibleName(tr("Search the catalogue"))
        add_clear_button(self.text)
        self.text.setFixedWidth(SEARCH_WIDTH)
        self.chips = {facet.name: FilterChip(tr(facet.title)) for facet in FACETS[kind]}
        self.memory = self.precision = None
        if kind == "accelerators":
            self.memory = FilterChip(tr("Memory"), is_single=True)
            self.memory.offer([(step, f"≥ {format_value(step, 'bytes')}") for step in MEMORY_STEPS_BYTES])
            self.precision = FilterChip(tr("Precision"))
            self.precision.offer([(precision, precision.upper()) for precision in PEAK_PRECISIONS])
        self.own = QToolButton()
        self.own.setObjectName("chip")
        self.own.setText(tr("Own entries"))
        self.own.setAccessibleName(tr("Own entries"))
        self.own.setCheckable(True)
        self.own.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.own.hide()
        self.clear = QToolButton()
        self.clear.setText(tr("Clear filters"))
        self.clear.setAccessibleName(tr("Clear filters"))
        self.clear.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.clear.hide()
        self._count = QLabel(self)
        self._count.setTextFormat(Qt.TextFormat.PlainText)
        self._count.setObjectName("quiet")
        self._lay_out()
        self.text.textChanged.connect(self._tell)
        self.own.toggled.connect(self._tell)
        self.clear.clicked.connect(self.clear_all)
        for chip in self._all_chips():
            chip.changed.connect(self._tell)

    def _lay_out(self) -> None:
        # In a splitter, and in a stack, height by width is not asked for.
        box = FlowBox(self)
        for widget in (*self._all_chips(), self.own, self.clear):
            widget.setParent(box)
            box.flow.addWidget(widget)
        self.own.hide()
        self.clear.hide()
        self.top = QHBoxLayout()
        self.top.setSpacing(8)
        self.top.addWidget(self.text)
        self.top.addStretch(1)
        self.top.addWidget(self._count)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(self.top)
        layout.addWidget(box)

    def add_at_top(self, widget: QWidget) -> None:
        """Put a widget behind the count of entries."""
        self.top.addWidget(widget)

    @property
    def all_chips(self) -> dict[str, FilterChip]:
        more = {"memory": self.memory, "precision": self.precision}
        return {**self.chips, **{f"{name} chip": chip for name, chip in more.items() if chip is not None}}

    def _all_chips(self) -> list[FilterChip]:
        return [*self.chips.values(), *(chip for chip in (self.memory, self.precision) if chip is not None)]

    def offer(self, model: CatalogModel) -> None:
        """Fill the chips with what the entries have; what is ticked stays where it can."""
        for facet in FACETS[self.kind]:
            values = model.values_of(facet.name)
            words = words_of_choice if facet.are_codes else str
            self.chips[facet.name].offer([(value, words(value)) for value in values])
            self.chips[facet.name].setVisible(len(values) > 1)
        if not model.own_ids:
            self.own.setChecked(False)
        self.own.setVisible(bool(model.own_ids))

    def clear_all(self) -> None:
        """Let everything through again."""
        self.text.clear()
        self.own.setChecked(False)
        for chip in self._all_chips():
            chip.clear()

    def wanted(self) -> CatalogFilter:
        return CatalogFilter(
            words=tuple(self.text.text().casefold().split()),
            facets=tuple((name, frozenset(chip.values())) for name, chip in self.chips.items() if chip.values()),
            memory_bytes=float(max(self.memory.values(), default=0.0)) if self.memory is not None else 0.0,
            precisions=self.precision.values() if self.precision is not None else (),
            only_own=self.own.isChecked(),
        )

    def show_count(self, shown: int, total: int) -> None:
        if shown == total:
            self._count.setText("")
        else:
            self._count.setText(tr("{shown} of {total}").format(shown=format_value(shown), total=format_value(total)))

    def _tell(self) -> None:
        wanted = self.wanted()
        self.clear.setVisible(wanted != CatalogFilter())
        self.changed.emit(wanted)
