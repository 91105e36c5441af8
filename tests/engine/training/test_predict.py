"""Published results as cases: units, conventions, unknown choices."""

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.benchmark import TrainingCase
from gpuplanner_gui.domain.plan import Evidence
from gpuplanner_gui.engine.training.predict import case_work, predicted

from .conftest import H100, LLAMA_8B, llama

GPT_22B = msgspec.structs.replace(
    llama(48, 6144, 64, 64, 24576, 51200),
    layers=(
        msgspec.structs.replace(
            llama(48, 6144, 64, 64, 24576).layers[0],
            ffn=msgspec.structs.replace(llama(48, 6144, 64, 64, 24576).layers[0].ffn, gated=False),
        ),
    ),
    tied_embeddings=True,
)


def case(**given: object) -> TrainingCase:
    usual = {
        "case_id": "test", "model": LLAMA_8B, "accelerator": H100, "devices": 64, "metric": "step_time",
        "sequence_length": 8192, "global_batch": 128, "micro_batch": 1, "framework": "megatron",
    }  # fmt: skip
    return TrainingCase(**(usual | given))  # type: ignore[arg-type]


def test_metrics_of_one_run_agree(context):
    step = predicted(case(), context).value
    rate = predicted(case(metric="tokens_per_s"), context).value
    each = predicted(case(metric="tokens_per_s_per_device"), context).value
    assert rate == pytest.approx(128 * 8192 / step)
    assert each == pytest.approx(rate / 64)
    flop = predicted(case(metric="model_flop_per_s_per_device"), context).value
    mfu = predicted(case(metric="mfu"), context).value
    assert mfu == pytest.approx(flop / 989.4e12)


def test_flop_conventions_differ_by_attention(context):
    def flop(convention: str) -> float:
        return predicted(case(metric="model_flop_per_s_per_device", flop_convention=convention), context).value

    each = predicted(case(metric="tokens_per_s_per_device"), context).value
    assert flop("six_n") == pytest.approx(6 * 8_030_261_248 * each)
    attention = 3 * 32 * 4 * 4096 * 8192
    assert flop("full") - flop("causal") == pytest.approx(attention / 2 * each, rel=1e-3)


def test_bands_hold_the_value_and_say_how_it_is_known(context):
    found = predicted(case(), context)
    assert found.low80 < found.value < found.high80
    assert found.evidence == Evidence.CALIBRATED
    alien = predicted(case(accelerator="huawei-ascend-910b", devices=8, global_batch=8), context)
    assert alien.evidence == Evidence.SPECIFICATION
    assert alien.high80 / alien.value > found.high80 / found.value


def test_published_22b_step_with_and_without_recomputation(context):
    """Korthikanti et al. 2022, table 5: 8 A100, 1.42 s with full and 1.10 s with selective recomputation."""
    usual = {
        "model": GPT_22B, "accelerator": "nvidia-a100-sxm-80gb", "devices": 8, "sequence_length": 2048,
        "global_batch": 4, "micro_batch": 4, "tensor_parallel": 8, "recipe": "fp16", "flash_attention": False,
    }  # fmt: skip
    assert predicted(case(recompute=2, **usual), context).value == pytest.approx(1.42, rel=0.15)
    assert predicted(case(recompute=1, **usual), context).value == pytest.approx(1.10, rel=0.15)


def test_unknown_choices_are_made_as_a_search_would(context):
    open_ = case_work(case(micro_batch=-1, zero_stage=-1, recompute=-1), context)
    assert open_.layout.micro_batch[0] >= 1
    assert open_.layout.zero_stage[0] == 1
    assert open_.memory.total[0] <= context.devices.memory_bytes[open_.layout.accelerator[0]]


def test_peak_memory_counts_what_the_framework_allocates(context):
    allocated = predicted(case(metric="peak_memory_allocated"), context).value
    reserved = predicted(case(metric="peak_memory_reserved"), context).value
    work = case_work(case(), context)
    assert allocated < reserved < float(work.memory.total[0]) + 1e9
    parts = work.memory
    assert allocated == pytest.approx(float(parts.state.total[0] + parts.activations[0] + parts.logits[0]))


def test_gradients_that_come_as_activations_go_are_not_counted_with_them(context):
    usual = {"framework": "fsdp", "devices": 1, "sequence_length": 2048, "metric": "peak_memory_allocated",
             "model": llama(16, 2048, 32, 8, 8192), "zero_stage": 0, "recompute": 0}  # fmt: skip
    one = predicted(case(global_batch=1, **usual), context).value
    several = predicted(case(global_batch=4, **usual), context).value
    assert one < several


def test_checkpoint_of_an_adamw_run(context):
    """Weights, master weights and moments: 14 bytes per parameter, with FP32 accumulation not saved."""
    found = predicted(case(metric="checkpoint_bytes"), context).value
    assert found == pytest.approx(14 * 8_030_261_248)


def test_older_releases_are_slower_on_young_hardware(context):
    usual = {"accelerator": "nvidia-gb200", "devices": 8, "recipe": "fp8"}
    old = predicted(case(release="25.09", **usual), context).value
    new = predicted(case(release="26.06", **usual), context).value
    assert old > new


def test_hardware_without_a_peak_for_the_recipe_is_refused(context):
    found = predicted(case(accelerator="nvidia-v100-sxm2-32gb", recipe="fp32", devices=1, global_batch=1), context)
    assert np.isfinite(found.value)
    missing = predicted(case(accelerator="google-tpu-v4", recipe="tf32", devices=1, global_batch=1), context)
    assert np.isnan(missing.value)
    assert missing.reason
