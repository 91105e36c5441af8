"""A serving engine's flags start the service that was planned: none that it refuses, none that it reads otherwise."""

from __future__ import annotations

import shlex
from functools import cache

import msgspec
import numpy as np

from gpuplanner_gui.api import plan as answered
from gpuplanner_gui.domain.launch import Launch
from gpuplanner_gui.domain.model import WeightFormat
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words.launch import notes_of
from gpuplanner_gui.engine.handoff import launch_of
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.files.shipped_tables import load_launchers
from gpuplanner_gui.paths import resources_dir

LAUNCHERS = {one.id: one for one in load_launchers()}


@cache
def planned() -> Results:
    """DeepSeek-V3, whose checkpoint is stored in FP8, in BF16 and FP8 on H200."""
    scenario = load_project(resources_dir() / "examples" / "13b-two-deployments.gpuplan").scenarios[0]
    model = answered(scenario, is_judged=False)[0].catalog.models["deepseek-v3"].model
    assert scenario.serving is not None
    classes = tuple(msgspec.structs.replace(one, slos=()) for one in scenario.serving.classes)
    serving = msgspec.structs.replace(scenario.serving, weight_precisions=("bf16", "fp8"), classes=classes)
    hardware = msgspec.structs.replace(
        scenario.hardware, accelerators=("nvidia-h200-sxm-141gb",), max_devices_per_replica=16
    )
    changed = msgspec.structs.replace(scenario, model=model, serving=serving, hardware=hardware, training=None)
    return answered(changed, is_judged=False)[0]


def row_of(weights: str, groups: int = 1) -> int:
    results = planned()
    table = results.plan.serving.table
    is_so = table.fits & (table.attention_data_parallel == groups) & (table.prefill_workers == 0)
    return int(np.flatnonzero(is_so & (table.weight_precision == results.plan.precisions.index(weights)))[0])


def launched(engine: str, row: int, scenario: Scenario | None = None) -> Launch:
    results = planned()
    return launch_of(scenario or results.scenario, results.catalog, results.plan, row, LAUNCHERS[engine])


def with_engine(**changes: object) -> Scenario:
    scenario = planned().scenario
    engine = msgspec.structs.replace(scenario.serving.engine, **changes)
    return msgspec.structs.replace(scenario, serving=msgspec.structs.replace(scenario.serving, engine=engine))


def values_of(launch: Launch) -> dict[str, str]:
    words = shlex.split(" ".join(launch.command))
    return {word: following for word, following in zip(words, [*words[1:], ""]) if word.startswith("--")}


def test_each_attention_group_gets_the_batch_and_the_chunk_of_the_plan() -> None:
    """SGLang shares both out among the groups (8 · 256 = 2048, 8 · 8192 = 65536), vLLM gives them to each."""
    row = row_of("fp8", groups=8)
    sglang, vllm = (values_of(launched(engine, row)) for engine in ("sglang", "vllm"))
    assert (sglang["--dp-size"], vllm["--data-parallel-size"]) == ("8", "8")
    assert (sglang["--max-running-requests"], sglang["--chunked-prefill-size"]) == ("2048", "65536")
    assert sglang["--max-prefill-tokens"] == "8192"
    assert (vllm["--max-num-seqs"], vllm["--max-num-batched-tokens"]) == ("256", "8192")
    alone = values_of(launched("sglang", row_of("fp8")))
    assert (alone["--max-running-requests"], alone["--chunked-prefill-size"]) == ("256", "8192")


def test_a_quantised_checkpoint_is_neither_unpacked_nor_quantised_again() -> None:
    """A BF16 plan of the FP8 checkpoint, and an FP8 plan of a 4-bit one, need a checkpoint that is stored so."""
    scenario = planned().scenario
    in_four_bits = msgspec.structs.replace(
        scenario, model=msgspec.structs.replace(scenario.model, weight_format=WeightFormat(quantized="mxfp4"))
    )
    for asked, weights in ((scenario, "bf16"), (in_four_bits, "fp8")):
        for engine in ("vllm", "sglang", "trtllm"):
            launch = launched(engine, row_of(weights), asked)
            told = " ".join((*launch.command, *launch.config))
            assert "dtype" not in told, (engine, weights)
            assert "quantization" not in told, (engine, weights)
            assert next(one.status for one in launch.settings if one.code == "weight_precision") == "in_checkpoint"
            notes = {one.code: one.values for one in launch.notes}
            assert notes["checkpoint"] == {"precision": weights}
    plain = msgspec.structs.replace(
        scenario, model=msgspec.structs.replace(scenario.model, weight_format=WeightFormat(native="bf16"))
    )
    launch = launched("vllm", row_of("fp8"), plain)
    assert "--quantization fp8" in launch.command
    assert "checkpoint" not in {one.code for one in launch.notes}


