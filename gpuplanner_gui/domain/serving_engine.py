"""What a serving engine adds to the kernels: host time, memory, its start; what device families and software do."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import msgspec

from gpuplanner_gui.domain.field import about


class StackSoftware(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Inference software as published tables name it, by generation where generations differ."""

    software: Annotated[str, about("Software")]
    engine: Annotated[str, about("Engine", "", "Whose facts it starts from.")]
    aliases: Annotated[tuple[str, ...], about("Names", "", "Words of a published engine's name.")]
    versions: Annotated[tuple[str, ...], about("Versions", "", "Their beginnings; empty: any.")] = ()
    serves_samples_of: Annotated[
        tuple[str, ...], about("Samples of", "", "Engines for whose requests without tokens it stands.")
    ] = ()
    splits_layers: Annotated[
        bool, about("Splits layers", "", "Devices hold layers of their own instead of parts of each.")
    ] = False


class StackFamily(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Devices that the same software treats alike."""

    family: Annotated[str, about("Family")]
    architectures: Annotated[tuple[str, ...], about("Architectures", "", "Beginnings of their names.")] = ()
    kinds: Annotated[tuple[str, ...], about("Kinds", "", "Of device; empty: any.")] = ()
    memory: Annotated[tuple[str, ...], about("Memory", "", "Beginnings of its kind's name; empty: any.")] = ()


class StackEffect(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Logarithms by which parameters differ from the usual where all that is named holds; empty: holds everywhere."""

    software: Annotated[str, about("Software")] = ""
    family: Annotated[str, about("Family")] = ""
    kind: Annotated[str, about("Kind of model")] = ""
    is_narrow: Annotated[bool, about("Narrow weights", "", "Only where weights have fewer than 16 bits.")] = False
    logs: Annotated[dict[str, float], about("Logarithms", "", "By parameter.")] = {}


class StackBand(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Logarithm of measured over predicted, 10th and 90th percentile, in groups that a fit had not seen."""

    load: Annotated[str, about("Load", "", "Empty: any.")] = ""
    quantity: Annotated[str, about("Quantity", "", "prefill, decode, whole, memory; empty: any.")] = ""
    is_known: Annotated[bool | None, about("Software known on the family", "", "None: either.")] = None
    low: Annotated[float, about("10th percentile")]
    high: Annotated[float, about("90th percentile")]
    rows: Annotated[int, about("Rows", minimum=0)]


class InferenceStacks(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All stacks; `usual` holds the parameters' values where no effect applies."""

    software: tuple[StackSoftware, ...]
    families: tuple[StackFamily, ...]
    usual: Annotated[dict[str, float], about("Usual values", "", "By parameter, above 0.")]
    effects: tuple[StackEffect, ...] = ()
    bands: tuple[StackBand, ...] = ()
    sources: Annotated[tuple[str, ...], about("Sources")] = ()
    date: Annotated[str, about("As of")] = ""

    def sample_software(self, engine: str) -> str:
        """What works on requests without tokens where an engine was chosen: its vendor's software, or the engine."""
        return next((one.software for one in self.software if engine in one.serves_samples_of), engine)

    def software_named(self, name: str, version: str) -> StackSoftware | None:
        """The entry for a published name and version; the one with the longest name, then version, that fits."""
        best, length = None, (-1, -1)
        words = f" {_plain(name)} "
        for entry in self.software:
            known = [len(alias) for alias in entry.aliases if f" {_plain(alias)} " in words]
            stated = [len(start) for start in entry.versions if version.startswith(start)]
            if known and (stated or not entry.versions) and (max(known), max(stated, default=0)) > length:
                best, length = entry, (max(known), max(stated, default=0))
        return best

    def family_of(self, architecture: str, kind: str, memory: str) -> str:
        """The first family that a device belongs to; empty where none fits."""
        for entry in self.families:
            fits = not entry.architectures or architecture.startswith(entry.architectures)
            fits = fits and (not entry.kinds or kind in entry.kinds)
            if fits and (not entry.memory or memory.startswith(entry.memory)):
                return entry.family
        return ""


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    return " ".join("".join(letter if letter.isalnum() else " " for letter in text.lower()).split())


class OlderRelease(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What releases before one did otherwise: how they scheduled, and the host time that their engine took."""

    before: Annotated[str, about("Before", "", "The first release that is not meant, as 0.8.")]
    before_year: Annotated[
        float, about("Before, by date", "", "When that came out, for runs that are dated alone.", minimum=0)
    ] = 0.0
    mixes_prefill: Annotated[bool, about("Mixed steps", "", "Prompts ride on decode steps.")] = True
    captured_tokens: Annotated[int, about("Captured prompts", "tok", "As of later releases.", minimum=0)] = 0
    max_sequences: Annotated[int, about("Largest batch", "seq", "By default.", minimum=1)] = 1024
    decode_step_host_s: Annotated[float, about("Host time of a decode step", "s", minimum=0)] = 0.0
    layer_host_s: Annotated[
        float, about("Host time per layer of a decode step", "s", "Beside that of later releases.", minimum=0)
    ] = 0.0
    sequence_host_s: Annotated[float, about("Host time per sequence of a step", "s", minimum=0)] = 0.0
    delivery_steps: Annotated[
        float,
        about("Delivery", "", "Steps that a first token takes to its client; one process does it all.", minimum=0),
    ] = 0.0


class EngineFacts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Overheads of one engine, each with its source in `sources`.

    Factors multiply what kernels and collectives took when they were timed alone. Host times and factors of floors are
    those of `reference_year`; they fall by `yearly_gain` with each later year's releases.
    """

    engine: Annotated[str, about("Engine", "", "A plan's engines, and those that published results come from.")]
    name: Annotated[str, about("Name")]
    aliases: Annotated[tuple[str, ...], about("Other names", "", "As published tables write it.")] = ()
    stands_for: Annotated[
        tuple[str, ...], about("Stands for", "", "Software without facts of its own that works most like it.")
    ] = ()

    product_launch: Annotated[
        float, about("Floors of products kept", "", "Below 1 where graphs or fusion hide launches.", minimum=0)
    ] = 1.0
    attention_launch: Annotated[float, about("Floors of attention kept", minimum=0)] = 1.0
    expert_launch: Annotated[float, about("Floors of experts kept", minimum=0)] = 1.0
    small_launch: Annotated[float, about("Floors of small kernels kept", minimum=0)] = 1.0
    collective_factor: Annotated[
        float, about("Collectives of a decode step", "", "Above 1 where ranks wait for each other.", minimum=0)
    ] = 1.0
    exchange_factor: Annotated[
        float, about("Exchange with experts in a decode step", "", "Below 1 where it hides behind kernels.", minimum=0)
    ] = 1.0
    prefill_factor: Annotated[float, about("Kernels of a prefill", minimum=0)] = 1.0
    prefill_collective_factor: Annotated[float, about("Collectives of a prefill", minimum=0)] = 1.0

    decode_step_host_s: Annotated[
        float, about("Host time of a decode step", "s", "Not hidden behind kernels.", minimum=0)
    ] = 0.0
    decode_layer_host_s: Annotated[
        float, about("Small kernels per layer", "s", "What timed kernels leave out.", minimum=0)
    ] = 0.0
    expert_layer_host_s: Annotated[
        float, about("Small kernels per layer of experts", "s", "Routing beyond the timed kernels.", minimum=0)
    ] = 0.0
    complex_layer_host_s: Annotated[
        float, about("Small kernels per complex layer", "s", "Latent attention and recurrent layers.", minimum=0)
    ] = 0.0
    sequence_host_s: Annotated[float, about("Host time per sequence of a step", "s", minimum=0)] = 0.0
    prefill_step_host_s: Annotated[float, about("Host time of a prefill step", "s", minimum=0)] = 0.0
    prefill_layer_host_s: Annotated[
        float, about("Host time per layer of a prefill step", "s", "Hidden while the kernels take longer.", minimum=0)
    ] = 0.0
    prefill_complex_layer_host_s: Annotated[
        float, about("Host time per complex layer of a prefill", "s", "Besides that of every layer.", minimum=0)
    ] = 0.0
    captured_tokens: Annotated[
        int, about("Captured prompts", "tok", "Steps with prompts run from graphs up to so many tokens.", minimum=0)
    ] = 0
    captured_launch_share: Annotated[
        float,
        about("Launches left by captures", "", "Of a prefill's: attention stays out.", minimum=0, maximum=1),
    ] = 1.0
    request_host_s: Annotated[
        float, about("Host time of a request", "s", "Arrival to first step, and the reply.", minimum=0)
    ] = 0.0
    prompt_token_host_s: Annotated[float, about("Host time per prompt token", "s", "Tokenising.", minimum=0)] = 0.0
    admission_steps: Annotated[
        float, about("Steps until a prompt is taken in", "", "Half a step where engines look each step.", minimum=0)
    ] = 0.5
    reserves_answers: Annotated[
        bool, about("Reserves answers", "", "A request starts when its whole answer has room in the cache.")
    ] = False
    mixes_prefill: Annotated[
        bool, about("Mixed steps", "", "Prompts ride on decode steps; else they have steps of their own.")
    ] = True
    experts_over_all: Annotated[
        bool, about("Experts over all", "", "Expert parallelism spans all devices of a replica, or there is none.")
    ] = False

    delivery_steps: Annotated[
        float, about("Delivery", "", "Steps that a first token takes to its client.", minimum=0)
    ] = 0.0
    older: Annotated[
        tuple[OlderRelease, ...], about("Older releases", "", "Oldest first, where runs of them are known.")
    ] = ()

    token_budget: Annotated[int, about("Token budget", "tok", "Of a step, by default.", minimum=16)] = 8192
    max_sequences: Annotated[int, about("Largest batch", "seq", "By default.", minimum=1)] = 1024
    pool_group_time: Annotated[
        float,
        about(
            "Groups that wait in pools",
            "",
            "Time of a decode pool's step with attention in groups, whose loads differ, over equal ones.",
            above=0,
        ),
    ] = 1.0
    pool_four_bit_time: Annotated[
        float,
        about(
            "Experts in 4 bits in pools",
            "",
            "Time of a decode pool's step with them over what kernels timed alone make of it.",
            above=0,
        ),
    ] = 1.0
    draft_acceptance: Annotated[
        float,
        about("Drafts accepted", "", "Chance of a drafted token if the one before was.", minimum=0, maximum=1),
    ] = 0.75
    pool_entry_s: Annotated[
        float,
        about("Between pools", "s", "Router, cache transfer and start of a prompt with separate pools.", minimum=0),
    ] = 0.05

    log_sd: Annotated[float, about("Spread of step times", "", "Standard deviation of the logarithm.", minimum=0)]
    memory_fraction: Annotated[float, about("Memory fraction", "", "Of device memory, by default.", above=0, maximum=1)]
    activation_per_token: Annotated[
        float,
        about(
            "Activation factor", "", "Times hidden size and 2 bytes, per token of the budget, one device.", minimum=0
        ),
    ]
    activation_per_token_moe: Annotated[float, about("Activation factor, experts", minimum=0)]
    activation_parallel_exponent: Annotated[
        float,
        about("Activation cut by tensor parallelism", "", "Factor falls as TP to minus this.", minimum=0, maximum=1),
    ]
    runtime_bytes: Annotated[float, about("Context and workspace", "bytes", "One device alone.", minimum=0)]
    parallel_runtime_bytes: Annotated[
        float, about("Communication buffers", "bytes", "With tensor parallelism.", minimum=0)
    ]
    graph_bytes: Annotated[float, about("Captured graphs", "bytes", minimum=0)]
    sources: Annotated[tuple[str, ...], about("Sources")]
    date: Annotated[str, about("As of")]


class DeviceFamily(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How kernels do on devices of one family while serving, against what was timed on them or on their relatives."""

    family: Annotated[str, about("Family")]
    ecosystems: Annotated[tuple[str, ...], about("Software ecosystems", "", "Any of them; empty: all.")] = ()
    architectures: Annotated[tuple[str, ...], about("Architectures", "", "Beginnings of their names; empty: all.")] = ()
    compute_time: Annotated[float, about("Time bound by compute", "", "Factor.", above=0)] = 1.0
    memory_time: Annotated[float, about("Time bound by bandwidth", "", "Factor.", above=0)] = 1.0
    product_launch: Annotated[float, about("Floors of products", "", "Factor.", above=0)] = 1.0
    attention_launch: Annotated[float, about("Floors of attention", "", "Factor.", above=0)] = 1.0
    expert_launch: Annotated[float, about("Floors of experts", "", "Factor.", above=0)] = 1.0
    small_launch: Annotated[float, about("Floors of small kernels", "", "Factor.", above=0)] = 1.0
    counted_parts: Annotated[
        int, about("Parts", "", "Of a device, that its software's parallel sizes count each.", minimum=1)
    ] = 1
    sources: Annotated[tuple[str, ...], about("Sources")] = ()
    date: Annotated[str, about("As of")] = ""
