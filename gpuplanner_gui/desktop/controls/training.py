"""Between the window and the training thread: who is told what, and a layout that is taken over into the scenario."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from gpuplanner_gui.desktop.tasks.training_tasks import TrainingTasks
from gpuplanner_gui.drawing.language import phrase, tr

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.results_pane import ResultsPane
    from gpuplanner_gui.desktop.views.layouts import LayoutsPage
    from gpuplanner_gui.desktop.window_parts import WindowParts


class TrainingControls(QObject):
    """Owns the explorer; hands it results and the pages' wishes, and the pages its answers."""

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts.frame)
        self._parts = parts
        self.tasks = TrainingTasks(lambda: parts.compute.engine, self)
        parts.compute.results_changed.connect(self.tasks.follow)

    def connect_pane(self, pane: ResultsPane) -> None:
        """Show answers on the pages from now on."""
        self.tasks.changed.connect(partial(pane.show_found, "training"))
        pane.part_wanted.connect(self.tasks.want)
        pane.page_built.connect(self._on_page_built)
        if self._parts.compute.results is not None:
            self.tasks.follow(self._parts.compute.results)

    def stop(self) -> None:
        self.tasks.stop()

    def _on_page_built(self, name: str, page: QWidget) -> None:
        if name == "layouts":
            layouts = cast("LayoutsPage", page)
            layouts.ranking_asked.connect(self.tasks.rank_layouts)
            layouts.layout_chosen.connect(self.apply_layout)
            layouts.layout_freed.connect(self.free_layout)

    def apply_layout(self, row: int) -> None:
        """Fix the layout in a row of the ranking, in one step that can be undone, and look at it."""
        from gpuplanner_gui.desktop.candidate_key import training_key
        from gpuplanner_gui.drawing.words.candidates import training_layout
        from gpuplanner_gui.engine.training.fixed_layout import with_layout_fixed

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
        from gpuplanner_gui.engine.training.fixed_layout import with_layout_open

        store = self._parts.store
        if store.scenario is not None and store.scenario.training is not None:
            freed = with_layout_open(store.scenario.training)
            store.edit("training", freed, phrase("Leave the layout to the search"))
