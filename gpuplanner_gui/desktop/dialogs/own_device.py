"""Dialogs that edit a copy in the form that all inputs have: an own device, the estate's inputs."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.dialogs.copy_dialog import CopyDialog
from gpuplanner_gui.desktop.editors.base import Choice, Surroundings, accelerator_choices
from gpuplanner_gui.desktop.editors.struct_form import StructForm
from gpuplanner_gui.desktop.editors.text_edit import LONGEST_TEXT
from gpuplanner_gui.desktop.store import replaced
from gpuplanner_gui.desktop.widgets.flow_layout import STRETCH, clear, lay_out, scroll_area
from gpuplanner_gui.desktop.widgets.labels import plain_label
from gpuplanner_gui.desktop.widgets.theme import icon
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.estate import Estate, EstateHardware, EstatePool, EstateSite, with_references_renamed
from gpuplanner_gui.domain.field import field_of, problems_of
from gpuplanner_gui.domain.hardware import Accelerator, SpecDoubt
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.words.files import estate_fault_text, problem_text
from gpuplanner_gui.drawing.words.spec_sheet import doubt_sentence, expected_text
from gpuplanner_gui.files.catalogs import copy_of, is_name_taken, with_own_confidence, with_own_id
from gpuplanner_gui.files.estate_check import estate_faults

ESTATE_SIZE = (640, 660)
GENERAL = (
    "start", "period", "periods", "discount_per_year", "rented_g_co2e_per_kwh", "options_per_workload",
)  # fmt: skip
TABS: tuple[tuple[str, ...], ...] = (
    ("workloads",), ("hardware",), ("pools",), ("sites",), ("years",), ("futures",), ("hours",), GENERAL,
)  # fmt: skip
"""Fields of an estate by tab; a list's tab has its name."""


class EstateInputsDialog(CopyDialog):
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
        self._surroundings.problem_changed.connect(self.check_soon.start)
        self._offer_names()
        self._surroundings.take_catalog(catalog)
        self._forms: dict[int, StructForm] = {}
        self.tabs = QTabWidget(self)
        self.tabs.setDocumentMode(True)
        for names in TABS:
            self.tabs.addTab(scroll_area(is_upright=True), _title(names))
        self.tabs.currentChanged.connect(self._show_tab)
        self.problem = plain_label(name="problem", wraps=True)
        lay_out(QVBoxLayout(self), (self.tabs, 1), self.problem, self.add_buttons(tr("&Plan with these")), spacing=10)
        self.resize(*ESTATE_SIZE)
        self._show_tab(0)
        self.check()

    def is_changed(self) -> bool:
        return self.estate != self._at_first

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
        self.end_typing()
        self.form(tab).show_value(self.estate)

    def _on_edited(self, path: str, value: object) -> None:
        names_before = _names(self.estate)
        self.estate = with_references_renamed(self.estate, replaced(self.estate, path, value))
        if _names(self.estate) != names_before:
            self._surroundings.changed.emit()
        self.form(self.tabs.currentIndex()).show_value(self.estate)
        self.check()
        self.check_soon.start()  # A field that could not be read may be gone with its entry.

    def check(self) -> None:
        faults = estate_faults(self.estate, self._scenarios)
        self.show_problem(self.problem, "\n".join(estate_fault_text(fault) for fault in faults[:3]))

    def _offer_names(self) -> None:
        """Offer the names of other entries where a field refers to one."""
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


FIRST_SIZE = (620, 640)
EDITED_FIELDS = (
    "name", "vendor", "kind", "ecosystem", "architecture", "year", "form_factor", "memory_nominal_bytes",
    "memory_usable_bytes", "memory_type", "memory_bandwidth_bytes_per_s", "memory_bus_bits", "memory_pin_bit_per_s",
    "peak_dense_flop_per_s", "peak_dense_fp16_accumulate_flop_per_s", "structured_sparsity_speedup", "l2_bytes",
    "sm_count", "sm_kind", "boost_clock_hz", "tdp_w", "idle_w", "scale_up", "pcie", "scale_out_bytes_per_s", "price",
    "rental", "date",
)  # fmt: skip


