"""State and record of the requests of one run, shared by all replicas that serve them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.engine.simulation.arrays import FloatColumn, IntegerColumn, distinct, floats_of, integers_of
from gpuplanner_gui.engine.simulation.requests import Requests
from gpuplanner_gui.engine.simulation.settings import ReplicaSettings


class RequestBook:
    """Columns over requests; each entry is changed only by the replica that holds the request.

    Parameters
    ----------
    decode_steps : int array, shape (n,)
        Steps in which each request decodes after its first token; fewer than its tokens with speculation.
    prefilled_at_s : float array, optional
        For a decode pool: when each request got its first token elsewhere; such requests need no prefill here. [s]
    look : callable
        Asked between columns, which are long; may raise.
    """

    def __init__(
        self,
        requests: Requests,
        settings: ReplicaSettings,
        decode_steps: Integers,
        prefilled_at_s: Floats | None = None,
        look: Callable[[], None] = lambda: None,
    ) -> None:
        def counted(column: NDArray[Any]) -> IntegerColumn:
            look()
            return integers_of(column)

        def timed(column: NDArray[Any]) -> FloatColumn:
            look()
            return floats_of(column)

        count = len(requests)
        self.requests = requests
        self.prompt = counted(requests.prompt_tokens)
        self.output = counted(requests.output_tokens)
        self.cached = counted(requests.cached_tokens)
        self.shared = counted(requests.shared_tokens)
        self.session = counted(requests.session)
        self.decode_steps = counted(decode_steps)
        look()
        self.growth = timed(_tokens_per_step(requests.output_tokens, decode_steps))
        levels = distinct(requests.priority)
        self.level = counted(np.searchsorted(levels, requests.priority))
        self.levels = max(len(levels), 1)
        held = requests.prompt_tokens + requests.output_tokens - 1 - requests.shared_tokens
        self.fits = counted(held + settings.kv_waste_tokens <= settings.kv_tokens)

        unknown = np.full(count, math.nan)
        self.sent_s = timed(unknown)
        self.first_token_s = timed(unknown if prefilled_at_s is None else prefilled_at_s)
        self.finish_s = timed(unknown)
        self.last_token_s = timed(unknown)
        self.rejected: list[int] = []

        nothing = np.zeros(count, dtype=np.int64)
        self.target = counted(requests.prompt_tokens)
        self.begin = counted(requests.cached_tokens if prefilled_at_s is None else requests.prompt_tokens)
        self.steps_left = counted(decode_steps)
        self.charge = timed(nothing)
        self.begun_step = counted(nothing)
        self.finish_step = counted(nothing)

    def restart(self, index: int) -> None:
        """Forget what a request has done: its replica is gone, and so is the prefix cache it was found in."""
        self.target[index] = self.prompt[index]
        self.begin[index] = self.cached[index] = 0
        self.steps_left[index] = self.decode_steps[index]
        self.first_token_s[index] = math.nan

    def find_no_prefix(self, index: int) -> None:
        """The replica that the request goes to does not hold its prefix."""
        self.begin[index] = self.cached[index] = self.shared[index] = 0


def _tokens_per_step(output_tokens: Integers, decode_steps: Integers) -> Floats:
    if (decode_steps == output_tokens - 1).all():
        return np.ones(len(output_tokens))
    return np.asarray((output_tokens - 1) / np.maximum(decode_steps, 1))
