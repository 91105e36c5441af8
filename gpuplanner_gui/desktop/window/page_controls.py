"""Between pages and the threads that work for them: decisions, training in depth, simulations, the estate."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from gpuplanner_gui.desktop.editors.base import PARTS
from gpuplanner_gui.desktop.settings import Key, text_setting
from gpuplanner_gui.desktop.store import Change, ChangeKind
from gpuplanner_gui.desktop.tasks.decision_tasks import DecisionTasks, TrainingTasks
from gpuplanner_gui.desktop.tasks.estate_tasks import EstateTasks
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanTasks
from gpuplanner_gui.desktop.tasks.simulation_tasks import SimulationTasks
from gpuplanner_gui.desktop.widgets.message_bar import Severity
from gpuplanner_gui.desktop.widgets.questions import ask_for_file
from gpuplanner_gui.domain.names import free_name
from gpuplanner_gui.drawing.language import clauses, phrase, tr
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.files import said_text

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.pages.cost import UncertaintyPage
    from gpuplanner_gui.desktop.pages.estate import EstatePage
    from gpuplanner_gui.desktop.pages.layouts import LayoutsPage
    from gpuplanner_gui.desktop.pages.results_pane import ResultsPane
    from gpuplanner_gui.desktop.pages.serving_plots import LoadPage, ReadinessPage
    from gpuplanner_gui.desktop.tasks.simulation_tasks import ReadTrace
    from gpuplanner_gui.desktop.window.window_parts import WindowParts
    from gpuplanner_gui.domain.estate import Estate, EstatePin
    from gpuplanner_gui.domain.trace import Trace
    from gpuplanner_gui.domain.traffic import TraceFigures
    from gpuplanner_gui.domain.workload import RequestClass
    from gpuplanner_gui.drawing.results import Results
    from gpuplanner_gui.files.traces import TraceHead


class PageControls(QObject):
    """Owns what works in the background for some pages: hands it results and their wishes, and them its answers."""

    def __init__(
        self, parts: WindowParts, tasks: DecisionTasks | TrainingTasks | SimulationTasks | EstateTasks, field: str
    ) -> None:
        """`field` of the results is what the tasks answer: parts on demand, or simulations."""
        super().__init__(parts.frame)
        self._parts, self._tasks, self._field = parts, tasks, field
        tasks.setParent(self)

    def connect_pane(self, pane: ResultsPane) -> None:
        """Show answers on the pages from now on."""
        self._tasks.changed.connect(partial(pane.show_found, self._field))
        pane.part_wanted.connect(self._tasks.want)
        pane.page_built.connect(self.connect_page)
        self.follow()

    def follow(self, *_: object) -> None:
        """Work on the results at hand."""
        results = self._parts.compute.results
        if results is not None:
            self.hand_over(results)

    def hand_over(self, results: Results) -> None:
        self._tasks.follow(results)

    def connect_page(self, name: str, page: QWidget) -> None:
        """Hear a page's own wishes, from when it is built."""
        raise NotImplementedError

    def stop(self) -> None:
        self._tasks.stop()

    def show_problem(self, text: str) -> None:
        self._parts.messages.show_message(text, Severity.ERROR)

    def show_failure(self, text: str) -> None:
        """Say what failed, where a new try may succeed."""
        self._parts.messages.show_message(text, Severity.ERROR, lambda: tr("Try again"), (PlanTasks, PlanTasks.retry))


class EstateControls(PageControls):
    """Owns the estate's planner; hands it the project and the page's wishes, and the page its answers."""

    def __init__(self, parts: WindowParts) -> None:
        self.tasks = EstateTasks(lambda: parts.compute.engine)
        super().__init__(parts, self.tasks, "estate")
        parts.compute.settled.connect(self.follow)
        parts.store.project_changed.connect(self._on_project_changed)
        self.tasks.drafted.connect(self._on_drafted)
        self.tasks.problem.connect(self.show_problem)

    def draft(self) -> None:
        """Show the estate of the project; where it has none, make one of all its workloads."""
        self.follow()
        estate = self._parts.store.project.estate
        if estate is not None and estate.workloads:
            self._show_page()
        else:
            self.tasks.draft()

    def _on_drafted(self, estate: Estate) -> None:
        self._parts.store.edit_project("estate", estate, phrase("Plan all workloads as one estate"))
        self._show_page()

    def _show_page(self) -> None:
        pane = self._parts.results_pane
        if pane is not None and pane.results is not None:
            pane.show_results(replace(pane.results, project=self._parts.store.project))
            pane.show_page_named("estate")

    def edit_inputs(self) -> None:
        """Ask for another estate: all its inputs at once, one step to undo."""
        from gpuplanner_gui.desktop.dialogs.own_device import EstateInputsDialog

        project, catalog = self._parts.store.project, self._parts.compute.catalog
        if project.estate is None or catalog is None:
            return
        dialog = EstateInputsDialog(project.estate, project.scenarios, catalog, self._parts.frame)
        if dialog.exec() == EstateInputsDialog.DialogCode.Accepted:
            self._parts.store.edit_project("estate", dialog.estate, phrase("Change the inputs of the estate"))
        dialog.deleteLater()

    def pin(self, pin: EstatePin) -> None:
        """Keep a decision from now on, whatever else changes; in place of one about the same."""
        estate = self._parts.store.project.estate
        if estate is not None:
            others = tuple(one for one in estate.pins if _subject(one) != _subject(pin))
            self._parts.store.edit_project("estate.pins", (*others, pin), phrase("Pin a decision of the estate"))

    def unpin(self, pin: EstatePin) -> None:
        """Leave a decision to the search again."""
        estate = self._parts.store.project.estate
        if estate is not None:
            others = tuple(one for one in estate.pins if _subject(one) != _subject(pin))
            self._parts.store.edit_project("estate.pins", others, phrase("Unpin a decision of the estate"))

    def hand_over(self, results: Results) -> None:
        self.tasks.follow(results, self._parts.store.project)

    def _on_project_changed(self, change: Change) -> None:
        if change.kind == ChangeKind.OPENED:
            self.tasks.forget()
        elif change.kind == ChangeKind.PROJECT and change.path.startswith("estate"):
            self.follow()

    def connect_page(self, name: str, page: QWidget) -> None:
        if name == "estate":
            estate = cast("EstatePage", page)
            estate.pin_wanted.connect(self.pin)
            estate.unpin_wanted.connect(self.unpin)
            estate.inputs_wanted.connect(self.edit_inputs)
            estate.draft_wanted.connect(self.draft)
            estate.stop_wanted.connect(self.tasks.stop_searching)
            estate.search_wanted.connect(self.tasks.search_again)


