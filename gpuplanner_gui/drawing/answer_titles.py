"""What the parts of an answer are called: by their description, or by their name in the code as words."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gpuplanner_gui.domain.field import Field
from gpuplanner_gui.drawing.language import tr

_UNIT_AT_END = re.compile(r"_(flop_per_s|bytes_per_s|per_s2|per_s|bytes|usd|kg|s|h|w)$")
_ABBREVIATIONS = re.compile(r"\b(ttft|tpot|itl|e2e|kv|slo|usd|pue|gb)\b", re.IGNORECASE)
TOTALS = ("usd", "unused_usd", "total", "total_s", "carbon_kg", "busy_share")
"""Properties of answers that are numbers of their own."""
_BETTER_WORDS = {
    "low80": "80 % range, low",
    "high80": "80 % range, high",
    "low80_factor": "80 % range, low, as a factor",
    "high80_factor": "80 % range, high, as a factor",
    "first_token_power": "TTFT's power of the band",
    "littles_law_error": "Error against Little's law",
    "intensity_flop_per_byte": "Arithmetic intensity",
    "log2_batch": "Batch, log₂",
    "log2_devices": "Devices, log₂",
    "log2_time": "Time, log₂",
    "log2_prompt": "Prompt, log₂",
    "log2_output": "Answer, log₂",
    "own_s": "Time that one more sequence adds",
    "chunks": "Chunks of a prompt",
    "usd": "Cost",
    "total": "Total",
    "total_s": "Total time",
    "flop_per_s": "Compute rate",
    "best_flop_per_s": "Best published compute rate",
    "over_share": "Lead",
}
"""Better words for names that say too little alone."""


def plain_name(name: str) -> str:
    """A name of code as words, in English; its unit stands beside the value."""
    words = _UNIT_AT_END.sub("", name).replace("_", " ") or name
    words = (
        words.replace("usd per", "cost per").replace("kwh", "kWh").replace("co2e", "CO₂e").replace("litres per", "per")
    )
    return _ABBREVIATIONS.sub(lambda found: found[0].upper(), words)


def title_of_name(name: str) -> str:
    """A name of code as a title, in English."""
    words = _BETTER_WORDS.get(name) or plain_name(name)
    return words[:1].upper() + words[1:]


def given_title(title: str) -> str:
    """A title that the engine made of a name of code, without what stands beside the value; others as they are."""
    is_made = (title == title.capitalize() and " " in title) or (title.isidentifier() and title.islower())
    return title_of_name(title.lower().replace(" ", "_")) if is_made else title


def english_title(field: Field) -> str:
    """The title that a field was given; of one without, its name as a title."""
    is_named = field.about.title != field.name.replace("_", " ").capitalize()
    return field.about.title if is_named else title_of_name(field.name)


def field_title(field: Field) -> str:
    """A field's title in the language of the moment."""
    return tr(english_title(field))


def name_title(name: str) -> str:
    """A name of code as a title, in the language of the moment."""
    return tr(title_of_name(name))


_NAME_OF_CODE = re.compile(r"(?<![\w{/.#])(?<!\w-)[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w/]|\.\w)")
"""Pattern of a name of code; file names and places in files do not match."""


def formula_in_words(expression: str, titles: Mapping[str, str] | None = None) -> str:
    """A formula with titles, or words, for the names of code in it: usd_per_hour · 730 → cost per hour · 730."""
    known = titles or {}
    return _NAME_OF_CODE.sub(lambda found: known.get(found[0]) or plain_name(found[0]), expression)


def joined_titles(outer: str, inner: str) -> str:
    return f"{outer} · {inner}" if outer and inner else outer or inner
