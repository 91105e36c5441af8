"""What stays the same between plans of one catalogue and calibration: device arrays, chosen kernels, prices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, wraps
from math import gcd
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Booleans, Floats, Integers
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.economics import Economics, Procurement
from gpuplanner_gui.domain.hardware import Accelerator, Restriction, UseTerm
from gpuplanner_gui.domain.knowledge import Calibration, KernelCalibration
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.scenario import HardwareChoice, OwnedStock, Scenario
from gpuplanner_gui.domain.serving_engine import SupportedOperation
from gpuplanner_gui.domain.workload import ServingWorkload
from gpuplanner_gui.engine.cost.offers import offers_of
from gpuplanner_gui.engine.cost.prices import USUAL_SITE, DevicePrices, PriceBook, SiteChoice, usual_idle_share
from gpuplanner_gui.engine.cost.site import fed_devices, has_limits
from gpuplanner_gui.engine.evidence.record import PublishedRuns
from gpuplanner_gui.engine.hardware.devices import DeviceTable, assumed_power, device_table, usual_node_devices
from gpuplanner_gui.engine.kernels.choice import Kernels, bound_kernels, kernel_engine
from gpuplanner_gui.engine.model.mixer_heads import mixer_heads
from gpuplanner_gui.engine.model.precision import refused
from gpuplanner_gui.engine.recent import Recent

LARGEST_KEPT_BYTES = 32 * 2**20 - 2**16
"""Just below the most that the C library's limit can rise to."""


def keep_freed_memory() -> None:
    """Let the C library keep what arrays free, instead of returning it page by page and asking for it again.

    Plans make and drop hundreds of arrays of 0.1 to 1 MB; getting fresh pages for them takes longer than filling them.
    glibc raises the size from which it maps blocks by themselves when such a block is freed (mallopt(3),
    M_MMAP_THRESHOLD), so one large block that nobody touches settles it. Elsewhere this does nothing.
    """
    block = np.empty(LARGEST_KEPT_BYTES, np.uint8)
    del block


USUAL_SOCKETS = 2.0
"""Sockets of a server that the catalogue lacks."""
END_OF_LIFE = ("eol", "discontinued", "second-hand")
STILL_SOLD = ("still sold", "announced")


Rest = ParamSpec("Rest")
Answer = TypeVar("Answer")


_NOT_KEPT = object()


def kept_in_context(
    most: int = 16,
) -> Callable[[Callable[Concatenate[Context, Rest], Answer]], Callable[Concatenate[Context, Rest], Answer]]:
    """Keep the newest answers of a function that follow from a context, in that context, so that they go with it.

    A cache of the function's own would hold each context that it was ever asked about: some megabytes for every project
    that is opened. Asked by position; what follows the context is hashable.
    """

    def keeping(
        function: Callable[Concatenate[Context, Rest], Answer],
    ) -> Callable[Concatenate[Context, Rest], Answer]:
        @wraps(function)
        def asked(context: Context, /, *rest: Rest.args, **named: Rest.kwargs) -> Answer:
            kept = context.answers.setdefault(function, {})
            key = (rest, tuple(named.items()))
            answer = kept.get(key, _NOT_KEPT)
            if answer is _NOT_KEPT:
                answer = function(context, *rest, **named)
                for oldest in list(kept)[: max(len(kept) - most + 1, 0)]:
                    kept.pop(oldest, None)  # Another thread may have let it go.
                kept[key] = answer
            return cast("Answer", answer)

        return asked

    return keeping