def _subject(pin: EstatePin) -> tuple[object, ...]:
    """The subject that a pin decides; two pins on one subject contradict each other."""
    return (pin.kind, pin.period, pin.pool, pin.hardware, pin.workload, pin.part, pin.term_months)


class DecisionControls(PageControls):
    """Fleets, ownership, uncertainty and comparison; curves of other scenarios."""

    def __init__(self, parts: WindowParts) -> None:
        self.tasks = DecisionTasks(lambda: parts.compute.engine)
        super().__init__(parts, self.tasks, "decision")
        parts.compute.results_changed.connect(self.tasks.leave)
        parts.compute.settled.connect(self.tasks.follow)
        self.tasks.problem.connect(self.show_failure)
        self.overlay_action = QAction(tr("&Overlay Other Scenarios"), self, checkable=True)
        self.overlay_action.setShortcut(QKeySequence("Ctrl+Shift+O"))
        self.overlay_action.setToolTip(tr("Draw the other scenarios' curves into the plots of Load and Memory"))
        self.overlay_action.toggled.connect(self._on_overlaying)
        self.overlay_action.setChecked(text_setting(parts.settings, Key.OVERLAYS) == "on")

    def _on_overlaying(self, is_on: bool) -> None:
        self._parts.settings.setValue(Key.OVERLAYS, "on" if is_on else "off")
        self.tasks.set_overlaying(is_on)

    def connect_page(self, name: str, page: QWidget) -> None:
        if name == "uncertainty":
            cast("UncertaintyPage", page).cancelled.connect(self.tasks.cancel)


class TrainingControls(PageControls):
    """Training in depth, and a layout that is taken over into the scenario."""

    def __init__(self, parts: WindowParts) -> None:
        self.tasks = TrainingTasks(lambda: parts.compute.engine)
        super().__init__(parts, self.tasks, "training")
        parts.compute.results_changed.connect(self.tasks.follow)

    def connect_page(self, name: str, page: QWidget) -> None:
        if name == "layouts":
            layouts = cast("LayoutsPage", page)
            layouts.ranking_asked.connect(self.tasks.rank_layouts)
            layouts.layout_chosen.connect(self.apply_layout)
            layouts.layout_freed.connect(self.free_layout)

    def apply_layout(self, row: int) -> None:
        """Fix the layout in a row of the ranking, in one step that can be undone, and look at it."""
        from gpuplanner_gui.drawing.candidate_keys import training_key
        from gpuplanner_gui.drawing.words.candidates import training_layout
        from gpuplanner_gui.engine.training.layouts import with_layout_fixed

        store, detail = self._parts.store, self.tasks.answer
        ranking = detail.layouts if detail is not None else None
        scenario = store.scenario
        if ranking is None or scenario is None or scenario.training is None:
            return
        if not 0 <= row < len(ranking.table.order):
            return
        name = training_layout(ranking.table, row) or tr("one device")
        self._parts.planner.look_at("training", training_key(ranking.accelerator, ranking.table, row))
        fixed = with_layout_fixed(scenario, ranking.table, row)
        store.edit("", fixed, phrase("Use layout {layout}", layout=name))

    def free_layout(self) -> None:
        """Leave the layout to the search again."""
        from gpuplanner_gui.engine.training.layouts import with_layout_open

        store = self._parts.store
        if store.scenario is not None and store.scenario.training is not None:
            freed = with_layout_open(store.scenario.training)
            store.edit("training", freed, phrase("Leave the layout to the search"))


TRACE_SUFFIXES = (".csv", ".jsonl")


