"""Several replicas behind a router, with replicas that go down and come back."""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.simulation.arrays import as_column, floats_of, one_by_one
from gpuplanner_gui.engine.simulation.continuous import ContinuousReplica
from gpuplanner_gui.engine.simulation.replica import (
    EVENTS_PER_POLL,
    UNCONTROLLED,
    BatchReplica,
    RunControl,
    SimulatedReplica,
)
from gpuplanner_gui.engine.simulation.requests import RequestBook
from gpuplanner_gui.engine.simulation.result import ItlSegments, SimulationResult
from gpuplanner_gui.engine.simulation.settings import Batching, ReplicaSettings
from gpuplanner_gui.engine.simulation.step_time import StepTable

ARRIVALS_PER_POLL = 64
"""Requests routed between two questions whether to stop: replicas that advance from one arrival to the next hardly ever
get as far as asking themselves."""

_HASH_MULTIPLIER = 0x9E3779B97F4A7C15
"""2⁶⁴ over the golden ratio spreads consecutive numbers evenly (Knuth, The Art of Computer Programming 3, 6.4)."""


class Routing(Enum):
    """Where the next request goes."""

    ROUND_ROBIN = "round_robin"
    RANDOM = "random"
    LEAST_LOAD = "least_load"
    """Route to the replica with the fewest unanswered requests."""
    PREFIX_AFFINITY = "prefix_affinity"
    """Requests of one session always to the same replica; those without a session to the least loaded."""


@dataclass(frozen=True)
class Outage:
    """A time in which one replica serves nothing; what it was running starts over elsewhere, or on it afterwards."""

    start_s: float
    duration_s: float
    replica: int = 0

    @property
    def end_s(self) -> float:
        return self.start_s + self.duration_s