def test_an_encoder_reads_each_document_in_one_piece() -> None:
    """Whatever sees later tokens: chunks of a document would miss what follows. Causal embedders are cut as planned."""
    models = planned().catalog.models
    chunked, whole = "--enable-chunked-prefill", "--no-enable-chunked-prefill"
    for name, is_whole in (("bge-base-en-v1.5", True), ("embeddinggemma-300m", True), ("e5-mistral-7b", False)):
        scenario = with_engine(token_budget=256)
        document = msgspec.structs.replace(
            scenario.serving.classes[0], request="document", prompt_tokens=200.0, prefix_cache_share=0.5
        )
        serving = msgspec.structs.replace(scenario.serving, classes=(document,))
        asked = msgspec.structs.replace(scenario, model=models[name].model, serving=serving)
        vllm, sglang, llama = (launched(one, row_of("fp8"), asked) for one in ("vllm", "sglang", "llama_cpp"))
        assert (whole in vllm.command, chunked in vllm.command) == (is_whole, not is_whole), name
        assert "--enable-prefix-caching" not in vllm.command
        assert ("--disable-radix-cache" in " ".join(sglang.command)) == is_whole
        assert values_of(sglang)["--chunked-prefill-size"] == ("-1" if is_whole else "256")
        assert "--cont-batching" in llama.command
        longest = int(values_of(vllm)["--max-model-len"])
        assert longest > 256
        assert values_of(vllm)["--max-num-batched-tokens"] == str(longest if is_whole else 256)


def test_limits_are_none_that_vllm_refuses() -> None:
    """A prompt that is not cut fits in one step, and no more sequences decode than a step has tokens."""
    row = row_of("fp8")
    for batching in ("continuous", "chunked_prefill"):
        for budget in (64, 8192):
            given = values_of(launched("vllm", row, with_engine(batching=batching, token_budget=budget)))
            longest, tokens, sequences = (
                int(given[one]) for one in ("--max-model-len", "--max-num-batched-tokens", "--max-num-seqs")
            )
            assert longest > 8192
            assert tokens == (budget if batching == "chunked_prefill" else max(budget, longest))
            assert sequences == min(256, tokens)
    given = values_of(launched("llama_cpp", row, with_engine(token_budget=64)))
    assert int(given["--parallel"]) <= 64


def test_n_grams_draft_without_a_draft_model() -> None:
    """Four drafts of a chain: five tokens are verified."""
    row = row_of("fp8")
    scenario = with_engine(speculative_tokens=4, draft_share=0.0, draft_acceptance=0.6)
    vllm, sglang = (launched(one, row, scenario) for one in ("vllm", "sglang"))
    assert '--speculative-config \'{"method": "ngram", "num_speculative_tokens": 4}\'' in vllm.command
    assert values_of(sglang)["--speculative-algorithm"] == "NGRAM"
    assert values_of(sglang)["--speculative-num-draft-tokens"] == "5"
    assert values_of(sglang)["--speculative-ngram-max-bfs-breadth"] == "1"
    for one in (vllm, sglang):
        assert "DRAFT_MODEL" not in " ".join(one.command)
        assert any("n-grams" in note and "60 %" in note for note in notes_of(one))
        assert not any("draft model." in note and "choose" in note for note in notes_of(one))
    assert "ngram_drafts" in {one.code for one in launched("trtllm", row, scenario).not_possible}
    own = with_engine(speculative_tokens=4, draft_share=0.05)
    assert "DRAFT_MODEL" in " ".join(launched("vllm", row, own).command)
