"""A step time that is linear in its work, for worked cases, and the service of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats
from gpuplanner_gui.engine.simulation.pool import Routing
from gpuplanner_gui.engine.simulation.run import replica_table
from gpuplanner_gui.engine.simulation.service import Service
from gpuplanner_gui.engine.simulation.settings import ReplicaSettings
from gpuplanner_gui.engine.simulation.step_time import StepTime
from gpuplanner_gui.engine.simulation.traffic import TrafficSample


@dataclass(frozen=True)
class LinearStepTime:
    """t = α + β·tokens + γ·KV tokens + δ·attention pairs; each coefficient a scalar or an array over candidates.

    References
    ----------
    .. [1] llm-inferno/queue-analysis: iteration time linear in compute tokens and memory tokens, 2025.
    """

    alpha_s: Numbers
    beta_s_per_token: Numbers
    gamma_s_per_kv_token: Numbers
    delta_s_per_pair: Numbers = 0.0

    def step_time_s(
        self,
        decode_sequences: Numbers,
        prefill_tokens: Numbers,
        kv_tokens_read: Numbers,
        attention_pairs: Numbers = 0.0,
    ) -> Floats:
        """See `StepTime`."""
        tokens = as_floats(decode_sequences) + prefill_tokens
        time_s = self.beta_s_per_token * tokens
        time_s += self.alpha_s
        time_s = time_s + self.gamma_s_per_kv_token * as_floats(kv_tokens_read)
        if np.any(self.delta_s_per_pair):
            time_s = time_s + self.delta_s_per_pair * as_floats(attention_pairs)
        return np.asarray(time_s)


def service(
    step_time: StepTime,
    settings: ReplicaSettings,
    traffic: TrafficSample,
    replicas: int = 1,
    routing: Routing = Routing.LEAST_LOAD,
) -> Service:
    """A service from the step time of one replica."""
    return Service(step_time, replica_table(step_time, settings), settings, traffic, replicas, routing)
