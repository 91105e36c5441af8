"""Every sentence of the program that passes through `tr`: the literal ones, and those of the tables it is fed from."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import pkgutil
import re
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from gpuplanner_gui.domain.field import Field, fields_of
from gpuplanner_gui.drawing.details import codes_of
from gpuplanner_gui.drawing.language import CodeNames

SYMBOLS = re.compile(r"\w_\w|e\^|\bdocs/")
"""In a relation: it is a formula, or cites one."""
CITED = re.compile(
    r"\b(?:19|20)\d\d\b|\bISO\b|\bIAS\b|\barXiv\b|\bdocs/|\w_\w"
    r"|Pollaczek|ZeRO-3|M/G/1|GHG|Feller|^Park,"
)
"""In a formula's source: it names a publication, or symbols, which are the same in every language."""
PACKAGE = Path(__file__).resolve().parents[2] / "gpuplanner_gui"
SAYING_LAYERS = ("drawing", "desktop", "cli")
"""The layers that make sentences; the engine gives codes."""
SAYING_ATTRIBUTES = ("title", "text", "help", "absent", "add", "words", "explanation")
"""Attributes of a table's entries that are read where `tr` is called."""

SILENT_FILES = ("drawing/units.py", "drawing/unit_table.py")
"""Their tables hold units, which are the same in every language."""


@dataclass(frozen=True)
class Source:
    text: str
    file: str
    """Below the package's folder."""
    line: int = 0
    """0 where the sentence comes from a table that was made by a function."""


class Untranslatable(ValueError):
    """A call of `tr` whose sentence cannot be known before it is said."""


@cache
def program_sources() -> tuple[Source, ...]:
    """Each sentence once, where it first stands."""
    found: dict[str, Source] = {}
    for path in _python_files():
        for source in sorted(_of_file(path), key=lambda one: one.line):
            found.setdefault(source.text, source)
    for source in (
        *_of_problems(),
        *_of_fields(),
        *_of_answers(),
        *_of_rules(),
        *_of_choices(),
        *_of_catalog(),
        *_of_methods(),
        *_of_explanations(),
    ):
        found.setdefault(source.text, source)
    return tuple(one for one in found.values() if any(sign.isalpha() for sign in one.text))


PROBLEM_SENTENCES = {
    "FileProblem": (2, 3), "UnknownColumns": (2, 3), "kind": (2, 3), "problem": (1, 2), "remark": (0,),
    "checked_struct": (3, 4),
}  # fmt: skip
"""Which arguments of what tells a problem of a file are sentences."""
PROBLEM_NAMES = ("what", "remedy", "REMEDY")


