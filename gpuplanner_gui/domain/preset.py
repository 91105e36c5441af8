"""Values to begin with: owners' terms, spreads of inputs, usual requests, and lengths of well-known workloads.

And answers of the guided start, in the order in which they decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, get_args

import msgspec

from gpuplanner_gui.domain.economics import Economics, Procurement
from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.price import SourcedFigure
from gpuplanner_gui.domain.quantity import Lognormal, Normal, Quantity, Range, Triangular, central
from gpuplanner_gui.domain.traffic import READING_TIME_S, Traffic
from gpuplanner_gui.domain.training_workload import TrainingMethod, TrainingWorkload
from gpuplanner_gui.domain.workload import RequestClass, RequestKind, ServingEngine

SitePlace = Literal["data_centre", "office", "home", "cloud"]


class EconomicsPreset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What owning costs a kind of owner; every figure with its source."""

    id: Annotated[str, about("Identifier")]
    title: Annotated[str, about("Name")]
    place: Annotated[
        SitePlace | None, about("Place", "", "Where such an owner's devices stand, in the guided start.")
    ] = None
    ownership: Annotated[dict[str, SourcedFigure], about("Ownership", "", "By field name of `Ownership`.")]
    site: Annotated[dict[str, SourcedFigure], about("Site", "", "By field name of `Site`.")]

    def applied_to(self, economics: Economics) -> Economics:
        """The money section with the preset's figures in place of its own; what the preset lacks stays."""
        ownership = {name: figure.value for name, figure in self.ownership.items()}
        site = {name: figure.value for name, figure in self.site.items()}
        return msgspec.structs.replace(
            economics,
            ownership=msgspec.structs.replace(economics.ownership, **ownership),
            site=msgspec.structs.replace(economics.site, **site),
        )


class ResourceSplit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a machine's price divides among compute, bandwidth, memory capacity, interconnect, host and storage."""

    device_share_of_node: Annotated[SourcedFigure, about("Devices", "", "As a share of the node's price.")]
    scale_up_share_of_node: Annotated[SourcedFigure, about("Scale-up links", "", "As a share of the node's price.")]
    scale_out_share_of_node: Annotated[SourcedFigure, about("NICs", "", "As a share of the node's price.")]
    memory_share_of_device: Annotated[SourcedFigure, about("Memory", "", "As a share of the device's price.")]
    capacity_share_of_memory: Annotated[
        SourcedFigure,
        about("Capacity", "", "What the same amount of ordinary memory costs; the rest pays for bandwidth."),
    ]

    def centrals(self) -> dict[str, float]:
        return {name: central(getattr(self, name).value) for name in self.__struct_fields__}


class CostAssumptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What stands in where neither catalogue nor planner knows."""

    host_power_share: Annotated[
        SourcedFigure,
        about("Power of the host", "", "Power of host, NICs and fans, relative to the accelerators' rated power."),
    ]
    host_price_share: Annotated[
        SourcedFigure,
        about("Price of the host", "", "Price of the rest of a server, relative to the price of its accelerators."),
    ]
    recomputed_cached_share: Annotated[
        SourcedFigure,
        about("Cached prompt tokens recomputed", "", "Share of the prompt tokens found in the prefix cache."),
    ]
    full_fabric_bytes_per_s: Annotated[
        SourcedFigure, about("Full network", "bytes/s", "Rate per device that the owner's network price pays for.")
    ]
    plain_network_usd_per_device: Annotated[
        SourcedFigure,
        about("Plain network port", "USD", "Price of a port; enough for a service whose replicas fit in one node."),
    ]
    fabric_switch_share: Annotated[
        SourcedFigure,
        about("Switches' share of a fabric", "", "Share of a full fabric's price; the rest pays for links."),
    ]

    def figure(self, name: str) -> float:
        """Central value of a figure. Raises AttributeError for an unknown name."""
        return central(getattr(self, name).value)


class EnergyRegion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What electricity costs and emits in a country or state."""

    id: Annotated[str, about("Identifier")]
    title: Annotated[str, about("Region")]
    grid_g_co2e_per_kwh: Annotated[SourcedFigure | None, about("Grid carbon", "g/kWh")] = None
    electricity_usd_per_kwh: Annotated[SourcedFigure | None, about("Electricity", "USD/kWh")] = None


