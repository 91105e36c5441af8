"""A launcher is told what the plan holds, nothing else, and what it cannot do is said."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.api import plan as answered
from gpuplanner_gui.domain.launch import Launch, Launcher
from gpuplanner_gui.domain.model import DraftHead, WeightFormat
from gpuplanner_gui.domain.plan import Plan, Reason
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.workload import RequestClass
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words.launch import notes_of
from gpuplanner_gui.engine.handoff import launch_of, launches
from gpuplanner_gui.engine.handoff.options import shell_lines
from gpuplanner_gui.engine.serving.engine_release import release_numbers
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.files.shipped_tables import load_launchers
from gpuplanner_gui.paths import resources_dir

LAUNCHERS = {one.id: one for one in load_launchers()}


@cache
def planned() -> Results:
    return answered(load_project(resources_dir() / "examples" / "13b-two-deployments.gpuplan"), is_judged=False)[0]


def serving_row(**wanted: str | int) -> int:
    """A candidate that runs, with these columns and formats."""
    results = planned()
    table, plan = results.plan.serving.table, results.plan
    for row in table.order:
        accelerator = results.catalog.accelerators[plan.accelerators[table.accelerator[row]]]
        found = {
            "tp": int(table.tensor_parallel[row]),
            "pp": int(table.pipeline_parallel[row]),
            "weights": plan.precisions[table.weight_precision[row]],
            "kv": plan.precisions[table.kv_precision[row]],
            "ecosystem": accelerator.ecosystem,
            "device": accelerator.id,
        }
        if table.fits[row] and all(found[name] == value for name, value in wanted.items()):
            return int(row)
    raise LookupError(wanted)


def launched(engine: str, row: int, scenario: Scenario | None = None, plan: Plan | None = None) -> Launch:
    results = planned()
    return launch_of(scenario or results.scenario, results.catalog, plan or results.plan, row, LAUNCHERS[engine])


def with_engine(**changes: object) -> Scenario:
    scenario = planned().scenario
    engine = msgspec.structs.replace(scenario.serving.engine, **changes)
    return msgspec.structs.replace(scenario, serving=msgspec.structs.replace(scenario.serving, engine=engine))


def with_class(**changes: object) -> Scenario:
    scenario = planned().scenario
    first = msgspec.structs.replace(scenario.serving.classes[0], **changes)
    return msgspec.structs.replace(scenario, serving=msgspec.structs.replace(scenario.serving, classes=(first,)))


def arguments(launch: Launch) -> str:
    return " ".join(launch.command)


def test_each_setting_of_the_plan_is_a_flag_of_each_engine():
    row = serving_row(tp=2, pp=1, weights="fp8", kv="fp8", ecosystem="cuda")
    vllm = arguments(launched("vllm", row))
    for flag in (
        "--tensor-parallel-size 2", "--quantization fp8", "--kv-cache-dtype fp8", "--max-num-seqs 256",
        "--max-num-batched-tokens 8192", "--gpu-memory-utilization 0.9", "--max-model-len 4096",
    ):  # fmt: skip
        assert flag in vllm
    sglang = arguments(launched("sglang", row))
    for flag in (
        "--tp-size 2", "--quantization fp8", "--kv-cache-dtype fp8_e4m3", "--max-running-requests 256",
        "--chunked-prefill-size 8192", "--context-length 4096",
    ):  # fmt: skip
        assert flag in sglang
    trtllm = launched("trtllm", row)
    assert "--tp_size 2" in arguments(trtllm)
    assert "--max_seq_len 4096" in arguments(trtllm)
    assert trtllm.config[:2] == ("kv_cache_config:", "  dtype: fp8")
    assert trtllm.command[-1] == "--extra_llm_api_options launch.yaml"


def test_an_encoder_is_started_for_the_documents_that_are_planned():
    """BGE reads 512 tokens: documents of 200 may be twice as long, of 400 as long as the model reads."""
    scenario = load_project(resources_dir() / "examples" / "embedding-index.gpuplan").scenarios[0]
    results = answered(scenario, is_judged=False)[0]
    for tokens, least, most in ((200.0, 400, 404), (400.0, 512, 512)):
        first = msgspec.structs.replace(scenario.serving.classes[0], prompt_tokens=tokens)
        asked = msgspec.structs.replace(scenario, serving=msgspec.structs.replace(scenario.serving, classes=(first,)))
        launch = launched("vllm", results.plan.serving.best, asked, results.plan)
        told = next(one for one in launch.settings if one.code == "max_context")
        assert told.text == f"--max-model-len {told.value}"
        assert least <= int(told.value) <= most, tokens


def test_a_device_without_units_for_bf16_computes_in_fp16():
    model = msgspec.structs.replace(planned().scenario.model, weight_format=WeightFormat(native="bf16"))
    scenario = msgspec.structs.replace(planned().scenario, model=model)
    for device, told in (("nvidia-v100-sxm2-32gb", "--dtype float16"), ("nvidia-a100-sxm-80gb", "")):
        row = serving_row(weights="bf16", kv="bf16", device=device)
        assert [one for one in launched("vllm", row, scenario).command if "dtype" in one] == [told] * bool(told), device


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "pools"),
    [("vllm", "separate"), ("sglang", "together"), ("trtllm", "together"), ("llama_cpp", "separate")],
)
def test_no_layout_is_planned_that_the_engine_has_no_options_for(engine: str, pools: str):
    """A mixture of experts may be cut in every way: what an engine's flags cannot say is no candidate for it."""
    devices = ("nvidia-h100-sxm-80gb", "nvidia-rtx-4090", "nvidia-dgx-spark-gb10", "apple-m4-max", "amd-mi300x")
    serving = msgspec.structs.replace(with_engine(engine=engine).serving, pools=pools)
    scenario = msgspec.structs.replace(
        planned().scenario, serving=serving, training=None,
        model=planned().catalog.models["gpt-oss-20b"].model,
        hardware=HardwareChoice(accelerators=devices, licensed_for_data_centres=False),
    )  # fmt: skip
    results = answered(scenario, is_judged=False)[0]
    table = results.plan.serving.table
    fitting = np.flatnonzero(table.fits)
    assert len(fitting)
    for row in fitting:
        launch = launched(engine, int(row), scenario, results.plan)
        for one in (launch, *([launch.prefill] if launch.prefill is not None else [])):
            assert "no_such_layout" not in {note.code for note in one.notes}, one.notes
    assert engine in ("vllm", "sglang") or Reason.LAYOUT_NOT_IN_ENGINE in table.reason


