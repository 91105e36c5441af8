"""Between the window and the simulation: what is simulated when, traces that are imported, presets of requests."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from gpuplanner_gui.desktop.message_bar import Severity
from gpuplanner_gui.desktop.parts import PARTS
from gpuplanner_gui.desktop.settings import Key, text_setting
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanTasks
from gpuplanner_gui.desktop.tasks.simulation_tasks import SimulationTasks
from gpuplanner_gui.drawing.language import clauses, phrase, tr
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.files import said_text

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.results_pane import ResultsPane
    from gpuplanner_gui.desktop.tasks.simulation_tasks import ReadTrace
    from gpuplanner_gui.desktop.views.load import LoadPage
    from gpuplanner_gui.desktop.views.readiness import ReadinessPage
    from gpuplanner_gui.desktop.window_parts import WindowParts
    from gpuplanner_gui.domain.trace import Trace
    from gpuplanner_gui.domain.traffic_figures import TraceFigures
    from gpuplanner_gui.domain.workload import RequestClass
    from gpuplanner_gui.files.traces import TraceHead

TRACE_SUFFIXES = (".csv", ".jsonl")


class LoadControls(QObject):
    """Owns the simulator; the window tells it of results, and its parts of what the simulator answers."""

    measurements_meant = Signal(Path)
    """The planner says that a table holds measurements and no traffic."""
    prices_meant = Signal(Path)
    """Likewise, prices."""

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts.frame)
        self._parts = parts
        self.simulations = SimulationTasks(lambda: parts.compute.engine, self)
        parts.compute.settled.connect(self.simulations.follow)
        parts.compute.state_changed.connect(self._on_compute_state)
        self.simulations.progress_changed.connect(parts.status.show_task)
        self.simulations.problem.connect(self._show_problem)
        self.simulations.stage_failed.connect(self._show_failure)
        self.simulations.trace_read.connect(self._on_trace_read)
        self.simulations.columns_needed.connect(self._ask_for_columns)

    def connect_pane(self, pane: ResultsPane) -> None:
        """Hand simulations to the pages, and their wishes to the simulator."""
        self.simulations.changed.connect(partial(pane.show_found, "simulation"))
        pane.part_wanted.connect(self.simulations.want)
        pane.page_built.connect(self._on_page_built)
        if self._parts.compute.results is not None:
            self.simulations.follow(self._parts.compute.results)

    def import_trace(self) -> None:
        """Ask for a file of recorded traffic."""
        parts = self._parts
        folder = text_setting(parts.settings, Key.LAST_FOLDER, str(Path.home()))
        filters = ";;".join((tr("Traffic traces (*.csv *.jsonl)"), tr("All files (*)")))
        name, _ = QFileDialog.getOpenFileName(parts.frame, tr("Import traffic trace"), folder, filters)
        if name:
            parts.settings.setValue(Key.LAST_FOLDER, str(Path(name).parent))
            self.read_trace(Path(name))

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
        name, number = chosen.name, 2
        while name in names:
            name, number = f"{chosen.name} {number}", number + 1
        added = msgspec.structs.replace(chosen, name=name)
        words = phrase("Add request class {name}", name=name)
        store.edit("serving.classes", (*scenario.serving.classes, added), words)
        self._show_serving()

    def cancel(self) -> None:
        self.simulations.cancel()

    def stop(self) -> None:
        self.simulations.stop()

    def _on_page_built(self, name: str, page: QWidget) -> None:
        if name == "readiness":
            cast("ReadinessPage", page).search_requested.connect(self.simulations.search)
        elif name == "load":
            cast("LoadPage", page).trace_closed.connect(lambda: self.simulations.use_trace(None))

    def _on_compute_state(self, state: str, message: str) -> None:
        if state == "computing":
            self.simulations.forget()

    def _show_problem(self, text: str) -> None:
        self._parts.messages.show_message(text, Severity.ERROR)

    def _show_failure(self, text: str) -> None:
        self._parts.messages.show_message(text, Severity.ERROR, lambda: tr("Try again"), (PlanTasks, PlanTasks.retry))

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
        from gpuplanner_gui.desktop.dialogs.trace_columns import TraceColumnsDialog

        dialog = TraceColumnsDialog(head, self._parts.frame)
        dialog.chosen.connect(lambda columns: self.simulations.read_trace(head.path, columns))
        dialog.measurements_meant.connect(lambda: self.measurements_meant.emit(head.path))
        dialog.prices_meant.connect(lambda: self.prices_meant.emit(head.path))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def plan_with(self, trace: Trace, figures: TraceFigures) -> None:
        from gpuplanner_gui.engine.simulation.trace_figures import serving_of_trace

        scenario = self._parts.store.scenario
        if scenario is None or scenario.serving is None:
            return
        serving = serving_of_trace(scenario.serving, figures)
        self._parts.store.edit("serving", serving, phrase("Plan with trace {name}", name=trace.name))
        self._show_serving()

    def _show_serving(self) -> None:
        self._parts.inputs.show_part(next(part for part in PARTS if part.path == "serving"))


def trace_message(trace: Trace, figures: TraceFigures) -> str:
    """What was read, and what was left out."""
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
