"""Rows of separate pools: what they state counts; what they leave unsaid comes from their source's recipes, if any."""

from __future__ import annotations

import pytest

from gpuplanner_gui.files.benchmark_rows import serving_rows
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from tools.fit_serving.tables import MeasuredCase, PoolRecipe, RecipeBook, RecipeSweep, completed, load_pool_recipes
from tools.observation.habits import source_of

ROW = {
    "case_id": "c",
    "mode": "disagg",
    "model_path": "deepseek-ai/DeepSeek-R1",
    "system": "gb200",
    "backend": "trtllm",
    "backend_version": "1.0",
    "measured_on": "2026-03-01",
    "precision": "fp4",
    "gemm_quant_mode": "nvfp4",
    "moe_quant_mode": "nvfp4",
    "isl": "1024",
    "osl": "1024",
    "concurrency": "48",
    "prefill_tp_size": "4",
    "prefill_moe_ep_size": "4",
    "decode_tp_size": "8",
    "decode_moe_tp_size": "2",
    "decode_moe_ep_size": "4",
}


def recipe(decode: str, drafts: int = 0, concurrency: tuple[int, ...] = (48,), prefill: str = "1 x DEP4") -> PoolRecipe:
    return PoolRecipe(
        prompt_tokens=1024,
        output_tokens=1024,
        concurrency=concurrency,
        draft_tokens=drafts,
        prefill=prefill,
        decode=decode,
    )


def sweep(*recipes: PoolRecipe, release: str = "1.0") -> RecipeSweep:
    return RecipeSweep(
        model="deepseek-v3",
        accelerator="nvidia-gb200",
        engine="trtllm",
        release=release,
        weight_bits=4,
        recipes=recipes,
        source="a test",
        date="2026-03",
    )


def standing(row, catalog, calibration) -> MeasuredCase:
    """The row as it stands."""
    case, _ = serving_rows.case(row, catalog, calibration)
    return MeasuredCase(case, (), "", row, source=source_of(row, case))


@pytest.fixture(scope="module")
def read():
    catalog, calibration = load_shipped_catalog(), load_calibration()

    def one(*sweeps: RecipeSweep, **changes):
        row = {**ROW, **changes}
        found = completed(standing(row, catalog, calibration), catalog, RecipeBook(sweeps=sweeps))
        return found.case, found.ways

    return one


def test_without_a_recipe_a_row_says_what_it_says(read):
    found, ways = read()
    assert (found.layout.replicas, found.layout.devices, found.prefill_layout.devices) == (0, 8, 4)
    assert not ways


def test_the_recipe_tells_workers_groups_and_drafts(read):
    found, ways = read(sweep(recipe("4 x TEP8", drafts=3)))
    assert (found.layout.replicas, found.layout.expert_parallel, found.draft_tokens) == (4, 8, 3)
    assert found.prefill_layout.data_parallel == 4
    assert not ways


def test_recipes_that_fit_alike_are_all_kept(read):
    found, ways = read(sweep(recipe("4 x TEP8", drafts=3), recipe("4 x TEP8")))
    assert [way.draft_tokens for way in ways] == [3, 0]
    assert found.layout.replicas == 0


def test_equal_recipes_of_two_lists_are_one(read):
    found, ways = read(sweep(recipe("4 x TEP8")), sweep(recipe("4 x TEP8", concurrency=(24, 48))))
    assert not ways
    assert found.layout.replicas == 4


def test_the_rows_own_release_goes_first(read):
    found, _ = read(sweep(recipe("2 x TEP8"), release="0.5"), sweep(recipe("4 x TEP8")))
    assert found.layout.replicas == 4


def test_the_nearest_concurrency_counts_up_to_a_factor_of_two(read):
    near = sweep(recipe("4 x TEP8", concurrency=(32,)), recipe("2 x TEP8", concurrency=(96,)))
    assert read(near)[0].layout.replicas == 4
    assert read(near, concurrency="80")[0].layout.replicas == 2
    assert read(near, concurrency="200")[0].layout.replicas == 0


def test_a_recipe_for_other_workers_does_not_fit(read):
    assert read(sweep(recipe("4 x TEP16")))[0].layout.replicas == 0
    assert read(sweep(recipe("4 x TEP8", prefill="1 x DEP8")))[0].layout.replicas == 0


def test_columns_may_hold_all_devices_together(read):
    found, _ = read(
        sweep(recipe("4 x TEP8")), prefill_tp_size="36", decode_tp_size="36", prefill_moe_ep_size="1",
        decode_moe_ep_size="1",
    )  # fmt: skip
    assert (found.layout.replicas, found.layout.devices) == (4, 8)


@pytest.mark.parametrize(
    "change",
    [{"gemm_quant_mode": "fp8", "moe_quant_mode": "fp8"}, {"osl": "2048"}, {"system": "b200_sxm"}, {"backend": "vllm"}],
)
def test_recipes_of_another_set_up_do_not_fit(read, change):
    assert not read(sweep(recipe("4 x TEP8", drafts=3)), **change)[0].draft_tokens


def test_a_recipe_tells_whether_drafts_ran():
    catalog, calibration = load_shipped_catalog(), load_calibration()
    stands = standing(ROW, catalog, calibration)
    assert stands.source.may_speculate
    told = completed(stands, catalog, RecipeBook(sweeps=(sweep(recipe("4 x TEP8", drafts=3)),)))
    assert not told.source.may_speculate


def test_workers_that_the_row_states_stay(read):
    found, _ = read(sweep(recipe("4 x TEP8", drafts=3)), decode_num_workers="2", prefill_num_workers="1")
    assert (found.layout.replicas, found.draft_tokens) == (2, 0)


def test_a_published_row_is_completed_for_judging_alone():
    catalog, calibration = load_shipped_catalog(), load_calibration()
    row = {**ROW, "backend_version": "0.8.1.post2", "concurrency": "180", "decode_tp_size": "32"}
    stands = standing(row, catalog, calibration)
    assert completed(stands, catalog, load_pool_recipes()).case.layout.replicas > 0
    assert (stands.case.layout.replicas, stands.case.draft_tokens) == (0, 0)
