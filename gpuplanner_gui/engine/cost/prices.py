"""What an hour of each accelerator costs under a scenario's terms, and its power: arrays over the catalogue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers, Values
from gpuplanner_gui.domain.constants import HOURS_PER_YEAR, SECONDS_PER_DAY
from gpuplanner_gui.domain.economics import Economics, Procurement
from gpuplanner_gui.domain.hardware import Accelerator, NodeType
from gpuplanner_gui.domain.ownership import CapitalParts, OwnedParts
from gpuplanner_gui.domain.preset import CostAssumptions
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import OwnedStock
from gpuplanner_gui.engine.cost.bill import HELD_TERMS
from gpuplanner_gui.engine.cost.energy import draw_share, infrastructure_share, mean_device_power_w
from gpuplanner_gui.engine.cost.offers import Offers, Quote, level_of
from gpuplanner_gui.engine.cost.ownership import (
    OwnershipTerms,
    owned_cost,
    owned_usd_per_hour,
    running_usd_per_year,
    useful_usd_per_hour,
)
from gpuplanner_gui.engine.cost.quotations import quoted_purchase
from gpuplanner_gui.engine.cost.units import OwnedEnergy, OwnedNetwork, Stock, Units, owned_size
from gpuplanner_gui.engine.explaining.formula import leaf
from gpuplanner_gui.engine.hardware.devices import AssumedPower

USUAL_BOX = {"soc": 1, "npu": 1, "cpu": 2}
"""Devices of a box that the node catalogue lacks; eight of every other kind."""
HOST_SOURCE = "; with its share of the host: catalogue: economics_presets, price of the host"
OWNED_SOURCE = "cost of ownership under the scenario's terms"
USUAL_IDLE_SHARE = 0.2
"""Idle power as a share of the rating, where no node of the catalogue states it."""


@dataclass(frozen=True)
class SiteChoice:
    """What the planner says of the network between nodes, and of devices that stand there already."""

    bytes_per_s: float | None = None
    """Per device; None: the device's usual one."""
    oversubscription: float = 1.0
    owned: tuple[OwnedStock, ...] = ()
    is_autoscaled: bool = False
    """Whether devices by the hour are released while the load does not need them."""


USUAL_SITE = SiteChoice()


@dataclass(frozen=True)
class DevicePrices:
    """Per accelerator of the catalogue; NaN where no price is known."""

    usd_per_device_hour: Floats
    power_w: Floats
    """Drawn by one device with its share of the node, under load, before PUE."""
    idle_power_w: Floats
    """Likewise, while nothing runs."""
    batch_one_power_share: float
    rated_power_w: Floats
    owned_power_share: float
    """Power of switches and storage over that of owned devices. [1]"""
    units: Units
    quotes: tuple[Quote, ...]
    """The offer that prices one of each accelerator; empty where devices are owned."""
    needs_liquid: NDArray[np.bool_]
    """What air alone does not cool."""
    interruptions_per_node_day: float = 0.0
    """How often a spot node is taken away; 0 for every other kind of procurement."""

    @property
    def is_borne_out(self) -> NDArray[np.bool_]:
        """Where enough providers ask a price of its own; what is owned has none to compare."""
        stated = [one.is_borne_out for one in self.quotes]
        return np.array(stated or np.ones(len(self.power_w)), bool)

    def added_devices(
        self, accelerator: Integers, devices: Floats | Integers, together: Floats | Integers, is_one_job: bool = False
    ) -> Floats:
        """Devices of fleets beyond those that the planner has already. [1]"""
        needed = np.asarray(devices, np.float64)
        used = self.units.stock_used(accelerator, needed, np.asarray(together, np.float64), is_one_job)
        return np.asarray(needed - used)

    def is_borne_out_for(self, accelerator: Integers, added_devices: Floats) -> NDArray[np.bool_]:
        """Where enough providers ask the price of what fleets add; where they add nothing, none has to."""
        return np.asarray(self.is_borne_out[accelerator] | (added_devices <= 0))

    def job_interruptions_per_node_day(self, accelerator: Integers, devices: Integers) -> Floats:
        """How often a node of jobs on so many devices is taken away: never where all are the planner's own. [1/d]"""
        is_rented = self.added_devices(accelerator, devices, devices, is_one_job=True) > 0
        return np.where(is_rented, self.interruptions_per_node_day, 0.0)

    def mean_power_w(
        self, accelerator: NDArray[np.int64], busy_share: Floats, load: Floats, running_share: Values = 1.0
    ) -> Floats:
        """Mean draw of devices that have something to do for a share of the time, and do `load` of what they could."""
        return mean_device_power_w(
            leaf(self.idle_power_w[accelerator], "idle_power_w", "W", "scenario, or catalogue: node or accelerator"),
            leaf(self.power_w[accelerator], "power_w", "W", "catalogue: rating of the node, times the share drawn"),
            busy_share,
            load,
            leaf(self.batch_one_power_share, "batch_one_share", "", "scenario: site"),
            running_share,
        )

    def infrastructure_share_of(
        self, accelerator: Integers, devices: Floats | Integers, together: Floats | Integers, is_one_job: bool = False
    ) -> Floats:
        """Power of switches and storage over that of fleets' devices: of what is owned, on any term. [1]"""
        added = self.added_devices(accelerator, devices, together, is_one_job)
        owned = devices - added if self.quotes else devices
        terms = leaf(self.owned_power_share, "owned_power_share", "", "scenario: terms of owning")
        return infrastructure_share(terms, owned, devices)


