"""Cold start of replicas, alone and when many load at once; what autoscaling must keep in hand meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats


@dataclass(frozen=True)
class ColdStart:
    """Time from the decision to start a replica until it serves, in parts that follow each other. [s]"""

    provision_s: Floats
    image_s: Floats
    weights_s: Floats
    compile_s: Floats
    graph_capture_s: Floats
    warm_up_s: Floats

    @property
    def total(self) -> Floats:
        parts = (self.image_s, self.weights_s, self.compile_s, self.graph_capture_s, self.warm_up_s)
        return sum(parts, start=self.provision_s)


@formula(
    title="Cold start of a replica",
    unit="s",
    expression="provision_s + image_s + weight load + compile_s + graph_capture_s + warm_up_s;"
    "  weight load = weight_bytes/min(replica_bytes_per_s, storage_bytes_per_s/replicas)",
    source="sum of serial phases; storage shared equally by all replicas that load",
)
def cold_start(
    weight_bytes: Numbers,
    replica_bytes_per_s: Numbers,
    storage_bytes_per_s: Numbers = np.inf,
    replicas: Numbers = 1,
    provision_s: Numbers = 0.0,
    image_s: Numbers = 0.0,
    compile_s: Numbers = 0.0,
    graph_capture_s: Numbers = 0.0,
    warm_up_s: Numbers = 0.0,
) -> ColdStart:
    """Cold start of `replicas` replicas that start together.

    Parameters
    ----------
    weight_bytes : float array
        What one replica loads. [bytes]
    replica_bytes_per_s : float array
        What one replica can read at. [bytes/s]
    storage_bytes_per_s : float array
        What the shared storage or network gives all of them together. [bytes/s]
    replicas : int array
        Replicas that load at the same time. [1]
    provision_s, image_s, compile_s, graph_capture_s, warm_up_s : float array
        Phases that do not depend on the number of replicas. [s]

    All arguments broadcast.
    """
    shared = as_floats(storage_bytes_per_s) / as_floats(replicas)
    weights = as_floats(weight_bytes) / np.minimum(as_floats(replica_bytes_per_s), shared)
    phases = (provision_s, image_s, weights, compile_s, graph_capture_s, warm_up_s)
    return ColdStart(*(np.asarray(phase, dtype=np.float64) for phase in np.broadcast_arrays(*phases)))


@formula(
    title="Time to bring a model to all replicas",
    unit="s",
    expression="waves · cold start;  waves = ⌈replicas/replicas_at_once⌉",
    source="rolling update in equal waves",
)
def rollout_s(replicas: Numbers, replicas_at_once: Numbers, wave_cold_start_s: Numbers) -> Floats:
    """Time until every replica runs a new model, when `replicas_at_once` are replaced together.

    `wave_cold_start_s` is the total of `cold_start` for `replicas_at_once` replicas. [s]
    """
    return np.ceil(as_floats(replicas) / as_floats(replicas_at_once)) * as_floats(wave_cold_start_s)


@formula(
    title="Headroom that autoscaling needs",
    unit="1/s",
    expression="growth_per_s2·(metric_window_s + cold_start_s)",
    source="load that arrives before a new replica serves",
)
def autoscaling_headroom_per_s(growth_per_s2: Numbers, metric_window_s: Numbers, cold_start_s: Numbers) -> Floats:
    """Request rate to keep free so that growth is carried until a new replica serves.

    Parameters
    ----------
    growth_per_s2 : float array
        Largest growth of the arrival rate. [1/s²]
    metric_window_s, cold_start_s : float array
        Time until the autoscaler notices, and until its replica serves. [s]
    """
    return as_floats(growth_per_s2) * (as_floats(metric_window_s) + as_floats(cold_start_s))


@dataclass(frozen=True)
class ScaleToZero:
    """What one request costs in billed seconds when an idle replica is switched off after a while. [s]"""

    service_s: Floats
    idle_s: Floats
    cold_start_s: Floats
    cold_share: Floats
    always_on_s: Floats

    @property
    def total(self) -> Floats:
        return self.service_s + self.idle_s + self.cold_start_s

    @property
    def saving_share(self) -> Floats:
        return 1 - self.total / self.always_on_s


@formula(
    title="Billed time per request with scale to zero",
    unit="s",
    expression="service_s + (1 − e^(−keep_alive_s/idle_gap_s))·idle_gap_s + e^(−keep_alive_s/idle_gap_s)·cold_start_s",
    source="Poisson gaps between requests",
)
def scale_to_zero(service_s: Numbers, idle_gap_s: Numbers, keep_alive_s: Numbers, cold_start_s: Numbers) -> ScaleToZero:
    """Billed seconds per request, and the share of requests that meet a cold replica.

    Parameters
    ----------
    service_s : float array
        Service time of a request on a warm replica. [s]
    idle_gap_s : float array
        Mean idle time between requests, exponential. [s]
    keep_alive_s : float array
        Idle time after which the replica is switched off; infinity for never. [s]
    cold_start_s : float array
        Billed time to start again. [s]

    Notes
    -----
    Saves money only if the mean gap is longer than the cold start; whether the cold share may wait that long is a
    question for the latency target.
    """
    gap = as_floats(idle_gap_s)
    cold = np.exp(-as_floats(keep_alive_s) / gap)
    service, idle, cold_s, cold, always = np.broadcast_arrays(
        as_floats(service_s), (1 - cold) * gap, cold * as_floats(cold_start_s), cold, as_floats(service_s) + gap
    )
    return ScaleToZero(service, idle, cold_s, cold, always)
