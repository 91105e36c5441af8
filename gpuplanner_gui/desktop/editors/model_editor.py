"""The model: what it amounts to, where to take it from, and its architecture."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.editors.base import Surroundings, ValueEditor
from gpuplanner_gui.desktop.editors.model_summary import ModelSummary
from gpuplanner_gui.desktop.editors.pick_list import PickList
from gpuplanner_gui.desktop.editors.struct_form import StructForm
from gpuplanner_gui.desktop.icons import icon
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.drawing.language import tr


class ModelEditor(ValueEditor):
    """A model is picked, imported or typed; whichever way, all of its fields stay editable."""

    is_wide = True
    import_requested = Signal()

    def __init__(self, surroundings: Surroundings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._surroundings = surroundings
        self.summary = ModelSummary(self)
        self.form = StructForm(Model, surroundings)
        self.form.edited.connect(self.edited)
        self.pick = QPushButton(icon("search"), tr("From cata&logue…"), self)
        self.pick.clicked.connect(self._open_catalogue)
        self.import_config = QPushButton(icon("import"), tr("&Import config.json…"), self)
        self.import_config.clicked.connect(self.import_requested)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(0, 0, 0, 0)
        buttons.setSpacing(6)
        buttons.addWidget(self.pick)
        buttons.addWidget(self.import_config)
        buttons.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(buttons)
        layout.addWidget(self.summary)
        layout.addWidget(self.form)
        surroundings.changed.connect(self._on_catalog)
        self._on_catalog()

    def show_value(self, value: Any) -> None:
        self.summary.show_model(value)
        self.form.show_value(value)

    def focus_widget(self) -> QWidget:
        return self.pick

    def _on_catalog(self) -> None:
        self.pick.setEnabled(self._surroundings.catalog is not None)

    def _open_catalogue(self) -> None:
        models = self._surroundings.catalog.models
        choices = [(entry.id, entry.name) for entry in sorted(models.values(), key=lambda entry: entry.name.casefold())]
        pick_list = PickList(choices, None, tr("Search models…"), self)
        pick_list.picked.connect(self._on_picked)
        pick_list.open_under(self.pick)

    def _on_picked(self, model_id: str) -> None:
        self.edited.emit("", self._surroundings.catalog.models[model_id].model)
