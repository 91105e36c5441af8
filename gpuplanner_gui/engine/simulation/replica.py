"""What every simulated replica has: a clock, arrivals, a queue, and a record of what happened."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.cancelling import CancelledError
from gpuplanner_gui.engine.simulation.arrays import one_by_one
from gpuplanner_gui.engine.simulation.requests import RequestBook
from gpuplanner_gui.engine.simulation.settings import Batching, ReplicaSettings
from gpuplanner_gui.engine.simulation.step_time import StepTable

ARRIVALS_AT_ONCE = 4096
"""Lined up in one go, in which no other thread runs; below a millisecond."""

MOST_NUMBERS = 50_000
"""Kept as a list; turned into an array in some milliseconds."""

EVENTS_PER_POLL = 256
"""Events between two questions whether to stop; some milliseconds."""


@dataclass(frozen=True)
class RunControl:
    """How a caller follows and stops a run; `on_progress` is told the number of requests a replica has answered."""

    is_cancelled: Callable[[], bool] | None = None
    on_progress: Callable[[int], None] | None = None

    def look(self) -> None:
        """Raise CancelledError if the caller asks to stop."""
        if self.is_cancelled is not None and self.is_cancelled():
            raise CancelledError


UNCONTROLLED = RunControl()


class SimulatedReplica:
    """State common to all kinds of batching; subclasses say what one event is.

    Times and tokens are plain columns and floats, and attributes are slots: in a loop over events both are faster than
    small arrays and dictionaries.
    """

    __slots__ = (
        "_feed",
        "_further",
        "answered",
        "book",
        "control",
        "finished",
        "in_system",
        "kv_token_seconds",
        "more_may_come",
        "next_arrival_s",
        "now",
        "peak_kv_tokens",
        "preemptions",
        "queued",
        "queues",
        "quiet_until_s",
        "request_seconds",
        "segments",
        "sequence_seconds",
        "settings",
        "steps",
        "stored_segments",
        "submitted",
        "table",
    )

    def __init__(self, table: StepTable, settings: ReplicaSettings, book: RequestBook) -> None:
        self.table = table
        self.settings = settings
        self.book = book
        self.now = 0.0
        self.queues: list[deque[int]] = [deque() for _ in range(book.levels)]
        self.queued = 0
        self.in_system = 0
        self.control = UNCONTROLLED
        self.next_arrival_s = math.inf
        self.quiet_until_s = 0.0
        """Time before which nothing is answered, whether the replica advances or not."""
        self.more_may_come = False
        """Whether a router may submit further requests, which batches wait for."""
        self._feed: deque[tuple[float, int]] = deque()
        self._further: Iterator[tuple[float, int]] = iter(())

        self.submitted = 0
        self.answered = 0
        self.finished: deque[int] | None = None
        """Requests as they are answered, where somebody waits for them."""
        self.preemptions = 0
        self.steps = 0
        self.request_seconds = 0.0
        self.sequence_seconds = 0.0
        self.kv_token_seconds = 0.0
        self.peak_kv_tokens = 0.0
        self.segments: list[float] = []
        self.stored_segments: list[Floats] = []

    def submit(self, index: int, at_s: float) -> None:
        """Let a request arrive at `at_s`, not before one submitted earlier."""
        if not self._feed:
            self.next_arrival_s = at_s
        if not self.unanswered:
            self.now = max(self.now, at_s)
        self._feed.append((at_s, index))
        self.submitted += 1
        self.quiet_until_s = min(self.quiet_until_s, at_s)

    def submit_all(self, times_s: Floats) -> None:
        """Let all requests of the book arrive, in order."""
        self._further = zip(one_by_one(times_s), range(len(times_s)), strict=True)
        self.next_arrival_s = self._next_of_feed()
        self.submitted = len(times_s)

    def _next_of_feed(self) -> float:
        """When the next request arrives; those of `submit_all` are lined up a part at a time."""
        if not self._feed:
            self._feed.extend(islice(self._further, ARRIVALS_AT_ONCE))
        return self._feed[0][0] if self._feed else math.inf

    def advance(self, until_s: float = math.inf) -> None:
        """Process events until the clock reaches `until_s` or nothing is left to do.

        Raises
        ------
        CancelledError
            When `control.is_cancelled` says so, asked every few milliseconds.
        """
        while self._run_events(until_s, EVENTS_PER_POLL):
            self._poll()
            self.store_segments()
        self.quiet_until_s = self._quiet_until()

    def _quiet_until(self) -> float:
        """When the next request may be answered, at the earliest; infinite where none is there."""
        return self.now if self.unanswered else math.inf

    def store_segments(self) -> None:
        """Move what is recorded to an array now and then: a list that grows with the run is copied as it grows, and
        given back at its end, and no other thread runs meanwhile."""
        if len(self.segments) > MOST_NUMBERS:
            self.stored_segments.append(np.array(self.segments))
            self.segments.clear()

    def _run_events(self, until_s: float, count: int) -> bool:
        """Process up to `count` events; False if `until_s` was reached or nothing is left to do."""
        raise NotImplementedError

    def advance_one_event(self, until_s: float) -> None:
        """Process one event, or idle until the next arrival."""
        self._run_events(until_s, 1)
        self.quiet_until_s = self._quiet_until()

    def _take_arrivals(self) -> None:
        """Move requests that have arrived by now into the queue; those that never fit are rejected."""
        book = self.book
        while self.next_arrival_s <= self.now:
            at_s, index = self._feed.popleft()
            self.next_arrival_s = self._feed[0][0] if self._feed else self._next_of_feed()
            if math.isnan(book.sent_s[index]):
                book.sent_s[index] = at_s
            if book.fits[index]:
                self.queues[book.level[index]].append(index)
                self.queued += 1
                self.in_system += 1
                self.request_seconds += self.now - at_s
            else:
                book.rejected.append(index)
                self._note_answered(index)

    def _note_answered(self, index: int) -> None:
        self.answered += 1
        if self.finished is not None:
            self.finished.append(index)

    def _wait_for_arrival(self, until_s: float) -> bool:
        """Idle until the next arrival; False if there is none before `until_s`."""
        arrival_s = self.next_arrival_s
        if arrival_s < math.inf or until_s < math.inf:
            self.now = min(arrival_s, until_s)
        return arrival_s < until_s

    @property
    def unanswered(self) -> int:
        return self.submitted - self.answered

    def evict(self, at_s: float) -> list[int]:
        """Go down: hand back what is queued or running at `at_s`, in order of arrival, to start over elsewhere."""
        self.request_seconds -= max(self.now - at_s, 0.0) * self.in_system
        self._stop_all()
        evicted = [index for queue in self.queues for index in queue]
        evicted += [index for _, index in (*self._feed, *self._further)]
        for queue in self.queues:
            queue.clear()
        self._feed.clear()
        self.next_arrival_s = math.inf
        self.submitted -= len(evicted)
        self.quiet_until_s = 0.0
        self.queued = self.in_system = 0
        for index in evicted:
            self.book.restart(index)
        return sorted(evicted)

    def _stop_all(self) -> None:
        """Move running requests back to the queues."""

    def _pass_time(self, duration_s: float, sequences: int, kv_tokens: float) -> None:
        self.now += duration_s
        self.request_seconds += duration_s * self.in_system
        self.sequence_seconds += duration_s * sequences
        self.kv_token_seconds += duration_s * kv_tokens

    def _note_peak(self, kv_tokens: float) -> None:
        if kv_tokens > self.peak_kv_tokens:
            self.peak_kv_tokens = kv_tokens

    def _poll(self) -> None:
        self.control.look()
        if self.control.on_progress is not None:
            self.control.on_progress(self.answered)


class BatchReplica(SimulatedReplica):
    """Request-level batching, prompts and outputs padded to the longest of the batch.

    Static batching waits for a full batch; dynamic batching until the first request has waited `batch_wait_s`. Either
    starts with what it has when no more requests can come, and in closed loops, whose users wait for it. Answers are
    returned when the batch is done, first tokens count at the end of prefill.

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
        is_last = self.next_arrival_s == math.inf and not self.more_may_come
        if self.queued >= self.settings.sequences_at_once or is_last:
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
