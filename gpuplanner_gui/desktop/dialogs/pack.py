"""What a catalogue pack would change, to be looked at before it counts."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import shorten

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHeaderView, QLineEdit, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.widgets.labels import plain_label
from gpuplanner_gui.desktop.widgets.layouts import lay_out
from gpuplanner_gui.desktop.widgets.tables import RowsModel, rows_table
from gpuplanner_gui.domain.pack import Pack, PackChange
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.rows import Column, Rows
from gpuplanner_gui.drawing.words.pack import (
    HEADINGS,
    change_rows,
    keys_text,
    pack_lines,
    pack_title,
    rows_that_hold,
)
from gpuplanner_gui.files.signatures import PublicKey

PACK_SIZE = (1000, 520)
LONGEST_NOTES = 400
"""Characters that leave the table its room; `gpuplanner pack show` prints all."""
WIDEST_COLUMN = 320
FIRST_VALUE_COLUMN = HEADINGS.index("Now")


class PackDialog(QDialog):
    """Who issued and signed the pack, and every change; accepting it applies nothing by itself."""

    def __init__(
        self, pack: Pack, signer: PublicKey, changes: Sequence[PackChange], in_force: Sequence[Pack], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setObjectName("pack")
        self.setWindowTitle(tr("Import catalogue pack"))
        notes = [shorten(pack.notes, LONGEST_NOTES, placeholder=" …")] if pack.notes else []
        title = plain_label(pack_title(pack), wraps=True)
        title.setObjectName("partTitle")
        self.model = RowsModel()
        self._rows = change_rows(changes)
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText(tr("Show only changes that hold…"))
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._show_rows)
        self._show_rows()
        self.table = rows_table(self.model, self)
        self.table.setAccessibleName(tr("Changes"))
        self.table.setFrameShape(self.table.Shape.StyledPanel)
        header = self.table.horizontalHeader()
        header.setResizeContentsPrecision(50)
        header.setMaximumSectionSize(WIDEST_COLUMN)
        for column in range(FIRST_VALUE_COLUMN):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        for column in range(FIRST_VALUE_COLUMN, len(HEADINGS)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        keeps = plain_label(
            tr(
                "Projects keep the figures of the devices that they recommend or name, as they were saved. Of all "
                "others they take the new ones, so that another device may come out best."
            ),
            wraps=True,
        )
        buttons = QDialogButtonBox()
        self.apply = buttons.addButton(tr("&Put in force"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.apply.setEnabled(bool(keys_text(pack)) or any(change.code != "same" for change in changes))
        buttons.addButton(QDialogButtonBox.StandardButton.Cancel).setDefault(True)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = lay_out(QVBoxLayout(self), title, spacing=8)
        for line in (*pack_lines(pack, signer, changes, in_force), *notes):
            layout.addWidget(plain_label(line, wraps=True))
        layout.addWidget(self.filter)
        layout.addWidget(self.table, 1)
        layout.addWidget(keeps)
        layout.addWidget(buttons)
        self.resize(*PACK_SIZE)

    def _show_rows(self) -> None:
        columns = tuple(Column(tr(one)) for one in HEADINGS)
        self.model.show_rows(Rows(columns, rows_that_hold(self._rows, self.filter.text().strip())))
