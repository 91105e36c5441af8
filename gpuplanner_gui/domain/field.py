"""One description of a field, many faces: unit, bounds, title and help, read from the struct's annotations.

Editors, validation, JSON Schema, command-line help, column headers and the glossary are made from it, and what differs
between two versions of a struct, figure by figure.
"""

from __future__ import annotations

import math
import re
import types
import typing
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from gpuplanner_gui.domain.quantity import Lognormal, Money, Normal, Range, Triangular, central, numbers_of

LONGEST_TEXT = 2_000
"""Characters of a text that states no bound of its own; the longest of the shipped catalogues has 301."""
LONGEST_NAME = 300
"""Characters of what is shown in lists, headings and plots."""
LONGEST_NOTES = 100_000
LONGEST_SAID = 60
"""Characters of a text of the wrong form that a sentence about it repeats."""


@dataclass(frozen=True)
class About:
    """What a field means to a planner."""

    title: str
    unit: str = ""
    help: str = ""
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    choices: tuple[str, ...] = ()
    advanced: bool = False
    """Shown only when the planner opens the section's details."""
    slides: bool = False
    """Tried out by pulling, beside being typed."""
    most: int | None = None
    """Entries of a list."""
    least: int = 0
    once: bool = False
    """No entry of a list may stand in it twice."""
    longest: int = LONGEST_TEXT
    """Characters of a text, or of each text in a list."""
    pattern: str | None = None
    """A regular expression for the whole text, of the field's type."""
    example: str = ""
    """Example of a text that follows the pattern."""
    zero_means: str = ""
    """What 0 leaves to the program, in a word or two; an editor shows this instead of the number."""


def about(
    title: str,
    unit: str = "",
    help: str = "",  # noqa: A002  (the word a planner knows)
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    above: float | None = None,
    choices: tuple[str, ...] = (),
    advanced: bool = False,
    slides: bool = False,
    most: int | None = None,
    least: int = 0,
    once: bool = False,
    longest: int = LONGEST_TEXT,
    zero_means: str = "",
) -> msgspec.Meta:
    """Annotation for a struct's field; `above` is an exclusive lower bound, `most` and `least` are a list's entries."""
    description = About(
        title, unit, help, minimum, maximum, above, choices, advanced, slides, most, least, once, longest,
        zero_means=zero_means,
    )  # fmt: skip
    schema: dict[str, Any] = {"x-unit": unit} if unit else {}
    for key, bound in (
        ("minimum", minimum), ("maximum", maximum), ("exclusiveMinimum", above), ("maxItems", most),
        ("minItems", least or None),
    ):  # fmt: skip
        if bound is not None:
            schema[f"x-{key}"] = bound
    return msgspec.Meta(title=title, description=help or None, extra_json_schema=schema, extra={"about": description})


@dataclass(frozen=True)
class Field:
    """A field of a struct, its description, type and default."""

    name: str
    about: About
    type: Any
    default: Any
    has_default: bool
    is_quantity: bool
    """True where a number, a range or a distribution may stand."""


class Problem(msgspec.Struct, frozen=True):
    """One thing wrong with a struct, as a code and values; the sentence is made where it is shown."""

    path: str
    code: typing.Literal[
        "not_finite",
        "below",
        "not_above",
        "over",
        "order",
        "choice",
        "form",
        "too_many",
        "too_few",
        "twice",
        "too_long",
        "too_large",
        "too_small",
        "other",
    ]
    value: float | str
    limit: float | str = ""
    title: str = ""
    unit: str = ""
    """Of value and limit; empty for a plain number or text."""


@lru_cache(maxsize=256)
def fields_of(struct_type: type[msgspec.Struct]) -> tuple[Field, ...]:
    """The described fields of a struct type, in the order they are declared."""
    hints = typing.get_type_hints(struct_type, include_extras=True)
    described = []
    for info in msgspec.structs.fields(struct_type):
        hint = hints[info.name]
        stated = (meta.extra["about"] for meta in _metas(hint) if meta.extra and "about" in meta.extra)
        description = next(stated, None) or About(info.name.replace("_", " ").capitalize())
        plain = get_args(hint)[0] if get_origin(hint) is Annotated else hint
        described.append(
            Field(
                info.name,
                _with_pattern(description, hint, plain),
                plain,
                _default(info),
                not info.required,
                _is_quantity(plain),
            )
        )
    return tuple(described)


def field_of(struct_type: type[msgspec.Struct], name: str) -> Field:
    """One described field. Raises KeyError for a name that the struct lacks."""
    for field in fields_of(struct_type):
        if field.name == name:
            return field
    raise KeyError(f"{struct_type.__name__} has no field {name!r}")


def _metas(hint: Any) -> tuple[msgspec.Meta, ...]:
    return tuple(one for one in getattr(hint, "__metadata__", ()) if isinstance(one, msgspec.Meta))