def _source_of(quotes: list[Quote], rows: Integers, unit_devices: Floats) -> str:
    """Where the price of an explained candidate was read: the offer itself, in instances of its size. Of many, the kind
    of source."""
    if not len(rows) or rows.min() != rows.max():
        return "catalogue: offers of providers, or the scenario's quotation"
    return quotes[int(rows[0])].in_instances_of(float(unit_devices[0])).source


@dataclass(frozen=True)
class OwnedPrices:
    """What owning each accelerator costs, by part; NaN where no price is known."""

    node_usd: Floats
    """Price of one device with its share of the server, before discount."""
    rated_power_w: Floats
    capital: CapitalParts[Values]
    annual: OwnedParts[Values]
    usd_per_calendar_hour: Floats
    usd_per_available_hour: Floats
    """Hours that a device is down are carried by those that it is up."""

    def energy_usd_per_available_hour(self, economics: Economics) -> Floats:
        """Electricity within the price of an hour that a device is up. [USD/h]"""
        return np.asarray(self.annual.energy_usd) / HOURS_PER_YEAR / central(economics.ownership.availability)


@dataclass(frozen=True)
class PriceBook:
    """What prices of some accelerators follow from beside a scenario's terms. `assumed` is the power of devices that
    state none."""

    accelerators: tuple[Accelerator, ...]
    nodes: tuple[NodeType, ...]
    assumptions: CostAssumptions
    assumed: Mapping[str, AssumedPower]
    offers: Offers
    usual_idle_share: float
    """Idle over rated power where neither node nor device states it: as nodes mostly have it."""

    def of(self, entry: Accelerator) -> PriceBook:
        """The same for one accelerator alone."""
        return replace(
            self, accelerators=(entry,), nodes=tuple(one for one in self.nodes if one.accelerator_id == entry.id)
        )

    @cached_property
    def bought(self) -> tuple[tuple[Accelerator, NodeType | None], ...]:
        """Each accelerator with the node that it is bought in."""
        return tuple((entry, bought_node(entry, self.nodes)) for entry in self.accelerators)

    @property
    def cooling(self) -> tuple[str, ...]:
        """How the node of each is cooled."""
        return tuple((node.cooling if node else "air").lower() for _, node in self.bought)

    @cached_property
    def rated_power_w(self) -> Floats:
        """Of each device with its share of the node. [W]"""
        return np.array([self._rated_power_w(*pair) for pair in self.bought])

    def _rated_power_w(self, entry: Accelerator, node: NodeType | None) -> float:
        if node is not None and node.max_power_w is not None:
            return node.max_power_w / node.accelerator_count
        watts = entry.tdp_w
        if watts is None:
            watts = self.assumed[entry.id].watts if entry.id in self.assumed else float("nan")
        host_share = self.assumptions.figure("host_power_share")
        return watts if entry.kind in ("soc", "cpu", "npu") else watts * (1 + host_share)

    def prices(self, economics: Economics, procurement: Procurement, choice: SiteChoice = USUAL_SITE) -> DevicePrices:
        """Price and power of every accelerator: rented as offers have it, owned by the cost-of-ownership model.

        A quoted price of the scenario stands before the catalogue's, and a device's price that the planner brought in
        before that of a node somebody listed. A reserved or spot price that no offer states stays NaN: it is not
        guessed from another term's.
        """
        power = self.rated_power_w * central(economics.site.power_share_of_rating)
        idle = np.minimum(power, self.rated_power_w * self._idle_shares(economics))
        quotes: tuple[Quote, ...] = ()
        stock = self._stock(economics, choice)
        if procurement == "own":
            stock = replace(stock, joins=np.array([owned_size(*pair) == 1 for pair in self.bought]))
            owned, network = self.owned(economics), self._network(economics, choice)
            price = owned.usd_per_available_hour
            alone = [((owned_size(*pair), usd),) for pair, usd in zip(self.bought, price, strict=True)]
            energy = OwnedEnergy(owned.energy_usd_per_available_hour(economics), draw_share(idle, power))
            units = Units.of(alone, [False] * len(price), network, stock, lambda *_: OWNED_SOURCE, energy)
        else:
            quotes = tuple(self.offers.quote(entry, procurement, economics) for entry in self.accelerators)
            price = np.array([one.usd_per_hour for one in quotes])
            stock = replace(stock, carries_base=choice.is_autoscaled and procurement not in HELD_TERMS)
            units = self._rented_units(economics, procurement, stock)
        return DevicePrices(
            price,
            power,
            idle,
            central(economics.site.batch_one_power_share),
            self.rated_power_w,
            central(economics.ownership.infrastructure_power_share),
            units,
            quotes,
            np.array([needs_liquid(text) for text in self.cooling], bool),
            SECONDS_PER_DAY / central(economics.spot_interruption_interval_s) if procurement == "rent_spot" else 0.0,
        )

    def _rented_units(self, economics: Economics, term: Procurement, stock: Stock) -> Units:
        """Instances of the offer that suits so many devices together, for all numbers that differ in it; beside those
        of another price level the typical ones."""
        held_from = [self.offers.quoted_from(one.id) for one in self.accelerators]
        level = economics.price_level
        quotes = [
            self.offers.suited(entry, term, msgspec.structs.replace(economics, price_level=one), together)
            for one in dict.fromkeys((level, "typical"))
            for entry, starts in zip(self.accelerators, held_from, strict=True) for together in starts
        ]  # fmt: skip
        sizes, singles = [one.sizes for one in quotes], [one.is_single for one in quotes]
        source = partial(_source_of, quotes)
        return Units.of(sizes, singles, stock=stock, source=source, held_from=held_from, level=level)

    def owned(self, economics: Economics, drawn: float = 1.0) -> OwnedPrices:
        """Capital and yearly cost of every accelerator under a scenario's terms: the one way in which owning is
        priced. Of the power under load a share is `drawn` on average."""
        host = self.assumptions.figure("host_price_share")
        each = np.array([purchase_price(*pair, economics, host).usd for pair in self.bought])
        terms = ownership_terms(economics)
        terms = replace(terms, power_share_of_rating=terms.power_share_of_rating * drawn)
        capital, annual = terms.capital_usd(each), owned_cost(terms, each, self.rated_power_w)
        per_hour = np.asarray(owned_usd_per_hour(annual), np.float64)
        availability = central(economics.ownership.availability)
        useful = np.asarray(useful_usd_per_hour(per_hour, availability, 1.0), np.float64)
        return OwnedPrices(each, self.rated_power_w, capital, annual, per_hour, useful)

    def _stock(self, economics: Economics, choice: SiteChoice) -> Stock:
        """Devices that stand there already, and what an hour of one costs without its purchase."""
        held = Counter[str]()
        for one in choice.owned:
            held[one.accelerator] += one.devices
        count = np.array([float(held[entry.id]) for entry in self.accelerators])
        if not held:
            return Stock(count, np.zeros(len(count)))
        owned = self.owned(with_network(economics, 0.0))
        hourly = running_usd_per_year(owned.annual) / HOURS_PER_YEAR
        return Stock(
            count, np.asarray(hourly / central(economics.ownership.availability), np.float64),
            energy_usd_per_device_hour=owned.energy_usd_per_available_hour(economics),
        )  # fmt: skip

    def _network(self, economics: Economics, choice: SiteChoice) -> OwnedNetwork:
        """The network between boxes, at the planner's rate or the device's usual one."""
        boxes = [node.accelerator_count if node else USUAL_BOX.get(entry.kind, 8) for entry, node in self.bought]
        full_rate = self.assumptions.figure("full_fabric_bytes_per_s")
        usual = np.array([entry.scale_out_bytes_per_s or full_rate for entry in self.accelerators])
        rate = usual if choice.bytes_per_s is None else np.full(len(usual), choice.bytes_per_s)
        terms, none = ownership_terms(economics), np.zeros(len(usual))
        with_dollar, without = (
            owned_usd_per_hour(owned_cost(replace(terms, network_usd_per_device=usd), none, none)) for usd in (1.0, 0.0)
        )
        share = (np.asarray(with_dollar) - np.asarray(without)) / central(economics.ownership.availability)
        return OwnedNetwork(
            np.array(boxes, float), float(terms.network_usd_per_device), rate / full_rate, choice.oversubscription,
            self.assumptions.figure("fabric_switch_share"), self.assumptions.figure("plain_network_usd_per_device"),
            np.broadcast_to(share, len(usual)).astype(float),
        )  # fmt: skip

    def _idle_shares(self, economics: Economics) -> Floats:
        """Idle over rated power: as the scenario says, of the node, of the device alone, or as nodes mostly have it."""
        stated = economics.site.idle_share_of_rating
        if stated is not None:
            return np.full(len(self.accelerators), central(stated))
        of_nodes = [_idle_share(node.idle_power_w, node.max_power_w) if node else None for _, node in self.bought]
        alone = [_idle_share(entry.idle_w, entry.tdp_w) for entry in self.accelerators]
        return np.array([node or device or self.usual_idle_share for node, device in zip(of_nodes, alone, strict=True)])