class Context:
    """Arrays made once per catalogue and calibration; asked for by the plans."""

    def __init__(self, catalog: Catalog, calibration: Calibration) -> None:
        keep_freed_memory()
        self.catalog = catalog
        self.calibration = calibration
        self.accelerators: tuple[Accelerator, ...] = tuple(catalog.accelerators.values())
        self.assumed_power = assumed_power(self.accelerators)
        self.offers = offers_of(catalog)
        nodes = tuple(catalog.nodes.values())
        self.price_book = PriceBook(
            self.accelerators, nodes, calibration.economics.assumptions, self.assumed_power, self.offers,
            usual_idle_share(nodes),
        )  # fmt: skip
        self.devices: DeviceTable = device_table(catalog)
        self.box_devices = np.minimum(self.devices.together, _box_devices(catalog))
        """Devices that share each layer without leaving the box that they are sold in; shape (accelerators,)."""
        self.is_end_of_life = np.array([_is_end_of_life(entry) for entry in self.accelerators], bool)
        terms = [self.use_term(entry, "air_gap") for entry in self.accelerators]
        self.is_rented_alone = np.array([one is not None for one in terms], bool)
        offered = {one.accelerator_id for one in catalog.offers.values()}
        self.is_not_to_be_had = self.is_rented_alone & np.array(
            [entry.rental is None and entry.id not in offered for entry in self.accelerators], bool
        )
        self.answers: dict[Callable[..., Any], dict[Any, Any]] = {}
        """Of functions that are `kept_in_context`."""
        self._kernels: dict[str, Kernels] = {}
        self._refused: dict[tuple[str, SupportedOperation], NDArray[np.bool_]] = {}
        self._prices: dict[tuple[Economics, Procurement, SiteChoice], DevicePrices] = {}
        of_timed_vendor = self.is_of_timed_vendor = is_of_timed_vendor(self.accelerators, calibration.kernels)
        self.published = PublishedRuns(calibration.published, catalog, is_serving=True)
        self.published_training = PublishedRuns(calibration.published, catalog, is_serving=False)
        self.has_timed_relative = of_timed_vendor & np.array([entry.kind == "gpu" for entry in self.accelerators])
        self._in_slots: Recent[DeviceTable] = Recent()
        self._allowed: Recent[NDArray[np.bool_]] = Recent()

    def kernels(self, engine: str) -> Kernels:
        """Chosen parameters for an engine, made at the first use."""
        measured = kernel_engine(engine)
        if measured not in self._kernels:
            self._kernels[measured] = bound_kernels(
                self.accelerators, self.devices, self.catalog.links, self.calibration, measured
            )
        return self._kernels[measured]

    def refused(self, engine: str, operation: SupportedOperation) -> NDArray[np.bool_]:
        """Formats that an engine refuses, per accelerator and precision; made at the first use."""
        key = (engine, operation)
        if key not in self._refused:
            self._refused[key] = refused(self.calibration.formats, engine, self.accelerators, operation)
        return self._refused[key]

    def devices_of(self, choice: HardwareChoice) -> DeviceTable:
        """The devices as a scenario's hosts hold them."""
        slots = choice.host_link_bytes_per_s
        return self._in_slots.of((slots,), lambda: self.devices.in_slots_of(slots))

    def site_of(self, scenario: Scenario, serving: ServingWorkload | None = None) -> SiteChoice:
        """The network that a scenario names, as owners pay for it, and what stands there and runs for its service."""
        choice = scenario.hardware
        link = self.catalog.links.get(choice.network)
        is_autoscaled = serving is not None and serving.start.is_autoscaled
        rate = link.bytes_per_s_per_direction if link else None
        return SiteChoice(rate, choice.oversubscription, self._fed_stock(scenario), is_autoscaled)

    def _fed_stock(self, scenario: Scenario) -> tuple[OwnedStock, ...]:
        """Owned devices as far as their site feeds and cools them."""
        owned = scenario.hardware.owned
        if not owned or not has_limits(scenario):
            return owned
        held = Counter[str]()
        for one in owned:
            held[one.accelerator] += one.devices
        fed = {
            one.id: fed_devices(scenario, self.price_book.of(one), usual_node_devices(one, self.catalog), held[one.id])
            for one in self.accelerators if one.id in held
        }  # fmt: skip
        return tuple(OwnedStock(accelerator=name, devices=count) for name, count in fed.items() if count)

    def prices(self, economics: Economics, procurement: Procurement, network: SiteChoice = USUAL_SITE) -> DevicePrices:
        """Prices under a scenario's terms; the newest few are kept."""
        key = (economics, procurement, network)
        if key not in self._prices:
            if len(self._prices) > 16:
                self._prices.clear()
            self._prices[key] = self.price_book.prices(economics, procurement, network)
        return self._prices[key]

    def cannot_be_bought(self, choice: HardwareChoice, procurement: Procurement) -> NDArray[np.bool_]:
        """Accelerators that are no longer sold new, or never were, for who would buy them; rented ones are had where
        offered. Who names one that is rented alone may have a price for it."""
        if procurement != "own":
            return np.zeros(len(self.accelerators), bool)
        held = {one.accelerator for one in choice.owned}
        is_held = np.array([entry.id in held for entry in self.accelerators], bool)
        is_old = self.is_end_of_life & np.bool_(not choice.include_end_of_life)
        return np.asarray((is_old | (self.is_rented_alone & ~self.are_named(choice))) & ~is_held)

    def allowed(self, choice: HardwareChoice) -> NDArray[np.bool_]:
        """Accelerators that the planner's filters leave."""
        return self._allowed.of((choice,), lambda: self._left_by(choice))

    def _left_by(self, choice: HardwareChoice) -> NDArray[np.bool_]:
        return np.array(
            [
                (not choice.accelerators or entry.id in choice.accelerators)
                and (not choice.vendors or entry.vendor in choice.vendors)
                and (not choice.kinds or entry.kind in choice.kinds)
                and (not choice.ecosystems or entry.ecosystem in choice.ecosystems)
                and not (choice.licensed_for_data_centres and self.use_term(entry, "data_centre"))
                and (not choice.licensed_for_data_centres or entry.is_for_servers or _is_named(entry, choice))
                and not (choice.air_gapped and self.use_term(entry, "air_gap"))
                and (not is_gone or _is_named(entry, choice))
                for entry, is_gone in zip(self.accelerators, self.is_not_to_be_had, strict=True)
            ],
            bool,
        )

    def are_named(self, choice: HardwareChoice) -> NDArray[np.bool_]:
        """Accelerators that the planner asks for, each by itself or by their kind."""
        return np.array([_is_named(entry, choice) for entry in self.accelerators], bool)

    def use_term(self, entry: Accelerator, restriction: Restriction) -> UseTerm | None:
        """What restricts the use of a device; None where nothing is known to."""
        return self.calibration.use_terms.of(entry.id, restriction)

    @staticmethod
    def heads(model: Model, with_encoder: bool = False) -> int:
        """Number that tensor parallelism must divide: the query heads that all layers share."""
        groups = (*model.layers, *(model.encoder_layers if with_encoder else ()))
        return gcd(*(mixer_heads(group.mixer).query for group in groups))

    @staticmethod
    def layer_count(model: Model) -> int:
        return sum(group.count for group in model.layers)


