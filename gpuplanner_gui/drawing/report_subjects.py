"""What a report may be about; apart from the report itself, which draws."""

from __future__ import annotations

SUBJECTS = {
    "board": "For the board", "summary": "Decision", "estate": "Estate", "order": "Order and cash",
    "money": "Rent or buy", "risks": "Findings and risks", "monitoring": "What to monitor", "plots": "Plots",
    "deploy": "Deploy", "candidates": "Candidates", "costs": "Cost sheet", "inputs": "Inputs",
    "sources": "Sources and glossary",
}  # fmt: skip
"""Subjects of a report in reading order, with their titles."""
IN_SHORT = ("board", "summary", "estate", "order", "money", "risks")
"""Subjects of a document, where nothing else is asked for; a workbook has all."""
