"""A question that a planner asks, and the file that holds several of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec
from msgspec.structs import replace

from gpuplanner_gui.domain.catalog import CatalogSnapshot
from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.estate import Estate
from gpuplanner_gui.domain.field import LONGEST_NAME, LONGEST_NOTES, about
from gpuplanner_gui.domain.hardware import MOST_LINK_RATE
from gpuplanner_gui.domain.measurement import MeasurementSet
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import LatencyMetric, ServingWorkload, request_of

Cooling = Literal["air", "liquid"]
STANDS_THERE = "Counts for devices that you own or buy; rented ones stand at their provider."


class OwnedStock(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Devices that the planner has already: their price is sunk, their power and space are not."""

    accelerator: Annotated[str, about("Accelerator", "", "Identifier in the catalogue.")]
    devices: Annotated[int, about("Devices", "devices", minimum=1, maximum=1_000_000)] = 8
    note: Annotated[str, about("Note")] = ""


class TooManyCandidates(ValueError):
    """A search that takes more memory than a desktop has to spare: `count` candidates, and the `most` of a plan."""

    def __init__(self, count: int, most: int) -> None:
        super().__init__(count, most)
        self.count, self.most = count, most


class HardwareChoice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the search may use. An empty list means no limit."""

    accelerators: Annotated[
        tuple[str, ...],
        about("Accelerators", "", "Accelerators to consider; empty: the whole catalogue.", most=1_000, once=True),
    ] = ()
    vendors: Annotated[tuple[str, ...], about("Vendors", most=100, once=True)] = ()
    kinds: Annotated[
        tuple[str, ...],
        about("Kinds", "", "GPU, TPU, CPU, NPU… Training takes CPUs only if named.", most=100, once=True),
    ] = ()
    ecosystems: Annotated[tuple[str, ...], about("Ecosystems", "", "CUDA, ROCm…", most=100, once=True)] = ()
    licensed_for_data_centres: Annotated[
        bool,
        about(
            "Data-centre licence",
            "",
            "On: only devices built for servers, whose driver is licensed for data centres. Off: consumer cards and "
            "desktops too, for a home or office.",
        ),
    ] = True
    air_gapped: Annotated[
        bool, about("Air-gapped site", "", "Only devices that can be bought; none that only clouds offer.")
    ] = False
    owned: Annotated[
        tuple[OwnedStock, ...],
        about(
            "Already owned",
            "",
            "Devices you have. They are used first; the plan adds what is missing. A run uses yours "
            "alone, or yours with bought ones, or rented ones alone.",
            most=1_000,
        ),
    ] = ()
    max_devices_per_replica: Annotated[int, about("Most devices per replica", minimum=1, maximum=4096)] = 16
    training_devices: Annotated[
        int,
        about("Training devices", "",
              "Fixed number of devices; 0: the search tries powers of two, and counts between them near the best.",
              minimum=0, maximum=1_000_000, zero_means="by search"),
    ] = 0  # fmt: skip
    max_training_devices: Annotated[
        int,
        about("Most training devices", "", "Of a run on bought or rented devices. A run may always use all of yours.",
              minimum=1, maximum=1_000_000),
    ] = 1024  # fmt: skip
    tensor_parallel_across_nodes: Annotated[
        bool,
        about("Tensor parallel across nodes", "", "Off: tensor parallelism stays within the scale-up domain.",
              advanced=True),
    ] = False  # fmt: skip
    network: Annotated[
        str, about("Network between nodes", "", "A link of the catalogue; empty: the accelerator's default.")
    ] = ""
    oversubscription: Annotated[
        float,
        about("Oversubscription", "", "1: every device can use its full network rate at the same time.", minimum=1,
              maximum=64, advanced=True),
    ] = 1.0  # fmt: skip
    slow_link_share: Annotated[
        float,
        about(
            "Slowest link between nodes",
            "",
            "Rate of the slowest link, as a share of nominal. One slow link slows the whole job.",
            above=0,
            maximum=1,
            advanced=True,
        ),
    ] = 1.0
    slow_node_link_share: Annotated[
        float,
        about(
            "Slowest link in a node",
            "",
            "Rate of the slowest link inside a node (NVLink or similar), as a share of nominal. It slows the "
            "whole job.",
            above=0,
            maximum=1,
            advanced=True,
        ),
    ] = 1.0
    host_link_bytes_per_s: Annotated[
        float | None,
        about(
            "PCIe rate",
            "bytes/s",
            "Rate of a card's slot, per direction, such as 16 GB/s or PCIe 4.0 x8. A card goes no faster than its own"
            " link. Empty: as the catalogue says of the card.",
            above=0,
            maximum=MOST_LINK_RATE,
            advanced=True,
        ),
    ] = None
    slow_device_share: Annotated[
        float,
        about(
            "Slowest device",
            "",
            "Speed of the slowest device, as a share of nominal. One throttled device slows the whole job.",
            above=0,
            maximum=1,
            advanced=True,
        ),
    ] = 1.0
    include_end_of_life: Annotated[
        bool, about("Include end-of-life devices", "", "Also buy devices that are no longer sold new.")
    ] = False
    min_memory_headroom: Annotated[
        float,
        about("Memory headroom", "share", "Share to keep free, training and serving alike.", minimum=0, maximum=0.9),
    ] = 0.1
    max_kw_per_rack: Annotated[
        float | None, about("Power per rack", "kW", f"At your site. {STANDS_THERE}", above=0, maximum=10_000)
    ] = None
    max_kw_total: Annotated[
        float | None,
        about("Total power", "kW", f"Of your site, cooling included. {STANDS_THERE}", above=0, maximum=10_000_000),
    ] = None
    cooling: Annotated[
        tuple[Cooling, ...],
        about("Cooling", "", f"Kinds of cooling that your site offers. {STANDS_THERE}", most=2, once=True),
    ] = (
        "air",
        "liquid",
    )


class Scenario(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One model, what is done with it, on what, for whose money."""

    name: Annotated[str, about("Name", longest=LONGEST_NAME)]
    model: Annotated[Model, about("Model")]
    training: Annotated[TrainingWorkload | None, about("Training")] = None
    serving: Annotated[ServingWorkload | None, about("Serving")] = None
    hardware: Annotated[HardwareChoice, about("Hardware")] = HardwareChoice()
    economics: Annotated[Economics, about("Money")] = Economics()
    chosen_training: Annotated[str, about("Chosen training plan", "", "The selected candidate; empty: the best.")] = ""
    chosen_serving: Annotated[str, about("Chosen serving plan", "", "The selected candidate; empty: the best.")] = ""
    notes: Annotated[str, about("Notes", longest=LONGEST_NOTES)] = ""

    @property
    def service(self) -> ServingWorkload:
        """The serving of a scenario that serves; AssertionError of others."""
        assert self.serving is not None
        return self.serving

    @property
    def job(self) -> TrainingWorkload:
        """The training of a scenario that trains; AssertionError of others."""
        assert self.training is not None
        return self.training

    @property
    def chosen(self) -> dict[str, str]:
        """Keys of the candidates that are named as chosen, by workload."""
        keys = {"serving": self.chosen_serving, "training": self.chosen_training}
        return {workload: key for workload, key in keys.items() if key}

    @property
    def first_latency(self) -> LatencyMetric:
        """What whoever asks waits for: the first token of a text; all of an image, a document or a transcript."""
        classes = self.serving.classes if self.serving is not None else ()
        return "e2e" if any(request_of(one, self.model) != "text" for one in classes) else "ttft"

    @property
    def told_latencies(self) -> tuple[LatencyMetric, ...]:
        """Latencies that are told: the first token and the pace of the others; of what comes whole, all of it."""
        if self.first_latency == "e2e":
            return ("e2e",)
        has_pace = self.serving is None or self.serving.has_next_tokens
        return ("ttft", "tpot") if has_pace else ("ttft",)

    @property
    def engine_memory_fraction(self) -> float:
        """Share of a device's memory that a serving engine gets: what its setting and the headroom to keep free
        leave."""
        own = self.serving.engine.memory_fraction if self.serving is not None else 1.0
        return min(own, 1.0 - self.hardware.min_memory_headroom)


