"""What a training run asks of storage: data, checkpoints, and what a slower checkpoint store costs."""

from __future__ import annotations

from PySide6.QtWidgets import QHeaderView, QLabel, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.pages.result_view import ResultView
from gpuplanner_gui.desktop.widgets.labels import WrappingLabel
from gpuplanner_gui.desktop.widgets.tables import RowsModel, rows_table, show_whole
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words.training import data_text, store_rows, store_text


class StoragePage(ResultView):
    """Two sentences about the candidate, and the recommended run over stores from fast to slow."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.data = WrappingLabel("", self, is_selectable=True)
        self.store = WrappingLabel("", self, is_selectable=True)
        self.heading = QLabel(tr("The recommended run with other checkpoint stores"), self)
        self.heading.setObjectName("sectionTitle")
        self.model = RowsModel()
        self.table = rows_table(self.model, self)
        self.table.setAccessibleName(self.heading.text())
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 8, 16, 8)
        layout.setSpacing(8)
        for widget in (self.data, self.store, self.heading, self.table):
            layout.addWidget(widget)
        layout.addStretch()
        self._veil.raise_()

    def draw(self, context: Results) -> None:
        candidate = context.candidate("training")
        self.data.setText(
            data_text(context, candidate) or tr("No candidate can train; the table gives each one's reason.")
        )
        self.store.setText(store_text(context, candidate))
        rows = store_rows(context)
        self.model.show_rows(rows)
        self.heading.setVisible(bool(rows.cells))
        self.table.setVisible(bool(rows.cells))
        show_whole(self.table)
