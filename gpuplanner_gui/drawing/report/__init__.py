"""A plan as one HTML page that needs nothing else: words, tables, plots as embedded pictures, sources, glossary."""

from gpuplanner_gui.drawing.report.page import report_html, write_report

__all__ = ["report_html", "write_report"]
