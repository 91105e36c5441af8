"""What a window is made of, as its controls see it: they take this, and never the window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtCore import QSettings
    from PySide6.QtWidgets import QMainWindow

    from gpuplanner_gui.desktop.editors.base import Surroundings
    from gpuplanner_gui.desktop.editors.input_pane import InputPane
    from gpuplanner_gui.desktop.pages.results_pane import ResultsPane
    from gpuplanner_gui.desktop.pages.verdict import VerdictBar
    from gpuplanner_gui.desktop.store import Store
    from gpuplanner_gui.desktop.tasks.plan_tasks import PlanTasks
    from gpuplanner_gui.desktop.widgets.message_bar import MessageBar, StatusLine
    from gpuplanner_gui.desktop.window.dock_layout import Desk, Workspace
    from gpuplanner_gui.desktop.window.planner import Planner
    from gpuplanner_gui.desktop.window.project_file import ProjectFile


@dataclass(kw_only=True)
class WindowParts:
    """Shared by the controls of one window."""

    frame: QMainWindow
    """Parent of dialogs and of whatever ends with the window."""
    settings: QSettings
    store: Store
    compute: PlanTasks
    planner: Planner
    file: ProjectFile
    surroundings: Surroundings
    messages: MessageBar
    inputs: InputPane
    desk: Desk
    workspace: Workspace
    status: StatusLine
    results_pane: ResultsPane | None = None
    """None until it is built, after the window is on screen."""
    verdict: VerdictBar | None = None
    """Likewise."""
