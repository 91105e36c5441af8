"""What a report is about: which scenarios, and the recommended candidates or those selected in the tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.widgets.labels import WrappingLabel
from gpuplanner_gui.drawing.language import tr

LEAST_WIDTH = 440
BESIDE_TEXT = 70
"""Pixels of a dialog's width that its margins and a button's mark take."""
MOST_ROWS = 8


@dataclass(frozen=True)
class ReportContents:
    """Places of the scenarios in the project, and the candidate chosen for each workload of the one at hand."""

    scenarios: tuple[int, ...]
    chosen: Mapping[str, int] = field(default_factory=dict)


class ReportDialog(QDialog):
    """Asked only where there is a choice: several scenarios, or another candidate selected than the recommended."""

    def __init__(
        self,
        names: tuple[str, ...],
        current: int,
        selected: Mapping[str, int],
        description: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Report"))
        self.setMinimumWidth(LEAST_WIDTH)
        self._current, self._selected = current, selected
        self.scenarios = QListWidget()
        self.scenarios.setAccessibleName(tr("Scenarios"))
        for name in names:
            item = QListWidgetItem(name)
            item.setFlags(Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            item.setCheckState(Qt.CheckState.Checked)
            self.scenarios.addItem(item)
        row = max(self.scenarios.sizeHintForRow(0), 1)
        self.scenarios.setFixedHeight(row * min(len(names), MOST_ROWS) + 2 * self.scenarios.frameWidth() + 4)
        self.scenarios.itemChanged.connect(self._follow)
        self.recommended = QRadioButton(tr("The candidates that the ranking recommends"))
        chosen = tr("The candidates selected in the tables: {which}").format(which=description.replace("&", "&&"))
        self.chosen = QRadioButton(chosen)
        self._wrap(self.recommended, self.chosen)
        self.recommended.setChecked(True)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setText(tr("Choose file…"))
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._lay_out(len(names))

    def _wrap(self, *buttons: QRadioButton) -> None:
        """In as many lines as large type needs: Qt's buttons break none themselves."""
        for button in buttons:
            button.ensurePolished()
            metrics, lines = button.fontMetrics(), [""]
            for word in button.text().split(" "):
                longer = f"{lines[-1]} {word}".strip()
                if lines[-1] and metrics.horizontalAdvance(longer) > LEAST_WIDTH - BESIDE_TEXT:
                    lines.append(word)
                else:
                    lines[-1] = longer
            button.setText("\n".join(lines))

    def _lay_out(self, count: int) -> None:
        layout = QVBoxLayout(self)
        if count > 1:
            layout.addWidget(WrappingLabel(tr("Scenarios; two or more are compared in the report as well")))
            layout.addWidget(self.scenarios)
        if self._selected:
            layout.addWidget(QLabel(tr("The report is about")))
            layout.addWidget(self.recommended)
            layout.addWidget(self.chosen)
        layout.addStretch(1)
        layout.addWidget(self.buttons)

    def _follow(self) -> None:
        places = self._checked()
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(bool(places))
        self.chosen.setEnabled(self._current in places)
        if self._current not in places:
            self.recommended.setChecked(True)

    def _checked(self) -> tuple[int, ...]:
        count = self.scenarios.count()
        return tuple(row for row in range(count) if self.scenarios.item(row).checkState() == Qt.CheckState.Checked)

    @property
    def contents(self) -> ReportContents:
        return ReportContents(self._checked(), dict(self._selected) if self.chosen.isChecked() else {})