def _is_named(entry: Accelerator, choice: HardwareChoice) -> bool:
    by_kind = entry.kind in choice.kinds or entry.ecosystem in choice.ecosystems
    return by_kind or entry.id in choice.accelerators


def is_of_timed_vendor(accelerators: tuple[Accelerator, ...], calibration: KernelCalibration) -> NDArray[np.bool_]:
    """Where a device of the same vendor was timed; what the planner timed counts for that device alone."""
    vendors = {device.vendor for device in calibration.devices if not device.is_own}
    own = {device.accelerator for device in calibration.devices if device.is_own}
    return np.array([entry.vendor in vendors or entry.id in own for entry in accelerators], bool)


def _box_devices(catalog: Catalog) -> NDArray[np.float64]:
    """Devices in a box of an accelerator without a fabric of its own, as sold; infinite where no box says less."""
    found = []
    for entry in catalog.accelerators.values():
        in_boxes = [node.accelerators_per_host for node in catalog.nodes_of(entry.id)]
        usual = USUAL_SOCKETS if entry.kind == "cpu" else np.inf
        has_domain = entry.scale_up is not None and entry.scale_up.domain_size is not None
        found.append(np.inf if has_domain else max(in_boxes, default=usual))
    return np.array(found)


def _is_end_of_life(entry: Accelerator) -> bool:
    text = entry.availability.lower()
    return any(word in text for word in END_OF_LIFE) and not any(word in text for word in STILL_SOLD)


@lru_cache(maxsize=4)
def context_of(catalog: Catalog, calibration: Calibration) -> Context:
    """The context of a catalogue and calibration, made once. Both are compared by identity."""
    return Context(catalog, calibration)


@dataclass(frozen=True)
class Gate:
    """A reason per candidate, and the number that belongs to it."""

    reason: Integers
    value: Floats

    @staticmethod
    def opened(count: int) -> Gate:
        return Gate(np.zeros(count, np.int64), np.zeros(count))

    def close(self, where: Booleans, reason: Reason, value: Floats | float) -> Gate:
        """Give a reason to those that have none yet."""
        if not where.any():
            return self
        first = where & (self.reason == Reason.NONE)
        return Gate(np.where(first, int(reason), self.reason), np.where(first, value, self.value))

    def at(self, index: Integers) -> Gate:
        return Gate(self.reason[index], self.value[index])

    @property
    def is_open(self) -> Booleans:
        return np.asarray(self.reason == Reason.NONE)
