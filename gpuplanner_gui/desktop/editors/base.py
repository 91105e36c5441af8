"""What every editor of a value is and is told about its surroundings, and the parts of a scenario."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import msgspec
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLayout, QToolButton, QWidget

from gpuplanner_gui.desktop.widgets.event_turns import WhenDrawn
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.domain.hardware import ACCELERATOR_KINDS, ECOSYSTEMS
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import ServingWorkload
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.words.choices import words_of_choice
from gpuplanner_gui.drawing.words.files import problem_text


@dataclass(frozen=True)
class EditorPart:
    """A field of the scenario, with its place in the tree."""

    path: str
    """Field of the scenario; empty for the scenario's own name and notes."""
    title: str
    icon: str
    struct_type: type[msgspec.Struct]
    absent: str = ""
    """Text where the scenario lacks this part."""
    add: str = ""
    """Text of the button that adds it."""

    @property
    def words(self) -> str:
        return tr(self.title)


PARTS = (
    EditorPart("model", "Model", "model", Model),
    EditorPart(
        "serving", "Serving", "serving", ServingWorkload,
        "This scenario serves no requests.", "Plan a service",
    ),
    EditorPart(
        "training", "Training", "training", TrainingWorkload,
        "This scenario trains nothing.", "Plan a training job",
    ),
    EditorPart("hardware", "Hardware", "hardware", HardwareChoice),
    EditorPart("economics", "Money", "money", Economics),
)  # fmt: skip
SCENARIO_PART = EditorPart("", "Scenario", "scenario", Scenario)


def part_of_path(path: str) -> EditorPart:
    """The part that a path of the scenario leads into."""
    head = path.split(".")[0].split("[")[0]
    return next((part for part in PARTS if part.path == head), SCENARIO_PART)


def has_part(scenario: Scenario, part: EditorPart) -> bool:
    return not part.path or getattr(scenario, part.path) is not None


FIELD_NAME = "fieldName"
"""Property of what stands for a field, section or entry of a form: its own name, in every language."""
Choice = tuple[str, str]
"""A code and what is shown for it."""


class Surroundings(QObject):
    """What editors need beside their value: choices that depend on the catalogue, which arrives after the window."""

    changed = Signal()
    problem_changed = Signal()
    """What is typed in a field can't be read, or can again."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.catalog: Any = None
        self.scenario: Any = None
        """The scenario that is edited; None before the first."""
        self._choices: dict[tuple[str, str], Callable[[Any], Sequence[Choice]]] = {}

    def offer_choices(self, struct_name: str, field_name: str, choices: Callable[[Any], Sequence[Choice]]) -> None:
        """Say what a field of a struct may hold, as a function of the catalogue."""
        self._choices[struct_name, field_name] = choices

    def has_choices(self, struct_name: str, field_name: str) -> bool:
        return (struct_name, field_name) in self._choices

    def choices(self, struct_name: str, field_name: str) -> Sequence[Choice]:
        """None of the catalogue's while it is not there."""
        return self._choices[struct_name, field_name](self.catalog or Catalog())

    def take_catalog(self, catalog: Any) -> None:
        self.catalog = catalog
        self.changed.emit()


@dataclass(frozen=True)
class Place:
    """Where an editor stands: which struct's field it edits, with the field's default."""

    struct_type: type
    name: str
    surroundings: Surroundings
    check: Callable[[Any], str]
    """A sentence that says what is wrong with a value, or nothing."""
    default: Any = None

    @property
    def has_choices(self) -> bool:
        """Whether its values are picked from what the surroundings offer."""
        return self.surroundings.has_choices(self.struct_type.__name__, self.name)

    def choices(self) -> Sequence[Choice]:
        return self.surroundings.choices(self.struct_type.__name__, self.name)


def objection(struct: msgspec.Struct, name: str, value: Any) -> str:
    """Why the domain refuses a value of a struct's field, as a sentence; empty if it accepts it."""
    found = problems_of(msgspec.structs.replace(struct, **{name: value}))
    of_field = (p for p in found if p.path == name or p.path.startswith((f"{name}.", f"{name}[")))
    problem = next(of_field, None)
    return problem_text(problem, with_path=False) if problem is not None else ""


