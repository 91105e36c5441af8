"""What the planner should know, as a sentence made from the engine's code and values."""

from __future__ import annotations

from gpuplanner_gui.domain.plan import Finding
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.units import format_value

SEVERITIES = ("note", "warning", "serious")

_UNIT_SUFFIXES = (
    ("_bytes_per_s", "bytes/s"),
    ("_flop_per_s", "flop/s"),
    ("_tokens_per_s", "tok/s"),
    ("_per_s", "req/s"),
    ("_bytes", "bytes"),
    ("_usd_per_hour", "USD/h"),
    ("_usd", "USD"),
    ("_share", "share"),
    ("_w", "W"),
    ("_s", "s"),
)


def value_unit(name: str) -> str:
    """The unit that a value's name ends with, as names do throughout the program; empty for a plain number."""
    if name == "share" or name.startswith("usd"):
        return "share" if name == "share" else "USD"
    return next((unit for suffix, unit in _UNIT_SUFFIXES if name.endswith(suffix)), "")


def finding_text(finding: Finding) -> str:
    """The sentence for a finding; one without a sentence of its own lists its values, so that none is lost."""
    values = {name: _shown(name, value) for name, value in finding.values.items()}
    sentence = FINDING_SENTENCES.get(finding.code)
    if sentence is not None:
        try:
            return tr(sentence).format(**values)
        except KeyError:
            pass  # the engine gives other values than the sentence asks for: they are listed below
    listed = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in values.items())
    title = finding.code.replace("_", " ").capitalize()
    return f"{title}: {listed}" if listed else title


def _shown(name: str, value: float | str) -> str:
    return value if isinstance(value, str) else format_value(float(value), value_unit(name))


FINDING_SENTENCES: dict[str, str] = {}
