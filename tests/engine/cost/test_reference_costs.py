"""Owned cost against what the InferenceX cost model publishes for seven accelerators and two kinds of owner.

Reference figures: constants of SemiAnalysis InferenceX, snapshot of April 2026: cost of an hour of owning, four-year
life. The model gets one set of terms for each kind of owner (`catalogs/economics_presets.json`) and the node
catalogue's capital cost and rated power; nothing is set for single devices.
"""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.engine.cost.offers import Offers
from gpuplanner_gui.engine.cost.prices import PriceBook
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.shipped_tables import load_economics_presets

DEVICES = {
    "nvidia-h100-sxm-80gb": (1.30, 1.69),
    "nvidia-h200-sxm-141gb": (1.41, 1.74),
    "nvidia-b200-sxm-180gb": (1.95, 2.34),
    "nvidia-gb200": (2.21, 2.75),
    "amd-mi300x": (1.12, 1.40),
    "amd-mi325x": (1.28, 1.59),
    "amd-mi355x": (1.48, 1.90),
}
"""USD per device-hour as published: hyperscaler, neocloud."""
TOLERANCE = 0.20


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def owned_usd_per_hour(catalog: Catalog, preset_id: str) -> np.ndarray:
    presets = {preset.id: preset for preset in load_economics_presets().presets}
    economics = presets[preset_id].applied_to(Economics())
    # The published figures are per hour on the calendar: downtime is not in them.
    every_hour = msgspec.structs.replace(economics.ownership, availability=1.0)
    economics = msgspec.structs.replace(economics, ownership=every_hour)
    accelerators = tuple(catalog.accelerators[device] for device in DEVICES)
    nodes, assumptions = tuple(catalog.nodes.values()), load_economics_presets().assumptions
    return PriceBook(accelerators, nodes, assumptions, {}, Offers(()), 0.2).prices(economics, "own").usd_per_device_hour


@pytest.mark.parametrize(("column", "preset_id"), [(0, "hyperscaler"), (1, "neocloud")])
def test_owned_cost_is_within_a_fifth_of_the_reference(catalog: Catalog, column: int, preset_id: str):
    reference = np.array([figures[column] for figures in DEVICES.values()])
    error = owned_usd_per_hour(catalog, preset_id) / reference - 1
    table = {device: f"{percent:+.1%}" for device, percent in zip(DEVICES, error)}
    assert np.abs(error).max() <= TOLERANCE, table


def test_order_of_the_devices_is_nearly_that_of_the_reference(catalog: Catalog):
    """GB200 is the exception: its rack costs less in the catalogue than the reference implies."""
    for column, preset_id in enumerate(("hyperscaler", "neocloud")):
        reference = np.array([figures[column] for figures in DEVICES.values()])
        ranks = np.argsort(np.argsort(owned_usd_per_hour(catalog, preset_id)))
        assert np.corrcoef(ranks, np.argsort(np.argsort(reference)))[0, 1] > 0.9


def test_neocloud_pays_more_than_hyperscaler_for_every_device(catalog: Catalog):
    assert np.all(owned_usd_per_hour(catalog, "neocloud") > owned_usd_per_hour(catalog, "hyperscaler"))
