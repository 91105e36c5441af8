"""In which order runs come that have been judged: those that meet every target, then those that come closest."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Floats, Integers
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.engine.context import Gate
from gpuplanner_gui.engine.serving.ranking import AS_NEAR
from gpuplanner_gui.engine.training.layouts import TrainingLayouts
from gpuplanner_gui.engine.training.run import ENDLESS

AS_CHEAP_AT_HAND = 1.05
"""Cost over the least that is as good as the same on devices that are owned already: well within what a predicted time
is sure of. Our choice."""
AS_CHEAP_TO_PAY = 1.01
"""Likewise for devices that the run is the reason to pay for. Our choice."""
AS_GOOD_AS_LATE = 0.02
"""Difference, as a share of the limit, that no deadline or budget is held or missed for."""
ORDER = (
    Reason.NONE, Reason.NO_PRICE, Reason.BELOW_CONFIDENCE, Reason.MISSES_DEADLINE, Reason.OVER_POWER, Reason.COOLING,
    Reason.OVER_BUDGET, Reason.NOT_MEASURED, Reason.CANNOT_RESTART, Reason.HEADROOM, Reason.DOES_NOT_FIT,
)  # fmt: skip
UNPRICED_GROUP, UNSURE_GROUP, MISSING_GROUP, OVER_POWER_GROUP, LAST_RUNNING_GROUP = 1, 2, 3, 4, 8
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
    beyond: Floats,
) -> Integers:
    """Those that meet every target by cost (`usd`), then time, where few providers ask a price last; those without a
    price by the device-hours that are `held` for them; those that meet targets as expected alone or miss one by how
    far; those that cannot run.

    Of those that cost as good as the least, the fastest comes first: eight times the devices in an eighth of the time
    cost the same, and nobody waits years to save a hundredth of the money. On devices `at_hand`, which cost nothing
    more, as good as the least is a wider share. Runs that take more than all of the horizon (`beyond` 1) come
    after those that don't, by how far.

    Of those that come about as near to the confidence as any, the cheapest comes first, as if they reached it. Of those
    that miss deadline or budget by as good as the same, or the site's power by the same, the cheapest too: where data
    sets the pace, nobody pays many devices for the second that they save.
    """
    rank = np.full(max(int(one) for one in Reason) + 1, len(ORDER))
    rank[list(ORDER)] = np.arange(len(ORDER))
    group = rank[gate.reason].astype(np.int8)
    far = np.where(gate.reason == Reason.HEADROOM, -gate.value, gate.value)
    unsure, late = group == UNSURE_GROUP, group == MISSING_GROUP
    near = unsure & (far <= AS_NEAR * np.min(far, where=unsure, initial=np.inf))
    at_will = (group <= UNPRICED_GROUP) | near | (gate.reason == Reason.CANNOT_RESTART)
    outlasts = at_will & (beyond > 1)
    np.copyto(far, np.where(outlasts, beyond, 0.0), where=at_will)
    for among in (late, outlasts):
        nearest = np.fmin(np.min(far, where=among, initial=np.inf), ENDLESS)
        np.copyto(far, np.floor(np.log(np.maximum(far, nearest) / nearest) / AS_GOOD_AS_LATE), where=among)
    tier = np.where((group == 0) | near, is_thin, 0) + 2 * outlasts
    tier = np.where(unsure & ~near, 4, tier)
    # A year of the same devices costs the same whatever runs on them: time decides, not the last of sixteen digits.
    with np.errstate(over="ignore"):
        cost = np.where(group == UNPRICED_GROUP, held, usd).astype(np.float32).astype(np.float64)
    cost = np.where(at_will | late | (group == OVER_POWER_GROUP), cost, 0.0)
    alike = np.flatnonzero(at_will | late)
    place = (group * 8 + tier)[alike].astype(np.int64)
    cost[alike] = _levelled(cost[alike], far[alike], place, at_hand[alike])
    is_running = group <= LAST_RUNNING_GROUP
    runs, others = np.flatnonzero(is_running), np.flatnonzero(~is_running)
    best_first = np.lexsort((layouts.devices[runs], time[runs], cost[runs], far[runs], tier[runs], group[runs]))
    by_devices = others[np.argsort(layouts.devices[others], kind="stable")]
    nearest_first = by_devices[np.argsort(far[by_devices])]
    return np.concatenate([runs[best_first], nearest_first[np.argsort(group[nearest_first], kind="stable")]])


def _levelled(cost: Floats, far: Floats, place: Integers, at_hand: Booleans) -> Floats:
    """Costs, where those that are as good as the least of the same place, equally far off, are the least."""
    _, steps = np.unique(far, return_inverse=True)
    _, among = np.unique((steps * (int(place.max(initial=0)) + 1) + place) * 2 + at_hand, return_inverse=True)
    least = np.full(int(among.max(initial=0)) + 1, np.inf)
    np.fmin.at(least, among, cost)
    is_as_good = cost <= np.where(at_hand, AS_CHEAP_AT_HAND, AS_CHEAP_TO_PAY) * least[among]
    return np.where(is_as_good, least[among], cost)