class OwnDeviceDialog(CopyDialog):
    """Copies a device, or edits one of the planner's own; `device()` is what to save."""

    def __init__(
        self, original: Accelerator, catalog: Catalog, surroundings: Surroundings, is_edit: bool, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setObjectName("own_device")
        self.setWindowTitle(tr("Edit own device") if is_edit else tr("Add own device"))
        self._catalog = catalog
        self._original = original
        self._is_edit = is_edit
        self._shown_doubts: tuple[SpecDoubt, ...] | None = None
        today = datetime.date.today()
        name = tr("{name}, own").format(name=original.name)
        self._device = original if is_edit else copy_of(original, catalog, name, today)
        self.form = StructForm(Accelerator, surroundings, default=original, names=EDITED_FIELDS, folds_parts=False)
        self.form.edited.connect(self._on_edited)
        self.source = QLineEdit()
        self.source.setMaxLength(LONGEST_TEXT)
        self.source.setPlaceholderText(tr("Such as: vendor's data sheet of 2026-10"))
        self.source.setAccessibleName(tr("Source of the figures"))
        if is_edit and original.sources:
            self.source.setText(original.sources[0])
        self.problem = plain_label(name="problem", wraps=True)
        self.problem.hide()
        self.doubts = QWidget()
        self._doubts_layout = QGridLayout(self.doubts)
        self._doubts_layout.setContentsMargins(0, 0, 0, 0)
        self._doubts_layout.setVerticalSpacing(6)
        self._doubts_layout.setColumnStretch(1, 1)
        surroundings.problem_changed.connect(self.check_soon.start)
        self._at_first = (self._device, self.source.text())
        self._lay_out(is_edit)
        self.form.show_value(self._device)
        self.check()
        self.resize(*FIRST_SIZE)

    def device(self) -> Accelerator:
        """The edited device, with what the planner changed marked as their own."""
        named = self._device if self._is_edit else with_own_id(self._device, self._catalog)
        return with_own_confidence(named, self._original, self.source.text())

    def is_changed(self) -> bool:
        return (self._device, self.source.text()) != self._at_first

    def _lay_out(self, is_edit: bool) -> None:
        intro = plain_label(wraps=True)
        if is_edit:
            intro.setText(tr("Changes since the last save are marked; the arrow reverts one."))
        else:
            intro.setText(
                tr("A copy of {name}. Change the figures that differ; the arrow reverts a change.").format(
                    name=self._original.name
                )
            )
        inner = QWidget()
        lay_out(QVBoxLayout(inner), self.form, STRETCH, margins=(0, 0, 8, 8))
        self.fields = QScrollArea()
        self.fields.setWidgetResizable(True)
        self.fields.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.fields.setWidget(inner)
        source_label = QLabel(tr("S&ource"))
        source_label.setBuddy(self.source)
        source_line = lay_out(QHBoxLayout(), source_label, (self.source, 1))
        self._doubts_frame = QFrame()
        self._doubts_frame.setObjectName("card")
        lay_out(QVBoxLayout(self._doubts_frame), self.doubts, margins=(10, 8, 10, 8))
        buttons = self.add_buttons(tr("&Save into catalogue"))
        self.save = self.take
        lay_out(
            QVBoxLayout(self), intro, (self.fields, 1), source_line, self._doubts_frame, self.problem, buttons,
            spacing=10,
        )  # fmt: skip

    def _on_edited(self, path: str, value: Any) -> None:
        self._device = replaced(self._device, path, value)
        self.form.show_value(self._device)
        self.check_soon.start()

    def check(self) -> None:
        """Say what is wrong, which keeps the device from being saved, and what looks wrong, which does not."""
        from gpuplanner_gui.engine.hardware.spec_sheet import spec_sheet_doubts

        self.show_problem(self.problem, self._problem())
        self._show_doubts(spec_sheet_doubts(_tidied(self._device), self._catalog))

    def _problem(self) -> str:
        device = self._device
        if not device.name.strip():
            return tr("Enter a name for the device.")
        if is_name_taken(device.name, device.id, self._catalog):
            return tr("The catalogue already has a device named {name}. Choose another name.").format(name=device.name)
        if not device.vendor.strip() or not device.architecture.strip():
            return tr("Enter vendor and architecture: the plan takes efficiencies from related devices.")
        if device.date is not None and not _is_date(device.date):
            return tr("“{date}” is not a date. Enter one such as 2026-10-31.").format(date=device.date)
        found = problems_of(device)
        return problem_text(found[0], with_path=False) if found else ""

    def _show_doubts(self, doubts: tuple[SpecDoubt, ...]) -> None:
        if doubts == self._shown_doubts:
            return
        self._shown_doubts = doubts
        clear(self._doubts_layout)
        self._doubts_frame.setVisible(bool(doubts))
        for row, doubt in enumerate(doubts):
            sign = QLabel()
            sign.setPixmap(icon("warning").pixmap(16, 16))
            sentence = plain_label(wraps=True)
            sentence.setText(doubt_sentence(doubt))
            use = QPushButton(tr("Use {value}").format(value=expected_text(doubt)))
            use.setAutoDefault(False)
            use.setAccessibleDescription(sentence.text())
            use.clicked.connect(partial(self._on_edited, doubt.field, doubt.expected))
            self._doubts_layout.addWidget(sign, row, 0, Qt.AlignmentFlag.AlignTop)
            self._doubts_layout.addWidget(sentence, row, 1)
            self._doubts_layout.addWidget(use, row, 2, Qt.AlignmentFlag.AlignTop)
            use.setVisible(doubt.code != "below_idle")


def saved_form(device: Accelerator) -> dict[str, Any]:
    """A device as it stands in a file."""
    stated: dict[str, Any] = msgspec.to_builtins(_tidied(device))
    return stated


def _tidied(device: Accelerator) -> Accelerator:
    """The entry without a link that was set to none."""
    fabric = device.scale_up
    if fabric is None or fabric.link_id:
        return device
    return msgspec.structs.replace(device, scale_up=msgspec.structs.replace(fabric, link_id=None))


def _is_date(text: str) -> bool:
    from gpuplanner_gui.files.price_list.cells import iso_date

    return iso_date(text) == text
