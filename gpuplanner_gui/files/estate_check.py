"""What no estate of a file may hold: names that lead nowhere, hours that make no day, dates that contradict."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gpuplanner_gui.domain.estate import Estate, EstateProblem, estate_problems
from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.files.errors import FileProblem, Said, said

SENTENCES = {
    "unknown": ("The file has no entry named {value}", "Use a name that exists in the file"),
    "twice": ("Two entries are named {value}", "Give each its own name"),
    "no_part": ("That scenario does not plan {value}", ("Choose serving or training, whichever the scenario plans")),
    "no_estate_site": ("The pool {value} owns hardware but has no site", "Enter its site"),
    "too_long": ("An estate lasts at most five years", "Use up to 20 quarters or 60 months"),
    "hours": ("The hour classes add up to {value} hours", "Make them add up to 24 hours, such as 6 + 8 + 10"),
    "shares": ("There must be one load share for each of the {value} hour classes", "Write one for each"),
    "dates": ("The workload ends on {value}, before it starts", "Choose a later month, such as 2027-10"),
}


def estate_faults(estate: Estate, scenarios: Sequence[Scenario]) -> list[EstateProblem]:
    """All that is wrong with an estate of these scenarios."""
    parts = {
        one.name: tuple(part for part in ("serving", "training") if getattr(one, part) is not None) for one in scenarios
    }
    return estate_problems(estate, parts)


def fault_sentences(fault: EstateProblem) -> tuple[Said, str]:
    """What is wrong, and the remedy; both without a full stop."""
    sentence, remedy = SENTENCES[fault.code]
    return said(sentence, value=repr(fault.value)), remedy


def refuse_bad_estate(project: Project, path: Path) -> None:
    """Raises FileProblem for the first problem of the project's estate."""
    for fault in estate_faults(project.estate, project.scenarios) if project.estate is not None else ():
        raise FileProblem(path, f"$.{fault.path}", *fault_sentences(fault))
