"""A replica with static or dynamic batching: a batch is prefilled together and held until its longest output."""

from __future__ import annotations

import math

from gpuplanner_gui.engine.simulation.replica import SimulatedReplica
from gpuplanner_gui.engine.simulation.settings import Batching


class BatchReplica(SimulatedReplica):
    """Request-level batching, prompts and outputs padded to the longest of the batch.

    Static batching waits for a full batch; dynamic batching until the first request has waited `batch_wait_s`. Either
    starts with what it has when no more requests can come. Answers are returned when the batch is done, first tokens
    count at the end of prefill.

    References
    ----------
    .. [1] Yu et al., Orca, OSDI 2022, section 2: request-level scheduling and its padding.
    .. [2] Yang et al., arXiv 2407.05347: queueing delay of batches with the longest output.
    """

    __slots__ = ()

    def _run_events(self, until_s: float, count: int) -> bool:
        for _ in range(count):
            if self.now >= until_s:
                return False
            if self.next_arrival_s <= self.now:
                self._take_arrivals()
            if not self.queued:
                if not self._wait_for_arrival(until_s):
                    return False
                continue
            start_s = self._start_s()
            if start_s <= self.now:
                self._run_batch()
            else:
                event_s = min(start_s, self.next_arrival_s, until_s)
                self.request_seconds += (event_s - self.now) * self.in_system
                self.now = event_s
        return True

    def _start_s(self) -> float:
        """When a batch of what is queued starts if nothing else arrives."""
        if self.queued >= self.settings.sequences_at_once or self.next_arrival_s == math.inf:
            return self.now
        if self.settings.batching is Batching.STATIC:
            return math.inf
        first = min(self.book.sent_s[queue[0]] for queue in self.queues if queue)
        return first + self.settings.batch_wait_s

    def _next_batch(self) -> list[int]:
        """Take requests in order while their padded KV cache fits."""
        batch: list[int] = []
        longest_prompt = longest_output = 0
        for queue in self.queues:
            while queue and len(batch) < self.settings.sequences_at_once:
                prompt = max(longest_prompt, self.book.prompt[queue[0]])
                output = max(longest_output, self.book.output[queue[0]])
                if batch and (len(batch) + 1) * (prompt + output - 1) > self.settings.kv_tokens:
                    return batch
                longest_prompt, longest_output = prompt, output
                batch.append(queue.popleft())
                self.queued -= 1
        return batch

    def _run_batch(self) -> None:
        batch = self._next_batch()
        size = len(batch)
        prompt = max(self.book.prompt[index] for index in batch)
        further = max(self.book.output[index] for index in batch) - 1
        context = float(size * prompt)
        self._pass_time(self._prefill_s(batch, prompt), size, context)
        for index in batch:
            self.book.first_token_s[index] = self.now
        self.steps += 1 + further
        if further:
            slope = self.table.kv_token_s[size]
            first = self.table.decode_s[size] + slope * (context + size)
            last = first + slope * size * (further - 1)
            self.segments.extend((self.now, first, last, further, size))
            self._pass_time(further * 0.5 * (first + last), size, context + 0.5 * size * (further + 1))
        self._note_peak(context + size * further)
        for index in batch:
            self.book.finish_s[index] = self.now
        self._take_arrivals()
        for index in batch:
            self.in_system -= 1
            self._note_answered(index)

    def _prefill_s(self, batch: list[int], prompt: int) -> float:
        """Padded prompts of the batch in one step, less what all of them have in the prefix cache."""
        table = self.table
        cached = min(self.book.cached[index] for index in batch)
        tokens = len(batch) * (prompt - cached)
        limit = len(table.mixed_s) - 1
        beyond = max(tokens - limit, 0)
        pairs = 0.5 * len(batch) * (prompt * prompt - cached * cached)
        reads = len(batch) * cached
        base_s: float = table.mixed_s[tokens - beyond] + beyond * table.mixed_s_per_token
        return base_s + table.kv_token_s[0] * reads + table.attention_pair_s * pairs
