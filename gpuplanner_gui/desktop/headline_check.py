"""Once after opening a project: say whose figures it brings, and what comes out otherwise here."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from gpuplanner_gui.desktop.store import Change, ChangeKind, Store
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanTasks
from gpuplanner_gui.domain.catalog import CatalogSnapshot, without_changed
from gpuplanner_gui.drawing.language import tr


class HeadlineCheck(QObject):
    """Compares the first plan of an opened project with the headline results in its file."""

    differs = Signal(int)
    """How many results."""
    brings_figures = Signal(int)
    """Of how many catalogue entries that this installation has otherwise."""

    def __init__(self, store: Store, compute: PlanTasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._compute = compute
        self._is_due = False
        store.project_changed.connect(self._on_project_changed)
        compute.completed.connect(self._on_completed)

    def _on_project_changed(self, change: Change) -> None:
        # After an edit, other numbers are the planner's own doing.
        self._is_due = change.kind == ChangeKind.OPENED and bool(
            self._store.project.headlines or self._store.project.catalog != CatalogSnapshot()
        )

    def _on_completed(self) -> None:
        results, scenario = self._compute.results, self._store.scenario
        if not self._is_due or results is None or scenario is None or results.scenario is not scenario:
            return
        self._is_due = False
        from gpuplanner_gui.files.project import changed_headlines

        changed = changed_headlines(self._store.project, {scenario.name: results.plan})
        brought = results.catalog.carried
        if brought:
            self.brings_figures.emit(len(brought))
        elif changed:
            self.differs.emit(len(changed))

    def plan_with_own_figures(self) -> None:
        """Leave out what the project brings where this catalogue has figures of its own; one step of undo."""
        engine, store = self._compute.engine, self._store
        if engine is not None:
            store.edit_project("catalog", without_changed(engine.catalog, store.project.catalog), own_figures_text())


def brings_figures_text(count: int) -> str:
    text = tr(
        "This project brings its own figures of {count} catalogue entries, and plans with them. Their devices are"
        " marked †; Findings lists the figures beside yours."
    )
    return text.format(count=count)


def own_figures_text() -> str:
    return tr("Plan with My Figures")


def differing_text(count: int) -> str:
    text = tr(
        "{count} of the results that were saved with this project come out otherwise here, because catalogue or"
        " calibration differ. Saving keeps the new ones."
    )
    return text.format(count=count)