def test_nothing_is_said_of_what_the_plan_does_not_hold():
    row = serving_row(tp=1, pp=1, weights="bf16", kv="bf16", ecosystem="cuda")
    scenario = msgspec.structs.replace(
        with_class(prefix_cache_share=0.0),
        model=msgspec.structs.replace(planned().scenario.model, weight_format=WeightFormat(native="bf16")),
    )
    for engine in ("vllm", "sglang", "trtllm"):
        launch = launched(engine, row, scenario)
        said = arguments(launch) + "\n".join(launch.config)
        for word in ("parallel", "tp-size", "tp_size", "pp", "expert", "quantiz", "dtype", "prefix", "reuse", "specul",
                     "priority", "nnodes", "data-parallel"):  # fmt: skip
            assert word not in said, (engine, word)


def test_memory_is_counted_as_each_engine_counts_it():
    row = serving_row(tp=2, pp=1, weights="fp8", kv="fp8", ecosystem="cuda")
    table = planned().plan.serving.table
    capacity, weights, pool = (float(one[row]) for one in (
        table.memory_capacity_bytes, table.weights_bytes, table.kv_pool_bytes))  # fmt: skip
    others = float(table.activation_bytes[row] + table.runtime_bytes[row])
    static = float(arguments(launched("sglang", row)).split("--mem-fraction-static ")[1].split()[0])
    free = float(arguments(launched("trtllm", row)).split("--kv_cache_free_gpu_memory_fraction ")[1].split()[0])
    assert static == pytest.approx((weights + pool) / capacity, abs=5e-4)
    assert free * (capacity - weights - others) == pytest.approx(pool, rel=2e-3)
    assert weights + pool + others == pytest.approx(0.9 * capacity)


