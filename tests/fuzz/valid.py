"""Valid plans with extreme inputs: what is edited is a plan that plans, so that planning is tried and not refusal.

Each starts as an example or one of the small plans of `exhausting`, and a few of its fields take a value that their own
description allows: an end of its bounds, nothing, every choice, a distribution, a part of another plan. The same seed
and index give the same plan.
"""

from __future__ import annotations

import math
import random
import types
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from gpuplanner_gui.domain.field import About, fields_of
from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.project import load_project, project_from_bytes, project_to_bytes
from tests.fuzz.exhausting import TRAINING, plan_file, scenario
from tests.fuzz.targets import REPOSITORY

Path = tuple[str | int, ...]
WORDS = ("", " ", "x", "é" * 100, "<b>&amp;", "=1+2", "{0}", "%s", "a/b", "n" * 300, "-")
FACTORS = (0.0, 1e-6, 1e-3, 0.1, 0.5, 0.999, 1.001, 2.0, 10.0, 1e3, 1e6, 1e12, -1.0)
NARROW = 0.7
"""Share of plans that search few devices, so that more plans are tried in the time."""
ENTRIES = (0, 1, 1, 2, 3, 1000)
MOST_EDITS = 5


@dataclass(frozen=True)
class Edit:
    """One field of a project and what it becomes."""

    path: Path
    value: Any

    def __str__(self) -> str:
        return f"{'.'.join(map(str, self.path))} = {self.value!r:.200}"


@dataclass(frozen=True)
class Drawn:
    """A plan that can be read, as what it is made of."""

    name: str
    base: Project
    edits: tuple[Edit, ...]

    def content(self) -> bytes:
        return project_to_bytes(_edited(self.base, self.edits))

    def smallest(self, fails: Callable[[bytes], bool]) -> Drawn:
        """With the fewest edits of which it still fails."""
        kept = self
        for edit in self.edits:
            fewer = Drawn(self.name, self.base, tuple(one for one in kept.edits if one is not edit))
            if _is_read(fewer) and fails(fewer.content()):
                kept = fewer
        return kept


def valid_plans(seed: int, first: int, count: int) -> Iterator[Drawn]:
    """So many plans that can be read."""
    index = first
    while count > 0:
        drawn = draw(seed, index)
        index += 1
        if drawn.edits and _is_read(drawn):
            count -= 1
            yield drawn


def draw(seed: int, index: int) -> Drawn:
    """The plan number `index` of a run; it may be one that is refused."""
    chance = random.Random(f"valid:{seed}:{index}")
    base = chance.choice(_bases())
    edits = _narrowing(base, chance)
    drawn = len(edits) + 1 + int(MOST_EDITS * chance.random() ** 2)
    for _ in range(3 * MOST_EDITS):
        edit = _drawn_edit(_edited(base, edits), chance)
        if edit is not None and _is_read(Drawn("", base, (*edits, edit))):
            edits.append(edit)
        if len(edits) >= drawn:
            break
    return Drawn(f"valid {seed} {index}", base, tuple(edits))


@lru_cache(maxsize=1)
def _bases() -> tuple[Project, ...]:
    examples = [load_project(path) for path in sorted((REPOSITORY / "resources" / "examples").glob("*.gpuplan"))]
    small = [plan_file(scenario()), plan_file(scenario(training=TRAINING)), plan_file(scenario(), scenario("t"))]
    return (*examples, *map(project_from_bytes, small))


@lru_cache(maxsize=1)
def _parts() -> dict[type, list[Any]]:
    """Every struct that stands in a base, by its type."""
    found: dict[type, list[Any]] = {}

    def take(value: Any) -> None:
        if isinstance(value, msgspec.Struct):
            found.setdefault(type(value), []).append(value)
            for name in value.__struct_fields__:
                take(getattr(value, name))
        elif isinstance(value, (tuple, list)):
            for item in value:
                take(item)

    for base in _bases():
        take(base)
    return found


def _narrowing(base: Project, chance: random.Random) -> list[Edit]:
    """Few devices to search, for most plans."""
    if chance.random() > NARROW:
        return []
    few = tuple(sorted(chance.sample(sorted(load_shipped_catalog().accelerators), chance.choice((1, 2, 3)))))
    return [Edit(("scenarios", place, "hardware", "accelerators"), few) for place in range(len(base.scenarios))]


def _is_read(drawn: Drawn) -> bool:
    try:
        return bool(project_from_bytes(drawn.content()).scenarios)
    except FileProblem:
        return False


