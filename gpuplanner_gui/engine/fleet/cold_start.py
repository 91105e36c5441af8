"""How long replicas take from their order to the first request that they serve."""

from __future__ import annotations

import math

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.load_result import StartTimes
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.workload import ReplicaStart
from gpuplanner_gui.engine.explaining.formula import formula


@formula(
    title="Cold start of a replica",
    unit="s",
    expression="provision_s + image_s + weight load + compile_s + graph_capture_s + warm_up_s;"
    "  weight load = weight_bytes/min(replica_bytes_per_s, storage_bytes_per_s/replicas)",
    source="sum of serial phases; storage shared equally by all replicas that load",
)
def cold_start(
    weight_bytes: float,
    replica_bytes_per_s: float,
    storage_bytes_per_s: float = math.inf,
    replicas: int = 1,
    provision_s: float = 0.0,
    image_s: float = 0.0,
    compile_s: float = 0.0,
    graph_capture_s: float = 0.0,
    warm_up_s: float = 0.0,
) -> StartTimes:
    """Cold start of `replicas` replicas that start together.

    Parameters
    ----------
    weight_bytes : what one replica loads. [bytes]
    replica_bytes_per_s : what one replica can read at. [bytes/s]
    storage_bytes_per_s : what the shared storage or network gives all of them together. [bytes/s]
    provision_s, image_s, compile_s, graph_capture_s, warm_up_s : phases that do not depend on the number of replicas.
        [s]
    """
    return StartTimes(
        provision_s=provision_s, image_s=image_s,
        weights_s=weight_bytes / min(replica_bytes_per_s, storage_bytes_per_s / replicas),
        compile_s=compile_s, graph_capture_s=graph_capture_s, warm_up_s=warm_up_s,
    )  # fmt: skip


def cold_start_of(start: ReplicaStart, weight_bytes: float, replicas: int) -> StartTimes:
    """Cold start of replicas that start together, under a scenario's figures."""
    return cold_start(
        weight_bytes,
        central(start.replica_read_bytes_per_s),
        central(start.storage_read_bytes_per_s),
        replicas,
        central(start.provision_s),
        central(start.image_s),
        central(start.compile_s),
        central(start.graph_capture_s),
        central(start.warm_up_s),
    )


def lone_start_s(start: ReplicaStart, weight_bytes: Floats) -> Floats:
    """Cold start of one replica at a time, of each candidate by the weights of its replicas. [s]"""
    per_byte = cold_start_of(start, 1.0, 1).weights_s
    return cold_start_of(start, 0.0, 1).total_s + per_byte * weight_bytes
