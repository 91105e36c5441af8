"""The window: builds the parts and connects them; each part is a class in a file of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QSettings, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QEnterEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QLabel,
    QMainWindow,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.actions import Menus, fill_recent
from gpuplanner_gui.desktop.commands import Controls, WindowCommands
from gpuplanner_gui.desktop.controls.appearance import AppearanceControls
from gpuplanner_gui.desktop.controls.calibrate import CalibrateControls
from gpuplanner_gui.desktop.controls.decision import DecisionControls
from gpuplanner_gui.desktop.controls.estate import EstateControls
from gpuplanner_gui.desktop.controls.explain import ExplainControls
from gpuplanner_gui.desktop.controls.load import LoadControls
from gpuplanner_gui.desktop.controls.own_catalog import OwnCatalogControls
from gpuplanner_gui.desktop.controls.pack import PackControls
from gpuplanner_gui.desktop.controls.recovery import RecoveryControls
from gpuplanner_gui.desktop.controls.training import TrainingControls
from gpuplanner_gui.desktop.controls.unread import UnreadControls
from gpuplanner_gui.desktop.desk import Desk
from gpuplanner_gui.desktop.editors.base import Surroundings
from gpuplanner_gui.desktop.editors.catalog_choices import offer_catalog_choices
from gpuplanner_gui.desktop.file_drops import FileDrops
from gpuplanner_gui.desktop.headline_check import (
    HeadlineCheck,
    brings_figures_text,
    differing_text,
    own_figures_text,
)
from gpuplanner_gui.desktop.input_pane import InputPane
from gpuplanner_gui.desktop.message_bar import MessageBar, Severity
from gpuplanner_gui.desktop.planner import Planner
from gpuplanner_gui.desktop.project_file import ProjectFile
from gpuplanner_gui.desktop.session import SessionMemory
from gpuplanner_gui.desktop.settings import Key, bytes_setting, window_settings
from gpuplanner_gui.desktop.status_line import StatusLine
from gpuplanner_gui.desktop.store import Store
from gpuplanner_gui.desktop.tasks.idle_work import IdleWork
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState, PlanTasks
from gpuplanner_gui.desktop.tasks.report_export import ReportExport
from gpuplanner_gui.desktop.templates import new_project, template_files, template_name
from gpuplanner_gui.desktop.titles import words_of_edit
from gpuplanner_gui.desktop.view_menus import AppearanceMenus, PageMenus
from gpuplanner_gui.desktop.window_parts import WindowParts
from gpuplanner_gui.desktop.workspace import Workspace
from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.shown_money import money_of, use_shown_money
from gpuplanner_gui.drawing.words.files import file_problem_text

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.engine_door import EngineDoor
    from gpuplanner_gui.desktop.results_pane import ResultsPane
    from gpuplanner_gui.desktop.start_page import StartPage
    from gpuplanner_gui.desktop.views.verdict import VerdictBar
    from gpuplanner_gui.files.errors import FileProblem

FIRST_SIZE = (1280, 720)
FILE_TOPIC = "file"
"""Of messages about a file that could not be read or written, or that somebody else wrote."""


def shipped_engine() -> EngineDoor:
    """Imports the engine; called on the compute thread."""
    from gpuplanner_gui.desktop.engine_door import ShippedEngine

    return ShippedEngine()


@dataclass(frozen=True)
class Estate:
    """What a window leaves to the one that takes its place."""

    store: Store
    make_engine: Callable[[], EngineDoor]


class MainWindow(QMainWindow):
    """On screen first, without plots; `build_results` adds what needs numpy and pyqtgraph."""

    results_built = Signal()
    activated = Signal()
    closed = Signal()

    def __init__(
        self,
        make_engine: Callable[[], EngineDoor] = shipped_engine,
        settings: QSettings | None = None,
        project: Project | None = None,
        estate: Estate | None = None,
    ) -> None:
        super().__init__()
        self.settings = settings or window_settings()
        self.store = estate.store if estate else Store(new_project() if project is None else project, self)
        self.compute = PlanTasks(estate.make_engine if estate else make_engine, self)
        self.planner = Planner(self.store, self.compute, self)
        self.file = ProjectFile(self.store, self.settings, self, self.planner.stamped)
        self.surroundings = Surroundings(self)
        offer_catalog_choices(self.surroundings)
        self.headline_check = HeadlineCheck(self.store, self.compute, self)
        self.may_close: Callable[[], bool] = self.file.may_leave
        """Asked before the window goes; whoever holds several windows may know a better answer."""
        self.idle_work = IdleWork(self._is_idle, self._prepare_one, self)
        self._build()
        self.parts = WindowParts(
            frame=self, settings=self.settings, store=self.store, compute=self.compute, planner=self.planner,
            file=self.file, surroundings=self.surroundings, messages=self.messages, inputs=self.inputs, desk=self.desk,
            workspace=self.workspace, status=self.status,
        )  # fmt: skip
        self._make_controls()
        self._build_menus()
        self._connect()
        self._restore_layout()
        self._show_title()
        # Not on the first button of a title bar, which is the first that Tab comes to.
        self.inputs.tree.setFocus()

    @property
    def results_pane(self) -> ResultsPane | None:
        return self.parts.results_pane

    @property
    def verdict(self) -> VerdictBar:
        assert self.parts.verdict is not None
        return self.parts.verdict

    def _make_controls(self) -> None:
        parts = self.parts
        self.load = LoadControls(parts)
        self.decision = DecisionControls(parts)
        self.recovery = RecoveryControls(parts)
        self.calibrate = CalibrateControls(parts)
        self.explaining = ExplainControls(parts)
        self.training = TrainingControls(parts)
        self.estate_plan = EstateControls(parts)
        self.own_catalog = OwnCatalogControls(parts)
        self.packs = PackControls(parts)
        self.session = SessionMemory(parts)
        self.unread = UnreadControls(parts)
        self.report = ReportExport(parts, self.unread.say_after)
        self.appearance = AppearanceControls(parts, self.decision.overlay_action, self.recovery.keeper)
        controls = Controls(
            load=self.load, calibrate=self.calibrate, own_catalog=self.own_catalog, packs=self.packs,
            recovery=self.recovery, report=self.report, appearance=self.appearance, estate=self.estate_plan,
        )  # fmt: skip
        self.commands = WindowCommands(parts, controls, lambda: self.menus)
        self.drops = FileDrops(self)
        self.drops.dropped.connect(self.commands.open_paths)
        self.load.measurements_meant.connect(self.calibrate.read)
        self.load.prices_meant.connect(self.own_catalog.import_prices)
        self.messages.know(
            self.messages,
            self.commands,
            self.compute,
            self.file,
            self.headline_check,
            self.inputs,
            self.load,
            self.recovery,
            self.own_catalog,
            self.packs,
        )

    def build_results(self) -> None:
        """Build the plot views and the table; imports numpy and pyqtgraph."""
        if self.results_pane is not None:
            return
        from gpuplanner_gui.desktop.plot_choices import plot_choices
        from gpuplanner_gui.desktop.results_pane import ResultsPane
        from gpuplanner_gui.desktop.settings import last_folder
        from gpuplanner_gui.desktop.views.explain_panel import ExplainPanel
        from gpuplanner_gui.desktop.views.verdict import VerdictBar

        plot_choices.use_settings(self.settings)
        last_folder.use_settings(self.settings)
        pane = self.parts.results_pane = ResultsPane()
        self.parts.verdict = VerdictBar()
        self.explain_panel = ExplainPanel()
        self.explain_panel.method_requested.connect(self.commands.show_formula)
        self.explain_panel.setContentsMargins(8, 4, 8, 8)
        self.explain_dock.setWidget(self.explain_panel)
        self._verdict_place.layout().replaceWidget(self._startup, self.verdict)  # type: ignore[union-attr]
        self._startup.hide()
        self._startup.deleteLater()
        self._right.layout().addWidget(pane)  # type: ignore[union-attr]
        self.desk.hold_candidates(pane.candidates)
        self._connect_results(pane)
        self.load.connect_pane(pane)
        self.decision.connect_pane(pane)
        self.calibrate.connect_pane(pane)
        self.training.connect_pane(pane)
        self.estate_plan.connect_pane(pane)
        self.session.connect_pane(pane)
        self.results_built.emit()

    def _make_start_page(self) -> StartPage:
        from gpuplanner_gui.desktop.start_page import StartPage

        page = StartPage(self.commands, self.file)
        self.workspace.start_page_shown.connect(page.refresh)
        return page

    def _on_workspace(self) -> None:
        self.status.set_blank(not self.workspace.is_at_work)
        self.update_cancel()

    def _build(self) -> None:
        self.setObjectName("main")
        self.resize(*FIRST_SIZE)
        self._startup = QLabel(tr("Loading the catalogue…"))
        self._startup.setObjectName("startup")
        self._startup.setContentsMargins(16, 12, 16, 12)
        self._verdict_place = _box(self._startup)
        self._verdict_place.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.messages = MessageBar()
        self.inputs = InputPane(self.store, self.surroundings)
        self._right = _box()
        self.desk = Desk(self.inputs, self._right)
        work = _box(self._verdict_place, self.desk)
        self.desk.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.workspace = Workspace(work)
        self.workspace.make_start_page = self._make_start_page
        centre = _box(self.workspace)
        self.setCentralWidget(centre)
        self.messages.lie_over(centre)
        self.status = StatusLine(self)
        self.setStatusBar(self.status)
        self.explain_dock = self.desk.explain_dock

    def _build_menus(self) -> None:
        self.menus = Menus(self.menuBar(), self, self.commands)
        stack = self.store.undo_stack
        undo, redo = stack.createUndoAction(self, tr("&Undo")), stack.createRedoAction(self, tr("&Redo"))
        undo.setShortcuts(QKeySequence.keyBindings(QKeySequence.StandardKey.Undo))
        redo.setShortcuts(QKeySequence.keyBindings(QKeySequence.StandardKey.Redo))
        self.menus.actions |= {"undo": undo, "redo": redo}
        self.menus.fill_place("undo", (undo, redo))
        docks = self.desk.toggle_actions()
        self.explain_action = docks[1]
        self.menus.fill_place("explain", docks)
        self.page_menus = PageMenus(self.menus, self.desk)
        self.appearance_menus = AppearanceMenus(self.menus, self.appearance, self.settings)
        self.menus.fill_place("overlays", (self.decision.overlay_action,))
        for path in template_files():
            action = self.menus.menus["templates"].addAction(template_name(path))
            action.triggered.connect(lambda _=False, path=path: self.file.open_template(path))
        self.menus.menus["templates"].setEnabled(bool(template_files()))
        recent = self.menus.menus["recent"]
        recent.aboutToShow.connect(lambda: fill_recent(recent, self.file.recent, self.commands.open_path))
        presets = self.menus.menus["request_presets"]
        presets.aboutToShow.connect(lambda: self.load.fill_presets(presets))
        names = ("add_scenario", "duplicate_scenario", "remove_scenario")
        more = ("rename_scenario", "move_up", "move_down", "remove_training", "remove_serving")
        actions = self.menus.actions
        self.inputs.use_actions([actions[name] for name in names], [actions[name] for name in (*names, *more)])
        self._update_actions()

    def _connect(self) -> None:
        self.inputs.import_requested.connect(self.commands.import_model)
        self.store.undo_stack.cleanChanged.connect(self._show_title)
        self.store.project_changed.connect(self._on_project_changed)
        self.store.current_scenario_changed.connect(self._update_actions)
        self.file.changed.connect(self._show_title)
        self.file.opened.connect(self.messages.leave_project)
        self.file.problem.connect(self._show_file_problem)
        self.file.changed_on_disk.connect(self._say_changed_on_disk)
        self.file.not_saved.connect(partial(self._show_file_problem, is_unsaved=True))
        self.file.changed.connect(lambda: self.messages.withdraw(FILE_TOPIC))
        self.workspace.start_page_shown.connect(self._on_workspace)
        self.workspace.workspace_shown.connect(self._on_workspace)
        for dock in self.desk.docks():
            dock.topLevelChanged.connect(partial(self._watch_dock, dock))
        self.compute.catalog_ready.connect(self._on_catalog)
        self.compute.state_changed.connect(self.status.show_state)
        self.compute.results_changed.connect(self.status.show_results)
        self.compute.state_changed.connect(self._update_actions)
        self.load.simulations.progress_changed.connect(self.update_cancel)
        self.calibrate.reading_changed.connect(self.update_cancel)
        self.headline_check.differs.connect(self._say_differs)
        self.headline_check.brings_figures.connect(self._say_brings_figures)
        self.compute.completed.connect(self.idle_work.start)
        self.status.retry_requested.connect(self.commands.recompute)
        self.status.cancel_requested.connect(self.commands.cancel_computation)

    def _connect_results(self, pane: ResultsPane) -> None:
        compute = self.compute
        compute.state_changed.connect(self._show_state)
        compute.results_changed.connect(self.verdict.show_results_soon)
        compute.results_changed.connect(pane.show_results)
        for view in (pane, self.verdict):
            view.value_edited.connect(self._on_value_edited)
            view.candidate_selected.connect(self.planner.select_candidate)
            view.explain_requested.connect(self._on_explain_requested)
        self.decision.tasks.changed.connect(self._on_decision)
        pane.scenario_selected.connect(self._on_scenario_picked)
        pane.use_only_requested.connect(self._on_use_only)
        pane.model_chosen.connect(self._on_model_chosen)
        pane.own_device_requested.connect(self.own_catalog.open_device)
        pane.remove_own_requested.connect(self.own_catalog.remove)
        compute.catalog_ready.connect(pane.show_catalog)
        compute.explained.connect(self._on_explained)
        compute.explaining_failed.connect(self.explain_panel.show_message)
        self.explaining.connect_pane(pane, self.verdict, self.explain_panel)
        pane.recommended_wanted.connect(self.planner.look_at_recommended)
        self.page_menus.connect_pane(pane)
        if compute.catalog is not None:
            pane.show_catalog(compute.catalog)
        self._show_state(compute.state.value, "")
        if compute.results is not None:
            pane.show_results(compute.results)
            self.verdict.show_results(compute.results)

    def _show_state(self, state: str, message: str) -> None:
        from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState

        assert self.results_pane is not None
        self.results_pane.set_state(PlanState(state), message)
        self.verdict.set_state(PlanState(state), message)
        # A verdict on a scenario that is gone would be read as one on what is there.
        self.verdict.setVisible(state != PlanState.EMPTY or self.verdict.context is None)

    def _on_decision(self, decision: Any) -> None:
        """The verdict says how sure its cost is as soon as that is known."""
        known = self.verdict.context
        was = known.decision.uncertainty if known is not None and known.decision is not None else None
        if known is not None and decision is not None and decision.uncertainty is not was:
            self.verdict.show_results(replace(known, decision=decision))

    def _is_idle(self) -> bool:
        return self.isVisible() and self.compute.state == "current" and not self.load.simulations.is_running

    def _prepare_one(self) -> bool:
        """Build a page that was not shown yet, so that it is there at once when it is asked for."""
        return self.inputs.prepare_one() or (self.results_pane is not None and self.results_pane.prepare_one())

    def _on_value_edited(self, path: str, value: Any) -> None:
        if self.store.scenario is not None and self.store.has_value(path):
            self.store.edit(path, value, words_of_edit(self.store.scenario, path))

    def _on_explain_requested(self, workload: str, candidate: int, quantity: str) -> None:
        self.desk.open_explanation()
        self.explaining.ask_column(workload, candidate, quantity)

    def _on_explained(self, answer: Any) -> None:
        self.follow_money()
        self.explain_panel.show_explanation(answer)

    def _on_scenario_picked(self, name: str) -> None:
        places = [place for place, one in enumerate(self.store.project.scenarios) if one.name == name]
        if places:
            self.store.select_scenario(places[0])

    def _on_use_only(self, accelerator_id: str) -> None:
        self._on_value_edited("hardware.accelerators", (accelerator_id,))

    def _on_model_chosen(self, model_id: str) -> None:
        if self.compute.catalog is not None:
            self.commands.use_model(self.compute.catalog.models[model_id].model)

    def _on_catalog(self, catalog: Any) -> None:
        self.surroundings.take_catalog(catalog)
        engine = self.compute.engine
        if engine is not None and engine.catalog_problem:
            words = partial(file_problem_text, engine.catalog_problem)
            self.messages.show_message(words, Severity.WARNING, is_about_project=False)

    def _on_project_changed(self) -> None:
        self.workspace.show_workspace()
        self._show_title()
        self._update_actions()

    def _update_actions(self, *_: object) -> None:
        self.menus.follow(self.store)
        self.update_cancel()

    def update_cancel(self) -> None:
        """What can be called off is being worked out or read."""
        # On the start page Escape is that page's: what still runs there is of a project that nobody sees.
        is_planning = self.compute.state in (PlanState.COMPUTING, PlanState.OUTDATED)
        is_busy = is_planning or self.load.simulations.is_running or self.calibrate.is_reading
        self.menus.actions["cancel"].setEnabled(self.workspace.is_at_work and is_busy)

    def _show_file_problem(self, problem: FileProblem, is_unsaved: bool = False) -> None:
        self.messages.show_message(
            partial(file_problem_text, problem),
            Severity.ERROR,
            (lambda: tr("Save As…")) if is_unsaved else str,
            (ProjectFile, ProjectFile.save_as),
            topic=FILE_TOPIC,
        )

    def _say_changed_on_disk(self, name: str) -> None:
        self.messages.show_message(
            lambda: tr("“{name}” was changed on disk by another program.").format(name=name),
            Severity.WARNING,
            lambda: tr("Read it again"),
            (ProjectFile, ProjectFile.read_again),
            topic=FILE_TOPIC,
        )

    def _say_differs(self, count: int) -> None:
        self.messages.show_message(partial(differing_text, count), Severity.WARNING)

    def _say_brings_figures(self, count: int) -> None:
        self.messages.show_message(
            partial(brings_figures_text, count),
            Severity.WARNING,
            own_figures_text,
            (HeadlineCheck, HeadlineCheck.plan_with_own_figures),
        )

    def _watch_dock(self, dock: QDockWidget, *_: object) -> None:
        if dock.isFloating():
            self.drops.watch(dock)

    def _show_title(self, *_: object) -> None:
        self.setWindowTitle(f"{self.file.name}[*] — GPU Planner")
        self.setWindowModified(self.file.is_modified)
        self.setWindowFilePath(str(self.file.path) if self.file.path else "")

    def _restore_layout(self) -> None:
        geometry = bytes_setting(self.settings, Key.GEOMETRY)
        if geometry.isEmpty() or not self.restoreGeometry(geometry):
            room = self.screen().availableGeometry()
            self.resize(min(1600, max(FIRST_SIZE[0], room.width() * 4 // 5)), min(1000, room.height() * 9 // 10))
        for key, restore in (
            (Key.DOCKS, self.desk.restore_layout),
            (Key.INPUT_SPLIT, self.inputs.restoreState),
        ):
            state = bytes_setting(self.settings, key)
            if not state.isEmpty():
                restore(state)

    def save_layout(self) -> None:
        self.settings.setValue(Key.GEOMETRY, self.saveGeometry())
        self.settings.setValue(Key.DOCKS, self.desk.layout_state())
        self.settings.setValue(Key.INPUT_SPLIT, self.inputs.saveState())
        self.settings.sync()

    def open_from_outside(self, file: str) -> None:
        """Come to the front, and open a file that was double-clicked; an empty name asks for the front alone."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.raise_()
        self.activateWindow()
        if file:
            # Later: whoever asked waits for the answer, and a question may have to be put to the planner.
            QTimer.singleShot(0, self, lambda: self.commands.open_path(Path(file)))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.drops.watch(self)

    def follow_money(self) -> None:
        """What is worded from now on is about this window's scenario, in its currency."""
        if self.compute.results is not None:
            use_shown_money(money_of(self.compute.results.scenario.economics))

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.follow_money()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self.follow_money()
            self.activated.emit()
            self.file.look_at_disk()
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "menus"):
            self.menus.refresh_icons()
            self.inputs.refresh_icons()
            self.messages.apply_theme()

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.may_close():
            event.ignore()
            return
        self.save_layout()
        self._stop_work()
        event.accept()
        self.closed.emit()

    def retire(self) -> None:
        """Go without a question: another window has taken over the work."""
        self._stop_work()
        self.hide()
        self.closed.emit()

    def _stop_work(self) -> None:
        if self.results_pane is not None:
            from gpuplanner_gui.desktop.tasks.plot_taking import finish_takings

            finish_takings()
        self.recovery.keeper.close()
        self.compute.stop()
        self.load.stop()
        self.decision.stop()
        self.calibrate.stop()
        self.training.stop()
        self.estate_plan.stop()
        self.report.stop()


def _box(*widgets: QWidget) -> QWidget:
    """Widgets one above the other without gaps."""
    box = QWidget()
    layout = QVBoxLayout(box)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    for widget in widgets:
        layout.addWidget(widget)
    return box
