"""Which editor a field gets: a table from the shape of its type to the widget, and what new values start with."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
from PySide6.QtWidgets import QVBoxLayout

from gpuplanner_gui.desktop.editors.base import Choice, Place, ValueEditor
from gpuplanner_gui.desktop.editors.choices_edit import MOST_CHIPS, ChipsEdit, ChoiceEdit, FlagEdit, PickManyEdit
from gpuplanner_gui.desktop.editors.number_edit import (
    COUNT,
    MONEY,
    NUMBER,
    QUANTITY,
    NumberEdit,
    NumberKind,
    SlidingEdit,
)
from gpuplanner_gui.desktop.editors.text_edit import FieldLine, NotesEdit, TextEdit, TypedEdit
from gpuplanner_gui.desktop.widgets.flow_layout import lay_out
from gpuplanner_gui.desktop.widgets.labels import WrappingLabel
from gpuplanner_gui.domain.economics import ExchangeRate, PriceOverride
from gpuplanner_gui.domain.estate import (
    EstateFuture,
    EstateHardware,
    EstatePool,
    EstateSite,
    EstateWorkload,
    HourClass,
    ReservationTerm,
    StandingUnits,
)
from gpuplanner_gui.domain.field import Field, problems_of
from gpuplanner_gui.domain.hardware import Pcie, ScaleUp
from gpuplanner_gui.domain.model import (
    Attention,
    AudioTower,
    CompressedAttention,
    CrossAttention,
    DenseFfn,
    LatentAttention,
    LayerGroup,
    LinearAttention,
    MoeFfn,
    SampleTraining,
    StateSpace,
    VisionTower,
)
from gpuplanner_gui.domain.price import PurchasePrice, RentalPrice
from gpuplanner_gui.domain.quantity import Money
from gpuplanner_gui.domain.scenario import OwnedStock
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload, Slo
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.typed_values import NotUnderstood, parse_number
from gpuplanner_gui.drawing.units import exact_quantity_text
from gpuplanner_gui.drawing.words.choices import words_of_choice


@dataclass(frozen=True)
class Shape:
    """A type taken apart: optional or not, then one of plain type, codes, structs, or a tuple of items."""

    is_optional: bool = False
    plain: type | None = None
    """bool, int, float, str or Money."""
    codes: tuple[str, ...] = ()
    structs: tuple[type[msgspec.Struct], ...] = ()
    item: Shape | None = None


@lru_cache(maxsize=512)
def shape_of(kind: Any) -> Shape:
    """Take a field's type apart. Raises TypeError for a type that no editor knows."""
    members = _members(kind)
    is_optional = type(None) in members
    members = tuple(member for member in members if member is not type(None))
    if len(members) == 1 and get_origin(members[0]) is Literal:
        return Shape(is_optional, codes=get_args(members[0]))
    if len(members) == 1 and get_origin(members[0]) is tuple:
        return Shape(is_optional, item=shape_of(get_args(members[0])[0]))
    if members[0] in (bool, int, float, str, Money):
        return Shape(is_optional, plain=members[0])
    if all(isinstance(member, type) and issubclass(member, msgspec.Struct) for member in members):
        return Shape(is_optional, structs=members)
    raise TypeError(kind)


def _members(kind: Any) -> tuple[Any, ...]:
    members = get_args(kind) if get_origin(kind) in (typing.Union, types.UnionType) else (kind,)
    # A text of a certain form, such as a date, is a text.
    return tuple(get_args(one)[0] if get_origin(one) is Annotated else one for one in members)


_WORDS = {
    "Attention": "Attention",
    "LatentAttention": "Latent attention (MLA)",
    "CompressedAttention": "Compressed attention",
    "LinearAttention": "Linear attention",
    "StateSpace": "State space (Mamba)",
    "DenseFfn": "Dense",
    "MoeFfn": "Mixture of experts",
    "AudioTower": "Present",
    "VisionTower": "Present",
    "CrossAttention": "Present",
    "DraftHead": "Present",
    "ScaleUp": "Present",
    "Pcie": "Present",
    "PurchasePrice": "Known",
    "RentalPrice": "Known",
    "Fp16AccumulateRates": "Stated",
    "SampleTraining": "Stated",
}


def variant_words(kind: type) -> str:
    return tr(_WORDS.get(kind.__name__, kind.__name__))


_ATTENTION = Attention(heads=32, kv_heads=8, head_dim=128)
_LAYERS = LayerGroup(count=32, mixer=_ATTENTION, ffn=DenseFfn(size=14_336))
_REQUESTS = RequestClass(peak_rate_per_s=10.0)

