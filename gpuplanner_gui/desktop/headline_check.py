"""Once after opening a project: say when this program gets other numbers than the sender saw."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from gpuplanner_gui.desktop.store import Change, ChangeKind, Store
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanTasks
from gpuplanner_gui.drawing.language import tr


class HeadlineCheck(QObject):
    """Compares the first plan of an opened project with the headline results in its file."""

    differs = Signal(int)
    """How many results."""

    def __init__(self, store: Store, compute: PlanTasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._compute = compute
        self._is_due = False
        store.project_changed.connect(self._on_project_changed)
        compute.completed.connect(self._on_completed)

    def _on_project_changed(self, change: Change) -> None:
        # After an edit, other numbers are the planner's own doing.
        self._is_due = change.kind == ChangeKind.OPENED and bool(self._store.project.headlines)

    def _on_completed(self) -> None:
        results, scenario = self._compute.results, self._store.scenario
        if not self._is_due or results is None or scenario is None or results.scenario is not scenario:
            return
        self._is_due = False
        from gpuplanner_gui.files.project import changed_headlines

        changed = changed_headlines(self._store.project, {scenario.name: results.plan})
        if changed:
            self.differs.emit(len(changed))


def differing_text(count: int) -> str:
    text = tr(
        "{count} of the results that were saved with this project come out otherwise here, because catalogue or"
        " calibration differ. Saving keeps the new ones."
    )
    return text.format(count=count)
