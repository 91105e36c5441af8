"""Estate › Inputs: workloads with their dates, hardware, pools, sites and limits, edited together and then taken."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFrame, QScrollArea, QTabWidget, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.editors.base import Choice, Surroundings, accelerator_choices
from gpuplanner_gui.desktop.editors.edit_path import replaced
from gpuplanner_gui.desktop.editors.struct_form import StructForm
from gpuplanner_gui.desktop.widgets.labels import plain_label
from gpuplanner_gui.desktop.widgets.layouts import STRETCH, lay_out
from gpuplanner_gui.desktop.widgets.questions import may_give_up_edits
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.estate import Estate, EstateHardware, EstatePool, EstateSite, with_references_renamed
from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.words.files import estate_fault_text
from gpuplanner_gui.files.estate_check import estate_faults

ESTATE_SIZE = (640, 660)
GENERAL = (
    "start", "period", "periods", "discount_per_year", "rented_g_co2e_per_kwh", "options_per_workload",
)  # fmt: skip
TABS: tuple[tuple[str, ...], ...] = (
    ("workloads",), ("hardware",), ("pools",), ("sites",), ("years",), ("futures",), ("hours",), GENERAL,
)  # fmt: skip
"""Fields of an estate by tab; a list's tab has its name."""


class EstateInputsDialog(QDialog):
    """Edits a copy of the estate; `estate` is what to take, and nothing that contradicts itself can be taken."""

    def __init__(
        self, estate: Estate, scenarios: Sequence[Scenario], catalog: Catalog, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("estate_inputs")
        self.setWindowTitle(tr("Inputs of the estate"))
        self.estate = estate
        self._scenarios = tuple(scenarios)
        self._at_first = estate
        self._surroundings = Surroundings(self)
        self._offer_names()
        self._surroundings.take_catalog(catalog)
        self._forms: dict[int, StructForm] = {}
        self.tabs = QTabWidget(self)
        self.tabs.setDocumentMode(True)
        for names in TABS:
            self.tabs.addTab(_scrolling(), _title(names))
        self.tabs.currentChanged.connect(self._show_tab)
        self.problem = plain_label(name="problem", wraps=True)
        buttons = QDialogButtonBox()
        self.take = buttons.addButton(tr("&Plan with these"), QDialogButtonBox.ButtonRole.AcceptRole)
        cancel = buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        for button in (self.take, cancel):
            # Enter ends a field; it must not end the dialog.
            button.setAutoDefault(False)
            button.setDefault(False)
        buttons.accepted.connect(self._on_accepted)
        buttons.rejected.connect(self.reject)
        lay_out(QVBoxLayout(self), (self.tabs, 1), self.problem, buttons, spacing=10)
        self.resize(*ESTATE_SIZE)
        self._show_tab(0)
        self._check()

    def reject(self) -> None:
        """Close, unless edits would be lost that the planner wants to keep."""
        self._end_typing()
        if self.estate == self._at_first or may_give_up_edits(self):
            super().reject()

    def form(self, tab: int) -> StructForm:
        """The form of a tab; made when the tab is first in front."""
        if tab not in self._forms:
            area = self.tabs.widget(tab)
            assert isinstance(area, QScrollArea)
            inner = QWidget()
            made = StructForm(Estate, self._surroundings, names=TABS[tab])
            made.edited.connect(self._on_edited)
            lay_out(QVBoxLayout(inner), made, STRETCH, margins=(4, 8, 8, 8))
            area.setWidget(inner)
            self._forms[tab] = made
        return self._forms[tab]

    def _show_tab(self, tab: int) -> None:
        self._end_typing()
        self.form(tab).show_value(self.estate)

    def _on_edited(self, path: str, value: object) -> None:
        names_before = _names(self.estate)
        self.estate = with_references_renamed(self.estate, replaced(self.estate, path, value))
        if _names(self.estate) != names_before:
            self._surroundings.changed.emit()
        self.form(self.tabs.currentIndex()).show_value(self.estate)
        self._check()

    def _check(self) -> None:
        faults = estate_faults(self.estate, self._scenarios)
        self.problem.setText("\n".join(estate_fault_text(fault) for fault in faults[:3]))
        self.problem.setVisible(bool(faults))
        self.take.setEnabled(not faults)

    def _on_accepted(self) -> None:
        self._end_typing()
        if self.take.isEnabled():
            self.accept()

    def _end_typing(self) -> None:
        """What stands in the field at hand counts as an edit too."""
        field = self.focusWidget()
        if field is not None:
            field.clearFocus()

    def _offer_names(self) -> None:
        """What refers to another entry is chosen, not typed."""
        offer = self._surroundings.offer_choices
        offer("EstateHardware", "accelerator", accelerator_choices)
        offer("EstateWorkload", "scenario", lambda _: [(one.name, one.name) for one in self._scenarios])
        offer("EstateWorkload", "pool", lambda _: [("", tr("A fleet of its own")), *_chosen(self.estate.pools)])
        offer("EstatePool", "site", lambda _: [("", tr("None: rented only")), *_chosen(self.estate.sites)])
        offer("StandingUnits", "hardware", lambda _: _chosen(self.estate.hardware))


def _chosen(entries: Sequence[EstatePool | EstateSite | EstateHardware]) -> list[Choice]:
    return [(one.name, one.name) for one in entries]


def _names(estate: Estate) -> list[list[str]]:
    return [[one.name for one in entries] for entries in (estate.pools, estate.sites, estate.hardware)]


def _title(names: tuple[str, ...]) -> str:
    return tr("General") if len(names) > 1 else tr(field_of(Estate, names[0]).about.title)


def _scrolling() -> QScrollArea:
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return area
