"""Rows of published training results: what their words mean for the run."""

from __future__ import annotations

import pytest

from gpuplanner_gui.domain.benchmark import TrainingCase
from gpuplanner_gui.files.benchmark_rows import training_rows
from gpuplanner_gui.files.benchmark_rows.question import RowProblem
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration

CATALOG, CALIBRATION = load_shipped_catalog(), load_calibration()


def read(**given: str) -> TrainingCase:
    usual = {
        "case_id": "t", "source": "meta-pytorch/torchtune", "model": "llama3.2-3b", "gpu": "A100", "n_gpus": "1",
        "seq_len": "4096", "micro_batch": "2", "metric": "peak_memory", "unit": "GiB", "value": "20",
    }  # fmt: skip
    return training_rows.case(usual | given, CATALOG, CALIBRATION)[0]


def test_a_cumulative_list_holds_the_measures_before():
    packed = read(notes="cumulative ladder: +packed")
    assert not packed.is_compiled
    assert not packed.is_loss_chunked
    chunked = read(notes="cumulative ladder: +chunkedCE")
    assert chunked.is_compiled
    assert chunked.is_loss_chunked
    assert not chunked.are_activations_offloaded
    narrow = read(notes="cumulative ladder: +adamw8bit")
    assert narrow.optimizer == "adamw_8bit"
    assert narrow.are_activations_offloaded
    assert narrow.state_bytes.gradients == 0.0
    adapter = read(notes="cumulative ladder: LoRA")
    assert adapter.method == "lora"
    assert adapter.optimizer == "adamw"
    assert adapter.state_bytes.gradients != 0.0


def test_what_tools_do_unless_told_otherwise():
    assert read().recompute == 2
    assert read().is_loss_chunked
    assert read(notes="LoRA").recompute == 0
    lit = read(source="Lightning-AI/litgpt", precision="bf16-true")
    assert (lit.recompute, lit.global_batch, lit.state_bytes.master_weights) == (0, 8, 0.0)
    titan = read(source="pytorch/torchtitan", notes="compile", n_gpus="8")
    assert titan.recompute == 1
    assert titan.is_loss_chunked
    assert titan.framework == "fsdp"


def test_deepspeed_and_what_lies_in_host_memory():
    made = read(source="stas00/ml-engineering", notes="DeepSpeed ZeRO-3 + CPU AdamW offload + Liger fused CE")
    assert made.framework == "deepspeed"
    assert made.is_optimizer_offloaded
    assert not made.are_weights_offloaded
    assert read(notes="full finetune; CPU offload + fused optimizer").are_weights_offloaded


def test_memory_and_checkpoints_need_no_accelerator_but_speed_does():
    assert read(gpu="", metric="checkpoint_size", unit="GB").accelerator == training_rows.ANY_ACCELERATOR
    made = read(gpu="", source_locator="results/ia3--llama-3.2-3B-default.json", source="huggingface/peft")
    assert made.accelerator == training_rows.ANY_ACCELERATOR
    assert made.method == "lora"
    with pytest.raises(RowProblem, match="accelerator"):
        read(gpu="", metric="tokens_per_s_per_gpu", unit="tok/s/GPU")
