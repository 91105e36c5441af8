"""What a serving engine adds to the kernels: host time, memory, its start; what device families and software do.

And which number formats engines run, unpack or refuse, on which accelerators; with sources.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import Annotated, Literal, get_args

import msgspec

from gpuplanner_gui.domain.field import about


class StackSoftware(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Inference software as published tables name it, by generation where generations differ."""

    software: Annotated[str, about("Software")]
    engine: Annotated[str, about("Engine", "", "Engine whose facts it starts from.")]
    aliases: Annotated[tuple[str, ...], about("Names", "", "Words that identify it in a published engine's name.")]
    versions: Annotated[tuple[str, ...], about("Versions", "", "Beginnings of the version; empty: any.")] = ()
    serves_samples_of: Annotated[
        tuple[str, ...], about("Samples of", "", "Engines whose own requests without tokens were not measured.")
    ] = ()
    serves_tokens_of: Annotated[
        tuple[str, ...],
        about("Tokens of", "", "Engines without a fit of their own, whose steps take as long as this software's."),
    ] = ()
    splits_layers: Annotated[
        bool, about("Splits layers", "", "Each device holds whole layers instead of a part of every layer.")
    ] = False


class StackFamily(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Devices that the same software treats alike."""

    family: Annotated[str, about("Family")]
    architectures: Annotated[tuple[str, ...], about("Architectures", "", "How their names begin.")] = ()
    kinds: Annotated[tuple[str, ...], about("Kinds", "", "Kinds of device; empty: any.")] = ()
    memory: Annotated[tuple[str, ...], about("Memory", "", "Beginnings of memory types; empty: any.")] = ()


class StackEffect(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Logarithms by which parameters differ from the usual where all that is named holds; empty: holds everywhere."""

    software: Annotated[str, about("Software")] = ""
    family: Annotated[str, about("Family")] = ""
    kind: Annotated[str, about("Kind of model")] = ""
    is_narrow: Annotated[bool, about("Narrow weights", "", "Applies only to weights of fewer than 16 bits.")] = False
    logs: Annotated[dict[str, float], about("Logarithms", "", "Logarithm of the effect, by parameter.")] = {}


class StackBand(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Logarithm of measured over predicted, 10th and 90th percentile, in groups that a fit had not seen."""

    load: Annotated[str, about("Load", "", "Empty: any.")] = ""
    quantity: Annotated[str, about("Quantity", "", "One of prefill, decode, whole, memory; empty: any.")] = ""
    is_known: Annotated[bool | None, about("Software known on the family", "", "None: applies to both cases.")] = None
    low: Annotated[float, about("10th percentile")]
    high: Annotated[float, about("90th percentile")]
    rows: Annotated[int, about("Rows", minimum=0)]


class InferenceStacks(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All stacks; `usual` holds the parameters' values where no effect applies."""

    software: tuple[StackSoftware, ...]
    families: tuple[StackFamily, ...]
    usual: Annotated[dict[str, float], about("Default values", "", "By parameter; all above 0.")]
    effects: tuple[StackEffect, ...] = ()
    bands: tuple[StackBand, ...] = ()
    sources: Annotated[tuple[str, ...], about("Sources")] = ()
    date: Annotated[str, about("As of")] = ""

    def sample_software(self, engine: str, kind: str) -> str:
        """What works on a kind of model's requests without tokens where an engine was chosen: the engine where it was
        measured with that kind, else what stands for it."""
        own = [one for one in self.effects if (one.software, one.kind) == (engine, kind)]
        is_named = any(one.software == engine for one in self.software)
        if is_named and any(name.startswith("sample_") for one in own for name in one.logs):
            return engine
        return next((one.software for one in self.software if engine in one.serves_samples_of), engine)

    def token_software(self, engine: str) -> tuple[str, ...]:
        """What was measured of an engine without a fit of its own, the newest last; empty: it has a fit."""
        return tuple(one.software for one in self.software if engine in one.serves_tokens_of)

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

    before: Annotated[str, about("Before", "", "First release to which this no longer applies, such as 0.8.")]
    before_year: Annotated[
        float, about("Before, by date", "", "Release date of that version, for runs that state only a date.", minimum=0)
    ] = 0.0
    mixes_prefill: Annotated[bool, about("Mixed steps", "", "Prompts are processed in decode steps.")] = True
    captured_tokens: Annotated[int, about("Captured prompts", "tok", "As in later releases.", minimum=0)] = 0
    max_sequences: Annotated[int, about("Largest batch", "seq", "Default of the release.", minimum=1)] = 1024
    decode_step_host_s: Annotated[float, about("Host time of a decode step", "s", minimum=0)] = 0.0
    layer_host_s: Annotated[
        float, about("Host time per layer of a decode step", "s", "In addition to that of later releases.", minimum=0)
    ] = 0.0
    sequence_host_s: Annotated[float, about("Host time per sequence of a step", "s", minimum=0)] = 0.0
    delivery_steps: Annotated[
        float,
        about("Steps until delivery", "",
              "Steps before a first token reaches its client, where one process does everything.", minimum=0),
    ] = 0.0  # fmt: skip


class EngineFacts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Overheads of one engine, each with its source in `sources`.

    Factors multiply what kernels and collectives took when they were timed alone. Host times and factors of floors are
    those of the newest release; `older` says what releases before it did otherwise.
    """

    engine: Annotated[str, about("Engine", "", "An engine of the plan, or one that published results come from.")]
    name: Annotated[str, about("Name")]
    aliases: Annotated[tuple[str, ...], about("Other names", "", "Names in published tables.")] = ()
    stands_for: Annotated[
        tuple[str, ...], about("Also used for", "", "Software that has no facts of its own and works most like it.")
    ] = ()

    product_launch: Annotated[
        float,
        about("Launch time kept, matrix products", "",
              "Share of the kernel's launch time that remains; below 1 where CUDA graphs or fusion hide it.",
              minimum=0),
    ] = 1.0  # fmt: skip
    attention_launch: Annotated[float, about("Launch time kept, attention", minimum=0)] = 1.0
    expert_launch: Annotated[float, about("Launch time kept, experts", minimum=0)] = 1.0
    small_launch: Annotated[float, about("Launch time kept, small kernels", minimum=0)] = 1.0
    collective_factor: Annotated[
        float,
        about("Collectives of a decode step", "",
              "Factor on the time of collectives; above 1 where ranks wait for each other.", minimum=0),
    ] = 1.0  # fmt: skip
    exchange_factor: Annotated[
        float,
        about("Expert exchange in a decode step", "", "Factor on its time; below 1 where it overlaps with kernels.",
              minimum=0),
    ] = 1.0  # fmt: skip
    prefill_factor: Annotated[float, about("Kernel time in prefill", minimum=0)] = 1.0
    prefill_collective_factor: Annotated[float, about("Collectives in prefill", minimum=0)] = 1.0

    decode_step_host_s: Annotated[
        float, about("Host time of a decode step", "s", "Host time that does not overlap with kernels.", minimum=0)
    ] = 0.0
    decode_layer_host_s: Annotated[
        float,
        about("Small kernels per layer", "s", "Time of small kernels that the timed kernels do not include.",
              minimum=0),
    ] = 0.0  # fmt: skip
    expert_layer_host_s: Annotated[
        float,
        about("Small kernels per expert layer", "s", "Routing time that the timed kernels do not include.", minimum=0),
    ] = 0.0
    complex_layer_host_s: Annotated[
        float, about("Small kernels per complex layer", "s", "For latent-attention and recurrent layers.", minimum=0)
    ] = 0.0
    sequence_host_s: Annotated[float, about("Host time per sequence of a step", "s", minimum=0)] = 0.0
    prefill_step_host_s: Annotated[float, about("Host time of a prefill step", "s", minimum=0)] = 0.0
    prefill_layer_host_s: Annotated[
        float, about("Host time per layer of a prefill step", "s", "Hidden while the kernels take longer.", minimum=0)
    ] = 0.0
    prefill_complex_layer_host_s: Annotated[
        float, about("Host time per complex layer of a prefill", "s", "In addition to that of every layer.", minimum=0)
    ] = 0.0
    captured_tokens: Annotated[
        int,
        about("Largest captured prompt step", "tok",
              "Steps with prompts run from captured graphs up to this many tokens.", minimum=0),
    ] = 0  # fmt: skip
    captured_launch_share: Annotated[
        float,
        about("Launches left after capture", "", "Share of a prefill's launches; attention is not captured.",
              minimum=0, maximum=1),
    ] = 1.0  # fmt: skip
    request_host_s: Annotated[
        float, about("Host time per request", "s", "From arrival to the first step, plus the reply.", minimum=0)
    ] = 0.0
    prompt_token_host_s: Annotated[float, about("Host time per prompt token", "s", "Tokenisation.", minimum=0)] = 0.0
    admission_steps: Annotated[
        float,
        about("Steps until admission", "", "On average half a step where the engine admits prompts in each step.",
              minimum=0),
    ] = 0.5  # fmt: skip
    reserves_answers: Annotated[
        bool,
        about("Reserves whole answers", "", "A request starts only when its whole answer has room in the KV cache."),
    ] = False
    mixes_prefill: Annotated[
        bool, about("Mixed steps", "", "Prompts are processed in decode steps; off: in steps of their own.")
    ] = True
    one_server: Annotated[bool, about("One server", "", "A replica does not span servers.")] = False
    experts_over_all: Annotated[
        bool, about("Experts over all", "", "Expert parallelism spans all devices of a replica, or is off.")
    ] = False

    delivery_steps: Annotated[
        float, about("Steps until delivery", "", "Steps before a first token reaches its client.", minimum=0)
    ] = 0.0
    older: Annotated[
        tuple[OlderRelease, ...], about("Older releases", "", "Oldest first; only releases with known runs.")
    ] = ()

    token_budget: Annotated[int, about("Token budget", "tok", "Default token budget per step.", minimum=16)] = 8192
    max_sequences: Annotated[int, about("Largest batch", "seq", "Default of the engine.", minimum=1)] = 1024
    pool_group_time: Annotated[
        float,
        about(
            "Attention groups in decode pools",
            "",
            "Step time with attention in groups of unequal load, relative to equal load.",
            above=0,
        ),
    ] = 1.0
    pool_four_bit_time: Annotated[
        float,
        about(
            "4-bit experts in decode pools",
            "",
            "Step time with 4-bit experts, relative to what single kernel timings predict.",
            above=0,
        ),
    ] = 1.0
    draft_acceptance: Annotated[
        float,
        about("Drafts accepted", "", "Probability that a drafted token is accepted, if the one before it was.",
              minimum=0, maximum=1),
    ] = 0.75  # fmt: skip
    pool_entry_s: Annotated[
        float,
        about("Transfer between pools", "s", "Router, cache transfer and start of a prompt with separate pools.",
              minimum=0),
    ] = 0.05  # fmt: skip

    log_sd: Annotated[float, about("Spread of step times", "", "Standard deviation of the logarithm.", minimum=0)]
    memory_fraction: Annotated[float, about("Memory fraction", "", "Default share of the memory.", above=0, maximum=1)]
    activation_per_token: Annotated[
        float,
        about("Activation factor", "",
              "Activations per token of the budget, in units of hidden size × 2 bytes, on one device.", minimum=0),
    ]  # fmt: skip
    activation_per_token_moe: Annotated[float, about("Activation factor, experts", minimum=0)]
    activation_parallel_exponent: Annotated[
        float,
        about("Activations under tensor parallelism", "", "Activations fall as TP to the power of minus this.",
              minimum=0, maximum=1),
    ]  # fmt: skip
    runtime_bytes: Annotated[float, about("Context and workspace", "bytes", "On a single device.", minimum=0)]
    parallel_runtime_bytes: Annotated[
        float, about("Communication buffers", "bytes", "Added with tensor parallelism.", minimum=0)
    ]
    graph_bytes: Annotated[float, about("Captured graphs", "bytes", minimum=0)]
    sources: Annotated[tuple[str, ...], about("Sources")]
    date: Annotated[str, about("As of")]


class DeviceFamily(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How kernels do on devices of one family while serving, against what was timed on them or on their relatives."""

    family: Annotated[str, about("Family")]
    ecosystems: Annotated[tuple[str, ...], about("Software ecosystems", "", "Applies to any of them; empty: all.")] = ()
    architectures: Annotated[tuple[str, ...], about("Architectures", "", "How their names begin; empty: all.")] = ()
    compute_time: Annotated[float, about("Time bound by compute", "", "Factor on compute-bound time.", above=0)] = 1.0
    memory_time: Annotated[float, about("Time bound by bandwidth", "", "Factor on that time.", above=0)] = 1.0
    product_launch: Annotated[float, about("Launch time, matrix products", "", "Factor on launch time.", above=0)] = 1.0
    attention_launch: Annotated[float, about("Launch time, attention", "", "Factor on launch time.", above=0)] = 1.0
    expert_launch: Annotated[float, about("Launch time, experts", "", "Factor on launch time.", above=0)] = 1.0
    small_launch: Annotated[float, about("Launch time, small kernels", "", "Factor on launch time.", above=0)] = 1.0
    counted_parts: Annotated[
        int,
        about("Parts per device", "", "Parts of a device that its software counts one by one in parallel sizes.",
              minimum=1),
    ] = 1  # fmt: skip
    sources: Annotated[tuple[str, ...], about("Sources")] = ()
    date: Annotated[str, about("As of")] = ""


SupportedOperation = Literal["products", "experts", "kv_cache"]
SUPPORTED_OPERATIONS: tuple[SupportedOperation, ...] = get_args(SupportedOperation)
LevelName = Literal["native", "emulated", "none"]
ANY_FORMAT = "*"


class Support(IntEnum):
    """What an accelerator and an engine make of a format."""

    NATIVE = 0
    EMULATED = 1
    """Unpacked to 16 bits before each product: memory is saved, arithmetic is not."""
    NONE = 2


class FormatRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What an engine does with some formats on some devices; the first rule that applies counts."""

    formats: Annotated[tuple[str, ...], about("Number formats", "", "* stands for every format.")]
    operations: Annotated[tuple[SupportedOperation, ...], about("Operations")] = ("products", "experts")
    architectures: Annotated[tuple[str, ...], about("Architectures", "", "How their names begin; empty: all.")] = ()
    ecosystems: Annotated[tuple[str, ...], about("Ecosystems", "", "Empty: all.")] = ()
    level: Annotated[LevelName, about("Support")]
    note: Annotated[str, about("Note")] = ""
    source: Annotated[str, about("Source")]
    date: Annotated[str, about("As of")]


class EngineFormats(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    engine: Annotated[str, about("Engine")]
    rules: Annotated[tuple[FormatRule, ...], about("Rules")]


class PrecisionSupport(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The matrix; an engine without rules does what the hardware does."""

    engines: tuple[EngineFormats, ...] = ()

    def rules(self, engine: str) -> tuple[FormatRule, ...]:
        """The rules of an engine; none for one that nothing is recorded of."""
        return next((one.rules for one in self.engines if one.engine == engine), ())


class FormatSupport(msgspec.Struct, frozen=True, kw_only=True):
    """One cell: a format on an accelerator, by the hardware alone and by an engine."""

    accelerator: str
    engine: str
    precision: str
    operation: SupportedOperation
    hardware: int
    """`Support` of the hardware, by its catalogued rates."""
    level: int
    """`Support` of hardware and engine together."""
    is_recorded: bool
    """Whether a rule says so; else the hardware's own."""
    note: str = ""
    source: str = ""