class EconomicsPresets(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file of presets that ships."""

    presets: Annotated[tuple[EconomicsPreset, ...], about("Owners")]
    assumptions: Annotated[CostAssumptions, about("Where nothing is known")]
    resource_split: Annotated[ResourceSplit, about("Price by resource")]
    regions: Annotated[tuple[EnergyRegion, ...], about("Regions")]


Spread = Literal["absolute", "factor", "offset", "share"]
"""The distribution is of the value itself, of a factor on the planner's value, or of an amount added to it; or of a
share of a whole, which is spread in proportion to it or to the rest, whichever allows less."""


class UncertaintyDefault(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A usual distribution of one input."""

    id: Annotated[str, about("Identifier")]
    title: Annotated[str, about("Name")]
    applies_to: Annotated[tuple[str, ...], about("Inputs", "", "Fields or engine inputs that it applies to.")]
    spread: Annotated[Spread, about("Kind of spread", choices=("absolute", "factor", "offset", "share"))]
    distribution: Annotated[SourcedFigure, about("Distribution")]

    def around(self, value: Quantity) -> Quantity:
        """The distribution for a central value; an absolute one does not depend on it."""
        spread = self.distribution.value
        middle = central(value)
        if self.spread == "absolute":
            return spread
        if self.spread == "share":
            own = central(spread)
            width = min(middle / own, (1.0 - middle) / (1.0 - own))
            return shifted(scaled(spread, width), middle - width * own)
        return scaled(spread, middle) if self.spread == "factor" else shifted(spread, middle)


class Correlation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two inputs that move together."""

    first: Annotated[str, about("Input")]
    second: Annotated[str, about("With")]
    correlation: Annotated[float, about("Correlation", minimum=-0.99, maximum=0.99)]
    source: Annotated[str, about("Source")]


class UncertaintyDefaults(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file of defaults that ships."""

    highest_training_mfu: Annotated[
        SourcedFigure, about("Highest MFU", "share", "No simulated training run exceeds this MFU.")
    ]
    inputs: Annotated[tuple[UncertaintyDefault, ...], about("Inputs")]
    correlations: Annotated[tuple[Correlation, ...], about("Correlations")]


def scaled(spread: Quantity, factor: float) -> Quantity:
    """A quantity with every value multiplied; the kind of distribution stays."""
    match spread:
        case Range(low=low, high=high):
            return Range(low * factor, high * factor)
        case Triangular(low=low, mode=mode, high=high):
            return Triangular(low * factor, mode * factor, high * factor)
        case Normal(mean=mean, sd=sd):
            return Normal(mean * factor, sd * abs(factor))
        case Lognormal(median=median, sigma=sigma):
            return Lognormal(median * factor, sigma)
        case _:
            return float(spread) * factor


def shifted(spread: Quantity, amount: float) -> Quantity:
    """A quantity moved by an amount. Raises ValueError for a lognormal one, whose spread is a factor."""
    match spread:
        case Range(low=low, high=high):
            return Range(low + amount, high + amount)
        case Triangular(low=low, mode=mode, high=high):
            return Triangular(low + amount, mode + amount, high + amount)
        case Normal(mean=mean, sd=sd):
            return Normal(mean + amount, sd)
        case Lognormal():
            raise ValueError("a lognormal spread is a factor, not an offset")
        case _:
            return float(spread) + amount


class RequestPreset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Lengths and targets of a kind of traffic, with where they come from."""

    id: Annotated[str, about("Identifier")]
    title: Annotated[str, about("Name")]
    source: Annotated[str, about("Source")]
    date: Annotated[str, about("As of")]
    request_class: Annotated[RequestClass, about("Request class")]


class RequestPresets(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file of presets that ships."""

    presets: Annotated[tuple[RequestPreset, ...], about("Presets")]


class ReferenceWorkload(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Mean lengths of one workload; `models` empty: any. A source is a beginning or part of the table's source."""

    workload: Annotated[str, about("Workload")]
    models: Annotated[tuple[str, ...], about("Models", "", "Catalogue identifiers; empty: any.")] = ()
    sources: Annotated[tuple[str, ...], about("Sources")] = ()
    prompt_tokens: Annotated[float, about("Prompt", "tok", minimum=0)]
    output_tokens: Annotated[float, about("Answer", "tok", above=0)]
    output_spread: Annotated[float, about("Spread of answers", "", "Coefficient of variation.", minimum=0)] = 0.0
    beam_width: Annotated[int, about("Beams", minimum=1)] = 1
    sample_flop: Annotated[float, about("FLOPs per sample", "FLOP", "0: the model's own figure.", minimum=0)] = 0.0
    counts_tokens: Annotated[bool, about("Throughput in tokens")] = False
    origin: Annotated[str, about("Origin")]


class ReferenceWorkloads(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of them, the more special first; the last fits any row."""

    workloads: tuple[ReferenceWorkload, ...]


Variation = Literal["steady", "daily", "bursty", "people", "batch"]
VARIATIONS: tuple[Variation, ...] = get_args(Variation)

TRAINING_OF_TASK: dict[str, TrainingMethod] = {
    "fine-tune": "full_fine_tune", "pretrain": "pretraining", "both": "full_fine_tune",
}  # fmt: skip
"""What is trained, and from where, in each task that trains."""
FINE_TUNING: tuple[TrainingMethod, ...] = ("full_fine_tune", "lora", "qlora")
TASKS = ("serve", *TRAINING_OF_TASK)
SERVING_TASKS = ("serve", "both")


class WholeAnswer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Requests of models that write no text: what they are called, and when one is answered."""

    request: Annotated[RequestKind, about("Kind")]
    name: Annotated[str, about("Name")]
    limit: Annotated[SourcedFigure, about("Answered within", "s")]


class GuidedFigures(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the guided start takes for usual until a planner says more."""

    fine_tuning_sequences: Annotated[SourcedFigure, about("Sequences of a step of fine-tuning")]
    fine_tuning_samples: Annotated[SourcedFigure, about("Samples of a fine-tuning run of a model without tokens")]
    first_tokens: Annotated[SourcedFigure, about("Tokens of a run", "tok")]
    pretraining_samples: Annotated[SourcedFigure, about("Samples of a run from scratch of a model without tokens")]
    pretraining_samples_per_step: Annotated[SourcedFigure, about("Samples of a step of such a run")]
    home_availability: Annotated[SourcedFigure, about("Availability at home", "share")]
    home_circuit_kw: Annotated[SourcedFigure, about("Power of one circuit at home", "kW")]
    whole_answers: Annotated[
        tuple[WholeAnswer, ...], about("Answers that are no text", "", "Those tried first, first.")
    ]


GuidedCode = Literal[
    "fits_one", "fits_one_narrow", "fits_one_published", "needs_several", "needs_several_published", "fit_unknown",
    "fit_trained",
    "latency_bound", "throughput_bound", "deadline_bound",
    "load_steady", "load_daily", "load_bursty", "load_people", "load_batch",
    "owned_first", "owned_for_run", "licensed_only", "one_circuit",
    "paid_as_said", "bought", "rented_for_hours", "rented_for_batch", "rented_for_run", "reserved",
    "restartable", "must_not_stop", "spare_kept",
]  # fmt: skip


def guided_training(
    method: TrainingMethod, model: Model, figures: GuidedFigures, sequence: int | None = None
) -> TrainingWorkload:
    """The run that a method usually is; fine-tuning takes far smaller batches than pretraining.

    A model without layers of tokens (pictures, videos) counts samples; one of short contexts gets no longer sequences.
    """
    is_tuned = method in FINE_TUNING
    amount = figures.first_tokens
    if not model.layers:
        amount = figures.fine_tuning_samples if is_tuned else figures.pretraining_samples
    made = TrainingWorkload(method=method, tokens=amount.value)
    longest = min(made.sequence_length, model.max_context or made.sequence_length)
    made = msgspec.structs.replace(made, sequence_length=longest if sequence is None else sequence)
    batch = made.global_batch_tokens
    if is_tuned:
        batch = round(central(figures.fine_tuning_sequences.value)) * (made.sequence_length if model.layers else 1)
    elif not model.layers:
        batch = round(central(figures.pretraining_samples_per_step.value))
    return msgspec.structs.replace(made, global_batch_tokens=batch)


GUIDED_DEMAND = Traffic(think_time_s=READING_TIME_S)
"""What people and batches are until a planner says more: a user who never pauses is a load test."""


@dataclass(frozen=True, kw_only=True)
class OwnedDevices:
    """A fleet that is there already."""

    accelerator: str
    """Identifier in the catalogue."""
    count: int


@dataclass(frozen=True, kw_only=True)
class GuidedAnswers:
    """What a planner said: what runs, how fast it must answer, how its load varies, whether it may stop."""

    model: Model
    requests: RequestClass | None = None
    """None: nothing is served. Without targets, throughput is what counts."""
    training: TrainingWorkload | None = None
    variation: Variation = "daily"
    demand: Traffic = GUIDED_DEMAND
    """Users and their think time, requests of a batch and its time: what people and batches are asked besides."""
    may_stop: bool = False
    """Interruptions are bearable: training goes on from a checkpoint, requests are sent again."""
    place: SitePlace | None = None
    """Where the devices stand; None: anywhere."""
    owner: EconomicsPreset | None = None
    """What owning costs there; None: as in a data centre."""
    owned: OwnedDevices | None = None
    """They are used first; more of the kind are added where they are too few, bought unless said otherwise."""
    procurement: Procurement | None = None
    """How devices are paid for; None: what the other answers suggest."""
    engine: ServingEngine | None = None
    """What answers the requests; None: what can run the model."""


@dataclass(frozen=True)
class GuidedStep:
    """What one answer decides, as a code and its values."""

    question: int
    """0 fit, 1 latency, 2 variation, 3 hardware, 4 restart."""
    code: GuidedCode
    values: dict[str, float]
