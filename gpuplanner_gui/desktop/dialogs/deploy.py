"""Dialogs before files are written: what a report is about, and launch flags or the files that start a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMessageBox,
    QPlainTextEdit,
    QRadioButton,
    QTableWidget,
    QTableWidgetItem,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.widgets.calm import CalmComboBox
from gpuplanner_gui.desktop.widgets.flow_layout import lay_out
from gpuplanner_gui.desktop.widgets.labels import WrappingLabel, plain_label
from gpuplanner_gui.desktop.widgets.theme import choice_box, push_button
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.report_subjects import IN_SHORT, SUBJECTS
from gpuplanner_gui.drawing.words.files import file_problem_text
from gpuplanner_gui.files.errors import FileProblem

if TYPE_CHECKING:
    from gpuplanner_gui.domain.launch import Launch
    from gpuplanner_gui.drawing.results import Results


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


def _tick(words: str, is_on: bool) -> QListWidgetItem:
    item = QListWidgetItem(words)
    item.setFlags(Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
    item.setCheckState(Qt.CheckState.Checked if is_on else Qt.CheckState.Unchecked)
    return item


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
        *,
        has_estate: bool = True,
        has_pinned: bool = False,
    ) -> None:
        """An estate is offered where there is one; the section of candidates is ticked where some are pinned."""
        super().__init__(parent)
        self.setWindowTitle(tr("Report"))
        self.setMinimumWidth(LEAST_WIDTH)
        self._current, self._selected = current, selected
        self.scenarios = QListWidget()
        self.scenarios.setAccessibleName(tr("Scenarios"))
        for name in names:
            self.scenarios.addItem(_tick(name, True))
        row = max(self.scenarios.sizeHintForRow(0), 1)
        self.scenarios.setFixedHeight(row * min(len(names), MOST_ROWS) + 2 * self.scenarios.frameWidth() + 4)
        self.scenarios.itemChanged.connect(self._follow)
        self._preview_of = preview
        self.sections = QListWidget()
        self.sections.setAccessibleName(tr("Sections"))
        self._usual = tuple(one for one in IN_SHORT if has_estate or one != "estate")
        for subject, title in SUBJECTS.items():
            if subject == "estate" and not has_estate:
                continue
            item = _tick(tr(title), subject in self._usual or (has_pinned and subject == "candidates"))
            item.setData(Qt.ItemDataRole.UserRole, subject)
            self.sections.addItem(item)
        self.sections.setSizeAdjustPolicy(QListWidget.SizeAdjustPolicy.AdjustToContents)
        self.sections.itemChanged.connect(self._follow)
        self.sections.currentItemChanged.connect(self._show_preview)
        self.preview = QTextBrowser()
        self.preview.setOpenLinks(False)
        self.preview.setAccessibleName(tr("Preview of the section"))
        self.preview.setPlaceholderText(tr("Select a section to preview it."))
        self.preview.setVisible(preview is not None)
        self.recommended = QRadioButton(tr("The recommended candidates"))
        chosen = tr("The candidates selected in the tables: {which}").format(which=description.replace("&", "&&"))
        self.chosen = QRadioButton(chosen)
        self._wrap(self.recommended, self.chosen)
        self.recommended.setChecked(True)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setText(tr("Choose file…"))
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._lay_out(len(names))
        self.sections.ensurePolished()
        self.sections.setMinimumWidth(self.sections.sizeHintForColumn(0) + 2 * self.sections.frameWidth() + BESIDE_TEXT)
        # Qt itself would take no more than two thirds of the screen.
        self.resize(self.sizeHint().expandedTo(QSize(0 if preview is None else FIRST_SIZE[0], 0)))

    def _wrap(self, *buttons: QRadioButton) -> None:
        """Break the texts of buttons into as many lines as large type needs: Qt's buttons break none themselves."""
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
            layout.addWidget(WrappingLabel(tr("Scenarios; the report compares two or more")))
            layout.addWidget(self.scenarios)
        if self._selected:
            layout.addWidget(QLabel(tr("The report is about")))
            layout.addWidget(self.recommended)
            layout.addWidget(self.chosen)
        layout.addWidget(QLabel(tr("Sections")))
        below = lay_out(QHBoxLayout(), self.sections, (self.preview, 2))
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
        return ReportContents(self._checked(), chosen, None if subjects == self._usual else subjects)


