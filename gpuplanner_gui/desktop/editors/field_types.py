"""What a field's type says about its editor: its shape, the words for its variants, and what it starts with."""

from __future__ import annotations

import types
import typing
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

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
from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.domain.hardware import Pcie, ScaleUp
from gpuplanner_gui.domain.model import (
    Attention,
    CompressedAttention,
    CrossAttention,
    DenseFfn,
    LatentAttention,
    LayerGroup,
    LinearAttention,
    MoeFfn,
    StateSpace,
    VisionTower,
)
from gpuplanner_gui.domain.price import PurchasePrice, RentalPrice
from gpuplanner_gui.domain.quantity import Money
from gpuplanner_gui.domain.scenario import OwnedStock
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload, Slo
from gpuplanner_gui.drawing.language import tr


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
    "VisionTower": "Present",
    "CrossAttention": "Present",
    "ScaleUp": "Present",
    "Pcie": "Present",
    "PurchasePrice": "Known",
    "RentalPrice": "Known",
    "Fp16AccumulateRates": "Stated",
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
    """What fits the new value's types and bounds is taken over; a field of the same name may have others."""
    for name in value.__struct_fields__:
        if name not in like.__struct_fields__ or name in _NOT_SHARED:
            continue
        taken = getattr(like, name)
        if type(taken) is type(getattr(value, name)) and not isinstance(taken, str):
            tried = msgspec.structs.replace(value, **{name: taken})
            value = value if problems_of(tried) else tried
    return value
