"""Sentences about files: English where they are read as they are, and taken apart for another language.

This layer knows no language but that of the command line; a window looks up the template and fills in the values.
"""

from __future__ import annotations

from typing import Any


class Said(str):
    """A sentence that remembers its template and the values in it; values may be sentences themselves."""

    __slots__ = ("template", "values")

    template: str
    values: dict[str, Any]


def said(template: str, **values: Any) -> Said:
    """The template with the values filled in."""
    sentence = Said(template.format(**values))
    sentence.template, sentence.values = template, values
    return sentence
