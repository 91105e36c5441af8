"""The editor of the selected part of a scenario, in a scrolling pane under its title."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.editors.base import (
    PARTS,
    SCENARIO_PART,
    EditorPart,
    ReadingOrder,
    Surroundings,
    ValueEditor,
    has_part,
    stops_in,
)
from gpuplanner_gui.desktop.editors.choices_edit import PickList
from gpuplanner_gui.desktop.editors.kinds import starting_value
from gpuplanner_gui.desktop.editors.struct_form import StructForm
from gpuplanner_gui.desktop.store import has_place, joined, words_of_edit
from gpuplanner_gui.desktop.widgets.flow_layout import STRETCH, lay_out, scroll_area
from gpuplanner_gui.desktop.widgets.labels import WrappingLabel, plain_label
from gpuplanner_gui.desktop.widgets.theme import push_button
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.units import format_value


class ModelSummary(QWidget):
    """Figures that the engine derives from the model's fields."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._figures: dict[str, QLabel] = {}
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(2)
        for row, (name, title) in enumerate(_TITLES.items()):
            caption = self._label("quiet")
            caption.setText(tr(title))
            caption.setMinimumWidth(caption.fontMetrics().horizontalAdvance(tr(title)) + 1)
            self._figures[name] = self._label("")
            self._figures[name].setAccessibleName(tr(title))
            grid.addWidget(caption, row, 0)
            grid.addWidget(self._figures[name], row, 1)
        grid.setColumnStretch(1, 1)
        self.notes = self._label("quiet")
        self.warning = self._label("problem")
        lay_out(QVBoxLayout(self), grid, self.warning, self.notes, margins=(0, 0, 0, 0), spacing=6)

    def show_model(self, model: Model) -> None:
        for name, text in model_figures(model).items():
            self._figures[name].setText(text)
        self.warning.setText(_lines(tr("Not understood:"), model.not_understood))
        self.warning.setVisible(bool(model.not_understood))
        self.notes.setText(_lines(tr("Assumed:"), model.assumed) + (f"\n{model.source}" if model.source else ""))
        self.notes.setVisible(bool(model.assumed or model.source))

    def _label(self, name: str) -> QLabel:
        return WrappingLabel(parent=self, is_selectable=True, name=name)


_TITLES = {
    "total": "Parameters",
    "active": "Active per token",
    "kv": "KV cache",
    "checkpoint": "Checkpoint",
}


def model_figures(model: Model) -> dict[str, str]:
    """The figures by name, as they are read."""
    # Imports numpy, which the window's shell does not wait for.
    from gpuplanner_gui.engine.model.cache_sizes import kv_bytes_per_token, kv_bytes_per_token_beyond_window
    from gpuplanner_gui.engine.model.parameters import model_parameters
    from gpuplanner_gui.engine.model.weight_sizes import checkpoint_bytes

    parameters = model_parameters(model)
    weights = float(checkpoint_bytes(model))
    cache, beyond = float(kv_bytes_per_token(model)), float(kv_bytes_per_token_beyond_window(model))
    return {
        "total": format_value(parameters.total, "param", 4),
        "active": format_value(parameters.active, "param", 4),
        "kv": _cache_text(cache, beyond),
        # Memory counts in 2³⁰ bytes, disks in 10⁹: the same weights are two numbers.
        "checkpoint": tr("{size} on disk, {memory} in memory").format(
            size=format_value(weights, "bytes on disk", 4), memory=format_value(weights, "bytes", 4)
        ),
    }


def _cache_text(bytes_per_token: float, beyond_windows: float) -> str:
    if not bytes_per_token:
        return tr("none")
    size, less = (format_value(value, "bytes", 4) for value in (bytes_per_token, beyond_windows))
    if beyond_windows == bytes_per_token:
        return tr("{size} per token in BF16").format(size=size)
    return tr("{size} per token in BF16, {less} beyond the attention window").format(size=size, less=less)


def _lines(heading: str, texts: tuple[str, ...]) -> str:
    return "\n".join([heading, *(f"· {text}" for text in texts)]) if texts else ""


class ModelEditor(ValueEditor):
    """A model is picked, imported or typed; whichever way, all of its fields stay editable."""

    is_wide = True
    import_requested = Signal()

    def __init__(self, surroundings: Surroundings) -> None:
        super().__init__()
        self._surroundings = surroundings
        self.summary = ModelSummary(self)
        self.form = StructForm(Model, surroundings)
        self.form.edited.connect(self.edited)
        self.pick = push_button(tr("From cata&logue…"), self._open_catalogue, self, picture="search")
        self.import_config = push_button(tr("&Import config.json…"), self.import_requested, self, picture="import")
        buttons = lay_out(QHBoxLayout(), self.pick, self.import_config, STRETCH, margins=(0, 0, 0, 0), spacing=6)
        lay_out(QVBoxLayout(self), buttons, self.summary, self.form, margins=(0, 0, 0, 0), spacing=8)
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
        PickList.pick_one(self.pick, self._surroundings.catalog.models, tr("Search models…"), self._on_picked)

    def _on_picked(self, model_id: str) -> None:
        self.edited.emit("", self._surroundings.catalog.models[model_id].model)


LEAST_WIDTH = 300


