"""Between the window and the training thread: who is told what, and a layout that is taken over into the scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gpuplanner_gui.desktop.tasks.training_explorer import TrainingExplorer
from gpuplanner_gui.drawing.language import phrase, tr

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.main_window import MainWindow
    from gpuplanner_gui.desktop.results_pane import ResultsPane

APPLY = "apply_layout:"
"""Before the row of the ranked layouts that the planner wants."""
FREE = "free_layout"


class TrainingControls(QObject):
    """Owns the explorer; hands it results and the pages' wishes, and the pages its answers."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.explorer = TrainingExplorer(lambda: window.compute.engine, self)
        window.compute.results_changed.connect(self.explorer.follow)

    def connect_pane(self, pane: ResultsPane) -> None:
        """Show answers on the pages from now on."""
        self.explorer.changed.connect(pane.show_training)
        pane.asked.connect(self._on_asked)
        if self._window.compute.results is not None:
            self.explorer.follow(self._window.compute.results)

    def stop(self) -> None:
        self.explorer.stop()

    def _on_asked(self, wish: str) -> None:
        if wish.startswith(APPLY):
            self.apply_layout(int(wish.removeprefix(APPLY)))
        elif wish == FREE:
            self.free_layout()
        else:
            self.explorer.take_wish(wish)

    def apply_layout(self, row: int) -> None:
        """Fix the layout in a row of the ranking, in one step that can be undone, and look at it."""
        from gpuplanner_gui.desktop.candidate_key import training_key
        from gpuplanner_gui.drawing.words.candidates import training_layout
        from gpuplanner_gui.engine.training.fixed_layout import with_layout_fixed

        store, detail = self._window.store, self.explorer.detail
        ranking = detail.layouts if detail is not None else None
        scenario = store.scenario
        if ranking is None or scenario is None or scenario.training is None:
            return
        if not 0 <= row < len(ranking.table.order):
            return
        name = training_layout(ranking.table, row) or tr("one device")
        self._window.planner.look_at("training", training_key(ranking.accelerator, ranking.table, row))
        fixed = with_layout_fixed(scenario, ranking.table, row)
        store.edit("", fixed, phrase("Use layout {layout}", layout=name))

    def free_layout(self) -> None:
        """Leave the layout to the search again."""
        from gpuplanner_gui.engine.training.fixed_layout import with_layout_open

        store = self._window.store
        if store.scenario is not None and store.scenario.training is not None:
            freed = with_layout_open(store.scenario.training)
            store.edit("training", freed, phrase("Leave the layout to the search"))