class ValueEditor(QWidget):
    """Base of all editors. None has a focus proxy: the Tab key would stop at the editor, and then at what is in it."""

    edited = Signal(str, object)
    problem_changed = Signal(str)
    """A sentence about what was typed, or nothing when it is well."""

    is_wide = False
    """True for one that takes a form's whole width, with a heading of its own."""

    def show_value(self, value: Any) -> None:
        raise NotImplementedError

    def kept_text(self) -> str:
        """The value that holds while something else is being typed, as it is shown; empty where there is none."""
        return ""

    def focus_widget(self) -> QWidget:
        """What a label's mnemonic leads to and a screen reader names."""
        return self


def offer_catalog_choices(surroundings: Surroundings) -> None:
    """Say for each such field what may be picked."""
    surroundings.offer_choices("HardwareChoice", "accelerators", accelerator_choices)
    surroundings.offer_choices("HardwareChoice", "vendors", _vendors)
    surroundings.offer_choices("HardwareChoice", "network", _links)
    surroundings.offer_choices("PriceOverride", "accelerator", accelerator_choices)
    surroundings.offer_choices("OwnedStock", "accelerator", accelerator_choices)
    surroundings.offer_choices("ScaleUp", "link_id", lambda catalog: [("", tr("Not set")), *_links(catalog)])
    surroundings.offer_choices("HardwareChoice", "kinds", lambda _: _in_words(ACCELERATOR_KINDS))
    surroundings.offer_choices("HardwareChoice", "ecosystems", lambda _: _in_words(ECOSYSTEMS))


def accelerator_choices(catalog: Catalog) -> Sequence[Choice]:
    return sorted(((entry.id, entry.name) for entry in catalog.accelerators.values()), key=_by_words)


def _in_words(codes: Sequence[str]) -> Sequence[Choice]:
    return [(code, words_of_choice(code)) for code in codes]


def _vendors(catalog: Catalog) -> Sequence[Choice]:
    return sorted(((vendor, vendor) for vendor in {e.vendor for e in catalog.accelerators.values()}), key=_by_words)


def _links(catalog: Catalog) -> Sequence[Choice]:
    return sorted(((entry.id, entry.name) for entry in catalog.links.values()), key=_by_words)


def _by_words(choice: Choice) -> str:
    return choice[1].casefold()


class ReadingOrder(QObject):
    """Keeps the order of a page: Qt's is that in which widgets were made, and forms make theirs as they are needed.

    The page comes where `place` has its place among the parts of the window.
    """

    def __init__(self, page: QWidget, place: QWidget) -> None:
        super().__init__(page)
        self._page, self._place = page, place
        self._known: list[QWidget] = []
        self._soon = WhenDrawn(self, self._follow)  # Once for a form that grows over many turns.
        page.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # What is added or taken away anywhere in a page asks it for room.
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Show):
            self._soon.start()
        return False

    def _follow(self) -> None:
        stops = list(stops_in(self._page))
        if stops == self._known:
            return
        self._known = stops
        before = _stop_before(self._place)
        for stop in stops:
            if before is not None:
                QWidget.setTabOrder(before, stop)
            before = stop


def stops_in(widget: QWidget) -> Iterator[QWidget]:
    """What the Tab key may stop at in a widget, by the places in its layouts."""
    layout = widget.layout()
    buttons = widget.findChildren(QToolButton, options=Qt.FindChildOption.FindDirectChildrenOnly)
    for child in _placed(layout) if layout is not None else buttons:
        if child.focusPolicy() & Qt.FocusPolicy.TabFocus:
            yield child
        yield from stops_in(child)


def _placed(layout: QLayout) -> Iterator[QWidget]:
    places = list(range(layout.count()))
    if isinstance(layout, QGridLayout):
        places.sort(key=lambda place: cast("tuple[int, int]", layout.getItemPosition(place))[:2])
    for place in places:
        item = layout.itemAt(place)
        widget, inner = (item.widget(), item.layout()) if item is not None else (None, None)
        if widget is not None:
            yield widget
        elif inner is not None:
            yield from _placed(inner)


def _stop_before(place: QWidget) -> QWidget | None:
    """The last stop before a widget in the order of its window; None where there is none."""
    found = place.previousInFocusChain()
    while found is not None and found is not place:
        if not place.isAncestorOf(found) and found.focusPolicy() & Qt.FocusPolicy.TabFocus:
            return found
        found = found.previousInFocusChain()
    return None
