"""What no estate of a file may hold: names that lead nowhere, hours that make no day, dates that contradict."""

from __future__ import annotations

from pathlib import Path

from gpuplanner_gui.domain.estate import estate_problems
from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.said import said

SENTENCES = {
    "unknown": ("The file has nothing called {value}", "Use a name that the file holds"),
    "twice": ("Two entries are called {value}", "Give each its own name"),
    "no_part": ("That scenario has no such part ({value})", "Choose serving or training, as the scenario has it"),
    "no_estate_site": ("The pool {value} owns hardware but has no site", "Name the site where it stands"),
    "too_long": ("An estate lasts at most five years", "Use up to 20 quarters or 60 months"),
    "hours": ("The hour classes add up to {value} hours", "Make them 24 hours, such as 6 + 8 + 10"),
    "shares": ("There must be one load share for each of the {value} hour classes", "Write one for each"),
    "dates": ("The workload ends on {value}, before it starts", "Choose a later month, such as 2027-10"),
}


def refuse_bad_estate(project: Project, path: Path) -> None:
    """Raises FileProblem for the first problem of the project's estate."""
    if project.estate is None:
        return
    parts = {
        one.name: tuple(part for part in ("serving", "training") if getattr(one, part) is not None)
        for one in project.scenarios
    }
    for found in estate_problems(project.estate, parts):
        sentence, remedy = SENTENCES[found.code]
        raise FileProblem(path, f"$.{found.path}", said(sentence, value=repr(found.value)), remedy)
