from __future__ import annotations

import gc

import msgspec
import pytest

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.training.communication import cluster_of
from gpuplanner_gui.engine.training.plan import training_plan
from tests.engine.training.conftest import DAY_S, LLAMA_8B, ScenarioMaker, never

MOST_KEPT = 4


def test_clusters_are_made_once(context: Context) -> None:
    first = cluster_of(context.catalog, "", 1.0, 1.0)
    assert cluster_of(context.catalog, "", 2.0, 1.0) is not first
    assert cluster_of(context.catalog, "", 1.0, 1.0) is first


def test_few_catalogues_are_kept_for_their_clusters(context: Context) -> None:
    """Each project that is opened may bring one of its own."""
    known = sum(isinstance(one, Catalog) for one in gc.get_objects())
    for _ in range(3 * MOST_KEPT):
        cluster_of(msgspec.structs.replace(context.catalog), "", 1.0, 1.0)
    gc.collect()
    assert sum(isinstance(one, Catalog) for one in gc.get_objects()) <= known + MOST_KEPT


THOR, XEON = "nvidia-jetson-t5000-thor", "intel-xeon-6980p"


def test_a_module_stands_alone_and_has_no_memory_but_its_own(context: Context, made: ScenarioMaker) -> None:
    """Eight Thor modules were a box with tensor parallelism over it, and kept activations in a host's memory."""
    scenario = made(LLAMA_8B, {"accelerators": (THOR,), "max_training_devices": 8}, tokens=1e8)
    table = training_plan(scenario, context, never).table
    runs = table.fits
    assert runs.any()
    assert table.tensor_parallel[runs].max() == 1
    assert not table.offload[runs].any()
    assert not table.activation_offload[runs].any()


def test_processors_train_where_they_are_named(context: Context, made: ScenarioMaker) -> None:
    job = {"tokens": 1e9, "deadline_s": 60 * DAY_S}
    cpus = [one.kind == "cpu" for one in context.accelerators]
    for hardware, are_tried in (({}, False), ({"accelerators": (XEON,)}, True), ({"kinds": ("cpu",)}, True)):
        table = training_plan(made(LLAMA_8B, hardware, **job), context, never).table
        tried = [cpus[one] for one in table.accelerator[table.reason != Reason.EXCLUDED]]
        assert any(tried) == are_tried, hardware


def test_a_device_of_a_pod_has_its_share_of_the_memory_of_all_the_pods_hosts(context: Context) -> None:
    """A v5p host has 448 GiB for 4 chips, less a quarter for itself; a pod of 16 hosts gave each chip all of theirs."""
    share = cluster_of(context.catalog, "", 1.0, 1.0).host_memory_bytes[context.devices.ids.index("google-tpu-v5p")]
    assert share == pytest.approx(0.75 * 448 * 2**30 / 4)


@pytest.mark.parametrize(
    ("device", "devices"),
    [
        ("nvidia-a100-sxm-80gb", 8),  # HGX of 8; a DGX Station of 4 stands after it in the catalogue
        ("nvidia-h100-pcie-80gb", 8),  # cards in slots, joined in pairs by a bridge
        ("amd-mi300a", 4),  # four sockets on a board
        ("amd-epyc-9755", 2),
        ("nvidia-jetson-t5000-thor", 1),
    ],
)
def test_a_server_holds_as_many_devices_as_its_makers_say(context: Context, device: str, devices: int) -> None:
    cluster = cluster_of(context.catalog, "", 1.0, 1.0)
    assert cluster.node_devices[context.devices.ids.index(device)] == devices