def _of_problems() -> Iterator[Source]:
    """What the files layer says, in English and taken apart; `drawing.words.files` puts it into other languages."""
    for path in sorted((PACKAGE / "files").rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for sentence in _problem_sentences(node):
                for text in _said(sentence, _Reader(path, [])):
                    yield Source(text, name, sentence.lineno)


def _problem_sentences(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Assign) and any(_names(target) & set(PROBLEM_NAMES) for target in node.targets):
        yield node.value
    elif isinstance(node, ast.Call):
        called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        places = (0,) if called == "said" else PROBLEM_SENTENCES.get(called, ())
        yield from (node.args[place] for place in places if place < len(node.args))


def _python_files() -> list[Path]:
    return [path for layer in SAYING_LAYERS for path in sorted((PACKAGE / layer).rglob("*.py"))]


def _module(path: Path) -> ModuleType:
    name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    return importlib.import_module(name.removesuffix(".__init__"))


def _of_file(path: Path) -> Iterator[Source]:
    text = path.read_text(encoding="utf-8")
    if "tr(" not in text and "phrase(" not in text and "Column(" not in text and "Command(" not in text:
        return
    tree = ast.parse(text)
    name = path.relative_to(PACKAGE).as_posix()
    lines = _lines_of_strings(tree)
    for scope, call in _calls_of_tr(tree):
        for said in _said(call.args[0], _Reader(path, scope)):
            yield Source(said, name, lines.get(said, call.lineno))
    if path.name in ("main.py", "__main__.py") or name in SILENT_FILES:
        return
    for said in _of_table_entries(_module(path)):
        if said in lines:
            yield Source(said, name, lines[said])


def _lines_of_strings(tree: ast.AST) -> dict[str, int]:
    lines: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            lines.setdefault(node.value, node.lineno)
    return lines


def _calls_of_tr(tree: ast.Module) -> Iterator[tuple[list[ast.AST], ast.Call]]:
    """Each call with the functions around it, the innermost last."""

    def walk(node: ast.AST, around: list[ast.AST]) -> Iterator[tuple[list[ast.AST], ast.Call]]:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("tr", "phrase"):
            yield around, node
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            around = [*around, node]
        for child in ast.iter_child_nodes(node):
            yield from walk(child, around)

    yield from walk(tree, [])


@dataclass(frozen=True)
class _Reader:
    """Where a name in a call of `tr` is looked up."""

    path: Path
    scope: list[ast.AST]

    def value_of(self, name: str) -> Any:
        return getattr(_module(self.path), name, None)


def _said(expression: ast.expr, reader: _Reader) -> Iterator[str]:
    """The sentences that an argument of `tr` can be."""
    match expression:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr():
            raise Untranslatable(f"{reader.path}:{expression.lineno}: {ast.unparse(expression)}")
        case ast.Attribute(value=ast.Subscript(value=table), attr=attribute):
            # QUANTITIES[name].title
            for entry in _values(table, reader):
                yield from _strings(getattr(entry, attribute, None))
        case ast.Name(id=name):
            yield from _strings(reader.value_of(name))
            for scope in reader.scope:
                yield from _said_by_local(name, scope, reader)
        case _:
            for one in _choices(expression):
                yield from _said(one, reader)


def _choices(expression: ast.expr) -> Sequence[ast.expr]:
    """The expressions of which this one is, or holds, any."""
    match expression:
        case ast.IfExp(body=first, orelse=second):
            return first, second
        case ast.BoolOp(values=parts) | ast.Dict(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
            return parts
        case ast.Subscript(value=table) | ast.Call(func=ast.Attribute(value=table, attr="items" | "values")):
            return (table,)
        case ast.Call(func=ast.Attribute(value=table, attr="get"), args=[_, *defaults]):
            return table, *defaults
        case ast.Call(func=ast.Name(id="enumerate" | "zip" | "sorted" | "reversed"), args=tables):
            return tables
    return ()


def _values(table: ast.expr, reader: _Reader) -> Iterator[Any]:
    if isinstance(table, ast.Name):
        value = reader.value_of(table.id)
        yield from value.values() if isinstance(value, Mapping) else value or ()


def _said_by_local(name: str, scope: ast.AST, reader: _Reader) -> Iterator[str]:
    """What a name of a function may hold: from its assignments and the loops over literal tables."""
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign) and any(_binds(target, name) for target in node.targets):
            if not _names(node.value) & {name}:
                yield from _said(node.value, reader)
        elif isinstance(node, (ast.For, ast.comprehension)) and _binds(node.target, name):
            yield from _said_of_rows(node.target, node.iter, name, reader)


def _said_of_rows(target: ast.expr, table: ast.expr, name: str, reader: _Reader) -> Iterator[str]:
    """What a loop's name takes from a table: of `for title, unit in ROWS`, the titles alone."""
    rows = reader.value_of(table.id) if isinstance(table, ast.Name) else None
    if isinstance(target, ast.Tuple) and isinstance(rows, (tuple, list)):
        for place, part in enumerate(target.elts):
            if name in _names(part):
                yield from _strings([row[place] for row in rows])
    else:
        yield from _said(table, reader)


def _binds(target: ast.expr, name: str) -> bool:
    return name in _names(target)


def _names(expression: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}


def _strings(value: Any) -> Iterator[str]:
    """Every text within a table; of a mapping, its values alone."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _strings(one)
    elif isinstance(value, (tuple, list, set, frozenset)):
        for one in value:
            yield from _strings(one)


def _of_table_entries(module: ModuleType) -> Iterator[str]:
    """Titles and helps of the entries (columns, commands, parts, pages …) of a module's tables; tables of words."""
    for name, value in vars(module).items():
        yield from _entry_texts(value, 0)
        if name.endswith("WORDS") or isinstance(value, CodeNames):
            yield from _strings(value)


def _entry_texts(value: Any, depth: int) -> Iterator[str]:
    if depth > 5 or isinstance(value, (str, type, ModuleType)):
        return
    if isinstance(value, Mapping):
        for one in list(value.values()):
            yield from _entry_texts(one, depth + 1)
    elif isinstance(value, (tuple, list)):
        for one in value:
            yield from _entry_texts(one, depth + 1)
    elif dataclasses.is_dataclass(value) or isinstance(value, msgspec.Struct):
        for name in SAYING_ATTRIBUTES:
            said = getattr(value, name, None)
            if isinstance(said, str):
                yield said


def _shown_struct_types() -> tuple[type[msgspec.Struct], ...]:
    """Structs whose fields a planner sees: what is edited, the catalogue's entries, the tables of results."""
    from gpuplanner_gui.domain.measurement import MeasurementContext
    from gpuplanner_gui.domain.plan import ServingTable, TrainingTable
    from gpuplanner_gui.domain.scenario import Project
    from gpuplanner_gui.domain.training_results import StageMemory, StepPhases
    from gpuplanner_gui.files.catalogs import ENTRY_TYPES

    roots = (Project, *ENTRY_TYPES.values(), ServingTable, TrainingTable, StageMemory, StepPhases, MeasurementContext)
    return _with_parts(roots, lambda kind: [one.type for one in fields_of(kind)])


def _with_parts(roots: Iterable[Any], hints_in: Callable[[Any], Iterable[Any]]) -> tuple[type, ...]:
    """Structs and dataclasses of these types, and those within; `hints_in` has the types of one's fields."""
    found: dict[type, None] = {}

    def add(hint: Any) -> None:
        generic = typing.get_origin(hint)
        if isinstance(generic, type) and issubclass(generic, msgspec.Struct):
            hint = generic
        has_parts = isinstance(hint, type) and (dataclasses.is_dataclass(hint) or issubclass(hint, msgspec.Struct))
        if has_parts and hint not in found:
            found[hint] = None
            for inner in hints_in(hint):
                add(inner)
        for part in typing.get_args(hint):
            add(part)

    for root in roots:
        add(root)
    return tuple(found)


def _answer_types() -> tuple[type, ...]:
    """What the engine answers with, and every part of it: the panel that says why names each number in it."""
    from gpuplanner_gui.domain.curves import LoadCurve, PhaseGains, Roofline, ServingLimits
    from gpuplanner_gui.domain.decision import ComparisonAnswer, FleetsAnswer, OwnershipAnswer, UncertaintyAnswer
    from gpuplanner_gui.domain.load_result import FleetSizing, PoolArrangement, Readiness, SearchResult, SimulatedCurve
    from gpuplanner_gui.domain.training_results import LayoutRanking, ScalingCurve, StepDetail, TrainingFits
    from gpuplanner_gui.drawing.calibration_view import CalibrationView

    roots = (
        LoadCurve, Roofline, FleetsAnswer, OwnershipAnswer, UncertaintyAnswer, ComparisonAnswer, ServingLimits,
        SimulatedCurve, FleetSizing, Readiness, PoolArrangement, SearchResult, PhaseGains, StepDetail, ScalingCurve,
        LayoutRanking, TrainingFits, CalibrationView,
    )  # fmt: skip
    return _with_parts(roots, lambda kind: _shown_hints(kind).values())


def _shown_hints(kind: Any) -> dict[str, Any]:
    """Types of an answer's fields, by name, without those that nobody asks about."""
    from gpuplanner_gui.drawing.numbers import SKIPPED

    return {name: hint for name, hint in typing.get_type_hints(kind).items() if name not in SKIPPED}


def _of_answers() -> Iterator[Source]:
    """Titles of the numbers in answers, and of the values that findings speak of."""
    from gpuplanner_gui.drawing.answer_titles import TOTALS, english_title, title_of_name
    from gpuplanner_gui.drawing.numbers import SKIPPED

    for answer_type in _answer_types():
        file = answer_type.__module__.removeprefix("gpuplanner_gui.").replace(".", "/") + ".py"
        if issubclass(answer_type, msgspec.Struct):
            shown = [(one.type, english_title(one)) for one in fields_of(answer_type) if one.name not in SKIPPED]
        else:
            shown = [(hint, title_of_name(name)) for name, hint in _shown_hints(answer_type).items()]
        yield from (Source(title, file) for hint, title in shown if not _is_silent(hint))
        yield from (
            Source(title_of_name(name), file) for name in TOTALS if isinstance(vars(answer_type).get(name), property)
        )
    for name in _names_in_findings():
        yield Source(title_of_name(name), "engine/advisor")


def _names_in_findings() -> Iterator[str]:
    """Names of the values that the advisor's rules give to their findings."""
    for path in sorted((PACKAGE / "engine" / "advisor").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            keys = node.keys if isinstance(node, ast.Dict) else ()
            names = [key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
            yield from (name for name in names if name.isidentifier())


def _of_rules() -> Iterator[Source]:
    """What each rule of the advisor looks for, and names of the scenario's figures that answers lead to."""
    import inspect

    from gpuplanner_gui.drawing.answer_titles import title_of_name
    from gpuplanner_gui.engine.advisor.rules import RULES
    from gpuplanner_gui.engine.explaining.relations import COLUMN_RELATIONS, RELATIONS

    for rule in RULES:
        said = (inspect.getdoc(rule.look) or "").split("\n")[0]
        yield Source(said, rule.look.__module__.removeprefix("gpuplanner_gui.").replace(".", "/") + ".py")
    for relation in (*RELATIONS.values(), *COLUMN_RELATIONS.values()):
        for name in relation.inputs:
            if name.startswith("scenario:"):
                yield Source(
                    title_of_name(name.rpartition(".")[2].rpartition(":")[2]), "engine/explaining/relations.py"
                )


def _is_silent(hint: Any) -> bool:
    """Whether a field holds no number at all: a flag, or words."""
    return hint in (bool, str, tuple[str, ...]) or typing.get_origin(hint) is typing.Literal


def _described_fields() -> Iterator[tuple[str, Field]]:
    for struct_type in _shown_struct_types():
        file = struct_type.__module__.removeprefix("gpuplanner_gui.").replace(".", "/") + ".py"
        for field in fields_of(struct_type):
            yield file, field


def _of_fields() -> Iterator[Source]:
    for file, field in _described_fields():
        for text in (field.about.title, field.about.help, field.about.zero_means):
            if text:
                yield Source(text, file)


def _of_choices() -> Iterator[Source]:
    from gpuplanner_gui.drawing.words.choices import english_of_choice

    for file, field in _described_fields():
        for code in codes_of(field):
            if isinstance(code, str) and code:
                yield Source(english_of_choice(code), file)


def _of_catalog() -> Iterator[Source]:
    """Titles that the catalogue gives to what menus offer."""
    from gpuplanner_gui.files.shipped_tables import request_presets

    for preset in request_presets():
        yield Source(preset.title, "catalogs")


def _of_methods() -> Iterator[Source]:
    """The handbook's pages, but for what formulas cite, which is the same in every language."""
    from gpuplanner_gui.files.shipped_tables import methods

    for method in methods():
        for text in (method.title, *method.introduction, *method.evidence, *method.limits):
            yield Source(text, "resources/methods.json")


def _of_explanations() -> Iterator[Source]:
    """Names of formulas, and relations as far as they are words; symbols and citations are the same everywhere."""
    import gpuplanner_gui.engine
    from gpuplanner_gui.engine.explaining.formula import FORMULAS
    from gpuplanner_gui.engine.explaining.relations import COLUMN_RELATIONS, RELATIONS

    for module in pkgutil.walk_packages(gpuplanner_gui.engine.__path__, f"{gpuplanner_gui.engine.__name__}."):
        importlib.import_module(module.name)
    for key, formula in sorted(FORMULAS.items()):
        file = f"{key.rpartition('.')[0].removeprefix('gpuplanner_gui.').replace('.', '/')}.py"
        yield Source(formula.title, file)
        if not CITED.search(formula.source):
            yield Source(formula.source, file)
    for relation in (*RELATIONS.values(), *COLUMN_RELATIONS.values()):
        for text in (relation.expression, relation.source):
            if not SYMBOLS.search(text):
                yield Source(text, "engine/explaining/relations.py")
