"""A replica with continuous batching, simulated iteration by iteration, runs of decode steps summed in one event."""

from __future__ import annotations

import heapq
import math

from gpuplanner_gui.engine.simulation.replica import SimulatedReplica
from gpuplanner_gui.engine.simulation.requests import RequestBook
from gpuplanner_gui.engine.simulation.settings import Batching, ReplicaSettings
from gpuplanner_gui.engine.simulation.step_time import StepTable

FORGOTTEN_TIMES = 2
FEW_ADMITTED = 1000
"""A list of those admitted may hold so many that have left, before it is gone through."""


class ContinuousReplica(SimulatedReplica):
    """Continuous batching: chunked, mixed or prefill first.

    In each step every running sequence yields a token; what is left of the token budget goes to prompts in progress,
    then to new ones while a sequence slot and KV cache are free. When the KV cache cannot hold the next step, the last
    admitted request of the lowest priority gives up its place, waits at the front, and is recomputed.

    Parameters
    ----------
    skips : bool
        Sum runs of decode steps between events exactly, rather than step by step.

    References
    ----------
    .. [1] inference-sim (BLIS), core engine documentation, 2026: step rule of vLLM v1.
    .. [2] Yu et al., Orca, OSDI 2022; Agrawal et al., Sarathi-Serve, OSDI 2024: mixed and chunked steps.
    """

    __slots__ = (
        "_admitted",
        "_context",
        "_decoding",
        "_finish_heap",
        "_growth",
        "_has_preempted",
        "_is_exclusive",
        "_kv_growth",
        "_kv_limit",
        "_kv_used",
        "_kv_waste",
        "_late",
        "_late_count",
        "_prefills",
        "_reserves",
        "_sequences_limit",
        "_skips",
        "_splits_prompts",
        "_step",
        "_ticket_of",
        "_tickets",
        "_token_budget",
        "_tokens_per_sequence",
    )

    def __init__(self, table: StepTable, settings: ReplicaSettings, book: RequestBook, skips: bool = True) -> None:
        super().__init__(table, settings, book)
        self._skips = skips
        self._is_exclusive = settings.batching is Batching.PREFILL_FIRST
        self._splits_prompts = settings.batching is Batching.CHUNKED
        self._sequences_limit = settings.sequences_at_once
        self._tokens_per_sequence = settings.tokens_per_sequence
        self._token_budget = settings.token_budget
        self._kv_limit = settings.kv_tokens
        self._kv_waste = settings.kv_waste_tokens
        self._reserves = settings.reserves_output

        self._step = 0
        self._has_preempted = False
        self._decoding = 0
        self._context = 0.0
        self._growth = 0.0
        self._kv_growth = 0.0
        self._kv_used = 0.0
        self._finish_heap: list[tuple[int, int]] = []
        self._prefills: list[list[int]] = []
        self._late: list[tuple[int, float]] = []
        self._late_count = 0
        self._tickets = 0
        self._ticket_of: dict[int, int] = {}
        self._admitted: list[list[tuple[int, int]]] = [[] for _ in self.queues]

    def _run_events(self, until_s: float, count: int) -> bool:
        for _ in range(count):
            if self.now >= until_s:
                return False
            if self.next_arrival_s <= self.now:
                self._take_arrivals()
            if (self.queued or self._prefills) and self._prefill_step():
                continue
            if self._decoding:
                self._decode_run(until_s)
            elif not self._wait_for_arrival(until_s):
                return False
        return True

    def _quiet_until(self) -> float:
        """The first end of an answer, where until then steps only decode; now, where other things may come before."""
        if not self.unanswered:
            return math.inf
        may_admit = self.queued and self._decoding < self._sequences_limit
        if may_admit or self._prefills or self._has_preempted or self.next_arrival_s < math.inf or not self._decoding:
            return self.now
        steps = self._finish_heap[0][0] - self._step
        if self._kv_used + steps * self._kv_growth > self._kv_limit:
            return self.now
        slope = self.table.kv_token_s[self._decoding]
        first = self.table.decode_s[self._decoding] + slope * (self._context + self._growth)
        return self.now + steps * (first + 0.5 * slope * self._growth * (steps - 1))

    # -- one step that prefills

    def _prefill_step(self) -> bool:
        """Schedule and run one step with prompt tokens; False if no prompt can go on."""
        admits = self._kv_used + self._kv_growth <= self._kv_limit or not self._make_room()
        decoding = 0 if self._is_exclusive else self._decoding
        budget = self._token_budget - decoding * self._tokens_per_sequence
        tokens, reads, pairs = 0, 0, 0.0
        completed: list[int] = []
        jobs = self._prefills
        position = 0
        while True:
            if position == len(jobs):
                if admits and self.queued and self._admit(budget, tokens):
                    continue
                break
            job = jobs[position]
            index, done, target = job
            chunk = remaining = target - done
            if chunk > budget and self._splits_prompts:
                chunk = budget
            if chunk <= 0:
                break
            tokens += chunk
            budget -= chunk
            reads += done
            pairs += chunk * (done + 0.5 * chunk)
            job[1] = done + chunk
            if chunk == remaining:
                completed.append(index)
            position += 1
        if not tokens:
            return False
        self._run_prefill_step(tokens, reads, pairs)
        if completed:
            self._prefills = [job for job in jobs if job[1] < job[2]] if len(completed) < len(jobs) else []
            for index in completed:
                self._begin_decoding(index)
        return True

    def _admit(self, budget: int, tokens: int) -> bool:
        """Give the next request its place if there is one; a request that needs no prefill starts decoding at once."""
        book = self.book
        if budget <= 0 or self._decoding + len(self._prefills) >= self._sequences_limit:
            return False
        for queue in self.queues:
            if queue:
                break
        index = queue[0]
        remaining = book.target[index] - book.begin[index]
        if not self._splits_prompts and tokens and remaining > budget:
            return False
        charge = book.target[index] - book.shared[index] + self._kv_waste
        if self._reserves:
            charge = book.prompt[index] + book.output[index] - 1 - book.shared[index] + self._kv_waste
        if self._kv_used + self._kv_growth + charge > self._kv_limit:
            return False
        queue.popleft()
        self.queued -= 1
        self._kv_used += charge
        book.charge[index] = charge
        self._tickets += 1
        self._ticket_of[index] = self._tickets
        self._note_admitted(book.level[index], index)
        if remaining > 0:
            self._prefills.append([index, book.begin[index], book.target[index]])
        else:
            self._join_prefilled(index)
        return True

    def _note_admitted(self, level: int, index: int) -> None:
        """Put a request last among those of its level; those that have left are forgotten now and then."""
        admitted = self._admitted[level]
        admitted.append((index, self._tickets))
        if len(admitted) > FORGOTTEN_TIMES * len(self._ticket_of) + FEW_ADMITTED:
            self._admitted[level] = [entry for entry in admitted if self._ticket_of.get(entry[0]) == entry[1]]

    def _run_prefill_step(self, tokens: int, reads: float, pairs: float) -> None:
        table = self.table
        decoding = 0 if self._is_exclusive else self._decoding
        tokens += decoding * self._tokens_per_sequence
        limit = len(table.mixed_s) - 1
        if tokens <= limit:
            duration = table.mixed_s[tokens]
        else:
            duration = table.mixed_s[limit] + (tokens - limit) * table.mixed_s_per_token
        duration += table.mixed_sequences_s[decoding] + table.attention_pair_s * pairs
        self.steps += 1
        if decoding:
            self._context += self._growth
            self._kv_used += self._kv_growth
            duration += table.kv_token_s[decoding] * (reads + self._context)
            self._record(duration, duration, 1)
        else:
            duration += table.kv_token_s[0] * reads
            if self._decoding > self._late_count:
                self._late.append((self._decoding - self._late_count, self.now))
                self._late_count = self._decoding
        self._pass_time(duration, self._decoding + len(self._prefills), self._kv_used)
        if decoding:
            self._step += 1
            if self._finish_heap[0][0] <= self._step:
                self._finish_due()

    def _begin_decoding(self, index: int) -> None:
        """A prompt is complete and has yielded a token."""
        book = self.book
        if math.isnan(book.first_token_s[index]):
            book.first_token_s[index] = self.now
        else:
            gap = self.now - book.last_token_s[index]
            self.segments.extend((self.now, gap, gap, 1, 1))
        if book.steps_left[index]:
            self._start_sequence(index)
        else:
            self._release(index, book.charge[index])
            self._finish(index)

    def _join_prefilled(self, index: int) -> None:
        book = self.book
        if book.steps_left[index]:
            self._late.append((1, book.first_token_s[index]))
            self._late_count += 1
            self._start_sequence(index)
        else:
            self._release(index, book.charge[index])
            self._finish(index)

    def _start_sequence(self, index: int) -> None:
        book = self.book
        book.begun_step[index] = self._step
        finish_step = self._step + book.steps_left[index]
        book.finish_step[index] = finish_step
        heapq.heappush(self._finish_heap, (finish_step, index))
        self._decoding += 1
        self._context += book.target[index]
        growth = book.growth[index]
        self._growth += growth
        if not self._reserves:
            self._kv_growth += growth

    # -- a run of steps that only decode

    def _decode_run(self, until_s: float) -> None:
        """Decode until the next event: an answer, an arrival that can be admitted, a full KV cache, or `until_s`."""
        if self._kv_used + self._kv_growth > self._kv_limit and self._make_room() and not self._decoding:
            return
        decoding, growth, kv_growth, kv_used = self._decoding, self._growth, self._kv_growth, self._kv_used
        slope = self.table.kv_token_s[decoding]
        first = self.table.decode_s[decoding] + slope * (self._context + growth)
        rise = slope * growth
        steps = self._finish_heap[0][0] - self._step if self._skips else 1
        if self._has_preempted:
            steps, self._has_preempted = 1, False
        if kv_used + steps * kv_growth > self._kv_limit:
            steps = max(1, int((self._kv_limit - kv_used) / kv_growth))
        duration = steps * (first + 0.5 * rise * (steps - 1))
        gap = self._next_event_s(until_s) - self.now
        if duration > gap:
            steps = min(steps, _steps_to_cover(gap, first, rise))
            duration = steps * (first + 0.5 * rise * (steps - 1))

        self._record(first, first + rise * (steps - 1), steps)
        self._pass_time(duration, decoding, kv_used + 0.5 * (steps + 1) * kv_growth)
        # Later steps are longer and hold more: what the product of the two means leaves out.
        self.kv_token_seconds += rise * kv_growth * steps * (steps * steps - 1) / 12
        self.steps += steps
        self._step += steps
        self._context += steps * growth
        self._kv_used = kv_used + steps * kv_growth
        if self._finish_heap[0][0] <= self._step:
            self._finish_due()

    def _next_event_s(self, until_s: float) -> float:
        """Until when a decode run may go on: arrivals do not matter while the queue is blocked or no slot is free."""
        is_blocked = self.queued and len(self.queues) == 1
        if is_blocked or self._decoding + len(self._prefills) >= self._sequences_limit:
            return until_s
        return min(until_s, self.next_arrival_s)

    def _record(self, first_s: float, last_s: float, steps: int) -> None:
        """Inter-token times of a run that starts now; sequences held up before it wait from their last token."""
        started_s = self.now
        if self._late:
            waited = min(self._late_count, self._decoding)
            for count, since_s in self._late:
                gap = started_s + first_s - since_s
                self.segments.extend((started_s, gap, gap, 1, count))
            self._late, self._late_count = [], 0
            if self._decoding > waited:
                self.segments.extend((started_s, first_s, first_s, 1, self._decoding - waited))
            if steps > 1:
                rise = (last_s - first_s) / (steps - 1)
                self.segments.extend((started_s, first_s + rise, last_s, steps - 1, self._decoding))
        else:
            self.segments.extend((started_s, first_s, last_s, steps, self._decoding))

    def _finish_due(self) -> None:
        heap, step = self._finish_heap, self._step
        while heap and heap[0][0] <= step:
            index = heapq.heappop(heap)[1]
            self._stop_sequence(index)
            self._finish(index)

    def _stop_sequence(self, index: int) -> None:
        """Take a decoding request out of the batch."""
        book = self.book
        ran = self._step - book.begun_step[index]
        growth = book.growth[index]
        self._decoding -= 1
        self._context -= book.target[index] + ran * growth
        self._growth -= growth
        if self._reserves:
            self._release(index, book.charge[index])
        else:
            self._kv_growth -= growth
            self._release(index, book.charge[index] + ran * growth)
        if not self._decoding:
            self._context = self._growth = self._kv_growth = 0.0

    def _release(self, index: int, kv_tokens: float) -> None:
        if self._kv_used > self.peak_kv_tokens:
            self.peak_kv_tokens = self._kv_used
        del self._ticket_of[index]
        self._kv_used -= kv_tokens
        if not self._decoding and not self._prefills:
            self._kv_used = 0.0

    def _finish(self, index: int) -> None:
        self.book.finish_s[index] = self.now
        self.in_system -= 1
        self._note_answered(index)

    # -- giving up a place

    def _make_room(self) -> bool:
        """Preempt until the next token of every sequence fits; True if anything was preempted.

        Nobody is admitted in the step that follows; the one after that may be another's turn.
        """
        preempted = False
        while self._decoding and self._kv_used + self._kv_growth > self._kv_limit:
            self._preempt(self._victim())
            self.preemptions += 1
            preempted = self._has_preempted = True
        return preempted

    def _victim(self) -> int:
        for admitted in reversed(self._admitted):
            while admitted:
                index, ticket = admitted.pop()
                if self._ticket_of.get(index) == ticket:
                    return index
        raise AssertionError("KV cache is in use but nobody holds it")

    def _preempt(self, index: int) -> None:
        """Free a running request's KV cache and queue it at the front, to be recomputed with what it has generated."""
        book = self.book
        for position, job in enumerate(self._prefills):
            if job[0] == index:
                del self._prefills[position]
                self._release(index, book.charge[index])
                break
        else:
            left = book.finish_step[index] - self._step
            held = book.target[index] + (self._step - book.begun_step[index]) * book.growth[index]
            self._finish_heap.remove((book.finish_step[index], index))
            heapq.heapify(self._finish_heap)
            self._stop_sequence(index)
            book.target[index] = math.ceil(held) + 1
            book.steps_left[index] = left - 1
            book.last_token_s[index] = self.now
            book.begin[index] = book.cached[index]
        self.queues[book.level[index]].appendleft(index)
        self.queued += 1

    def _stop_all(self) -> None:
        for _, index in sorted((ticket, index) for index, ticket in self._ticket_of.items()):
            self._preempt(index)
        self._late, self._late_count = [], 0


def _steps_to_cover(gap_s: float, first_s: float, rise_s: float) -> int:
    """Fewest steps, at least 1, that take `gap_s` or longer when step times grow evenly by `rise_s`."""
    linear = first_s - 0.5 * rise_s
    steps = max(1, int(2 * gap_s / (linear + math.sqrt(linear * linear + 2 * rise_s * max(gap_s, 0.0)))))
    while steps * (first_s + 0.5 * rise_s * (steps - 1)) < gap_s:
        steps += 1
    return steps
