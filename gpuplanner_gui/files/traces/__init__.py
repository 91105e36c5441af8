"""Recorded traffic from outside: Azure LLM inference and BurstGPT CSV, Mooncake JSON lines, CSV with named columns."""

from gpuplanner_gui.files.traces.columns import ColumnNames
from gpuplanner_gui.files.traces.reader import TraceCancelled, read_trace

__all__ = ["ColumnNames", "TraceCancelled", "read_trace"]