class PartEditor(QWidget):
    """Keeps a page for each part; a page is built when its part is first selected."""

    value_edited = Signal(str, object, object)
    """Path from the scenario down, value, and what the edit is called."""
    import_requested = Signal()
    page_built = Signal()

    def __init__(self, surroundings: Surroundings) -> None:
        super().__init__()
        self._surroundings = surroundings
        self._pages: dict[str, _Page] = {}
        self.part: EditorPart | None = None
        self._scenario: Scenario | None = None
        self.title = plain_label("", self, name="partTitle")
        self.title.setContentsMargins(12, 8, 8, 4)
        self._stack = QStackedWidget(self)
        lay_out(QVBoxLayout(self), self.title, (self._stack, 1), margins=(0, 0, 0, 0), spacing=0)
        self.setMinimumWidth(LEAST_WIDTH)

    def show_part(self, part: EditorPart, scenario: Scenario) -> None:
        """Show one part of a scenario."""
        self.part = part
        self.title.setText(part.words)
        self.show_scenario(scenario)
        self._stack.setCurrentWidget(self._pages[part.path].scroll_area)

    def show_scenario(self, scenario: Scenario) -> None:
        """Show another state of the scenario in the part at hand; other parts follow when they are shown."""
        self._scenario = self._surroundings.scenario = scenario
        if self.part is not None:
            self._page(self.part).show_scenario(scenario)

    def enter(self) -> None:
        """Put the cursor into the first field of the part that is shown."""
        shown = self._stack.currentWidget()
        page = shown.widget() if isinstance(shown, QScrollArea) else None
        stops = [one for one in stops_in(page) if one.isVisibleTo(page) and one.isEnabled()] if page is not None else []
        # The buttons over an entry of a list are no fields.
        stop = next((one for one in stops if not isinstance(one, QToolButton)), None)
        if stop is not None:
            stop.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def prepare_one(self, scenario: Scenario) -> bool:
        """Build the page of a part that has none yet; False when all have."""
        for part in (*PARTS, SCENARIO_PART):
            if part.path not in self._pages:
                self._page(part).show_scenario(scenario)
                return True
        return False

    def forget_hidden_pages(self) -> None:
        """Drop the forms that are not on screen; they are built again when they are wanted."""
        for path, page in list(self._pages.items()):
            if page.scroll_area is not self._stack.currentWidget():
                del self._pages[path]
                self._stack.removeWidget(page.scroll_area)
                page.scroll_area.deleteLater()

    def page_editor(self, part: EditorPart) -> ValueEditor | None:
        """The form of a part that was shown."""
        page = self._pages.get(part.path)
        return page.editor if page else None

    def built_pages(self) -> list[tuple[EditorPart, QWidget]]:
        """The pages of the parts that the scenario at hand has, those that were built so far."""
        scenario = self._scenario
        parts = [part for part in (*PARTS, SCENARIO_PART) if scenario is not None and has_part(scenario, part)]
        return [(part, self._pages[part.path]) for part in parts if part.path in self._pages]

    def built_areas(self) -> list[tuple[str, QScrollArea, QWidget]]:
        """The pages that were built so far with what scrolls them, by their part's path."""
        return [(path, page.scroll_area, page) for path, page in self._pages.items()]

    def _page(self, part: EditorPart) -> _Page:
        if part.path not in self._pages:
            page = _Page(part, self._make_editor)
            page.edited.connect(self._on_edited)
            self._pages[part.path] = page
            self._stack.addWidget(page.scroll_area)
            ReadingOrder(page, self)
            self.page_built.emit()
        return self._pages[part.path]

    def _make_editor(self, part: EditorPart) -> ValueEditor:
        if part.path == "model":
            editor = ModelEditor(self._surroundings)
            editor.import_requested.connect(self.import_requested)
            return editor
        names = ("name", "notes") if part is SCENARIO_PART else None
        return StructForm(part.struct_type, self._surroundings, names=names)

    def _on_edited(self, path: str, value: Any) -> None:
        # A form may still show a part that the scenario at hand lacks.
        if self._scenario is not None and has_place(self._scenario, path):
            self.value_edited.emit(path, value, words_of_edit(self._scenario, path))


class _Page(QWidget):
    """A part's form, or the offer to add the part where the scenario lacks it."""

    edited = Signal(str, object)

    def __init__(self, part: EditorPart, make_editor: Callable[[EditorPart], ValueEditor]) -> None:
        super().__init__()
        self._part = part
        self._make_editor = make_editor
        self.editor: ValueEditor | None = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(12, 4, 8, 12)
        self._absent = self._absent_note()
        self._layout.addWidget(self._absent)
        self._layout.addStretch(1)
        self.scroll_area = scroll_area(self, is_upright=True, takes_focus=False)

    def show_scenario(self, scenario: Scenario) -> None:
        is_there = has_part(scenario, self._part)
        self._absent.setVisible(not is_there)
        if is_there and self.editor is None:
            self.editor = self._make_editor(self._part)
            self.editor.edited.connect(lambda path, value: self.edited.emit(joined(self._part.path, path), value))
            self._layout.insertWidget(1, self.editor)
        if self.editor is not None:
            self.editor.setVisible(is_there)
            if is_there:
                self.editor.show_value(getattr(scenario, self._part.path) if self._part.path else scenario)

    def _absent_note(self) -> QWidget:
        note = QWidget(self)
        words = plain_label(tr(self._part.absent), note, name="quiet", wraps=True)
        add = push_button(tr(self._part.add), None, note, picture="add")
        add.setHidden(not self._part.add)
        add.clicked.connect(lambda: self.edited.emit(self._part.path, starting_value(self._part.struct_type)))
        lay_out(QVBoxLayout(note), words, (add, 0, Qt.AlignmentFlag.AlignLeft), margins=(0, 0, 0, 0))
        return note
