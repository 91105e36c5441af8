"""Replicas that a planned service needs at any load: the plan's own number at today's peak, and on from there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.plan import ServingPlan
from gpuplanner_gui.domain.workload import Availability
from gpuplanner_gui.engine.serving.resizing import rate_of_each
from gpuplanner_gui.engine.simulation.replicas import fleet_replicas


@dataclass(frozen=True)
class ServiceNeed:
    """One sizing for every page: what a year, an hour or a sample needs is counted as the plan's fleet was."""

    availability: Availability
    planned_rate_per_s: Floats
    """Planned rate of one replica of each candidate, shape (candidates,); 0 where it cannot serve."""
    more_replicas: Floats
    """Replicas of the plan beyond those for load, zones and spares."""

    @staticmethod
    def of(answer: ServingPlan, rows: NDArray[np.int64], availability: Availability) -> ServiceNeed:
        """The need of some candidates of a plan; rows of -1 cannot serve."""
        table, known, peak = answer.table, np.maximum(rows, 0), answer.peak_rate_per_s
        each = rate_of_each(table, availability.target_utilisation)[known]
        rate = np.where(rows >= 0, np.nan_to_num(each, posinf=0.0), 0.0)
        counted = ServiceNeed(availability, rate, np.zeros(len(rows))).along(np.array([peak]))[:, 0]
        more = np.maximum(np.nan_to_num(table.replicas[known] - counted, posinf=0.0, neginf=0.0), 0.0)
        return ServiceNeed(availability, rate, more)

    def replicas(self, rate_per_s: Floats) -> Floats:
        """All replicas of the first candidate that are paid for at some rates, of any shape. [1]"""
        return np.asarray(self.at_rate(rate_per_s, self.planned_rate_per_s[0]) + self.more_replicas[0])

    def along(self, rates_per_s: Floats) -> Floats:
        """Replicas of every candidate along rates, shape (candidates, rates); infinite where one cannot serve. [1]"""
        return np.asarray(self.at_rate(rates_per_s, self.planned_rate_per_s[:, None]) + self.more_replicas[:, None])

    def at_rate(self, rate_per_s: Floats, planned_rate_per_s: Floats) -> Floats:
        """Replicas, zones and spares included, where each is planned for so much: broadcast. [1]"""
        wanted = self.availability
        with np.errstate(divide="ignore", invalid="ignore"):
            return fleet_replicas(rate_per_s, planned_rate_per_s, 1.0, wanted.zones, wanted.spare_replicas)
