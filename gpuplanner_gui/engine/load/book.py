"""State and record of the requests of one run, shared by all replicas that serve them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.load.arrays import ENTRIES_AT_ONCE, FloatArray, IntArray, as_list, distinct
from gpuplanner_gui.engine.load.requests import Requests
from gpuplanner_gui.engine.load.settings import ReplicaSettings


class RequestBook:
    """Plain lists over requests; each entry is changed only by the replica that holds the request.

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
        decode_steps: IntArray,
        prefilled_at_s: FloatArray | None = None,
        look: Callable[[], None] = lambda: None,
    ) -> None:
        def listed(column: NDArray[Any]) -> list[Any]:
            look()
            return as_list(column)

        count = len(requests)
        self.requests = requests
        self.prompt: list[int] = listed(requests.prompt_tokens)
        self.output: list[int] = listed(requests.output_tokens)
        self.cached: list[int] = listed(requests.cached_tokens)
        self.shared: list[int] = listed(requests.shared_tokens)
        self.session: list[int] = listed(requests.session)
        self.decode_steps: list[int] = listed(decode_steps)
        self.growth: list[float] = _tokens_per_step(requests.output_tokens, decode_steps)
        levels = distinct(requests.priority)
        self.level: list[int] = listed(np.searchsorted(levels, requests.priority))
        self.levels = max(len(levels), 1)
        held = requests.prompt_tokens + requests.output_tokens - 1 - requests.shared_tokens
        self.fits: list[bool] = listed(held + settings.kv_waste_tokens <= settings.kv_tokens)

        self.sent_s = [math.nan] * count
        self.first_token_s = [math.nan] * count
        self.finish_s = [math.nan] * count
        self.rejected: list[int] = []

        self.target = list(self.prompt)
        self.begin = list(self.cached)
        self.steps_left = list(self.decode_steps)
        self.charge = [0.0] * count
        self.begun_step = [0] * count
        self.finish_step = [0] * count
        self.last_token_s = [math.nan] * count
        if prefilled_at_s is not None:
            self.first_token_s = listed(prefilled_at_s)
            self.begin = list(self.prompt)

    def close(self) -> None:
        """Give columns back part by part: at once, those of a million requests would hold up other threads."""
        for column in vars(self).values():
            while isinstance(column, list) and column:
                del column[-ENTRIES_AT_ONCE:]

    def restart(self, index: int) -> None:
        """Forget what a request has done: its replica is gone, and so is the prefix cache it was found in."""
        self.target[index] = self.prompt[index]
        self.begin[index] = self.cached[index] = 0
        self.steps_left[index] = self.decode_steps[index]
        self.first_token_s[index] = math.nan

    def find_no_prefix(self, index: int) -> None:
        """The replica that the request goes to does not hold its prefix."""
        self.begin[index] = self.cached[index] = self.shared[index] = 0


def _tokens_per_step(output_tokens: IntArray, decode_steps: IntArray) -> list[float]:
    if (decode_steps == output_tokens - 1).all():
        return [1.0] * len(output_tokens)
    return as_list((output_tokens - 1) / np.maximum(decode_steps, 1))