def _drawn_edit(project: Project, chance: random.Random) -> Edit | None:
    """Of a field of a scenario mostly, else of what the project carries beside them."""
    places = list(_places(project, ()))
    roots: list[Callable[[Path], bool]] = [
        lambda path: path[0] == "scenarios" and path[2:3] != ("model",),
        lambda path: path[0] == "scenarios" and path[2:3] == ("model",),
        lambda path: path[0] in ("estate", "catalog", "measurements"),
        lambda path: True,
    ]
    wanted = chance.choices(roots, (6, 1, 1, 0.5))[0]
    able = [place for place in places if wanted(place[0])] or places
    path, hint, about, value = chance.choice(able)
    if isinstance(value, float | int) and not isinstance(value, bool) and chance.random() < 0.4:
        return Edit(path, type(value)(value * chance.choice(FACTORS)))
    try:
        return Edit(path, _value(hint, about, chance))
    except TypeError:
        return None


def _places(value: msgspec.Struct, path: Path) -> Iterator[tuple[Path, Any, About, Any]]:
    """Every described field below a struct."""
    for field in fields_of(type(value)):
        part, inner = getattr(value, field.name), (*path, field.name)
        yield inner, field.type, field.about, part
        if isinstance(part, msgspec.Struct):
            yield from _places(part, inner)
        elif isinstance(part, tuple):
            for index, item in enumerate(part):
                if isinstance(item, msgspec.Struct):
                    yield from _places(item, (*inner, index))


def _edited(value: Any, edits: typing.Iterable[Edit]) -> Any:
    for edit in edits:
        value = _with(value, edit.path, edit.value)
    return value


def _with(value: Any, path: Path, new: Any) -> Any:
    """The value with another at a path; as it was where an earlier edit took the place away."""
    if not path:
        return new
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        if not isinstance(value, tuple) or step >= len(value):
            return value
        return (*value[:step], _with(value[step], rest, new), *value[step + 1 :])
    if not isinstance(value, msgspec.Struct) or step not in value.__struct_fields__:
        return value
    return msgspec.structs.replace(value, **{step: _with(getattr(value, step), rest, new)})


def _value(hint: Any, about: About, chance: random.Random) -> Any:
    """A value of a type within its description, by chance. Raises TypeError for what can't be made."""
    origin = get_origin(hint)
    if origin is Annotated:
        return _value(get_args(hint)[0], about, chance)
    if origin in (typing.Union, types.UnionType):
        return _value(chance.choice(get_args(hint)), about, chance)
    if origin is Literal:
        return chance.choice(get_args(hint))
    if origin is tuple:
        return _entries(hint, about, chance)
    if hint is type(None):
        return None
    if hint is bool:
        return chance.random() < 0.5
    if hint in (int, float):
        number = _number(about, chance)
        return int(min(number, 2.0**62)) if hint is int else number
    if hint is str:
        return _word(about, chance)
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return _struct(hint, about, chance)
    raise TypeError(hint)


def _entries(hint: Any, about: About, chance: random.Random) -> tuple[Any, ...]:
    args = get_args(hint)
    if args[-1] is not Ellipsis:
        return tuple(_value(one, about, chance) for one in args)
    count = min(chance.choice(ENTRIES), about.most or 3, 50)
    drawn = [_value(args[0], about, chance) for _ in range(count)]
    if about.once:
        drawn = [one for place, one in enumerate(drawn) if one not in drawn[:place]]
    return tuple(drawn)


def _struct(kind: type[msgspec.Struct], about: About, chance: random.Random) -> Any:
    known = _parts().get(kind)
    if known and chance.random() < 0.5:
        return chance.choice(known)
    made: dict[str, Any] = {}
    for field in fields_of(kind):
        if not field.has_default or chance.random() < 0.2:
            described = field.about if field.type not in (float, int) or field.about.title else about
            made[field.name] = _value(field.type, described, chance)
    return kind(**made)


def _number(about: About, chance: random.Random) -> float:
    low = about.minimum if about.minimum is not None else about.above if about.above is not None else -1e30
    high = about.maximum if about.maximum is not None else 1e30
    if chance.random() < 0.4:
        return chance.choice((low, high, 0.0, 1.0, math.nextafter(low, math.inf), low + 1e-6, 1e-30))
    if low < 0:
        low = 1e-30
    return float(math.exp(chance.uniform(math.log(max(low, 1e-12)), math.log(max(high, 1e-12)))))


def _word(about: About, chance: random.Random) -> str:
    if about.choices:
        return chance.choice(about.choices)
    if about.example and chance.random() < 0.8:
        return about.example
    if chance.random() < 0.5:
        catalog = load_shipped_catalog()
        return chance.choice(sorted({**catalog.accelerators, **catalog.links, **catalog.nodes, **catalog.offers}))
    return chance.choice(WORDS)
