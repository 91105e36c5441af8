"""Recorded traffic from outside: Azure LLM inference and BurstGPT CSV, Mooncake JSON lines, CSV with named columns."""

from gpuplanner_gui.files.traces.columns import SECONDS, ColumnNames, UnknownColumns
from gpuplanner_gui.files.traces.reader import TraceHead, head_of, read_trace

__all__ = ["SECONDS", "ColumnNames", "TraceHead", "UnknownColumns", "head_of", "read_trace"]