FIRST_SIZE = (760, 620)
COMMAND_LINES = 11


class DeployDialog(QDialog):
    """Follows the results on screen; keeps the launcher that was chosen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        from gpuplanner_gui.files.deploy import TARGETS

        super().__init__(parent)
        self.setWindowTitle(tr("Launch flags"))
        self.resize(*FIRST_SIZE)
        self._results: Results | None = None
        self._launches: tuple[Launch, ...] = ()
        self.choice = CalmComboBox()
        self.choice.setAccessibleName(tr("Engine or framework"))
        self.choice.currentIndexChanged.connect(self._show_chosen)
        self.candidate = plain_label(wraps=True, is_selectable=True)
        self.command = QPlainTextEdit()
        self.command.setReadOnly(True)
        self.command.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.command.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.command.setAccessibleName(tr("Command"))
        self.command.setMinimumHeight(self.command.fontMetrics().lineSpacing() * COMMAND_LINES)
        self.copy = push_button(tr("&Copy"), self._copy, tip=tr("Copy the command"))
        self.variables = plain_label(name="quiet", wraps=True, is_selectable=True)
        self.target = choice_box(TARGETS.items(), tr("Deploy with"))
        self.checkpoint = QLineEdit()
        self.checkpoint.setAccessibleName(tr("Checkpoint"))
        self.checkpoint.setToolTip(
            tr("A path on every server, or a name on a hub; empty: /models/ and the model's name")
        )
        self.checkpoint.setPlaceholderText(tr("Checkpoint: /models/… or a name on a hub"))
        self.image = QLineEdit()
        self.image.setAccessibleName(tr("Container image"))
        self.image.setPlaceholderText(tr("Container image: the engine's own"))
        self.write = push_button(tr("&Write files…"), self._write_files)
        self.settings = _table()
        self.notes = plain_label(wraps=True, is_selectable=True)
        self.source = plain_label(name="quiet", wraps=True, is_selectable=True)
        self._lay_out()

    def _lay_out(self) -> None:
        top = lay_out(QHBoxLayout(), QLabel(tr("For")), self.choice, (self.candidate, 1), self.copy)
        files = lay_out(
            QHBoxLayout(), QLabel(tr("Files for")), self.target, (self.checkpoint, 1), (self.image, 1), self.write
        )
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        lay_out(
            QVBoxLayout(self), top, (self.command, 3), self.variables, self.notes, (self.settings, 2), files,
            self.source, buttons,
        )  # fmt: skip

    def show_results(self, results: Results | None) -> None:
        """Hand over the candidates that are looked at now."""
        from gpuplanner_gui.drawing.words.launch import launches_of

        chosen = self.choice.currentData()
        self._results = results
        workloads = results.workloads() if results is not None else ()
        self._launches = tuple(one for name in workloads for one in launches_of(results, name)) if results else ()
        self.choice.blockSignals(True)
        self.choice.clear()
        for launch in self._launches:
            self.choice.addItem(launch.name, launch.launcher)
        self.choice.setCurrentIndex(max(0, self.choice.findData(chosen)) if self._launches else -1)
        self.choice.blockSignals(False)
        self._show_chosen()

    def _show_chosen(self) -> None:
        from gpuplanner_gui.drawing.words.candidates import candidate_text
        from gpuplanner_gui.drawing.words.launch import command_text, notes_of, source_text, variable_lines

        launch, results = self._chosen(), self._results
        if launch is None or results is None:
            self.command.setPlainText("")
            self.notes.setText(tr("There is no plan to deploy."))
            for label in (self.candidate, self.variables, self.source):
                label.setText("")
            self.settings.setRowCount(0)
            self.copy.setEnabled(False)
            self.write.setEnabled(False)
            return
        self.candidate.setText(candidate_text(results.plan, results.catalog, launch.workload, launch.candidate))
        self.command.setPlainText(command_text(launch))
        self.copy.setEnabled(launch.is_possible)
        self.write.setEnabled(launch.is_possible)
        self.variables.setText("\n".join(variable_lines(launch, results.scenario.model.name)))
        self.variables.setVisible(bool(self.variables.text()))
        self.notes.setText("\n".join(notes_of(launch)))
        self.source.setText(source_text(launch))
        self._show_settings(launch)

    def _show_settings(self, launch: Launch) -> None:
        from gpuplanner_gui.drawing.words.launch import setting_name, setting_value, status_name

        self.settings.setRowCount(len(launch.settings))
        for row, one in enumerate(launch.settings):
            for column, text in enumerate((setting_name(one.code), setting_value(one), one.text or status_name(one))):
                item = QTableWidgetItem(text)
                item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
                item.setToolTip(text)
                self.settings.setItem(row, column, item)
        self.settings.resizeColumnToContents(0)
        self.settings.resizeColumnToContents(1)

    def _chosen(self) -> Launch | None:
        place = self.choice.currentIndex()
        return self._launches[place] if 0 <= place < len(self._launches) else None

    def _write_files(self) -> None:
        """Ask for a folder and write into it; what cannot be, or would be written over, is said first."""
        from gpuplanner_gui.drawing.words.launch import files_of
        from gpuplanner_gui.files.deploy import DeployPlace, write_deployment

        launch, results = self._chosen(), self._results
        if launch is None or results is None:
            return
        chosen = QFileDialog.getExistingDirectory(self, tr("Folder for the files"))
        if not chosen:
            return
        folder, place = Path(chosen), DeployPlace(model=self.checkpoint.text().strip(), image=self.image.text().strip())
        try:
            target = str(self.target.currentData())
            files = files_of(results, launch.candidate, launch.launcher, target, place, folder)
            there = [name for name in files if (folder / name).exists()]
            if there and not self._may_replace(there):
                return
            write_deployment(folder, files, overwrite=bool(there))
        except FileProblem as problem:
            self._tell(QMessageBox.Icon.Warning, file_problem_text(problem))
            return
        self._tell(QMessageBox.Icon.Information, tr("Written: {names}").format(names=", ".join(files)))

    def _may_replace(self, names: list[str]) -> bool:
        box = self._box(QMessageBox.Icon.Question, tr("Replace {names}?").format(names=", ".join(names)))
        box.setStandardButtons(QMessageBox.StandardButton.Yes | QMessageBox.StandardButton.Cancel)
        return box.exec() == QMessageBox.StandardButton.Yes

    def _tell(self, icon: QMessageBox.Icon, text: str) -> None:
        self._box(icon, text).exec()

    def _box(self, icon: QMessageBox.Icon, text: str) -> QMessageBox:
        box = QMessageBox(icon, self.windowTitle(), text, parent=self)
        box.setTextFormat(Qt.TextFormat.PlainText)
        return box

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.command.toPlainText())


def _table() -> QTableWidget:
    table = QTableWidget(0, 3)
    table.setHorizontalHeaderLabels([tr("Setting"), tr("Value"), tr("Flag")])
    table.verticalHeader().hide()
    table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    table.horizontalHeader().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
    table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    table.setAccessibleName(tr("Settings of the plan"))
    table.horizontalHeader().setHighlightSections(False)
    table.setShowGrid(False)
    table.setAlternatingRowColors(True)
    table.setTabKeyNavigation(False)
    return table
