"""What is said at a field because of what stands in others, or of how much stands in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gpuplanner_gui.domain.constants import HOURS_PER_DAY
from gpuplanner_gui.domain.workload import DAYS_PER_WEEK, Traffic
from gpuplanner_gui.drawing.language import tr


@dataclass(frozen=True)
class FieldNote:
    """A sentence under a field."""

    text: str = ""
    is_unused: bool = False
    """The field's value has no effect as things are."""


NO_NOTE = FieldNote()


def _mean_over_peak(traffic: Traffic) -> FieldNote:
    if not traffic.has_hours:
        return NO_NOTE
    return FieldNote(tr("Not in use: the load by hour under More says it."), is_unused=True)


def _hours(traffic: Traffic) -> FieldNote:
    count = len(traffic.hours)
    if count in (0, HOURS_PER_DAY):
        return NO_NOTE
    return FieldNote(tr("A day has 24 hours; these are {count} numbers, spread evenly over it.").format(count=count))


def _days(traffic: Traffic) -> FieldNote:
    count = len(traffic.days)
    if count in (0, DAYS_PER_WEEK):
        return NO_NOTE
    if count > DAYS_PER_WEEK:
        words = tr("A week has 7 days; these are {count} numbers: each day counts with the mean of its own.")
        return FieldNote(words.format(count=count))
    words = tr("A week has 7 days; these are {count} numbers, from Monday: the other days are taken to have no load.")
    return FieldNote(words.format(count=count))


_NOTES: dict[tuple[str, str], Callable[[Any], FieldNote]] = {
    ("Traffic", "mean_over_peak"): _mean_over_peak,
    ("Traffic", "hours"): _hours,
    ("Traffic", "days"): _days,
}


def note_at(struct: Any, name: str) -> FieldNote:
    """What is to be said at a field of a struct as it is now."""
    note = _NOTES.get((type(struct).__name__, name))
    return note(struct) if note is not None else NO_NOTE
