"""What an exported report needs beside its plots, on a thread of its own: every scenario in depth, then the file."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from gpuplanner_gui.drawing.words.files import file_problem_text
from gpuplanner_gui.files.errors import FileProblem

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.dialogs.report import ReportContents
    from gpuplanner_gui.desktop.engine_door import ShippedEngine
    from gpuplanner_gui.domain.scenario import Project
    from gpuplanner_gui.drawing.report.model import Figure, Report
    from gpuplanner_gui.drawing.results import Results

logger = logging.getLogger(__name__)

COMPUTED_SHARE = 0.6
"""Of the progress bar, for the answers; plots and writing have the rest."""


@dataclass(frozen=True, kw_only=True)
class ReportJob:
    """A report to be written, as far as it is known."""

    generation: int
    project: Project
    path: Path
    on_screen: Results | None = None
    """Spares planning its scenario again."""
    report: Report | None = None
    suffix: str = ""
    pictures: dict[Figure, bytes] = field(default_factory=dict)
    contents: ReportContents | None = None
    """None: every scenario, with what is recommended."""


class ReportWorker(QObject):
    """Lives on the report thread. Signals carry values; nothing here touches a widget."""

    answered = Signal(int, object)
    progressed = Signal(int, float)
    written = Signal(int, object)
    failed = Signal(int, str)

    def __init__(self, engine_of: Callable[[], Any], newest: Callable[[], int]) -> None:
        super().__init__()
        self._engine_of = engine_of
        self._newest = newest

    @Slot(object)
    def answer(self, job: ReportJob) -> None:
        """Plan every scenario in depth."""
        self._guarded(job, self._answer)

    @Slot(object)
    def write(self, job: ReportJob) -> None:
        """Put the document together and on disk."""
        self._guarded(job, self._write)

    def _guarded(self, job: ReportJob, work: Callable[[ReportJob], None]) -> None:
        from gpuplanner_gui.engine.planning import CancelledError

        try:
            work(job)
        except CancelledError:
            return
        except FileProblem as problem:
            self.failed.emit(job.generation, file_problem_text(problem))
        except Exception as problem:
            logger.exception("the report failed")
            self.failed.emit(job.generation, str(problem).strip() or type(problem).__name__)

    def _answer(self, job: ReportJob) -> None:
        from gpuplanner_gui.drawing.in_depth import about, compared, in_depth

        engine: ShippedEngine = self._engine_of()
        calibration = engine.calibration_of(job.project)
        answers: list[Results] = []
        wanted = job.contents
        places = range(len(job.project.scenarios)) if wanted is None else wanted.scenarios
        scenarios = [job.project.scenarios[place] for place in places if place < len(job.project.scenarios)]
        chosen = {} if wanted is None else wanted.chosen

        def is_cancelled() -> bool:
            return job.generation != self._newest()

        for place, scenario in enumerate(scenarios):

            def tell(share: float, place: int = place) -> None:
                self.progressed.emit(job.generation, COMPUTED_SHARE * (place + share) / len(scenarios))

            tell(0.0)
            planned = self._planned(job, scenario, engine, is_cancelled)
            if chosen and self._is_on_screen(job, scenario):
                planned = about(planned, calibration, chosen)
            answers.append(in_depth(planned, calibration, tell, is_cancelled))
        done = compared(answers, calibration, is_cancelled)
        if not is_cancelled():
            self.answered.emit(job.generation, done)

    def _planned(self, job: ReportJob, scenario: Any, engine: ShippedEngine, is_cancelled: Any) -> Results:
        from gpuplanner_gui.drawing.results import Results

        if job.on_screen is not None and self._is_on_screen(job, scenario):
            # The document is about what is recommended, whatever row is looked at, unless it is asked for.
            return replace(job.on_screen, selected={})
        plan = engine.plan(job.project, scenario, is_cancelled)
        return Results(project=job.project, scenario=scenario, plan=plan, catalog=engine.catalog_of(job.project))

    @staticmethod
    def _is_on_screen(job: ReportJob, scenario: Any) -> bool:
        shown = job.on_screen
        return shown is not None and shown.scenario is scenario and shown.project is job.project

    def _write(self, job: ReportJob) -> None:
        from gpuplanner_gui.drawing.report import rendered, write_file

        assert job.report is not None
        files = rendered(job.report, job.suffix, job.pictures, job.path)
        if job.generation != self._newest():
            return
        for path, content in files.items():
            write_file(path, content)
        self.written.emit(job.generation, tuple(files))
