"""`gpuplanner gain`: two accelerators phase by phase, as text and as JSON."""

from __future__ import annotations

import json

import pytest

from gpuplanner_gui.cli import main
from tests.conftest import SMALL_CHAT

EXAMPLE = SMALL_CHAT


def asked(capsys, *arguments):
    status = main(["gain", *arguments])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_gains_of_every_phase_with_and_without_fp8(capsys):
    status, out, _ = asked(capsys, "a100-80gb", "h100-sxm", "--json")
    answer = json.loads(out)
    assert status == 0
    assert (answer["first"], answer["second"]) == ("nvidia-a100-sxm-80gb", "nvidia-h100-sxm-80gb")
    kinds = [(one["phase"], one["batch"], one["fp8_allowed"]) for one in answer["gains"]]
    phases = [("training", 128), ("prefill", None), ("decode", 1), ("decode", 64), ("decode", 256)]
    assert kinds == [(*phase, allowed) for phase in phases for allowed in (False, True)]
    assert all(one["low80"] < one["gain"] < one["high80"] for one in answer["gains"])
    assert {one["phase"] for one in answer["measured"]} == {"training", "prefill", "decode"}


def test_text_names_context_and_sources(capsys):
    status, out, _ = asked(capsys, "a100-80gb", "h100-sxm", "--model", "llama-3.1-8b")
    assert status == 0
    for words in (
        "prefill of 1\N{NO-BREAK SPACE}024 tokens, none cached",
        "Decode, batch 64",
        "FP8, emulated",
        "BF16 peak 3.17×",
        "Splitwise",
        "vLLM 0.2 (2023)",
    ):
        assert words in out


def test_a_gain_above_every_published_pair_is_told(capsys):
    """Splitwise's 39 pairs of BF16 prefill reach 2.39 at most; the plan expects more, and says that this is much."""
    answer = json.loads(asked(capsys, "a100-80gb", "h100-sxm", "--json")[1])
    pairs = [
        one["high"] for one in answer["measured"] if (one["phase"], one["second_precision"]) == ("prefill", "bf16")
    ]
    prefill = next(one for one in answer["gains"] if one["phase"] == "prefill" and not one["fp8_allowed"])
    told = next(line for line in asked(capsys, "a100-80gb", "h100-sxm")[1].splitlines() if "every published" in line)
    assert ("Prefill, BF16" in told.split(": ")[1].split("; ")) == (prefill["gain"] > max(pairs))
    assert "Training step;" not in told
    assert "every published" not in asked(capsys, "h100-sxm", "b200", "--model", "llama-3.3-70b")[1]


def test_what_does_not_fit_is_null_in_json_and_a_reason_in_text(capsys):
    question = ("l4", "h100-sxm", "--model", "llama-3.1-70b")
    missing = [one for one in json.loads(asked(capsys, *question, "--json")[1])["gains"] if one["gain"] is None]
    assert missing
    assert all(one["first"]["time_s"] is None and one["first"]["missing_bytes"] > 1e9 for one in missing)
    assert all(one["first"]["runs_out_at"] in ("weights", "kv_cache") for one in missing if one["phase"] != "training")
    assert all(one["second"]["runs_out_at"] is None for one in missing)
    text = asked(capsys, *question)[1]
    assert "first lacks" in text
    assert "per device (KV cache)" in text


def test_a_project_gives_model_and_lengths(capsys):
    answer = json.loads(asked(capsys, "h100-sxm", "h200", "--project", str(EXAMPLE), "--json")[1])
    assert "70B" in answer["model"]
    changed = json.loads(asked(capsys, "h100-sxm", "h200", "--project", str(EXAMPLE), "--prompt", "3000", "--json")[1])
    assert changed["prompt_tokens"] == 3000
    assert changed["context_tokens"] == answer["context_tokens"]


@pytest.mark.parametrize("question", [("abacus", "h100-sxm"), ("h100-sxm", "h200", "--model", "no such model")])
def test_names_that_nobody_knows_are_told(capsys, question):
    status, out, err = asked(capsys, *question)
    assert status == 1
    assert out == ""
    assert "is not in the catalogue" in err
