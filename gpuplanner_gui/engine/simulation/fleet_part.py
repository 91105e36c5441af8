"""How much of a fleet is simulated, and what the replicas that it takes say of the whole."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gpuplanner_gui.domain.plan import ServingPlan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.serving.candidates import ServingCandidates, drafting
from gpuplanner_gui.engine.serving.demand import demand_of

REQUESTS = 3000
REQUESTS_PER_REPLICA = 200
MOST_REQUESTS, MOST_ALONE = 6_000, 24_000
FILLS = 8
"""Requests of a run are at least so many times those that its replicas hold at once: fewer end before answers of a
thousand tokens have filled them, and half of the fleet seems to be enough. Fewer replicas are simulated rather than
more than `MOST_REQUESTS`, of one at most `MOST_ALONE`."""
MOST_REPLICAS = 24
"""Simulated together where requests come to each by chance; of a larger fleet as many at their share of the rate."""
MOST_SHARING, REQUESTS_OF_ONE_SHARING = 400, 30
"""The same where a request finds the least loaded replica: what they need beyond their load grows as its square root,
which a part of them does not show. Each then has this many requests at least."""
ASKS_PER_USER = 4
"""Requests of each user, where requests come from users."""
MOST_OF_USERS = 24_000
"""Requests, where they come from users: fewer of a fleet are simulated, not fewer of each user."""


@dataclass(frozen=True)
class FleetPart:
    """As much of a fleet as is simulated."""

    share: float
    """Of the load."""
    replicas: int
    """They stand for those of the quick estimate."""
    requests: int
    whole: float
    """Replicas of the quick estimate,"""
    offered: float
    """and those that its load keeps busy, where the others grow as its root."""

    @classmethod
    def sharing(cls, share: float, requests: int, whole: float, offered: float) -> FleetPart:
        """Of replicas that share their places."""
        spare = (whole - offered) * math.sqrt(share)
        return cls(share, math.ceil(share * offered + spare - 1e-9), requests, whole, offered)

    def of_whole(self, fewest: int) -> int:
        """Replicas of the whole fleet if so many of the part are the fewest that are enough."""
        if fewest == self.replicas:
            return int(self.whole)
        spare = (fewest - self.share * self.offered) / math.sqrt(self.share)
        return math.ceil((self.offered + spare if self.offered else fewest / self.share) - 1e-9)


def fleet_part(scenario: Scenario, found: ServingPlan, chosen: ServingCandidates, quick: float) -> FleetPart:
    """What is simulated of a fleet: all that a plan has the time for."""
    users, table, best = users_of(scenario), found.table, found.best
    peak = found.peak_rate_per_s / scenario.service.availability.target_utilisation
    held = 0.0 if users else peak / quick * float(table.e2e_mean_s[best])
    filled = FILLS * held if math.isfinite(held) else 0.0
    demand = demand_of(drafting(scenario, chosen).service, scenario.model)
    offered = held * quick if demand.begins_with_some else peak / table.max_rate_per_s[best]
    each = max(REQUESTS_OF_ONE_SHARING, filled)
    together = int(min(quick, MOST_SHARING, MOST_SHARING * REQUESTS_OF_ONE_SHARING / each))
    if quick > MOST_REPLICAS and demand.finds_idle and not users:
        count = int(max(REQUESTS, each * together))
        if demand.shares_places and (together == quick or offered < quick):
            return FleetPart.sharing(together / quick, count, quick, float(offered))
        if together > MOST_REPLICAS:
            return FleetPart(together / quick, together, count, quick, 0.0)
    each = max(REQUESTS_PER_REPLICA, filled)
    most = min(MOST_REPLICAS, max(MOST_REQUESTS / each, 1.0))
    if users:
        most = max(MOST_OF_USERS * quick / (ASKS_PER_USER * users), 1.0)
    together = int(min(quick, most))
    count = int(min(max(REQUESTS, each * together), MOST_REQUESTS if together > 1 else MOST_ALONE))
    return FleetPart(together / quick, together, count, quick, 0.0)


def are_places_shared(scenario: Scenario, chosen: ServingCandidates) -> bool:
    """Whether replicas of a candidate (a set of one) share their places, so that one alone tells little of a fleet."""
    return demand_of(drafting(scenario, chosen).service, scenario.model).shares_places


def users_of(scenario: Scenario) -> float:
    """Users with whom a fleet has its headroom; 0 where requests come at a rate."""
    traffic = scenario.service.traffic
    utilisation = scenario.service.availability.target_utilisation
    return central(traffic.users) / utilisation if traffic.arrivals == "users" else 0.0
