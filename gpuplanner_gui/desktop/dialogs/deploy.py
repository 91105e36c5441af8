"""Plan › Launch Flags: how the candidates on screen are started, for those who deploy; ready to be copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.drawing.language import tr

if TYPE_CHECKING:
    from gpuplanner_gui.domain.launch import Launch
    from gpuplanner_gui.drawing.results import Results

FIRST_SIZE = (760, 620)
COMMAND_LINES = 11


class DeployDialog(QDialog):
    """Follows the results on screen; keeps the launcher that was chosen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Launch flags"))
        self.resize(*FIRST_SIZE)
        self._results: Results | None = None
        self._launches: tuple[Launch, ...] = ()
        self.choice = QComboBox()
        self.choice.setAccessibleName(tr("Engine or framework"))
        self.choice.currentIndexChanged.connect(self._show_chosen)
        self.candidate = _label()
        self.command = QPlainTextEdit()
        self.command.setReadOnly(True)
        self.command.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.command.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.command.setAccessibleName(tr("Command"))
        self.command.setMinimumHeight(self.command.fontMetrics().lineSpacing() * COMMAND_LINES)
        self.copy = QPushButton(tr("&Copy"))
        self.copy.setToolTip(tr("Copy the command"))
        self.copy.clicked.connect(self._copy)
        self.variables = _label("quiet")
        self.settings = _table()
        self.notes = _label()
        self.source = _label("quiet")
        self._lay_out()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.addWidget(QLabel(tr("For")))
        top.addWidget(self.choice)
        top.addWidget(self.candidate, 1)
        top.addWidget(self.copy)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addLayout(top)
        layout.addWidget(self.command, 3)
        layout.addWidget(self.variables)
        layout.addWidget(self.notes)
        layout.addWidget(self.settings, 2)
        layout.addWidget(self.source)
        layout.addWidget(buttons)

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
        from gpuplanner_gui.drawing.words.launch import command_text, notes_of, variable_lines

        launch, results = self._chosen(), self._results
        if launch is None or results is None:
            self.command.setPlainText("")
            self.notes.setText(tr("There is no plan that could be started."))
            for label in (self.candidate, self.variables, self.source):
                label.setText("")
            self.settings.setRowCount(0)
            self.copy.setEnabled(False)
            return
        self.candidate.setText(candidate_text(results.plan, results.catalog, launch.workload, launch.candidate))
        self.command.setPlainText(command_text(launch))
        self.copy.setEnabled(launch.is_possible)
        self.variables.setText("\n".join(variable_lines(launch, results.scenario.model.name)))
        self.variables.setVisible(bool(self.variables.text()))
        self.notes.setText("\n".join(notes_of(launch)))
        self.source.setText(
            tr("Flags as of {date}: {sources}").format(date=launch.date, sources=" ".join(launch.sources))
        )
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

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.command.toPlainText())


def _label(name: str = "") -> QLabel:
    label = QLabel()
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


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
    return table
