"""Devices as arrays, with the power of those whose makers state none: that of their nearest relatives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.engine.model.precision import PRECISIONS, compute_rate

DEFAULT_COMPUTE_UNITS = 100.0
"""Stands in where a catalogue entry does not count its compute units; only scales the fitted fill of partial waves."""


@dataclass(frozen=True)
class DeviceTable:
    """What the engine reads of each accelerator; NaN where the catalogue has no figure."""

    ids: tuple[str, ...]
    memory_bytes: Floats
    bandwidth_bytes_per_s: Floats
    peak_flop_per_s: Floats
    """Per accelerator and precision; what products with weights in that format run at."""
    is_emulated: NDArray[np.bool_]
    """Per accelerator and precision; the format is unpacked to 16 bits first."""
    compute_units: Floats
    scale_up_bytes_per_s: Floats
    """Per direction; PCIe where there is no scale-up fabric."""
    has_scale_up: NDArray[np.bool_]
    scale_up_domain: Floats
    is_bridged: NDArray[np.bool_]
    """Cards in slots whose fabric joins fewer than a host holds; beyond it they reach each other over PCIe."""
    scale_out_bytes_per_s: Floats
    host_bytes_per_s: Floats
    """PCIe, per direction."""
    is_card: NDArray[np.bool_]
    """Devices in a slot of a host; what processors and systems on a chip state of PCIe is theirs to offer."""
    power_w: Floats
    idle_w: Floats

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def together(self) -> Floats:
        """Devices that reach each other without a network, by accelerator."""
        return np.where(self.is_bridged, PCIE_DOMAIN, self.scale_up_domain)

    def in_slots_of(self, slot_bytes_per_s: float | None) -> DeviceTable:
        """The devices with their cards in slots of a stated rate, per direction; None: as fast as each card's link."""
        if slot_bytes_per_s is None:
            return self
        host = np.where(self.is_card, np.minimum(self.host_bytes_per_s, slot_bytes_per_s), self.host_bytes_per_s)
        fabric = np.where(self.has_scale_up | ~self.is_card, self.scale_up_bytes_per_s, host)
        return replace(self, host_bytes_per_s=host, scale_up_bytes_per_s=fabric)


IN_NO_SLOT = ("cpu", "soc")
OF_HOST_LINK = "catalogue: PCIe, or the scenario's slot if that is slower"
LAPTOP = "laptop"
PCIE_DOMAIN = 8.0
"""Devices of one host that reach each other over PCIe where no scale-up fabric is stated."""


def scale_up_domain(entry: Accelerator) -> float:
    """Devices that reach each other without a network: of a fabric, on a board's sockets, or over a host's PCIe."""
    if entry.scale_up:
        return entry.scale_up.domain_size or PCIE_DOMAIN
    if entry.kind == "cpu":
        return entry.sockets_per_board or 1
    return PCIE_DOMAIN if entry.pcie and entry.kind not in IN_NO_SLOT and entry.form_factor != LAPTOP else 1


def _is_bridged(entry: Accelerator) -> bool:
    """Whether a card in a slot has a fabric that joins fewer than a host holds."""
    in_slot = bool(entry.pcie) and entry.form_factor.startswith("PCIe")
    return in_slot and entry.scale_up is not None and scale_up_domain(entry) < PCIE_DOMAIN


def usual_node_devices(entry: Accelerator | None, catalog: Catalog) -> int:
    """Devices of a server: of the largest catalogued one, else as many as reach each other, at most eight."""
    built = [node.accelerators_per_host for node in catalog.nodes_of(entry.id)] if entry is not None else []
    reach = PCIE_DOMAIN if entry is None or _is_bridged(entry) else scale_up_domain(entry)
    return max(built, default=int(min(reach, PCIE_DOMAIN)))


