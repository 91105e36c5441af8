"""`gpuplanner fits`: the inverse questions on the command line."""

from __future__ import annotations

import json

import pytest

from gpuplanner_gui.cli import main


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


def test_largest_model_that_a_cluster_trains(capsys):
    answer = json.loads(asked(capsys, "h100-sxm", "--train", "8", "--json")[1])
    assert answer["devices"] == 8
    assert answer["zero_stage"] == 3
    assert 35e9 < answer["largest_parameters"] < 43e9
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
        (("h100-sxm", "--model", "llama-3.1-70b", "--devices", "16"), "beyond the 8 of a scale-up domain"),
        (("h100-sxm", "--model", "llama-3.1-70b", "--devices", "1", "--engine", "trtllm", "--weights", "nvfp4"),
         "not known to run Llama 3.1 70B on it with weights in NVFP4 and a KV cache in BF16"),
    ],
)  # fmt: skip
def test_where_nothing_runs_the_reason_is_told(capsys, question, says):
    status, _, err = asked(capsys, *question)
    assert status == 1
    assert says in err
