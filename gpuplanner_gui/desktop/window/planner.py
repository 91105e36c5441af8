"""Between store and compute thread: what is asked, when, and which candidates are looked at."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject

from gpuplanner_gui.desktop.store import Change, ChangeKind, Store
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanTasks
from gpuplanner_gui.domain.scenario import NOT_COMPUTED, Project, Scenario, asks_the_same, plans_the_same

if TYPE_CHECKING:
    from gpuplanner_gui.domain.plan import Plan
    from gpuplanner_gui.drawing.results import Results

_KEPT_PLANS = 16
MOST_PINNED = 4
"""Candidates of a workload."""


class Planner(QObject):
    """Asks for a plan whenever a number may have changed; remembers the candidate that is looked at."""

    def __init__(self, store: Store, compute: PlanTasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._compute = compute
        self._selected: dict[str, str] = {}
        self._pinned: dict[str, tuple[str, ...]] = {}
        """Keys of the pinned candidates, by workload; those that a plan lacks are found again when another has them."""
        self._ran: dict[str, bool] = {}
        """Whether the selected candidate could run when it was chosen; else it is looked at for its reason."""
        self._plans: list[tuple[Scenario, Plan]] = []
        self._asked = Project()
        """The project whose scenario at hand was asked last, as it was saved since."""
        store.project_changed.connect(self._on_project_changed)
        store.current_scenario_changed.connect(self._on_scenario_changed)
        compute.results_changed.connect(self._on_results)

    def with_estate_of_now(self, results: Results) -> Results:
        """An estate may have been made since the scenario was sent off to be planned: no plan depends on it."""
        estate = self._store.project.estate
        if results.project.estate == estate:
            return results
        return dataclasses.replace(results, project=msgspec.structs.replace(results.project, estate=estate))

    @property
    def selected(self) -> dict[str, str]:
        """The candidate that is looked at, by workload."""
        return dict(self._selected)

    def results_of_now(self) -> Results | None:
        """The results at hand, of the project as it is now; None while they are of other inputs."""
        results, project, scenario = self._compute.results, self._store.project, self._store.scenario
        is_newest = self._compute.state == "current" and plans_the_same(self._asked, project)
        if results is None or scenario is None or not is_newest or not asks_the_same(results.scenario, scenario):
            return None
        return dataclasses.replace(results, project=project, scenario=scenario)

    def ask(self) -> None:
        """Plan the scenario at hand."""
        scenario, self._asked = self._store.scenario, self._store.project
        if scenario is None:
            self._compute.forget()
        else:
            self._compute.submit(self._store.project, scenario, self._selected, self._pinned)

    @property
    def pinned(self) -> dict[str, tuple[str, ...]]:
        """Keys of the candidates that plots show together with the selected one, by workload."""
        return dict(self._pinned)

    def pin(self, pinned: Mapping[str, Sequence[str]]) -> None:
        """Pin the candidates of these keys, by workload, and no others."""
        self._pinned = {workload: tuple(keys) for workload, keys in pinned.items()}
        self._compute.select(self._selected, self._pinned)

    def toggle_pin(self, workload: str, candidate: int) -> bool:
        """Pin a candidate or unpin it. False where `MOST_PINNED` others are pinned already."""
        from gpuplanner_gui.drawing.candidate_keys import candidate_key, candidate_of_key

        results = self._compute.results
        answer = results.answer(workload) if results is not None else None
        if results is None or answer is None or not 0 <= candidate < len(answer.table.accelerator):
            return True
        key, known = candidate_key(results.plan, workload, candidate), self._pinned.get(workload, ())
        if key in known:
            self.pin({**self._pinned, workload: [one for one in known if one != key]})
            return True
        present = [one for one in known if candidate_of_key(results.plan, workload, one) >= 0]
        if len(present) >= MOST_PINNED:
            return False
        # What this plan lacks makes room.
        kept = known if len(known) < MOST_PINNED else tuple(present)
        self.pin({**self._pinned, workload: [*kept, key]})
        return True

    def select_candidate(self, workload: str, candidate: int) -> None:
        """Look at this candidate from now on, in later plans too as long as they have it."""
        from gpuplanner_gui.drawing.candidate_keys import candidate_key

        results = self._compute.results
        answer = results.answer(workload) if results is not None else None
        if results is None or answer is None or not 0 <= candidate < len(answer.table.accelerator):
            # A click on a row of a plan that is no longer there.
            return
        if candidate == answer.best:
            # Whatever is recommended after the next edit is looked at then.
            self._selected.pop(workload, None)
        else:
            self._selected[workload] = candidate_key(results.plan, workload, candidate)
            self._ran[workload] = bool(answer.table.fits[candidate])
        self._compute.select(self._selected, self._pinned)

    def look_at_recommended(self) -> None:
        """Look at the recommended candidates again."""
        self._selected = {}
        self._compute.select(self._selected, self._pinned)

    def look_at(self, workload: str, key: str) -> None:
        """Look at the candidate of that key as soon as a plan has it."""
        self._selected[workload] = key

    def stamped(self, project: Project) -> Project:
        """The project as it is saved: with a snapshot of the catalogue, digests and the results that were seen."""
        if self._compute.engine is None:
            return project
        plans = {}
        for scenario in project.scenarios:
            plan = next((plan for planned, plan in reversed(self._plans) if asks_the_same(planned, scenario)), None)
            if plan is not None:
                plans[scenario.name] = plan
        return self._compute.engine.stamped(project, plans)

    def _on_results(self) -> None:
        results = self._compute.results
        if results is None:
            return
        self._drop_lost(results)
        # A plan is several megabytes: those of scenarios as they were before an edit are let go.
        there = self._store.project.scenarios
        others = [
            one
            for one in self._plans
            if one[0] is not results.scenario and any(asks_the_same(one[0], scenario) for scenario in there)
        ]
        self._plans = [*others[-_KEPT_PLANS + 1 :], (results.scenario, results.plan)]

    def _drop_lost(self, results: Results) -> None:
        """A candidate that an edit took away, or that cannot run any more: the recommended one is looked at instead."""
        from gpuplanner_gui.drawing.candidate_keys import candidate_of_key

        for workload, key in list(self._selected.items()):
            answer = results.answer(workload)
            candidate = candidate_of_key(results.plan, workload, key)
            if answer is None or (candidate >= 0 and (answer.table.fits[candidate] or not self._ran.get(workload))):
                continue
            del self._selected[workload]
            if candidate >= 0:
                self._compute.select(self._selected, self._pinned)

    def _on_scenario_changed(self) -> None:
        self._selected = self._chosen()
        self.ask()

    def _chosen(self) -> dict[str, str]:
        return self._store.scenario.chosen if self._store.scenario is not None else {}

    def _on_project_changed(self, change: Change) -> None:
        if change.kind == ChangeKind.OPENED:
            self._selected, self._pinned = self._chosen(), {}
            self._plans = []
            self.ask()
        elif change.kind == ChangeKind.SAVED:
            self._asked = self._store.project
        elif _moves_numbers(change) and not self._is_renamed():
            self.ask()

    def _is_renamed(self) -> bool:
        """Whether names alone are others than in the plan at hand, which has the new ones now."""
        project, scenario = self._store.project, self._store.scenario
        is_same = scenario is not None and plans_the_same(self._asked, project)
        return is_same and scenario is not None and self._compute.rename(project, scenario)


def _moves_numbers(change: Change) -> bool:
    if change.kind == ChangeKind.SCENARIO:
        return change.path not in NOT_COMPUTED
    return change.kind == ChangeKind.SCENARIOS or change.path in ("catalog", "measurements")
