"""Benchmark tables as CSV: each row becomes typed cases and the questions that it asks, or the reason why it can't."""

from gpuplanner_gui.files.benchmark_rows.question import RowQuestion, TableRow, write_answers
from gpuplanner_gui.files.benchmark_rows.reader import BenchmarkTable, read_benchmark

__all__ = ["BenchmarkTable", "RowQuestion", "TableRow", "read_benchmark", "write_answers"]
