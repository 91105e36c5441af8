"""A plan as a document: a report as data, and one renderer each for PDF, HTML, XLSX, CSV and Markdown."""

from gpuplanner_gui.drawing.report.build import report_of
from gpuplanner_gui.drawing.report.page import (
    FORMATS,
    drawings,
    format_of,
    rendered,
    usual_subjects,
    write_file,
    write_report,
)
from gpuplanner_gui.drawing.report_subjects import SUBJECTS

__all__ = [
    "FORMATS", "SUBJECTS", "drawings", "format_of", "rendered", "report_of", "usual_subjects", "write_file",
    "write_report",
]  # fmt: skip