class LoadControls(PageControls):
    """Simulations, recorded traffic that is imported, and presets of requests."""

    measurements_meant = Signal(Path)
    """The planner says that a table holds measurements and no traffic."""
    prices_meant = Signal(Path)
    """Likewise, prices."""

    def __init__(self, parts: WindowParts) -> None:
        self.simulations = SimulationTasks(lambda: parts.compute.engine)
        super().__init__(parts, self.simulations, "simulation")
        parts.compute.settled.connect(self.simulations.follow)
        parts.compute.state_changed.connect(self._on_compute_state)
        self.simulations.progress_changed.connect(parts.status.show_task)
        self.simulations.problem.connect(self.show_problem)
        self.simulations.stage_failed.connect(self.show_failure)
        self.simulations.trace_read.connect(self._on_trace_read)
        self.simulations.columns_needed.connect(self._ask_for_columns)

    def import_trace(self) -> None:
        """Ask for a file of recorded traffic."""
        path = ask_for_file(self._parts.frame, tr("Import traffic trace"), tr("Traffic traces (*.csv *.jsonl)"))
        if path is not None:
            self.read_trace(path)

    def read_trace(self, path: Path) -> None:
        """Read recorded traffic in the background, and replay it."""
        self.simulations.read_trace(path)

    def fill_presets(self, menu: QMenu) -> None:
        """Offer the usual request classes, each with where it comes from."""
        from gpuplanner_gui.files.shipped_tables import request_presets

        if not menu.isEmpty():
            return
        menu.setToolTipsVisible(True)
        for preset in request_presets():
            action = menu.addAction(tr(preset.title))
            action.setToolTip(preset.source)
            action.triggered.connect(lambda _=False, chosen=preset.request_class: self.add_request_class(chosen))

    def add_request_class(self, chosen: RequestClass) -> None:
        """One more class of requests in the service at hand."""
        store = self._parts.store
        scenario = store.scenario
        if scenario is None or scenario.serving is None:
            return
        names = {one.name for one in scenario.serving.classes}
        name = free_name(chosen.name, names.__contains__)
        added = msgspec.structs.replace(chosen, name=name)
        words = phrase("Add request class {name}", name=name)
        store.edit("serving.classes", (*scenario.serving.classes, added), words)
        self._show_serving()

    def connect_page(self, name: str, page: QWidget) -> None:
        if name == "readiness":
            cast("ReadinessPage", page).search_requested.connect(self.simulations.search)
        elif name == "load":
            cast("LoadPage", page).trace_closed.connect(lambda: self.simulations.use_trace(None))

    def _on_compute_state(self, state: str, message: str) -> None:
        if state == "computing":
            self.simulations.forget()

    def _on_trace_read(self, read: ReadTrace) -> None:
        """Replay it, and offer to plan with its figures."""
        trace = read.trace
        self.simulations.use_trace(trace, read.figures)
        scenario = self._parts.store.scenario
        can_plan = scenario is not None and scenario.serving is not None
        self._parts.messages.show_message(
            partial(trace_message, trace, read.figures),
            Severity.WARNING if trace.bad_rows else Severity.NOTE,
            (lambda: tr("Plan with its figures")) if can_plan else str,
            (LoadControls, lambda controls: controls.plan_with(trace, read.figures)),
        )

    def _ask_for_columns(self, head: TraceHead) -> None:
        from gpuplanner_gui.desktop.dialogs.measurement_columns import TraceColumnsDialog

        dialog = TraceColumnsDialog(head, self._parts.frame)
        dialog.chosen.connect(lambda columns: self.simulations.read_trace(head.path, columns))
        dialog.measurements_meant.connect(lambda: self.measurements_meant.emit(head.path))
        dialog.prices_meant.connect(lambda: self.prices_meant.emit(head.path))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def plan_with(self, trace: Trace, figures: TraceFigures) -> None:
        from gpuplanner_gui.engine.simulation.traffic import serving_of_trace

        scenario = self._parts.store.scenario
        if scenario is None or scenario.serving is None:
            return
        serving = serving_of_trace(scenario.serving, figures)
        self._parts.store.edit("serving", serving, phrase("Plan with trace {name}", name=trace.name))
        self._show_serving()

    def _show_serving(self) -> None:
        self._parts.inputs.show_part(next(part for part in PARTS if part.path == "serving"))


def trace_message(trace: Trace, figures: TraceFigures) -> str:
    """The message about an imported trace: what was read and left out."""
    text = tr("{name}: {count} requests in {time}, {rate}; replayed in the simulation.").format(
        name=trace.name,
        count=format_value(len(trace)),
        time=format_value(figures.duration_s, "s"),
        rate=format_value(figures.rate_per_s, "req/s"),
    )
    if trace.bad_rows:
        shown = clauses(
            tr("line {line}: {what}").format(line=row.line, what=said_text(row.what)) for row in trace.first_bad[:3]
        )
        more = " …" if trace.bad_rows > 3 else ""
        left_out = tr("{count} of {rows} rows hold no request ({shown}{more}).")
        text += " " + left_out.format(
            count=format_value(trace.bad_rows), rows=format_value(trace.rows), shown=shown, more=more
        )
    return text
