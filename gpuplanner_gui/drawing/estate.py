"""An estate as far as it is planned: what pages, reports and the command line are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuplanner_gui.engine.estate.answer import EstateAnswer
    from gpuplanner_gui.engine.estate.futures import Robust
    from gpuplanner_gui.engine.estate.solve import Progress
    from gpuplanner_gui.engine.estate.why import Reasons


@dataclass(frozen=True, kw_only=True)
class EstateFindings:
    """Parts that are not there yet are None; a plan that waits for its successor stays, outdated."""

    answer: EstateAnswer | None = None
    ahead: Robust | None = None
    """One beginning for all futures."""
    reasons: Reasons | None = None
    progress: Progress | None = None
    """Of the search for `answer` that is running; None where none is."""
    is_outdated: bool = False
    failures: Mapping[str, str] = field(default_factory=dict)
    """Why a part will not come, in a sentence, by the part's name."""
