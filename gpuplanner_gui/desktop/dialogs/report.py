"""What a report is about: which scenarios, which sections, and the recommended candidates or those selected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QRadioButton,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.widgets.labels import WrappingLabel
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.report_subjects import IN_SHORT, SUBJECTS

LEAST_WIDTH = 440
BESIDE_TEXT = 70
"""Pixels of a dialog's width that its margins and a button's mark take."""
MOST_ROWS = 8


@dataclass(frozen=True)
class ReportContents:
    """Places of the scenarios in the project, and the candidate chosen for each workload of the one at hand."""

    scenarios: tuple[int, ...]
    chosen: Mapping[str, int] = field(default_factory=dict)
    subjects: tuple[str, ...] | None = None
    """Sections; None for those that are usual for the format."""


class ReportDialog(QDialog):
    """Scenarios and candidates are asked only where there is a choice; sections always, with a preview of one."""

    def __init__(
        self,
        names: tuple[str, ...],
        current: int,
        selected: Mapping[str, int],
        description: str,
        parent: QWidget | None = None,
        preview: Callable[[str], str] | None = None,
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
        self._preview_of = preview
        self.sections = QListWidget()
        self.sections.setAccessibleName(tr("Sections"))
        for subject, title in SUBJECTS.items():
            item = QListWidgetItem(tr(title))
            item.setData(Qt.ItemDataRole.UserRole, subject)
            item.setFlags(Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            item.setCheckState(Qt.CheckState.Checked if subject in IN_SHORT else Qt.CheckState.Unchecked)
            self.sections.addItem(item)
        self.sections.itemChanged.connect(self._follow)
        self.sections.currentItemChanged.connect(self._show_preview)
        self.preview = QTextBrowser()
        self.preview.setOpenLinks(False)
        self.preview.setAccessibleName(tr("Preview of the section"))
        self.preview.setPlaceholderText(tr("Select a section to see what stands in it."))
        self.preview.setVisible(preview is not None)
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
        layout.addWidget(QLabel(tr("Sections")))
        below = QHBoxLayout()
        below.addWidget(self.sections)
        below.addWidget(self.preview, 2)
        layout.addLayout(below, 1)
        layout.addWidget(self.buttons)

    def _follow(self) -> None:
        places = self._checked()
        can_write = bool(places) and bool(self._subjects())
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(can_write)
        self.chosen.setEnabled(self._current in places)
        if self._current not in places:
            self.recommended.setChecked(True)

    def _checked(self) -> tuple[int, ...]:
        count = self.scenarios.count()
        return tuple(row for row in range(count) if self.scenarios.item(row).checkState() == Qt.CheckState.Checked)

    def _subjects(self) -> tuple[str, ...]:
        items = (self.sections.item(row) for row in range(self.sections.count()))
        return tuple(
            str(one.data(Qt.ItemDataRole.UserRole)) for one in items if one.checkState() == Qt.CheckState.Checked
        )

    def _show_preview(self) -> None:
        item = self.sections.currentItem()
        if self._preview_of is not None and item is not None:
            self.preview.setHtml(self._preview_of(str(item.data(Qt.ItemDataRole.UserRole))))

    @property
    def contents(self) -> ReportContents:
        subjects = self._subjects()
        chosen = dict(self._selected) if self.chosen.isChecked() else {}
        return ReportContents(self._checked(), chosen, None if subjects == IN_SHORT else subjects)
