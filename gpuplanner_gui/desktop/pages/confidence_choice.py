"""How sure a plan has to be, beside its verdict: a choice that edits the scenario and can be undone."""

from __future__ import annotations

from typing import get_args

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QLabel, QWidget

from gpuplanner_gui.domain.economics import Confidence, UncertaintyTerms
from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.words.choices import words_of_choice

PATH = "economics.uncertainty"


class ConfidenceChoice(QWidget):
    """Confidence and what counts as evidence."""

    edited = Signal(str, object)
    """Path in the scenario, and the value."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        about = {name: field_of(UncertaintyTerms, name).about for name in ("confidence", "measured_only")}
        self.confidence = QComboBox(self)
        for code in get_args(Confidence):
            self.confidence.addItem(words_of_choice(code), code)
        self.measured_only = QCheckBox(tr(about["measured_only"].title), self)
        for widget, name in ((self.confidence, "confidence"), (self.measured_only, "measured_only")):
            widget.setAccessibleName(tr(about[name].title))
            widget.setToolTip(tr(about[name].help))
        label = QLabel(tr(about["confidence"].title), self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setBuddy(self.confidence)
        self.confidence.activated.connect(self._on_confidence)
        self.measured_only.clicked.connect(lambda on: self.edited.emit(f"{PATH}.measured_only", on))
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(label, 0, 0)
        layout.addWidget(self.confidence, 0, 1)
        layout.addWidget(self.measured_only, 1, 0, 1, 2, Qt.AlignmentFlag.AlignRight)

    def show_terms(self, terms: UncertaintyTerms) -> None:
        with QSignalBlocker(self.confidence), QSignalBlocker(self.measured_only):
            self.confidence.setCurrentIndex(self.confidence.findData(terms.confidence))
            self.measured_only.setChecked(terms.measured_only)

    def _on_confidence(self, place: int) -> None:
        self.edited.emit(f"{PATH}.confidence", self.confidence.itemData(place))
