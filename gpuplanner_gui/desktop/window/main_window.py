"""The window: builds the parts and connects them; each part is a class in a file of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QEvent, QSettings, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QEnterEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.editors.base import Surroundings, offer_catalog_choices
from gpuplanner_gui.desktop.editors.input_pane import InputPane
from gpuplanner_gui.desktop.settings import Key, bytes_setting, last_folder, window_settings
from gpuplanner_gui.desktop.store import Store, words_of_edit
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState, PlanTasks
from gpuplanner_gui.desktop.widgets.event_turns import IdleWork
from gpuplanner_gui.desktop.widgets.flow_layout import lay_out
from gpuplanner_gui.desktop.widgets.labels import plain_label
from gpuplanner_gui.desktop.widgets.message_bar import MessageBar, Severity, StatusLine
from gpuplanner_gui.desktop.widgets.quiet_window import QuietWindow
from gpuplanner_gui.desktop.window.actions import Menus, fill_recent
from gpuplanner_gui.desktop.window.calibrate_controls import CalibrateControls
from gpuplanner_gui.desktop.window.catalog_controls import OwnCatalogControls, PackControls
from gpuplanner_gui.desktop.window.commands import Controls, WindowCommands
from gpuplanner_gui.desktop.window.dock_layout import Desk, Workspace
from gpuplanner_gui.desktop.window.explain_controls import ExplainControls
from gpuplanner_gui.desktop.window.file_messages import FileMessages, SessionMemory, UnreadControls
from gpuplanner_gui.desktop.window.file_opening import FileDrops
from gpuplanner_gui.desktop.window.page_controls import DecisionControls, EstateControls, LoadControls, TrainingControls
from gpuplanner_gui.desktop.window.planner import Planner
from gpuplanner_gui.desktop.window.project_file import ProjectFile, new_project, template_files, template_name
from gpuplanner_gui.desktop.window.recovery import RecoveryControls
from gpuplanner_gui.desktop.window.report_export import ReportExport
from gpuplanner_gui.desktop.window.view_menus import AppearanceControls, AppearanceMenus, PageMenus
from gpuplanner_gui.desktop.window.window_parts import WindowParts
from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.shown_money import money_of, use_shown_money
from gpuplanner_gui.drawing.words.files import file_problem_text

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.pages.catalog_browser import CatalogBrowser
    from gpuplanner_gui.desktop.pages.results_pane import ResultsPane
    from gpuplanner_gui.desktop.pages.verdict import VerdictBar
    from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
    from gpuplanner_gui.desktop.window.start_page import StartPage

FIRST_SIZE = (1280, 720)


def shipped_engine() -> ShippedEngine:
    """Imports the engine; called on the compute thread."""
    from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine

    return ShippedEngine()


@dataclass(frozen=True)
class Handover:
    """The state that a window hands over to its successor."""

    store: Store
    make_engine: Callable[[], ShippedEngine]


class MainWindow(QuietWindow):
    """The main window; shown without plots at first, `build_results` adds what needs numpy and pyqtgraph."""

    results_built = Signal()
    activated = Signal()
    closed = Signal()

    def __init__(
        self,
        make_engine: Callable[[], ShippedEngine] = shipped_engine,
        settings: QSettings | None = None,
        project: Project | None = None,
        handover: Handover | None = None,
    ) -> None:
        super().__init__()
        self.settings = settings or window_settings()
        last_folder.use_settings(self.settings)
        self.store = handover.store if handover else Store(new_project() if project is None else project, self)
        self.compute = PlanTasks(handover.make_engine if handover else make_engine, self)
        self.planner = Planner(self.store, self.compute, self)
        self.file = ProjectFile(self.store, self.settings, self, self.planner.stamped)
        self.surroundings = Surroundings(self)
        offer_catalog_choices(self.surroundings)
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
        self.file_messages = FileMessages(parts)
        self.unread = UnreadControls(parts)
        self.report = ReportExport(parts, self.unread.say_after)
        self.appearance = AppearanceControls(parts, self.decision.overlay_action, self.recovery.keeper)
        controls = Controls(
            load=self.load, calibrate=self.calibrate, own_catalog=self.own_catalog, packs=self.packs,
            recovery=self.recovery, report=self.report, appearance=self.appearance,
            explaining=self.explaining, estate=self.estate_plan,
        )  # fmt: skip
        self.commands = WindowCommands(parts, controls, lambda: self.menus)
        self.drops = FileDrops(self, self.commands.landing_of)
        self.drops.dropped.connect(self.commands.open_paths)
        self.load.measurements_meant.connect(self.calibrate.read)
        self.load.prices_meant.connect(self.own_catalog.import_prices)
        self.messages.know(
            self.messages, self.commands, self.compute, self.file, self.file_messages, self.inputs, self.load,
            self.recovery, self.own_catalog, self.packs,
        )  # fmt: skip

    def build_results(self) -> None:
        """Build the plot views and the table; imports numpy and pyqtgraph."""
        if self.results_pane is not None:
            return
        from gpuplanner_gui.desktop.pages.explain_panel import ExplainPanel
        from gpuplanner_gui.desktop.pages.plot_menu import plot_choices
        from gpuplanner_gui.desktop.pages.results_pane import ResultsPane
        from gpuplanner_gui.desktop.pages.verdict import VerdictBar

        plot_choices.use_settings(self.settings)
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
        for controls in (self.load, self.decision, self.calibrate, self.training, self.estate_plan, self.session):
            controls.connect_pane(pane)
        self.results_built.emit()

    def _make_start_page(self) -> StartPage:
        from gpuplanner_gui.desktop.window.start_page import StartPage

        page = StartPage(self.commands, self.file)
        self.workspace.start_page_shown.connect(page.refresh)
        return page

    def _on_workspace(self) -> None:
        self.status.set_blank(not self.workspace.is_at_work)
        self.update_cancel()

    def _build(self) -> None:
        self.setObjectName("main")
        self.resize(*FIRST_SIZE)
        self._startup = plain_label(tr("Loading the catalogue…"), name="startup")
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
            self.menus.menus["templates"].addAction(template_name(path), partial(self.file.open_template, path))
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
        self.workspace.start_page_shown.connect(self._on_workspace)
        self.workspace.workspace_shown.connect(self._on_workspace)
        for dock in self.desk.docks():
            dock.topLevelChanged.connect(partial(self._watch_dock, dock))
        self.compute.catalog_ready.connect(self._on_catalog)
        self.compute.state_changed.connect(self.status.show_state)
        self.compute.results_changed.connect(self.status.show_results)
        self.compute.state_changed.connect(self._update_actions)
        for reader in (self.file, self.calibrate, self.packs):
            reader.reading_changed.connect(self.update_cancel)
        self.load.simulations.progress_changed.connect(self.update_cancel)
        self.compute.completed.connect(self.idle_work.start)
        self.status.retry_requested.connect(self.compute.retry)
        self.status.cancel_requested.connect(self.commands.cancel_computation)

    def _connect_results(self, pane: ResultsPane) -> None:
        compute = self.compute
        compute.state_changed.connect(self._show_state)
        compute.results_changed.connect(lambda results: self.verdict.show_results_soon(pane.with_known(results)))
        compute.results_changed.connect(lambda results: pane.show_results(self.planner.with_estate_of_now(results)))
        for view in (pane, self.verdict):
            view.value_edited.connect(self._on_value_edited)
            view.candidate_selected.connect(self.planner.select_candidate)
            view.explain_requested.connect(self._on_explain_requested)
        self.decision.tasks.changed.connect(partial(self.verdict.take_found, "decision"))
        self.load.simulations.changed.connect(partial(self.verdict.take_found, "simulation"))
        self.commands.connect_pane(pane)
        pane.scenario_selected.connect(self._on_scenario_picked)
        pane.page_built.connect(self._on_page_built)
        compute.catalog_ready.connect(pane.show_catalog)
        compute.explained.connect(self._on_explained)
        compute.explaining_failed.connect(self.explain_panel.show_message)
        self.explaining.connect_pane(pane, self.verdict, self.explain_panel)
        pane.bar.recommended_wanted.connect(self.planner.look_at_recommended)
        self.page_menus.connect_pane(pane)
        if compute.catalog is not None:
            pane.show_catalog(compute.catalog)
        self._show_state(compute.state.value, "")
        if compute.results is not None:
            pane.show_results(self.planner.with_estate_of_now(compute.results))
            self.verdict.show_results(compute.results)

    def _show_state(self, state: str, message: str) -> None:
        assert self.results_pane is not None
        self.results_pane.set_state(PlanState(state), message)
        self.verdict.set_state(PlanState(state), message)
        # A verdict on a scenario that is gone would be read as one on what is there.
        self.verdict.setVisible(state != PlanState.EMPTY or self.verdict.context is None)

    def _is_idle(self) -> bool:
        return self.isVisible() and self.compute.state == "current" and not self.load.simulations.is_running

    def _prepare_one(self) -> bool:
        """Build a page that was not shown yet, so that it is there at once when it is asked for."""
        if self.results_pane is None:
            return self.inputs.prepare_one()
        self.results_pane.read_ahead()
        return self.inputs.prepare_one() or self.results_pane.prepare_one()

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
        names = [one.name for one in self.store.project.scenarios]
        if name in names:
            self.store.select_scenario(names.index(name))

    def _on_page_built(self, name: str, page: QWidget) -> None:
        if name == "catalog_browser":
            browser = cast("CatalogBrowser", page)
            browser.use_only_requested.connect(lambda one: self._on_value_edited("hardware.accelerators", (one,)))
            browser.model_chosen.connect(self._on_model_chosen)
            browser.own_device_requested.connect(self.own_catalog.open_device)
            browser.remove_requested.connect(self.own_catalog.remove)

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
        """Enable Cancel while something that can be cancelled runs."""
        # On the start page Escape is that page's: what still runs there is of a project that nobody sees.
        is_planning = self.compute.state in (PlanState.COMPUTING, PlanState.OUTDATED)
        is_reading = self.file.is_reading or self.calibrate.is_reading or self.packs.is_reading
        is_busy = is_planning or self.load.simulations.is_running or is_reading
        self.menus.actions["cancel"].setEnabled(self.workspace.is_at_work and is_busy)

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
        for key, restore in ((Key.DOCKS, self.desk.restore_layout), (Key.INPUT_SPLIT, self.inputs.restoreState)):
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
        """Word amounts in the currency of this window's scenario from now on."""
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
            self.inputs.tree.refresh_icons()
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
            from gpuplanner_gui.desktop.pages.plot_menu import finish_takings

            finish_takings()
        self.recovery.keeper.close()
        for worker in (
            self.compute, self.load, self.decision, self.calibrate, self.training, self.estate_plan, self.report,
            self.file, self.file_messages, self.packs,
        ):  # fmt: skip
            worker.stop()


def _box(*widgets: QWidget) -> QWidget:
    """Widgets one above the other without gaps."""
    box = QWidget()
    lay_out(QVBoxLayout(box), *widgets, margins=(0, 0, 0, 0), spacing=0)
    return box
