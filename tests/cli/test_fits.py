"""`gpuplanner fits`: the inverse questions on the command line."""

from __future__ import annotations

import json

import pytest

from gpuplanner_gui.cli import main
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.training_workload import Parallelism, TrainingWorkload
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.training.exploring import fits
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.knowledge import load_calibration

H100 = "nvidia-h100-sxm-80gb"


def asked(capsys, *arguments):
    status = main(["fits", *arguments])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_replicas_with_their_three_answers(capsys):
    status, out, _ = asked(capsys, "h200", "--model", "llama-3.1-70b", "--batch", "8", "--context", "8192", "--json")
    answer = json.loads(out)
    assert status == 0
    assert (answer["batch"], answer["context_tokens"]) == (8, 8192)
    rows = {(one["devices"], one["weights"]): one for one in answer["replicas"]}
    assert set(rows) == {(count, name) for count in (1, 2, 4, 8) for name in ("bf16", "fp8", "int4")}
    one, two = rows[1, "bf16"], rows[2, "bf16"]
    assert one["runs_out_at"] == "weights"
    assert one["free_bytes"] < -1e9
    assert one["largest_batch"] == 0
    assert one["largest_parameters"] < answer["parameters"] < two["largest_parameters"]
    assert two["runs_out_at"] == "none"
    assert two["largest_batch"] >= 8
    assert two["longest_context_tokens"] >= 8192


def test_text_says_by_how_much_and_where(capsys):
    out = asked(capsys, "h100-sxm", "--model", "llama-3.1-70b", "--devices", "1")[1]
    assert "GB missing" in out
    assert "weights" in out
    assert "Largest model" in out


def test_s37_the_largest_model_is_one_number_here_and_in_the_window(capsys):
    """18 bytes a parameter over eight devices of 80 GB: 38e9 parameters, less what activations take and buffers."""
    answer = json.loads(asked(capsys, "h100-sxm", "--train", "8", "--json")[1])
    catalog, calibration = load_catalog(), load_calibration()
    assert answer["devices"] == 8
    assert answer["tensor_parallel"] * answer["pipeline_parallel"] * answer["data_parallel"] == 8
    capacity = catalog.accelerators[H100].memory_bytes
    assert 0.6 * 8 * capacity / 18 < answer["largest_parameters"] < 8 * capacity / 18
    model = catalog.models["llama-3.1-8b"].model
    hardware = HardwareChoice(accelerators=(H100,), training_devices=8, max_training_devices=8)
    training = TrainingWorkload(tokens=3e10, parallelism=Parallelism(tensor=8), zero_stage="0")
    scenario = Scenario(name="8B", model=model, training=training, hardware=hardware)
    found = plan(scenario, catalog, calibration)
    seen = fits(scenario, catalog, calibration, found, found.training.best).largest_model
    assert answer["largest_parameters"] == seen.parameters
    assert "train up to" in asked(capsys, "h100-sxm", "--train", "8")[1]


@pytest.mark.parametrize(
    "question",
    [
        ("abacus",),
        ("h100-sxm", "--weights", "fp5"),
        ("h100-sxm", "--kv", "fp8,bf16"),
        ("l4", "--devices", "7"),
        ("rtx-5090", "--weights", "int8"),
    ],
)
def test_what_cannot_be_asked_is_told(capsys, question):
    status, out, err = asked(capsys, *question)
    assert status == 1
    assert out == ""
    assert err.count("\n") == 1


@pytest.mark.parametrize("batch", ["0", "-1", "nan", "many"])
def test_a_batch_is_a_number_above_zero(batch):
    with pytest.raises(SystemExit):
        main(["fits", "h100-sxm", "--batch", batch])


@pytest.mark.parametrize(
    ("question", "says"),
    [
        (("h100-sxm", "--model", "llama-3.1-70b", "--devices", "3"), "64 heads of Llama 3.1 70B do not divide by 3"),
        (("h100-sxm", "--model", "llama-3.1-70b", "--devices", "16"), "A scale-up domain has 8 devices"),
        (("h100-sxm", "--model", "llama-3.1-70b", "--devices", "1", "--engine", "trtllm", "--weights", "nvfp4"),
         "not known to run Llama 3.1 70B on it with weights in NVFP4 and a KV cache in BF16"),
    ],
)  # fmt: skip
def test_where_nothing_runs_the_reason_is_told(capsys, question, says):
    status, _, err = asked(capsys, *question)
    assert status == 1
    assert says in err
