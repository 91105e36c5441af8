"""Keys of candidates that stay from plan to plan."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.drawing.candidate_keys import candidate_key, candidate_of_key
from gpuplanner_gui.drawing.words.candidates import training_layout
from gpuplanner_gui.engine import plan
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration


def test_layouts_that_differ_by_how_experts_are_cut_have_their_own_key_and_name():
    """Older files name layouts by keys without it: they mean experts cut as where nothing is said."""
    hardware = HardwareChoice(accelerators=("nvidia-h100-sxm-80gb",), training_devices=64, max_training_devices=64)
    catalog = load_shipped_catalog()
    model = catalog.models["qwen3-30b-a3b"].model
    training = TrainingWorkload(tokens=1e10, zero_stage="1", micro_batch=1)
    scenario = Scenario(name="experts", model=model, training=training, hardware=hardware)
    found = plan(scenario, catalog, load_calibration())
    table = found.training.table
    same = np.flatnonzero((table.tensor_parallel == 4) & (table.expert_parallel == 8) & (table.pipeline_parallel == 1))
    assert sorted(table.expert_tensor_parallel[same].tolist()) == [1, 4]
    for row in same:
        key = candidate_key(found, "training", int(row))
        assert candidate_of_key(found, "training", key) == row
        is_cut = table.expert_tensor_parallel[row] == 4
        assert key.endswith("/etp4") == is_cut
        assert ("EP 8 · ETP 4 · DP" in training_layout(table, int(row))) == is_cut


def test_activations_in_host_memory_have_their_own_key_and_name():
    """8B with 65,536 tokens on eight H100: some layouts keep activations there."""
    hardware = HardwareChoice(accelerators=("nvidia-h100-sxm-80gb",), training_devices=8, max_training_devices=8)
    catalog = load_shipped_catalog()
    training = TrainingWorkload(tokens=1e10, sequence_length=65_536, global_batch_tokens=2**20)
    model = catalog.models["llama-3.1-8b"].model
    found = plan(Scenario(name="8B", model=model, training=training, hardware=hardware), catalog, load_calibration())
    table = found.training.table
    row = int(np.flatnonzero(table.fits & (table.activation_offload > 0))[0])
    key = candidate_key(found, "training", row)
    assert key.endswith("/acthost")
    assert candidate_of_key(found, "training", key) == row
    assert candidate_of_key(found, "training", key.removesuffix("/acthost")) != row
    assert training_layout(table, row).endswith("activations on the host")
