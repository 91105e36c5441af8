"""Replicas that a planned service needs at any load: the plan's own number at today's peak, and on from there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.plan import ServingPlan
from gpuplanner_gui.domain.workload import Availability
from gpuplanner_gui.engine.simulation.replicas import fleet_replicas, replicas_needed

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ServiceNeed:
    """One sizing for every page: what a year, an hour or a sample needs is counted as the plan's fleet was."""

    availability: Availability
    planned_rate_per_s: Floats
    """That one replica of each candidate is planned for, shape (candidates,); 0 where it cannot serve."""

    @staticmethod
    def of(answer: ServingPlan, rows: NDArray[np.int64], availability: Availability) -> ServiceNeed:
        """Of some candidates of a plan; rows of -1 cannot serve."""
        table, known = answer.table, np.maximum(rows, 0)
        wanted = table.slo_rate_per_s[known] * availability.target_utilisation
        shared = table.load_per_replica_per_s[known]
        with np.errstate(divide="ignore", invalid="ignore"):
            counted = replicas_needed(answer.peak_rate_per_s, wanted, 1.0)
            planned = np.round(answer.peak_rate_per_s / shared)
        # Replicas that share their places, or whose number was stated, are planned for what falls to each of them.
        rate = np.where((planned == counted) | ~np.isfinite(planned), wanted, shared)
        return ServiceNeed(availability, np.where(rows >= 0, np.nan_to_num(rate, posinf=0.0), 0.0))

    def replicas(self, rate_per_s: Floats) -> Floats:
        """All replicas that are paid for at some rates, zones and spares included; candidates on the first axis where
        there are several. Infinite where none can serve. [1]"""
        return self.replicas_at(rate_per_s, self.planned_rate_per_s)

    def replicas_at(self, rate_per_s: Floats, planned_rate_per_s: Floats) -> Floats:
        """The same where a replica is planned for another rate than the plan has it: broadcast. [1]"""
        wanted = self.availability
        with np.errstate(divide="ignore", invalid="ignore"):
            return fleet_replicas(rate_per_s, planned_rate_per_s, 1.0, wanted.zones, wanted.spare_replicas)
