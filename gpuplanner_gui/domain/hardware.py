"""Accelerators, links and nodes: what they can do by specification, and how that is known.

An absent figure is unknown or, for a peak rate, not supported natively; it is never zero. Rates are per device and for
dense operands; link rates are per direction and device.
"""

from __future__ import annotations

from typing import Annotated, Literal, get_args

import msgspec

from gpuplanner_gui.domain.field import LONGEST_NAME, about
from gpuplanner_gui.domain.price import Confidence, IsoDate, PurchasePrice, RentalPrice
from gpuplanner_gui.domain.quantity import Quantity

Restriction = Literal["data_centre", "air_gap"]
"""A restriction of use: not licensed for data centres, or not available at an air-gapped site."""


class UseTerm(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A restriction on some devices, with who says so."""

    id: Annotated[str, about("Identifier")]
    restriction: Annotated[Restriction, about("Restriction", choices=("data_centre", "air_gap"))]
    accelerators: Annotated[tuple[str, ...], about("Accelerators", "", "Identifiers in the catalogue.")]
    statement: Annotated[str, about("Statement", "", "Summary of what the source says.")]
    source: Annotated[str, about("Source")]
    as_of: Annotated[str, about("Read on")]


class UseTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file of restrictions that ships."""

    terms: Annotated[tuple[UseTerm, ...], about("Restrictions")] = ()

    def of(self, accelerator: str, restriction: Restriction) -> UseTerm | None:
        """The restriction of that kind on a device; None where none is known."""
        fitting = (one for one in self.terms if one.restriction == restriction and accelerator in one.accelerators)
        return next(fitting, None)


SpecDoubtCode = Literal[
    "sparse", "sparse_beside", "tebi", "bits", "both_directions", "off_bus", "off_lanes", "decimal_memory",
    "kilowatts", "below_idle", "rate_per_watt", "above_nominal",
]  # fmt: skip


class SpecDoubt(msgspec.Struct, frozen=True, kw_only=True):
    """A stated figure that its relatives or its own parts speak against; a doubt, not a fault: it may be right."""

    field: str
    """Path in the accelerator, such as `peak_dense_flop_per_s.bf16`."""
    code: SpecDoubtCode
    stated: float
    expected: float
    """What the figure would be if the doubt is right."""
    against: str = ""
    """What speaks against it: an architecture, a fabric, another field."""


AcceleratorKind = Literal["gpu", "cpu", "npu", "tpu", "asic", "soc"]
ACCELERATOR_KINDS: tuple[AcceleratorKind, ...] = get_args(AcceleratorKind)
Ecosystem = Literal["cuda", "rocm", "oneapi", "gaudi", "xla", "neuron", "metal", "cann", "cpu", "npu", "vendor"]
ECOSYSTEMS: tuple[Ecosystem, ...] = get_args(Ecosystem)
PEAK_PRECISIONS = ("fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp6", "fp4", "int4")
"""Number formats that a peak rate is stated for; MXFP4 and NVFP4 both run at the FP4 rate."""

_RATE_FIELD = {"mxfp4": "fp4", "nvfp4": "fp4"}

MOST_BYTES, MOST_WATTS, MOST_LINK_RATE, MOST_FLOP_PER_S = 1e15, 1e6, 1e16, 1e20
"""Largest figures of one device: a thousand times what is built (0.8 TB, 23 kW, 0.3 TB/s, 40 PFLOP/s for a whole
wafer), or so."""


def _peak(title: str, unit: str, help: str = "") -> msgspec.Meta:  # noqa: A002  (as `about` has it)
    """Annotation for a peak rate."""
    return about(title, unit, help, minimum=1e6, maximum=MOST_FLOP_PER_S)


class PeakRates(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Peak dense arithmetic per number format [operations per second]; a multiply-add counts two."""

    fp64: Annotated[float | None, _peak("FP64 vector", "FLOP/s")] = None
    fp64_matrix: Annotated[float | None, _peak("FP64 matrix", "FLOP/s")] = None
    fp32: Annotated[float | None, _peak("FP32", "FLOP/s")] = None
    tf32: Annotated[float | None, _peak("TF32", "FLOP/s")] = None
    fp16: Annotated[float | None, _peak("FP16", "FLOP/s", "With accumulation in FP32.")] = None
    bf16: Annotated[float | None, _peak("BF16", "FLOP/s")] = None
    fp8: Annotated[float | None, _peak("FP8", "FLOP/s", "With accumulation in FP32.")] = None
    int8: Annotated[float | None, _peak("INT8", "OP/s")] = None
    fp6: Annotated[float | None, _peak("FP6", "FLOP/s")] = None
    fp4: Annotated[float | None, _peak("FP4", "FLOP/s")] = None
    int4: Annotated[float | None, _peak("INT4", "OP/s")] = None


class Fp16AccumulateRates(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Peak dense rates with accumulation in FP16, where a consumer card halves the rate with FP32 accumulation."""

    fp16: Annotated[float | None, _peak("FP16, FP16 accumulation", "FLOP/s")] = None
    fp8: Annotated[float | None, _peak("FP8, FP16 accumulation", "FLOP/s")] = None


class ScaleUp(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The fast fabric between devices of one node, rack or pod."""

    name: Annotated[str, about("Fabric")]
    bytes_per_s_per_direction: Annotated[
        float, about("Rate per device and direction", "B/s", "Sum over the device's links.", above=0)
    ]
    domain_size: Annotated[int | None, about("Devices in one domain", minimum=1)] = None
    topology: Annotated[str, about("Topology")] = ""
    link_id: Annotated[str | None, about("Link", "", "Catalogue entry with latency and efficiency.")] = None


PCIE_LANE_BYTES_PER_S = {3: 0.9846e9, 4: 1.969e9, 5: 3.938e9, 6: 7.563e9, 7: 15.125e9}
"""Per lane and direction after line coding. PCI-SIG base specifications 3.0 to 7.0."""


class Pcie(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Connection to the host, or the lanes that a processor offers."""

    generation: Annotated[int, about("PCIe generation", minimum=1, maximum=10)]
    lanes: Annotated[int, about("Lanes", minimum=1)]
    bytes_per_s_per_direction: Annotated[float, about("Rate per direction", "B/s", above=0)]


class CrossCheck(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A second source that the figures were compared with."""

    against: Annotated[str, about("Compared with")]
    agrees: Annotated[bool | None, about("Agrees")] = None
    differing: Annotated[tuple[str, ...], about("Figures that differ", most=50)] = ()


class AcceleratorConfidence(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How each group of figures is known."""

    memory: Annotated[Confidence | None, about("Memory")] = None
    compute: Annotated[Confidence | None, about("Peak rates")] = None
    clocks_and_units: Annotated[Confidence | None, about("Clocks and units")] = None
    l2_or_sram: Annotated[Confidence | None, about("Cache")] = None
    tdp: Annotated[Confidence | None, about("Power limit")] = None
    idle_power: Annotated[Confidence | None, about("Idle power")] = None
    scale_up: Annotated[Confidence | None, about("Scale-up fabric")] = None
    scale_out: Annotated[Confidence | None, about("Scale-out network")] = None
    price: Annotated[Confidence | None, about("Purchase price")] = None
    cloud: Annotated[Confidence | None, about("Rental price")] = None


class Accelerator(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One device as software sees it, unless its name says otherwise."""

    id: Annotated[str, about("Identifier", longest=LONGEST_NAME)]
    name: Annotated[str, about("Name", longest=LONGEST_NAME)]
    vendor: Annotated[str, about("Vendor")]
    kind: Annotated[AcceleratorKind, about("Kind", choices=ACCELERATOR_KINDS)]
    ecosystem: Annotated[Ecosystem, about("Software ecosystem", choices=ECOSYSTEMS)]
    architecture: Annotated[str, about("Architecture")]
    year: Annotated[int | None, about("Year", minimum=1990, maximum=2100)] = None
    form_factor: Annotated[str, about("Form factor")] = ""
    sockets_per_board: Annotated[
        int | None, about("Sockets per board", "", "Processors of one server; empty: one.", minimum=1, maximum=64)
    ] = None
    memory_nominal_bytes: Annotated[float, about("Memory, nominal", "B", minimum=1e6, maximum=MOST_BYTES)]
    memory_usable_bytes: Annotated[
        float | None,
        about(
            "Memory, usable", "B", "What the driver leaves to programs, where stated.", minimum=1e6, maximum=MOST_BYTES
        ),
    ] = None
    memory_max_bytes: Annotated[
        float | None, about("Memory, largest configuration", "B", minimum=1e6, maximum=MOST_BYTES)
    ] = None
    memory_type: Annotated[str, about("Memory type")] = ""
    memory_bandwidth_bytes_per_s: Annotated[float, about("Memory bandwidth", "B/s", minimum=1e6, maximum=1e18)]
    memory_bus_bits: Annotated[
        int | None,
        about(
            "Memory bus",
            "bit",
            "All stacks or chips together; with the pin rate it checks the bandwidth.",
            minimum=1,
            maximum=1_000_000,
        ),
    ] = None
    memory_pin_bit_per_s: Annotated[
        float | None,
        about("Memory rate per pin", "bit/s", "Of the fastest transfer, as 5.2 Gbit/s.", above=0, maximum=1e13),
    ] = None
    peak_dense_flop_per_s: Annotated[PeakRates, about("Peak dense rates", "FLOP/s")]
    peak_dense_fp16_accumulate_flop_per_s: Annotated[
        Fp16AccumulateRates | None, about("Peak dense rates with FP16 accumulation", "FLOP/s", advanced=True)
    ] = None
    structured_sparsity_speedup: Annotated[float | None, about("Speed-up by structured sparsity", minimum=1)] = None
    l2_bytes: Annotated[
        float | None,
        about(
            "Last-level cache", "B", "L2 of a GPU, L3 of a CPU, on-chip memory of an ASIC.", above=0, maximum=MOST_BYTES
        ),
    ] = None
    sm_count: Annotated[int | None, about("Compute units", minimum=1, maximum=10**9)] = None
    sm_kind: Annotated[str, about("Kind of compute unit")] = ""
    boost_clock_hz: Annotated[float | None, about("Boost clock", "Hz", above=0, maximum=1e11)] = None
    tdp_w: Annotated[float | None, about("Power limit", "W", above=0, maximum=MOST_WATTS)] = None
    idle_w: Annotated[float | None, about("Idle power", "W", minimum=0, maximum=MOST_WATTS)] = None
    scale_up: Annotated[ScaleUp | None, about("Scale-up fabric")] = None
    pcie: Annotated[Pcie | None, about("PCIe")] = None
    scale_out_bytes_per_s: Annotated[
        float | None,
        about(
            "Scale-out network per device", "B/s", "Per direction, as usually built.", above=0, maximum=MOST_LINK_RATE
        ),
    ] = None
    price: Annotated[PurchasePrice | None, about("Purchase price")] = None
    rental: Annotated[RentalPrice | None, about("Rental price")] = None
    availability: Annotated[str, about("Availability")] = ""
    date: Annotated[IsoDate | None, about("Specification as of")] = None
    sources: Annotated[tuple[str, ...], about("Sources", most=50)] = ()
    source_reading: Annotated[str, about("How the sources were read")] = ""
    cross_checks: Annotated[tuple[CrossCheck, ...], about("Cross-checks", most=50)] = ()
    confidence: Annotated[AcceleratorConfidence, about("Kind of source")] = AcceleratorConfidence()
    notes: Annotated[tuple[str, ...], about("Notes", most=50)] = ()

    @property
    def is_for_servers(self) -> bool:
        """Whether it is built for a server: no laptop, desktop, module or block of a chip."""
        return self.kind not in ("soc", "npu") and self.form_factor not in ("laptop", "board")

    @property
    def memory_bytes(self) -> float:
        """What a program can use: the stated usable size, else the nominal one. [bytes]"""
        return self.memory_nominal_bytes if self.memory_usable_bytes is None else self.memory_usable_bytes

    @property
    def is_own_price(self) -> bool:
        """Whether the planner states what it costs to buy. Older files say so of the group of figures alone."""
        return self.price is not None and "user" in (self.price.confidence, self.confidence.price)

    @property
    def is_own_rental(self) -> bool:
        """Whether the planner states what it costs to rent. Older files say so of the group of figures alone."""
        return self.rental is not None and "user" in (self.rental.confidence, self.confidence.cloud)

    def peak_flop_per_s(self, precision: str) -> float | None:
        """Peak dense rate in a number format, the matrix units' where they exist; None: not supported natively.

        Raises KeyError for a name that is not a number format.
        """
        field_name = _RATE_FIELD.get(precision, precision)
        if field_name not in PEAK_PRECISIONS:
            raise KeyError(f"{precision!r} is not a number format")
        rates = self.peak_dense_flop_per_s
        if field_name == "fp64" and rates.fp64_matrix is not None:
            return rates.fp64_matrix
        rate: float | None = getattr(rates, field_name)
        return rate

    def supports(self, precision: str) -> bool:
        return self.peak_flop_per_s(precision) is not None


SoldAs = Literal["node", "rack", "part"]
"""Bought by itself; a rack, whole; or part of a rack, which is rented alone but not bought so."""
LinkKind = Literal["scale_up", "scale_out", "host_link", "cpu_link"]


class LinkConfidence(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How each group of figures is known."""

    bandwidth: Annotated[Confidence | None, about("Bandwidth")] = None
    latency: Annotated[Confidence | None, about("Latency")] = None
    efficiency: Annotated[Confidence | None, about("Efficiency")] = None


class Link(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A way for bytes to go from one endpoint to another."""

    id: Annotated[str, about("Identifier", longest=LONGEST_NAME)]
    name: Annotated[str, about("Name", longest=LONGEST_NAME)]
    kind: Annotated[LinkKind, about("Kind", choices=("scale_up", "scale_out", "host_link", "cpu_link"))]
    bytes_per_s_per_direction: Annotated[
        float, about("Rate per endpoint and direction", "B/s", above=0, maximum=MOST_LINK_RATE)
    ]
    composition: Annotated[str, about("Made of")] = ""
    hardware_latency_s: Annotated[Quantity, about("Latency of the hardware", "s", minimum=0, maximum=10)]
    collective_latency_s: Annotated[
        Quantity | None,
        about("Latency of one collective step", "s", "Library and launch included.", minimum=0, maximum=10),
    ] = None
    point_to_point_efficiency: Annotated[
        float | None, about("Share of the rate, point to point", above=0, maximum=1)
    ] = None
    collective_efficiency: Annotated[float | None, about("Share of the rate, collectives", above=0, maximum=1)] = None
    date: Annotated[IsoDate | None, about("As of")] = None
    sources: Annotated[tuple[str, ...], about("Sources", most=50)] = ()
    confidence: Annotated[LinkConfidence, about("Kind of source")] = LinkConfidence()
    notes: Annotated[tuple[str, ...], about("Notes", most=50)] = ()


class Nic(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Network ports of one kind in a node."""

    purpose: Annotated[str, about("Purpose")]
    count: Annotated[int, about("Ports", minimum=1)]
    kind: Annotated[str, about("Kind")]
    bytes_per_s_each: Annotated[float, about("Rate of a port, per direction", "B/s", above=0, maximum=MOST_LINK_RATE)]
    link_id: Annotated[str | None, about("Link", "", "Catalogue entry with latency and efficiency.")] = None


class HostCpu(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The processors that feed the accelerators."""

    model: Annotated[str, about("Processor")]
    sockets: Annotated[int | None, about("Sockets", minimum=1)] = None
    cores_total: Annotated[int | None, about("Cores, all sockets", minimum=1)] = None


class NodeConfidence(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How each group of figures is known."""

    specification: Annotated[Confidence | None, about("Specification")] = None
    max_power: Annotated[Confidence | None, about("Maximum power")] = None
    idle_power: Annotated[Confidence | None, about("Idle power")] = None
    capex: Annotated[Confidence | None, about("Purchase price")] = None


class NodeType(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A server, rack or pod as it is bought or rented whole."""

    id: Annotated[str, about("Identifier", longest=LONGEST_NAME)]
    name: Annotated[str, about("Name", longest=LONGEST_NAME)]
    vendor: Annotated[str, about("Vendor")]
    accelerator_id: Annotated[str, about("Accelerator")]
    accelerator_count: Annotated[int, about("Accelerators", minimum=1, maximum=100_000)]
    accelerators_per_host: Annotated[int, about("Accelerators per host", minimum=1)]
    scale_up: Annotated[ScaleUp | None, about("Scale-up fabric")] = None
    pcie_generation: Annotated[int | None, about("PCIe generation", minimum=1, maximum=10)] = None
    nics: Annotated[tuple[Nic, ...], about("Network ports", most=50)] = ()
    scale_out_bytes_per_s: Annotated[
        float, about("Scale-out network, whole node", "B/s", "Per direction.", minimum=0, maximum=MOST_LINK_RATE)
    ]
    host_cpu: Annotated[HostCpu | None, about("Host processor")] = None
    host_ram_bytes: Annotated[
        float | None, about("Host memory", "B", "All hosts of the node together.", above=0, maximum=100 * MOST_BYTES)
    ] = None
    max_power_w: Annotated[float | None, about("Maximum power", "W", above=0, maximum=100 * MOST_WATTS)] = None
    idle_power_w: Annotated[float | None, about("Idle power", "W", minimum=0, maximum=MOST_WATTS)] = None
    rack_units: Annotated[float | None, about("Rack units", "U", above=0)] = None
    cooling: Annotated[str, about("Cooling")] = ""
    sold_as: Annotated[SoldAs, about("Sold as", choices=("node", "rack", "part"))] = "node"
    weight_kg: Annotated[float | None, about("Weight", "kg", "With all built-in parts.", above=0, maximum=1e6)] = None
    floor_space_m2: Annotated[
        float | None, about("Floor space", "m²", "Floor area it stands on, without aisles.", above=0, maximum=1e4)
    ] = None
    capex: Annotated[PurchasePrice | None, about("Purchase price")] = None
    capex_note: Annotated[str, about("Note on the price")] = ""
    date: Annotated[IsoDate | None, about("Specification as of")] = None
    sources: Annotated[tuple[str, ...], about("Sources", most=50)] = ()
    confidence: Annotated[NodeConfidence, about("Kind of source")] = NodeConfidence()
    notes: Annotated[tuple[str, ...], about("Notes", most=50)] = ()