def _with_pattern(description: About, hint: Any, plain: Any) -> About:
    """The description with the pattern of a text, which its type states, alone or beside None."""
    texts = (hint, *(get_args(plain) if get_origin(plain) in (typing.Union, types.UnionType) else ()))
    for meta in (meta for text in texts for meta in _metas(text)):
        if meta.pattern is not None:
            return replace(description, pattern=meta.pattern, example=str((meta.examples or [""])[0]))
    return description


def _default(info: Any) -> Any:
    if info.default is not msgspec.NODEFAULT:
        return info.default
    if info.default_factory is not msgspec.NODEFAULT:
        return info.default_factory()
    return None


def _is_quantity(plain: Any) -> bool:
    if get_origin(plain) not in (typing.Union, types.UnionType):
        return False
    return Range in get_args(plain)


def problems_of(struct: Any, path: str = "") -> list[Problem]:
    """Every value outside its bounds, in the struct and all that it holds. Empty when all is well."""
    return list(_walk(struct, path, None))


def _walk(value: Any, path: str, description: About | None) -> Iterator[Problem]:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, (int, float, Range, Triangular, Normal, Lognormal)):
        yield from _number_problems(value, path, description)
    elif isinstance(value, Money):
        yield from _number_problems(value.amount, f"{path}.amount", description)
    elif isinstance(value, str):
        yield from _text_problems(value, path, description)
    elif isinstance(value, msgspec.Struct):
        for field in fields_of(type(value)):
            part = getattr(value, field.name)
            if not _is_plain_and_good(part, field.about):
                inner = f"{path}.{field.name}" if path else field.name
                yield from _walk(part, inner, field.about)
    elif isinstance(value, (tuple, list, dict)):
        yield from _list_problems(value, path, description)


def _text_problems(value: str, path: str, description: About | None) -> Iterator[Problem]:
    longest = description.longest if description else LONGEST_TEXT
    title = description.title if description else ""
    if len(value) > longest:
        yield Problem(path, "too_long", len(value), longest, title)
    elif description and description.choices and value not in description.choices:
        yield Problem(path, "choice", value, ", ".join(description.choices), title)
    elif description and not _has_form(value, description):
        yield Problem(path, "form", value[:LONGEST_SAID], description.example, title)


def _has_form(value: str, description: About) -> bool:
    return description.pattern is None or re.fullmatch(description.pattern, value) is not None


def _list_problems(value: Any, path: str, description: About | None) -> Iterator[Problem]:
    """Problems of a list or table; entries of one that is too long are not checked."""
    if description and description.most is not None and len(value) > description.most:
        yield Problem(path, "too_many", len(value), description.most, description.title)
        return
    if description and len(value) < description.least:
        yield Problem(path, "too_few", len(value), description.least, description.title)
        return
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _walk(item, f"{path}.{key}", description)
        return
    if description and description.once:
        for index, item in enumerate(value):
            if item in value[:index]:
                yield Problem(f"{path}[{index}]", "twice", str(item), title=description.title)
                return
    for index, item in enumerate(value):
        yield from _walk(item, f"{path}[{index}]", description)


def _is_plain_and_good(value: Any, description: About) -> bool:
    """True for most values, for which no path need be made: None, a truth value, a number or word as it should be."""
    kind = type(value)
    if kind is float or kind is int:
        return (
            (value == 0 or SMALLEST <= abs(value) <= LARGEST)
            and (description.minimum is None or value >= description.minimum)
            and (description.above is None or value > description.above)
            and (description.maximum is None or value <= description.maximum)
        )
    if kind is str:
        is_chosen = not description.choices or value in description.choices
        return len(value) <= description.longest and is_chosen and _has_form(value, description)
    return value is None or kind is bool


SMALLEST, LARGEST = 1e-30, 1e30
"""Smallest and largest size of any number but 0; beyond them products and quotients overflow."""
WIDEST_SIGMA = 5.0
"""Largest sigma of a lognormal: its P90 is 600 times its median. Beyond it moments overflow."""


def _number_problems(value: Any, path: str, description: About | None) -> Iterator[Problem]:
    title = description.title if description else ""
    for number in numbers_of(value):
        if not math.isfinite(number):
            yield Problem(path, "not_finite", str(number), title=title)
            return
        if number and not SMALLEST <= abs(number) <= LARGEST:
            is_large = abs(number) > LARGEST
            yield Problem(
                path, "too_large" if is_large else "too_small", number, LARGEST if is_large else SMALLEST, title
            )
            return
    if isinstance(value, (Range, Triangular)) and not _ordered(value):
        yield Problem(path, "order", f"{value.low}..{value.high}", title=title)
    if isinstance(value, (Normal, Lognormal)) and numbers_of(value)[1] < 0:
        yield Problem(path, "below", numbers_of(value)[1], 0.0, title)
    if isinstance(value, Lognormal) and value.sigma > WIDEST_SIGMA:
        yield Problem(path, "over", value.sigma, WIDEST_SIGMA, title)
    if description is None:
        return
    lowest, highest = _bounded_extremes(value)
    if description.minimum is not None and lowest < description.minimum:
        yield Problem(path, "below", lowest, description.minimum, title, description.unit)
    if description.above is not None and lowest <= description.above:
        yield Problem(path, "not_above", lowest, description.above, title, description.unit)
    if description.maximum is not None and highest > description.maximum:
        yield Problem(path, "over", highest, description.maximum, title, description.unit)