def usual_idle_share(nodes: Iterable[NodeType]) -> float:
    """Idle over rated power of the middle one of some nodes. [1]"""
    known = [one for node in nodes if (one := _idle_share(node.idle_power_w, node.max_power_w))]
    return float(np.median(known)) if known else USUAL_IDLE_SHARE


def _idle_share(idle_w: float | None, rated_w: float | None) -> float | None:
    return idle_w / rated_w if idle_w and rated_w else None


def with_network(economics: Economics, usd_per_device: float) -> Economics:
    """The same terms with the network that a fleet of a size has. [USD]"""
    own = msgspec.structs.replace(economics.ownership, network_usd_per_device=usd_per_device)
    return msgspec.structs.replace(economics, ownership=own)


def needs_liquid(cooling: str) -> bool:
    """Whether air alone does not cool a node."""
    return "liquid" in cooling and "air" not in cooling


def bought_node(entry: Accelerator, nodes: tuple[NodeType, ...]) -> NodeType | None:
    """The catalogued node of an accelerator, of several the one that costs least per device."""
    fitting = [node for node in nodes if node.accelerator_id == entry.id and node.sold_as != "part"]
    priced = [node for node in fitting if node.capex is not None]
    if priced:
        return min(priced, key=lambda node: central(node.capex.usd) / node.accelerator_count if node.capex else 0.0)
    return fitting[0] if fitting else None