def device_table(catalog: Catalog) -> DeviceTable:
    """The arrays of a catalogue's entries. None sends more to the network than its share of a node's ports."""
    accelerators = tuple(catalog.accelerators.values())
    ports = [port_share_bytes_per_s(entry, catalog, "scale-out") for entry in accelerators]
    rates = [[compute_rate(entry, name) for name in PRECISIONS] for entry in accelerators]
    pcie = _floats(entry.pcie.bytes_per_s_per_direction if entry.pcie else None for entry in accelerators)
    fabric = _floats(entry.scale_up.bytes_per_s_per_direction if entry.scale_up else None for entry in accelerators)
    has_fabric = ~np.isnan(fabric)
    domain = _floats(scale_up_domain(entry) for entry in accelerators)
    units = _floats(entry.sm_count for entry in accelerators)
    return DeviceTable(
        ids=tuple(entry.id for entry in accelerators),
        memory_bytes=_floats(entry.memory_bytes for entry in accelerators),
        bandwidth_bytes_per_s=_floats(entry.memory_bandwidth_bytes_per_s for entry in accelerators),
        peak_flop_per_s=np.array([[rate for rate, _ in row] for row in rates]).reshape(len(accelerators), -1),
        is_emulated=np.array([[emulated for _, emulated in row] for row in rates], bool).reshape(len(accelerators), -1),
        compute_units=np.where(np.isnan(units), DEFAULT_COMPUTE_UNITS, units),
        scale_up_bytes_per_s=np.where(has_fabric, fabric, pcie),
        has_scale_up=has_fabric,
        scale_up_domain=domain,
        is_bridged=np.array([_is_bridged(entry) for entry in accelerators], bool),
        scale_out_bytes_per_s=np.fmin(_floats(entry.scale_out_bytes_per_s for entry in accelerators), ports),
        host_bytes_per_s=pcie,
        is_card=np.array([entry.kind not in IN_NO_SLOT for entry in accelerators], bool),
        power_w=_floats(entry.tdp_w for entry in accelerators),
        idle_w=_floats(entry.idle_w for entry in accelerators),
    )


def port_share_bytes_per_s(entry: Accelerator, catalog: Catalog, purpose: str) -> float:
    """A device's share of its best catalogued node's adapters of a purpose; NaN where none is stated. [bytes/s]"""
    shares = [np.nan]
    for node in catalog.nodes_of(entry.id):
        rates = [nic.count * nic.bytes_per_s_each for nic in node.nics if nic.purpose == purpose]
        if rates:
            shares.append(sum(rates) / max(node.accelerator_count, 1))
    return float(np.fmax.reduce(shares))


def _floats(values: Iterable[float | None]) -> Floats:
    return np.array([np.nan if value is None else float(value) for value in values], dtype=np.float64)


RELATIVES = 3
OTHER_KIND, OTHER_VENDOR = 2.0, 0.5
"""What another kind of device, or another vendor, adds to a squared distance of logarithms."""
YEARS_APART = 4.0
"""A distance in years that counts as much as a factor of e in bandwidth."""
USUAL_YEAR = 2022
STATED_PEAKS = ("bf16", "fp16", "fp32")


@dataclass(frozen=True)
class AssumedPower:
    """A device's power limit as its relatives have it."""

    watts: float
    log_sd: float
    """Spread (of the logarithm) of the guess, from devices whose power is known."""


def assumed_power(accelerators: tuple[Accelerator, ...]) -> dict[str, AssumedPower]:
    """Power of each accelerator that states none, by identifier; none where no other states any.

    Notes
    -----
    The geometric mean of the nearest few in bandwidth, peak rate, year, kind and vendor. The spread is that of the
    same guess for every device of known power, itself left out.
    """
    known = [entry for entry in accelerators if entry.tdp_w is not None]
    unknown = [entry for entry in accelerators if entry.tdp_w is None]
    if not unknown or len(known) <= RELATIVES:
        return {}
    watts = np.log([float(entry.tdp_w or 1.0) for entry in known])
    among = _distances(known, known)
    np.fill_diagonal(among, np.inf)
    log_sd = float(np.sqrt(np.mean((_of_nearest(among, watts) - watts) ** 2)))
    guesses = np.exp(_of_nearest(_distances(unknown, known), watts))
    return {entry.id: AssumedPower(float(guess), log_sd) for entry, guess in zip(unknown, guesses, strict=True)}


def _of_nearest(distances: Floats, values: Floats) -> Floats:
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :RELATIVES]
    found: Floats = values[nearest].mean(axis=1)
    return found


def _distances(some: list[Accelerator], others: list[Accelerator]) -> Floats:
    """Squared distances, shape (some, others); a figure that either lacks does not count."""
    apart = np.nansum((_figures(some)[:, None, :] - _figures(others)[None, :, :]) ** 2, axis=-1)
    for name, weight in (("kind", OTHER_KIND), ("vendor", OTHER_VENDOR)):
        ours, theirs = (np.array([getattr(one, name) for one in entries]) for entries in (some, others))
        apart += weight * (ours[:, None] != theirs[None, :])
    distances: Floats = apart
    return distances


def _figures(entries: list[Accelerator]) -> Floats:
    peaks = [max(entry.peak_flop_per_s(one) or 0.0 for one in STATED_PEAKS) or np.nan for entry in entries]
    return np.stack(
        [
            np.log([entry.memory_bandwidth_bytes_per_s for entry in entries]),
            np.log(peaks),
            np.array([entry.year or USUAL_YEAR for entry in entries]) / YEARS_APART,
        ],
        axis=1,
    )