_STARTING: dict[type, Any] = {
    Attention: _ATTENTION,
    LatentAttention: LatentAttention(
        heads=128, q_lora_rank=1536, kv_lora_rank=512, qk_nope_head_dim=128, qk_rope_head_dim=64, value_head_dim=128
    ),
    CompressedAttention: CompressedAttention(heads=64, head_dim=512, q_lora_rank=1024),
    LinearAttention: LinearAttention(
        kind="gated_delta_net", key_heads=16, value_heads=32, key_head_dim=128, value_head_dim=128, conv_kernel=4
    ),
    StateSpace: StateSpace(kind="mamba2", inner_size=8192, state_size=128, heads=128, groups=8),
    CrossAttention: CrossAttention(heads=16, kv_heads=16, head_dim=64),
    DenseFfn: DenseFfn(size=14_336),
    MoeFfn: MoeFfn(experts=128, top_k=8, expert_size=1536),
    LayerGroup: _LAYERS,
    SampleTraining: SampleTraining(parameters=2_567_000_000, blocks=20, kept_bytes=7.3e9),
    AudioTower: AudioTower(
        hidden_size=1280,
        layers=(
            LayerGroup(
                count=32,
                mixer=Attention(heads=20, kv_heads=20, head_dim=64, causal=False, cached=False),
                ffn=DenseFfn(size=5120, gated=False),
            ),
        ),
    ),
    VisionTower: VisionTower(
        hidden_size=1152,
        layers=(
            LayerGroup(
                count=27,
                mixer=Attention(heads=16, kv_heads=16, head_dim=72, causal=False, cached=False),
                ffn=DenseFfn(size=4304, gated=False),
            ),
        ),
    ),
    Slo: Slo(metric="ttft", percentile=95.0, limit_s=1.0),
    RequestClass: _REQUESTS,
    ServingWorkload: ServingWorkload(classes=(_REQUESTS,)),
    TrainingWorkload: TrainingWorkload(tokens=1e9),
    ExchangeRate: ExchangeRate(currency="EUR", usd_per_unit=1.1),
    PriceOverride: PriceOverride(accelerator=""),
    OwnedStock: OwnedStock(accelerator=""),
    Money: Money(1.0),
    ScaleUp: ScaleUp(name="NVLink", bytes_per_s_per_direction=450e9, domain_size=8),
    Pcie: Pcie(generation=5, lanes=16, bytes_per_s_per_direction=63.015e9),
    PurchasePrice: PurchasePrice(usd=30_000.0, confidence="user"),
    RentalPrice: RentalPrice(on_demand_usd_per_h=3.0, confidence="user"),
    EstateWorkload: EstateWorkload(scenario=""),
    EstateHardware: EstateHardware(name="Node", accelerator=""),
    EstatePool: EstatePool(name="Pool"),
    EstateSite: EstateSite(name="Site"),
    EstateFuture: EstateFuture(name="own", probability=0.25),
    StandingUnits: StandingUnits(hardware="", units=1),
    ReservationTerm: ReservationTerm(months=12, usd_per_device_hour=2.0),
    HourClass: HourClass(name="weekend", hours_per_day=2.0),
}

_NOT_SHARED = {"other_parameters"}
"""Fields that mean something else in each kind."""


def starting_value(struct_type: type[msgspec.Struct], like: Any = None) -> Any:
    """A new value; fields of the same name and type are taken over from `like`, which is replaced by it."""
    value = _STARTING.get(struct_type)
    if value is None:
        value = struct_type()
    return _with_shared_fields(value, like) if isinstance(like, msgspec.Struct) else value


def _with_shared_fields(value: Any, like: msgspec.Struct) -> Any:
    """The new value with all fields of the old one that fit its types and bounds; a field of the same name may have
    others."""
    for name in value.__struct_fields__:
        if name not in like.__struct_fields__ or name in _NOT_SHARED:
            continue
        taken = getattr(like, name)
        if type(taken) is type(getattr(value, name)) and not isinstance(taken, str):
            tried = msgspec.structs.replace(value, **{name: taken})
            value = value if problems_of(tried) else tried
    return value


MOST_NUMBERS = 1000


class NumbersEdit(TypedEdit):
    """Numbers between blanks; keeps what was typed until it can be read."""

    def __init__(self, place: Place) -> None:
        super().__init__(place, FieldLine)
        self._value: tuple[float, ...] = ()
        self.line.setPlaceholderText(tr("not set"))
        self.line.given_up.connect(self._restore)
        self.line.left.connect(self._on_editing_finished)

    def show_value(self, value: Any) -> None:
        if tuple(value) != self._value or not self.line.isModified():
            self._value = tuple(value)
            self._restore()

    def kept_text(self) -> str:
        return " ".join(exact_quantity_text(number) for number in self._value)

    def _restore(self) -> None:
        self.line.show_text(self.kept_text())
        self._set_problem("")

    def _on_editing_finished(self) -> None:
        if not self.line.isModified():
            return
        words = self.line.text().replace(";", " ").replace(", ", " ").split()
        try:
            value = tuple(parse_number(word, "") for word in words[:MOST_NUMBERS])
        except NotUnderstood as problem:
            self._set_problem(f"{problem.why} {tr('Enter numbers separated by spaces: 1 2.5 3.')}")
            return
        problem_text = self._place.check(value)
        if problem_text:
            self._set_problem(problem_text)
            return
        is_new = value != self._value
        self._value = value
        self._restore()
        if is_new:
            self.edited.emit("", value)