def test_drafts_prefixes_and_priorities():
    row = serving_row(tp=1, pp=1, weights="fp8", ecosystem="cuda")
    drafting = with_engine(speculative_tokens=3)
    assert '"num_speculative_tokens": 3}\'' in arguments(launched("vllm", row, drafting))
    assert "--speculative-num-steps 3" in arguments(launched("sglang", row, drafting))
    assert "--speculative-num-draft-tokens 4" in arguments(launched("sglang", row, drafting))
    assert [one.code for one in launched("trtllm", row, drafting).not_possible] == ["speculative_tokens"]
    assert "--enable-prefix-caching" in arguments(launched("vllm", row, with_class(prefix_cache_share=0.4)))
    scenario = planned().scenario
    two = (*scenario.serving.classes[:1], RequestClass(name="batch", peak_rate_per_s=1.0, priority=9))
    ranked = msgspec.structs.replace(scenario, serving=msgspec.structs.replace(scenario.serving, classes=two))
    assert "--scheduling-policy priority" in arguments(launched("vllm", row, ranked))
    assert "--schedule-low-priority-values-first" in arguments(launched("sglang", row, ranked))
    assert "priorities" in [one.code for one in launched("trtllm", row, ranked).not_possible]


def test_what_an_engine_cannot_do_is_said():
    row = serving_row(tp=1, pp=1, weights="fp8", ecosystem="cuda")
    static = launched("vllm", row, with_engine(batching="static"))
    assert [one.code for one in static.not_possible] == ["batching"]
    assert "chunked" not in arguments(static)
    other = launched("trtllm", serving_row(tp=1, ecosystem="rocm"))
    assert not other.is_possible
    assert [one.code for one in other.notes] == ["not_on_device"]
    notes = {one.code: one.values for one in launched("sglang", row).notes}
    assert notes["planned_for"] == {"engine": "vllm"}


def test_quantised_weights_are_read_or_made_and_always_validated():
    row = serving_row(tp=1, pp=1, weights="int8", ecosystem="cuda")
    launch = launched("vllm", row)
    assert next(one.status for one in launch.settings if one.code == "weight_precision") == "in_checkpoint"
    assert {"checkpoint", "validate"} <= {one.code for one in launch.notes}
    own = msgspec.structs.replace(planned().scenario.model, weight_format=WeightFormat(quantized="int8"))
    stored = launched("vllm", row, msgspec.structs.replace(planned().scenario, model=own))
    assert not {"checkpoint", "validate"} & {one.code for one in stored.notes}


def test_training_batches_multiply_to_the_global_batch():
    results = planned()
    best = results.plan.training.best
    table = results.plan.training.table
    launch = launched("megatron", best)
    values: dict[str, Any] = {one.code: one.value for one in launch.settings}
    copies = int(table.data_parallel[best])
    assert values["micro_batch"] * values["micro_batches"] * copies == values["global_batch"]
    assert values["global_batch"] * values["sequence_length"] == results.scenario.training.global_batch_tokens
    assert f"--train-iters {int(np.ceil(table.steps[best]))}" in arguments(launch)
    sizes = (table.tensor_parallel, table.pipeline_parallel, table.context_parallel, table.expert_parallel)
    is_known = (
        np.isin(table.zero_stage, (0, 2, 3)) & np.isin(table.recompute, (0, 2)) & (table.recompute_share % 1 == 0)
    )
    row = int(np.flatnonzero(table.fits & is_known & np.all([one == 1 for one in sizes], axis=0))[0])
    fsdp = launched("fsdp", row)
    steps = next(one.value for one in fsdp.settings if one.code == "micro_batches")
    assert f"--gradient_accumulation_steps {steps}" in arguments(fsdp)