def is_power_assumed(entry: Accelerator, nodes: tuple[NodeType, ...]) -> bool:
    """Whether neither the device nor its node states what it draws."""
    node = bought_node(entry, nodes)
    return entry.tdp_w is None and (node is None or node.max_power_w is None)


@dataclass(frozen=True)
class PurchasePriceOf:
    """Price of one device with its share of the server, and where it was read; NaN where none is known. [USD]"""

    usd: float
    source: str = ""
    date: str = ""


def purchase_price(
    entry: Accelerator, node: NodeType | None, economics: Economics, host_share: float = 0.0
) -> PurchasePriceOf:
    """The quotation, then the planner's own price of the device, then its node's, then that of the device.

    A quotation is of what the catalogue prices: a device's share of its node, or the device alone, to which its host
    is added. So one that is equal to the catalogue's price changes nothing.
    """
    host = 0.0 if entry.kind in ("soc", "cpu") else host_share
    quoted = quoted_purchase(entry.id, economics)
    if quoted is not None:
        host = 0.0 if node is not None and node.capex is not None else host
        source = ", ".join(filter(None, ("scenario: quoted price", quoted.provider))) + (HOST_SOURCE if host else "")
        return PurchasePriceOf(quoted.usd * (1 + host), source)
    if node is not None and node.capex is not None and (not entry.is_own_price or node.capex.confidence == "user"):
        usd = level_of(node.capex.usd, economics.price_level) / node.accelerator_count
        return PurchasePriceOf(usd, node.capex.source, node.capex.as_of or "")
    if entry.price is not None:
        usd = level_of(entry.price.usd, economics.price_level) * (1 + host)
        source = entry.price.source + (HOST_SOURCE if host else "")
        return PurchasePriceOf(usd, source, entry.price.as_of or "")
    return PurchasePriceOf(float("nan"))


def ownership_terms(economics: Economics) -> OwnershipTerms:
    """The cost model's terms at the central values of a scenario's money section."""
    own, site = economics.ownership, economics.site
    stated = {one.name: getattr(own if hasattr(own, one.name) else site, one.name) for one in fields(OwnershipTerms)}
    return OwnershipTerms(**{name: central(one) for name, one in stated.items()})