def _ordered(value: Range | Triangular) -> bool:
    numbers = numbers_of(value)
    return list(numbers) == sorted(numbers)


def _bounded_extremes(value: Any) -> tuple[float, float]:
    """What the field's bounds hold for: the ends of a bounded distribution, the middle of an unbounded one."""
    if isinstance(value, (Range, Triangular)):
        return value.extremes()
    if isinstance(value, Normal):
        return value.mean, value.mean
    if isinstance(value, Lognormal):
        return value.median, value.median
    return float(value), float(value)


Doubt = Literal["", "factor", "cheap", "spec", "beyond", "gone", "identity"]


class FieldChange(msgspec.Struct, frozen=True):
    """A field with its value before and after; `unit` where it has one."""

    path: str
    """`rental.on_demand_usd_per_h`; in lists by the name or number of the entry."""
    title: str
    before: Any
    after: Any
    unit: str = ""
    doubt: Doubt = ""
    """Why a reader should look twice; empty where nothing speaks against it."""

    @property
    def is_figure(self) -> bool:
        """True for what plans are computed from: a number, not who says so, or when."""
        return _is_number(self.before) or _is_number(self.after)

    @property
    def factor(self) -> float | None:
        """The new middle over the old; None where there is none."""
        if not (_is_number(self.before) and _is_number(self.after)) or central(self.before) == 0:
            return None
        return central(self.after) / central(self.before)


FIGURES = (int, float, Range, Triangular, Normal, Lognormal)


def _is_number(value: Any) -> bool:
    return isinstance(value, FIGURES) and not isinstance(value, bool)


def field_changes(old: msgspec.Struct | None, new: msgspec.Struct | None) -> Iterator[FieldChange]:
    """Fields that differ, those of inner structs each; None stands for no struct: all that the other one states."""
    held = new if new is not None else old
    for field in fields_of(type(held)) if held is not None else ():
        before, after = (getattr(one, field.name) if one is not None else None for one in (old, new))
        if not (old is None and after == field.default):
            yield from value_changes(before, after, field.name, field.about.title, field.about.unit)


def value_changes(before: Any, after: Any, path: str = "", title: str = "", unit: str = "") -> Iterator[FieldChange]:
    """Figures and texts that differ in two values of one kind, each by its place; None stands for nothing there."""
    if before == after:
        return
    held = after if after is not None else before
    is_alike = before is None or after is None or isinstance(before, type(after)) or isinstance(after, type(before))
    if isinstance(held, msgspec.Struct) and not isinstance(held, FIGURES) and is_alike:
        for inner in field_changes(before, after):
            named = f"{title}, {_inside(inner.title)}" if title else inner.title
            yield msgspec.structs.replace(inner, path=f"{path}.{inner.path}" if path else inner.path, title=named)
    elif isinstance(held, (dict, list, tuple)) and is_alike:
        old, new = (one if isinstance(one, dict) else _named(one or ()) for one in (before, after))
        is_list = not isinstance(held, dict)
        if is_list and [name for name in old if name in new] != [name for name in new if name in old]:
            yield FieldChange(f"{path}.order", f"{title}, order" if title else "Order", ", ".join(old), ", ".join(new))
        for name in dict.fromkeys((*old, *new)):
            named = f"{title}, {name}" if title else str(name)
            yield from value_changes(old.get(name), new.get(name), f"{path}.{name}" if path else str(name), named, unit)
    else:
        yield FieldChange(path, title, before, after, unit)


def _inside(title: str) -> str:
    """A title behind another one; abbreviations stay as they are."""
    return title if title[:2].isupper() else title[:1].lower() + title[1:]


def _named(entries: Sequence[Any]) -> dict[str, Any]:
    """Entries of a list by what they call themselves, where that tells them apart, else by number."""
    names = [_name_of(entry) for entry in entries]
    if not all(names) or len(set(names)) < len(names):
        names = [str(place) for place in range(1, len(entries) + 1)]
    return dict(zip(names, entries, strict=True))


def _name_of(value: Any) -> str:
    """What an entry of a list calls itself: its identifier, or else all texts that it states."""
    if not isinstance(value, msgspec.Struct):
        return ""
    found = getattr(value, "id", "") or getattr(value, "name", "")
    texts = (getattr(value, name) for name in value.__struct_fields__)
    return found if found and isinstance(found, str) else " ".join(one for one in texts if one and isinstance(one, str))