def test_layouts_of_a_training_job_over_several_servers():
    results = planned()
    table = results.plan.training.table
    best = results.plan.training.best
    columns = {name: getattr(table, name).copy() for name in (
        "tensor_parallel", "pipeline_parallel", "data_parallel", "zero_stage", "devices", "recompute",
        "virtual_stages", "expert_tensor_parallel")}  # fmt: skip
    for name, value in (("tensor_parallel", 4), ("pipeline_parallel", 2), ("data_parallel", 2), ("zero_stage", 1),
                        ("devices", 16), ("recompute", 2), ("virtual_stages", 5),
                        ("expert_tensor_parallel", 4)):  # fmt: skip
        columns[name][best] = value
    share = np.full(len(table.devices), 0.25)
    changed = msgspec.structs.replace(table, **columns, recompute_share=share)
    training = msgspec.structs.replace(results.plan.training, table=changed)
    plan = msgspec.structs.replace(results.plan, training=training)
    megatron = arguments(launched("megatron", best, plan=plan))
    for flag in (
        "--nnodes 2", "--nproc-per-node 8", "--tensor-model-parallel-size 4", "--pipeline-model-parallel-size 2",
        "--num-virtual-stages-per-pipeline-rank 5", "--use-distributed-optimizer", "--recompute-method block",
        "--recompute-num-layers 1",
    ):  # fmt: skip
        assert flag in megatron
    refused = launched("fsdp", best, plan=plan)
    assert not refused.is_possible
    assert {one.values["setting"] for one in refused.notes} == {
        "tensor_parallel", "pipeline_parallel", "virtual_stages", "schedule", "zero_stage", "recompute"}  # fmt: skip


def test_adapters_are_not_megatrons_business():
    scenario = planned().scenario
    job = msgspec.structs.replace(scenario.training, method="lora")
    row = planned().plan.training.best
    tuned = msgspec.structs.replace(scenario, training=job)
    refused = launched("megatron", row, tuned)
    assert not refused.is_possible
    assert "method" in {one.values["setting"] for one in refused.notes}
    assert "method" not in {one.code for one in launched("fsdp", row, tuned).not_possible}


def test_planned_engine_comes_first_and_rows_are_checked():
    results = planned()
    row = serving_row(tp=1, ecosystem="cuda")
    found = launches(with_engine(engine="sglang"), results.catalog, results.plan, "serving", row, LAUNCHERS.values())
    assert [one.launcher for one in found] == ["sglang", "vllm", "trtllm", "llama_cpp", "mlx"]
    with pytest.raises(IndexError):
        launched("vllm", 10**7)


def test_shipped_launchers_name_settings_once_and_say_where_they_come_from():
    for launcher in LAUNCHERS.values():
        assert isinstance(launcher, Launcher)
        names = [(rule.setting, rule.since, rule.ecosystems, *rule.where.items()) for rule in launcher.flags]
        assert len(names) == len(set(names))
        links = {link for rule in launcher.flags for link in rule.links}
        assert links <= set(planned().catalog.links)
        # A plan of a service asks whether a layout has options without a device's link.
        assert not links or launcher.workload == "training"
        read = [release_numbers(one) for one in launcher.releases]
        assert read == sorted(set(read))
        spans = {one for span in launcher.options.values() for one in (span.since, span.until) if one}
        assert spans <= set(launcher.releases)
        assert launcher.sources
        assert launcher.date >= "2026"


@cache
def with_pools() -> Results:
    """A large mixture on H200 with separate pools."""
    scenario = planned().scenario
    model = planned().catalog.models["deepseek-v3"].model
    classes = tuple(msgspec.structs.replace(one, slos=()) for one in scenario.serving.classes)
    serving = msgspec.structs.replace(scenario.serving, weight_precisions=("fp8",), classes=classes)
    hardware = msgspec.structs.replace(
        scenario.hardware, accelerators=("nvidia-h200-sxm-141gb",), max_devices_per_replica=8
    )
    changed = msgspec.structs.replace(scenario, model=model, serving=serving, hardware=hardware)
    return answered(changed, is_judged=False)[0]