class SimulatedPool:
    """Equal replicas and the router before them.

    Parameters
    ----------
    seed : int
        Of random routing.
    skips : bool
        Sum runs of decode steps, see `ContinuousReplica`.
    """

    def __init__(
        self,
        table: StepTable,
        settings: ReplicaSettings,
        book: RequestBook,
        replicas: int = 1,
        routing: Routing = Routing.LEAST_LOAD,
        seed: int = 0,
        skips: bool = True,
        control: RunControl = UNCONTROLLED,
    ) -> None:
        self.book = book
        self.replicas = [_replica(table, settings, book, skips) for _ in range(replicas)]
        for replica in self.replicas:
            replica.control = control
        self._control = control
        self._routing = routing
        self._random = floats_of(np.random.default_rng(seed).random(len(book.requests) if replicas > 1 else 0))
        self._everyone = list(range(replicas))
        self._up_at_s = [0.0] * replicas
        self._turn = 0
        self._served: set[int] = set()
        """Sessions and the replicas that have served them, see `_visit`."""
        self._held_seconds = 0.0

    def run(self, outages: Sequence[Outage] = ()) -> None:
        """Serve all requests of the book at their arrival times, to the end.

        Raises
        ------
        CancelledError
            When `control.is_cancelled` says so.
        """
        if len(self.replicas) == 1 and not outages:
            self.replicas[0].submit_all(self.book.requests.arrival_s)
            self.replicas[0].advance()
            return
        pending = sorted(outages, key=lambda outage: outage.start_s)
        self._await_more(True)
        at_s = 0.0
        for index, at_s in enumerate(one_by_one(self.book.requests.arrival_s)):
            if index % ARRIVALS_PER_POLL == 0:
                self._poll()
            while pending and pending[0].start_s <= at_s:
                self._take_down(pending.pop(0))
            self.route(index, at_s)
        for replica in self.replicas:
            replica.advance(at_s)
        self._await_more(False)
        for outage in pending:
            self._take_down(outage)
        for replica in self.replicas:
            replica.advance()

    def _await_more(self, more_may_come: bool) -> None:
        for replica in self.replicas:
            replica.more_may_come = more_may_come

    def run_users(self, users: int, think_s: Floats, outages: Sequence[Outage] = ()) -> None:
        """Serve the book's requests in order, asked by users who wait for an answer, think, and ask again.

        Parameters
        ----------
        users : int
            All think first, so that they do not start at once. [1]
        think_s : float array, shape (n,)
            Before each request of the book. [s]

        Raises
        ------
        CancelledError
            When `control.is_cancelled` says so.
        """
        count = len(self.book.requests)
        answers: deque[int] = deque()
        for replica in self.replicas:
            replica.finished = answers
        asking = [(float(think_s[index]), index) for index in range(min(users, count))]
        heapq.heapify(asking)
        following, events = len(asking), 0
        pending = deque(sorted(outages, key=lambda outage: outage.start_s))
        while True:
            asks_next_s = asking[0][0] if asking else math.inf
            next_s = min(asks_next_s, pending[0].start_s) if pending else asks_next_s
            answers_s = [one.quiet_until_s for one in self.replicas]
            if (first_s := min(answers_s)) < next_s:
                number = answers_s.index(first_s)
                one, answers_s[number] = self.replicas[number], math.inf
                # Somebody whom another replica answers may ask this one next: it must not run past that answer.
                one.advance_one_event(min(next_s, max(min(answers_s), math.nextafter(first_s, math.inf))))
            elif pending and pending[0].start_s <= asks_next_s:
                self._take_down(pending.popleft())
            elif asking:
                at_s, index = heapq.heappop(asking)
                self.route(index, at_s)
            else:
                return
            while answers and following < count:
                ended_s = self.book.finish_s[answers.popleft()]
                asks_s = (next_s if math.isnan(ended_s) else ended_s) + float(think_s[following])
                heapq.heappush(asking, (asks_s, following))
                following += 1
            events += 1
            if events % EVENTS_PER_POLL == 0:
                self._poll()

    def _poll(self) -> None:
        self._control.look()
        for replica in self.replicas:
            replica.store_segments()
        if self._control.on_progress is not None:
            self._control.on_progress(sum(replica.answered for replica in self.replicas))

    def route(self, index: int, at_s: float) -> None:
        """Send a request to a replica that is up, or to the first to come up again."""
        if len(self.replicas) == 1:
            chosen = 0
        else:
            up = self._everyone
            if at_s < max(self._up_at_s):
                ready_s = max(at_s, min(self._up_at_s))
                up = [number for number in up if self._up_at_s[number] <= ready_s]
            chosen = self._choose(index, at_s, up)
        session = self.book.session[index]
        if session >= 0 and len(self.replicas) > 1:
            visit = self._visit(session, chosen)
            if visit not in self._served:
                self.book.find_no_prefix(index)
            self._served.add(visit)
        arrives_s = max(at_s, self._up_at_s[chosen])
        if arrives_s > at_s:
            self._held_seconds += arrives_s - at_s
            if math.isnan(self.book.sent_s[index]):
                self.book.sent_s[index] = at_s
        self.replicas[chosen].submit(index, arrives_s)

    def _visit(self, session: int, replica: int) -> int:
        """One number for a session on a replica."""
        return session * len(self.replicas) + replica

    def _choose(self, index: int, at_s: float, up: list[int]) -> int:
        session = self.book.session[index]
        if self._routing is Routing.RANDOM:
            return up[int(self._random[index] * len(up))]
        if self._routing is Routing.PREFIX_AFFINITY and session >= 0:
            return up[((session + 1) * _HASH_MULTIPLIER % 2**64) * len(up) // 2**64]
        self._turn += 1
        if self._routing is Routing.ROUND_ROBIN:
            return up[self._turn % len(up)]
        first, fewest, chosen = self._turn % len(up), math.inf, -1
        for number in up[first:] + up[:first]:
            replica = self.replicas[number]
            if replica.quiet_until_s <= at_s:
                replica.advance(at_s)
            unanswered = replica.submitted - replica.answered
            if unanswered < fewest:
                fewest, chosen = unanswered, number
                if not fewest:
                    break
        return chosen

    def _take_down(self, outage: Outage) -> None:
        replica = self.replicas[outage.replica]
        replica.advance(outage.start_s)
        evicted = replica.evict(outage.start_s)
        self._up_at_s[outage.replica] = max(outage.end_s, self._up_at_s[outage.replica])
        if math.isfinite(outage.end_s):
            replica.now = max(replica.now, outage.end_s)
        self._served = {visit for visit in self._served if visit % len(self.replicas) != outage.replica}
        for index in evicted:
            self.route(index, outage.start_s)

    def result(self) -> SimulationResult:
        """What happened; times of requests that were not answered are NaN."""
        book, replicas = self.book, self.replicas
        finish_s = as_column(book.finish_s)
        parts = [part for one in replicas for part in (*one.stored_segments, np.array(one.segments))]
        rows = np.concatenate(parts).reshape(-1, 5)
        return SimulationResult(
            requests=book.requests,
            sent_s=as_column(book.sent_s),
            first_token_s=as_column(book.first_token_s),
            finish_s=finish_s,
            rejected=np.array(sorted(book.rejected), dtype=np.int64),
            itl=ItlSegments(*rows.T),
            preemptions=sum(replica.preemptions for replica in replicas),
            steps=sum(replica.steps for replica in replicas),
            end_s=float(np.max(finish_s, where=~np.isnan(finish_s), initial=0.0)),
            request_seconds=self._held_seconds + sum(replica.request_seconds for replica in replicas),
            sequence_seconds=sum(replica.sequence_seconds for replica in replicas),
            kv_token_seconds=sum(replica.kv_token_seconds for replica in replicas),
            peak_kv_tokens=max(replica.peak_kv_tokens for replica in replicas),
            kv_capacity_tokens=replicas[0].settings.kv_tokens,
            replicas=len(replicas),
        )


def _replica(table: StepTable, settings: ReplicaSettings, book: RequestBook, skips: bool) -> SimulatedReplica:
    if settings.batching in (Batching.STATIC, Batching.DYNAMIC):
        return BatchReplica(table, settings, book)
    return ContinuousReplica(table, settings, book, skips)