NOT_COMPUTED = ("name", "notes")
"""Fields of a scenario that change no number."""


def asks_the_same(one: Scenario, other: Scenario) -> bool:
    """Whether two states of a scenario have one plan. Compared by identity: an edit shares what is beside its field."""
    computed = (name for name in Scenario.__struct_fields__ if name not in NOT_COMPUTED)
    return one is other or all(getattr(one, name) is getattr(other, name) for name in computed)


class SeenHeadline(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A result that the sender saw, so that the receiver is told when it would differ."""

    scenario: str
    code: str
    value: float
    unit: str
    candidate: str = ""


FORMAT_NAME = "gpuplan"
FORMAT_VERSION = 4
MOST_SCENARIOS = 24
"""Most scenarios of a project; a report holds the answers of all in memory."""


class Project(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a `.gpuplan` file holds."""

    format: Literal["gpuplan"] = "gpuplan"
    version: Annotated[int, about("Format version", minimum=1)] = FORMAT_VERSION
    app_version: Annotated[str, about("Written by")] = ""
    name: Annotated[str, about("Project", longest=LONGEST_NAME)] = ""
    scenarios: Annotated[tuple[Scenario, ...], about("Scenarios", most=MOST_SCENARIOS)] = ()
    seed: Annotated[int, about("Random seed", "", "One seed, one result.", minimum=0, maximum=2**63 - 1)] = 1
    calibration_digest: Annotated[str, about("Calibration")] = ""
    catalog_digest: Annotated[str, about("Catalogue")] = ""
    catalog: Annotated[CatalogSnapshot, about("Catalogue entries used")] = CatalogSnapshot()
    headlines: Annotated[tuple[SeenHeadline, ...], about("Headline results", most=20 * MOST_SCENARIOS)] = ()
    measurements: Annotated[tuple[MeasurementSet, ...], about("Own measurements", most=500)] = ()
    estate: Annotated[Estate | None, about("Estate", "", "Several workloads planned together over the years.")] = None
    notes: Annotated[str, about("Notes", longest=LONGEST_NOTES)] = ""


def _shares_figures(one: Project, other: Project) -> bool:
    """Whether the scenarios of two states of a project are planned with the same catalogue, measurements and seed."""
    return all(getattr(one, name) is getattr(other, name) for name in ("catalog", "measurements", "seed"))


def plans_the_same(one: Project, other: Project) -> bool:
    """Whether two states of a project have the same plans in the same places, under whatever names."""
    is_as_long = len(one.scenarios) == len(other.scenarios)
    return is_as_long and _shares_figures(one, other) and all(map(asks_the_same, one.scenarios, other.scenarios))


def with_headlines_that_hold(project: Project, before: Project, names: Mapping[str, str]) -> Project:
    """An edited project without the headline results that were seen of other inputs than it has now.

    `names` are old and new ones of scenarios that were renamed.
    """
    if not project.headlines:
        return project
    known = {names.get(one.name, one.name): one for one in before.scenarios} if _shares_figures(project, before) else {}
    same = {one.name for one in project.scenarios if one.name in known and asks_the_same(one, known[one.name])}
    renamed = (replace(one, scenario=names.get(one.scenario, one.scenario)) for one in project.headlines)
    return replace(project, headlines=tuple(one for one in renamed if one.scenario in same))
