"""Rows of served models: what an engine would refuse to start is refused by name."""

from __future__ import annotations

import pytest

from gpuplanner_gui.domain.benchmark import PoolLayout
from gpuplanner_gui.files.benchmark_rows.question import RowProblem
from gpuplanner_gui.files.benchmark_rows.serving_rows import case
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration

ROW = {
    "case_id": "c",
    "model_path": "meta-llama/Llama-3.1-70B",
    "system": "h100_sxm",
    "backend": "vllm",
    "precision": "bf16",
    "isl": "1024",
    "osl": "1024",
    "concurrency": "8",
}


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"mode": "agg", "tp_size": "3"}, "64 heads do not divide by TP 3"),
        ({"mode": "disagg", "decode_tp_size": "8", "prefill_tp_size": "5"}, "64 heads do not divide by TP 5"),
    ],
)
def test_a_dense_model_whose_heads_do_not_divide_is_refused(columns: dict[str, str], says: str) -> None:
    with pytest.raises(RowProblem, match=says):
        case(ROW | columns, load_shipped_catalog(), load_calibration())


EXPERTS = ROW | {"model_path": "deepseek-ai/DeepSeek-R1", "system": "gb200", "backend": "trtllm", "precision": "fp4"}


@pytest.mark.parametrize(
    "columns",
    [
        {"mode": "agg", "tp_size": "36", "moe_tp_size": "36"},
        {"mode": "disagg", "prefill_tp_size": "36", "decode_tp_size": "36", "decode_moe_tp_size": "36"},
    ],
)
def test_more_devices_than_divide_the_heads_are_those_of_two_pools(columns: dict[str, str]) -> None:
    found, remarks = case(EXPERTS | columns, load_shipped_catalog(), load_calibration())
    assert found.load == "disaggregated"
    assert (found.both_pools_devices, found.layout.replicas) == (36, 0)
    assert "two pools" in remarks[0]


def test_pools_with_workers_say_their_own_devices() -> None:
    workers = {"prefill_num_workers": "1", "decode_num_workers": "2"}
    columns = {"mode": "disagg", "prefill_tp_size": "36", "decode_tp_size": "36", "decode_moe_tp_size": "36"} | workers
    assert not case(EXPERTS | columns, load_shipped_catalog(), load_calibration())[0].both_pools_devices


@pytest.mark.parametrize(("groups", "experts"), [("32", (32, 1)), ("16", (1, 16))])
def test_experts_beside_groups_are_not_cut_thinner_than_a_kernel_takes(groups: str, experts: tuple[int, int]) -> None:
    columns = {"mode": "disagg", "decode_attention_dp_size": groups, "decode_moe_tp_size": groups}
    found, remarks = case(EXPERTS | columns, load_shipped_catalog(), load_calibration())
    assert (found.layout.expert_parallel, found.layout.expert_tensor_parallel) == experts
    assert any("do not split" in remark for remark in remarks) == (experts[1] == 1)


def test_columns_of_a_pool_are_not_taken_for_squares() -> None:
    """16 devices of a pool beside experts in 4 parts of 4; of one pool alone they would be 4."""
    columns = {"tp_size": "16", "moe_tp_size": "4", "moe_ep_size": "4"}
    assert case(EXPERTS | columns, load_shipped_catalog(), load_calibration())[0].layout.devices == 4
    pool = {f"decode_{name}": value for name, value in columns.items()} | {"mode": "disagg", "prefill_tp_size": "4"}
    assert case(EXPERTS | pool, load_shipped_catalog(), load_calibration())[0].layout.devices == 16


def test_a_row_is_what_it_says_whoever_measured_it_when() -> None:
    """Date and container of a source change nothing: its clients' habits are none of the program's."""
    catalog, calibration = load_shipped_catalog(), load_calibration()
    plain, _ = case(EXPERTS, catalog, calibration)
    for columns in (
        {"measured_on": "2026-03-01"},
        {"measured_on": "2025-11-01", "engine_image": "a"},
    ):
        assert case(EXPERTS | columns, catalog, calibration)[0] == plain
    assert plain.shortest_share == 1.0


@pytest.mark.parametrize(
    ("columns", "release", "year"),
    [({"backend_version": "0.7.3"}, "0.7.3", 0.0), ({"notes": "a service's release of 2024; means"}, "", 2024.5)],
)
def test_releases_of_rows(columns: dict[str, str], release: str, year: float) -> None:
    found, remarks = case(ROW | columns, load_shipped_catalog(), load_calibration())
    assert (found.release, found.year) == (release, year)
    assert "predicted as a release of vLLM before 0.8" in remarks


def layout_of(**columns: str) -> tuple[PoolLayout, tuple[str, ...]]:
    found, remarks = case(ROW | {"mode": "agg"} | columns, load_shipped_catalog(), load_calibration())
    return found.layout, remarks


@pytest.mark.parametrize(("system", "cores", "devices"), [("trn1", "32", 16), ("trn2", "4", 1), ("trn2", "64", 16)])
def test_parallel_sizes_of_neuron_count_cores(system: str, cores: str, devices: int) -> None:
    """Two NeuronCores to a Trainium1, four logical ones to a Trainium2."""
    layout, remarks = layout_of(system=system, backend="vllm-neuron", tp_size=cores)
    assert (layout.tensor_parallel, layout.expert_tensor_parallel, layout.devices) == (devices, devices, devices)
    assert f"TP {cores} counts cores" in " ".join(remarks)


def test_devices_of_software_that_splits_layers_are_stages() -> None:
    layout, remarks = layout_of(backend="llama.cpp", precision="q4_k_m", tp_size="4")
    assert (layout.tensor_parallel, layout.pipeline_parallel) == (1, 4)
    assert "splits layers" in " ".join(remarks)
    assert layout_of(tp_size="4")[0].tensor_parallel == 4


def test_cards_were_stages_until_the_software_split_tensors_over_them() -> None:
    """Furiosa's 2025.3 of August 2025 was its first release with tensor parallelism across cards."""
    columns = {"system": "furiosa_rngd", "backend": "furiosa-llm", "precision": "fp8", "tp_size": "4"}
    assert layout_of(**columns, measured_on="2025-03-18")[0].pipeline_parallel == 4
    assert layout_of(**columns, backend_version="2025.2.0")[0].pipeline_parallel == 4
    assert layout_of(**columns, measured_on="2025-10-01")[0].tensor_parallel == 4
