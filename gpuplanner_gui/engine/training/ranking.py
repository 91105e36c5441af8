"""In which order runs come that have been judged: those that meet every target, then those that come closest."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Floats, Integers
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.engine.context import Gate
from gpuplanner_gui.engine.serving.ranking import AS_NEAR
from gpuplanner_gui.engine.training.layouts import TrainingLayouts
from gpuplanner_gui.engine.training.run import ENDLESS

AS_CHEAP = 1.05
"""Cost over the least that is as good as the same: well within what a predicted time is sure of. Our choice."""
AS_CHEAP_BY_HOUR = 1.01
"""Likewise for devices that are paid for only while they train. Our choice."""
AS_GOOD_AS_LATE = 0.02
"""Difference, as a share of the limit, that no deadline or budget is held or missed for."""
ORDER = (
    Reason.NONE, Reason.NO_PRICE, Reason.BELOW_CONFIDENCE, Reason.MISSES_DEADLINE, Reason.OVER_POWER, Reason.COOLING,
    Reason.OVER_BUDGET, Reason.NOT_MEASURED, Reason.CANNOT_RESTART, Reason.HEADROOM, Reason.DOES_NOT_FIT,
)  # fmt: skip
UNSURE_GROUP, MISSING_GROUP, OVER_POWER_GROUP, LAST_RUNNING_GROUP = 2, 3, 4, 8
"""Places in `ORDER`; groups after the last running one have no time to rank by."""


def beyond_limits(late: Floats, dear: Floats) -> Floats:
    """How far a run is from what is asked of it: the product of its limits' shares, as far as each is exceeded. [1]"""
    return np.asarray(np.fmax(late, 1.0) * np.fmax(dear, 1.0))


def ranked_as(gate: Gate, far: Floats, far_surely: Floats, is_over_site: Booleans, *, has_budget: bool) -> Gate:
    """The reasons by which runs are ranked, with how far they are from deadline and budget, as expected or surely.

    Both are missed alike. What misses one and is too much for the site as well comes after what the site holds, and so
    does what has no price where there is a budget: nobody knows how near it comes.
    """
    misses = np.isin(gate.reason, (Reason.MISSES_DEADLINE, Reason.OVER_BUDGET))
    unknown = (gate.reason == Reason.NO_PRICE) & has_budget
    reason = np.where(misses, int(Reason.MISSES_DEADLINE), gate.reason)
    reason = np.where((misses & is_over_site) | unknown, int(Reason.OVER_BUDGET), reason)
    unsure = gate.reason == Reason.BELOW_CONFIDENCE
    return Gate(reason, np.select([misses, unsure, unknown], [far, far_surely, np.inf], gate.value))


def runs_in_order(
    gate: Gate,
    usd: Floats,
    held: Floats,
    time: Floats,
    layouts: TrainingLayouts,
    is_thin: Booleans,
    at_hand: Booleans,
    by_hour: Booleans,
) -> Integers:
    """Those that meet every target by cost (`usd`), then time, where few providers ask a price last; those without a
    price by what is `held` for them, devices or their hours; those that meet targets as expected alone or miss one by
    how far; those that cannot run.

    Those on devices `at_hand` that cost as good as the least go by time: nobody waits twice as long with half of what
    they own, to save a fiftieth of the money. So do those rented `by_hour` without a deadline: eight times the devices
    in an eighth of the time cost the same.

    Of those that come about as near to the confidence as any, the cheapest comes first, as if they reached it. Of those
    that miss deadline or budget by as good as the same, or the site's power by the same, the cheapest too: where data
    sets the pace, nobody pays many devices for the second that they save.
    """
    rank = np.full(max(int(one) for one in Reason) + 1, len(ORDER))
    rank[list(ORDER)] = np.arange(len(ORDER))
    group = rank[gate.reason].astype(np.int8)
    key = np.where(gate.reason == Reason.HEADROOM, -gate.value, gate.value)
    unsure = group == UNSURE_GROUP
    near = unsure & (key <= AS_NEAR * np.min(key, where=unsure, initial=np.inf))
    # A year of the same devices costs the same whatever runs on them: time decides, not the last of sixteen digits.
    with np.errstate(over="ignore"):
        rounded = usd.astype(np.float32)
    np.copyto(key, rounded, where=(group == 0) | near | (gate.reason == Reason.CANNOT_RESTART))
    np.copyto(key, held, where=group == 1)
    second = time.copy()
    for among, as_cheap in ((at_hand, AS_CHEAP), (by_hour, AS_CHEAP_BY_HOUR)):
        first = (group == 0) & among & ~is_thin
        least = float(np.min(usd, where=first, initial=np.inf))
        np.copyto(key, least, where=first & (usd <= as_cheap * least))
    late = group == MISSING_GROUP
    if bool(late.any()):
        nearest = min(float(key[late].min()), ENDLESS)
        np.copyto(key, np.floor(np.log(np.maximum(key, nearest) / nearest) / AS_GOOD_AS_LATE), where=late)
        np.copyto(second, usd, where=late)
    np.copyto(second, usd, where=group == OVER_POWER_GROUP)
    tier = np.where((group == 0) | near, is_thin, np.where(unsure, 2, 0))
    is_running = group <= LAST_RUNNING_GROUP
    runs, others = np.flatnonzero(is_running), np.flatnonzero(~is_running)
    best_first = np.lexsort((layouts.devices[runs], second[runs], key[runs], tier[runs], group[runs]))
    by_devices = others[np.argsort(layouts.devices[others], kind="stable")]
    nearest_first = by_devices[np.argsort(key[by_devices])]
    return np.concatenate([runs[best_first], nearest_first[np.argsort(group[nearest_first], kind="stable")]])