@pytest.mark.parametrize(
    ("engine", "prefill", "decode"),
    [
        ("vllm", '"kv_connector":"NixlConnector"', '"kv_connector":"NixlConnector"'),
        ("sglang", "--disaggregation-mode prefill", "--disaggregation-mode decode"),
        ("trtllm", "disable_overlap_scheduler: true", "backend: DEFAULT"),
    ],
)
def test_each_pool_has_a_command_of_its_own_layout(engine: str, prefill: str, decode: str) -> None:
    results = with_pools()
    table = results.plan.serving.table
    other = (table.prefill_workers > 0) & (table.prefill_data_parallel != table.attention_data_parallel)
    row = int(np.flatnonzero(other & np.isfinite(table.replicas))[0])
    launch = launch_of(results.scenario, results.catalog, results.plan, row, LAUNCHERS[engine])
    assert launch.prefill is not None
    for one, text in ((launch.prefill, prefill), (launch, decode)):
        assert text in " ".join((*one.command, *one.config))
    sizes = [
        {one.code: one.value for one in part.settings}.get("attention_data_parallel", 1)
        for part in (launch.prefill, launch)
    ]
    assert sizes == [table.prefill_data_parallel[row], table.attention_data_parallel[row]]
    assert next(one.code for one in launch.notes) == "pools"


@pytest.mark.parametrize(
    ("engine", "release", "option"),
    [("vllm", "0.33.0", "--runner pooling"), ("vllm", "0.9.2", "--task embed"), ("sglang", "", "--is-embedding")],
)
def test_documents_are_embedded_in_the_words_of_each_release(engine: str, release: str, option: str) -> None:
    row = serving_row(tp=1, pp=1, weights="fp8", ecosystem="cuda")
    scenario = with_class(request="document")
    settings = msgspec.structs.replace(scenario.serving.engine, engine=engine, release=release)
    scenario = msgspec.structs.replace(scenario, serving=msgspec.structs.replace(scenario.serving, engine=settings))
    assert option in arguments(launched(engine, row, scenario))
    assert option not in arguments(launched(engine, row))


def test_one_pool_for_both_has_one_command() -> None:
    results = with_pools()
    table = results.plan.serving.table
    row = int(np.flatnonzero(table.fits & (table.prefill_workers == 0))[0])
    assert launch_of(results.scenario, results.catalog, results.plan, row, LAUNCHERS["vllm"]).prefill is None


def test_a_checkpoints_own_layers_draft_in_the_words_of_each_engine():
    """A model that brings MTP layers needs no draft model; an EAGLE-3 head is a checkpoint of its own, named."""
    row = serving_row(tp=1, pp=1, weights="fp8", ecosystem="cuda")

    def launched_by(head: DraftHead, engine: str):
        scenario = with_engine(speculative_tokens=3)
        return launched(engine, row, msgspec.structs.replace(
            scenario, model=msgspec.structs.replace(scenario.model, drafts=head)
        ))  # fmt: skip

    mtp, eagle = DraftHead(), DraftHead(kind="eagle3", checkpoint="someone/head")
    assert '{"method": "mtp", "num_speculative_tokens": 3}' in arguments(launched_by(mtp, "vllm"))
    assert "DRAFT_MODEL" not in arguments(launched_by(mtp, "sglang"))
    assert "--speculative-algorithm EAGLE --speculative-num-steps 3" in arguments(launched_by(mtp, "sglang"))
    assert "  num_nextn_predict_layers: 3" in launched_by(mtp, "trtllm").config
    assert '"method": "eagle3"' in arguments(launched_by(eagle, "vllm"))
    assert "  speculative_model_dir: $DRAFT_MODEL" in launched_by(eagle, "trtllm").config
    # The shell fills the variable in.
    assert any(line.endswith("<<END") for line in shell_lines(launched_by(eagle, "trtllm")))
    assert any("someone/head" in note for note in notes_of(launched_by(eagle, "vllm")))