@dataclass(frozen=True)
class Asked:
    """A request for an editor: the field and its type."""

    place: Place
    field: Field
    shape: Shape


Maker = Callable[[Asked], ValueEditor]


class TextsView(ValueEditor):
    """Texts that an import left, to read."""

    is_wide = True

    def __init__(self) -> None:
        super().__init__()
        self.label = WrappingLabel(parent=self, name="quiet")
        lay_out(QVBoxLayout(self), self.label, margins=(0, 0, 0, 0))

    def show_value(self, value: Sequence[str]) -> None:
        self.label.setText("\n".join(value) or tr("nothing"))


def _number(kind: NumberKind) -> Maker:
    def made(asked: Asked) -> ValueEditor:
        about = asked.field.about
        if about.slides:
            return SlidingEdit(asked.place, kind, about, asked.shape.is_optional)
        return NumberEdit(asked.place, kind, about, asked.shape.is_optional)

    return made


def _choice(asked: Asked) -> ValueEditor:
    codes = asked.shape.codes or asked.field.about.choices
    return ChoiceEdit(lambda: [(code, words_of_choice(code)) for code in codes], _none_text(asked))


def _catalogue_choice(asked: Asked) -> ValueEditor:
    place = asked.place

    def choices() -> Sequence[Choice]:
        known = place.choices()
        has_none = any(code == "" for code, _ in known)
        return [("", tr("Default")), *known] if asked.field.default == "" and not has_none else known

    editor = ChoiceEdit(choices)
    place.surroundings.changed.connect(editor.refresh_choices)
    return editor


def _chips(asked: Asked) -> ValueEditor:
    codes = asked.shape.item.codes if asked.shape.item else ()
    return ChipsEdit([(code, words_of_choice(code)) for code in codes], tr(asked.field.about.title))


def _pick_many(asked: Asked) -> ValueEditor:
    place = asked.place
    if 0 < len(place.choices()) <= MOST_CHIPS:
        return ChipsEdit(place.choices(), tr(asked.field.about.title))
    editor = PickManyEdit(place.choices, tr("Any"), tr(asked.field.about.title))
    place.surroundings.changed.connect(editor.refresh_choices)
    return editor


def _text(asked: Asked) -> ValueEditor:
    return NotesEdit() if asked.field.name == "notes" else TextEdit(asked.place, asked.shape.is_optional)


def _none_text(asked: Asked) -> str:
    return tr("not set") if asked.shape.is_optional else ""


def _is_numbers(asked: Asked) -> bool:
    return asked.shape.item is not None and asked.shape.item.plain is float


def _is_texts(asked: Asked) -> bool:
    return asked.shape.item is not None and asked.shape.item.plain is str


LEAVES: tuple[tuple[Callable[[Asked], bool], Maker], ...] = (
    (lambda asked: asked.field.is_quantity, _number(QUANTITY)),
    (lambda asked: asked.shape.plain is bool, lambda asked: FlagEdit()),
    (lambda asked: asked.shape.plain is int, _number(COUNT)),
    (lambda asked: asked.shape.plain is float, _number(NUMBER)),
    (lambda asked: asked.shape.plain is Money, _number(MONEY)),
    (lambda asked: bool(asked.shape.codes or asked.field.about.choices), _choice),
    (lambda asked: asked.shape.plain is str and asked.place.has_choices, _catalogue_choice),
    (lambda asked: asked.shape.plain is str, _text),
    (lambda asked: asked.shape.item is not None and bool(asked.shape.item.codes), _chips),
    (_is_numbers, lambda asked: NumbersEdit(asked.place)),
    (lambda asked: _is_texts(asked) and asked.place.has_choices, _pick_many),
    (_is_texts, lambda asked: TextsView()),
)
"""The first that fits is taken."""


def leaf_editor(place: Place, field: Field) -> ValueEditor | None:
    """An editor for a field that holds no struct; None for one that does."""
    is_optional = type(None) in get_args(field.type)
    asked = Asked(place, field, Shape(is_optional) if field.is_quantity else shape_of(field.type))
    return next((make(asked) for fits, make in LEAVES if fits(asked)), None)
