"""Rows of a trace as they come: requests into compact columns, the first bad rows with their lines."""

from __future__ import annotations

from array import array
from pathlib import Path

import numpy as np

from gpuplanner_gui.domain.trace import BadRow, Trace, TraceFormat
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.said import said
from gpuplanner_gui.files.traces.parted import Numbering

MOST_REQUESTS = 20_000_000
BAD_ROWS_SHOWN = 5
LONGEST_SPAN_S = 10 * 366 * 86400.0
"""A row this far from the first has a wrong time."""


class Collector:
    """Takes requests in the order of the file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._time = array("d")
        self._prompt, self._output, self._cached, self._session = (array("i") for _ in range(4))
        self._latest = -np.inf
        self._sessions = Numbering()
        self.rows = self.bad_rows = self.failed = self.out_of_order = 0
        self.first_bad: list[BadRow] = []

    def add(self, time_s: float, prompt: int, output: int, cached: int = 0, session: str = "") -> None:
        """One request. Raises ValueError for a time far from the first, FileProblem for one request too many."""
        times = self._time
        if times and abs(time_s - times[0]) > LONGEST_SPAN_S:
            raise ValueError(said("its time is more than ten years from that of the first row"))
        if len(times) >= MOST_REQUESTS:
            raise FileProblem(
                self._path,
                "",
                said("the trace has more than {most_requests} requests", most_requests=f"{MOST_REQUESTS:,}"),
                "Choose a part of it",
            )
        if time_s < self._latest:
            self.out_of_order += 1
        else:
            self._latest = time_s
        times.append(time_s)
        self._prompt.append(prompt)
        self._output.append(output)
        self._cached.append(min(cached, prompt - 1))
        self._session.append(self._sessions.number(session) if session else -1)

    def add_bad(self, line: int, what: str) -> None:
        self.bad_rows += 1
        if len(self.first_bad) < BAD_ROWS_SHOWN:
            self.first_bad.append(BadRow(line, what))

    def trace(self, kind: TraceFormat, has_prefixes: bool) -> Trace:
        """All requests, sorted by time. Raises FileProblem when there is none."""
        if not self._time:
            self._refuse_empty()
        self._sessions.clear()
        times = np.frombuffer(self._time, dtype=np.float64)
        order = np.argsort(times, kind="stable") if self.out_of_order else slice(None)
        columns = [np.frombuffer(column, dtype=np.int32)[order].astype(np.int64) for column in self._columns()]
        return Trace(
            name=self._path.name,
            format=kind,
            arrival_s=times[order] - times.min(),
            prompt_tokens=columns[0],
            output_tokens=columns[1],
            cached_tokens=columns[2],
            session=columns[3],
            rows=self.rows,
            bad_rows=self.bad_rows,
            first_bad=tuple(self.first_bad),
            failed_requests=self.failed,
            rows_out_of_order=self.out_of_order,
            has_prefixes=has_prefixes,
        )

    def _columns(self) -> tuple[array[int], ...]:
        return self._prompt, self._output, self._cached, self._session

    def _refuse_empty(self) -> None:
        if self.first_bad:
            first = self.first_bad[0]
            what = said("no row holds a request; the first: {what}", what=first.what)
            raise FileProblem(self._path, f"line {first.line}", what, "Choose a trace, or name its columns")
        raise FileProblem(self._path, "", "the file holds no requests", "Choose a trace")
