"""A plan as a document: a report as data, and one renderer each for PDF, HTML, XLSX, CSV and Markdown."""

from gpuplanner_gui.drawing.report.build import report_of
from gpuplanner_gui.drawing.report.page import FORMATS, drawings, format_of, rendered, write_file, write_report

__all__ = ["FORMATS", "drawings", "format_of", "rendered", "report_of", "write_file", "write_report"]
