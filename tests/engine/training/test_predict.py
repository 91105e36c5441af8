"""Published results as cases: units, conventions, unknown choices."""

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.benchmark import TrainingCase
from gpuplanner_gui.domain.measurement import Evidence
from gpuplanner_gui.engine.training.predict import case_work, predicted
from gpuplanner_gui.engine.training.step_time import training_step

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


def test_published_long_sequences_with_attention_made_for_hopper(context):
    """stas00/ml-engineering, Llama 3 8B on 8 H200 with FlashAttention-3: 420 TFLOP/s at 131,072 tokens."""
    usual = {
        "accelerator": "nvidia-h200-sxm-141gb", "devices": 8, "sequence_length": 131_072, "global_batch": 8,
        "micro_batch": 1, "zero_stage": 3, "recompute": 2, "framework": "deepspeed", "is_optimizer_offloaded": True,
        "metric": "model_flop_per_s_per_device",
    }  # fmt: skip
    older, newer = (predicted(case(flash_attention_3=one, **usual), context).value for one in (False, True))
    assert newer == pytest.approx(420e12, rel=0.25)
    assert older < 0.5 * newer


def test_attention_made_for_hopper_changes_nothing_elsewhere_nor_under_megatron(context):
    for usual in ({"accelerator": "nvidia-a100-sxm-80gb", "framework": "fsdp"}, {"framework": "megatron"}):
        older, newer = (predicted(case(flash_attention_3=one, **usual), context).value for one in (False, True))
        assert newer == older


def test_devices_that_share_a_denoisers_pass_each_do_their_part(context):
    flux = next(one.model for one in context.catalog.models.values() if one.model.kind == "diffusion")
    usual = {"model": flux, "devices": 8, "global_batch": 1, "micro_batch": 1, "recompute": 0}
    alone = case_work(case(**usual | {"devices": 1}), context)
    shared = case_work(case(**usual, tensor_parallel=2, context_parallel=4), context)
    step, part = (training_step(one.work, one.job.rates).compute_s[0] for one in (alone, shared))
    assert part == pytest.approx(step / 8)


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
    assert reserved == pytest.approx(float(parts.reserved[0]))
    assert float(parts.total[0]) == pytest.approx(float(parts.allocated[0] + parts.runtime[0] - parts.buffers[0]))


def test_divided_weights_are_gathered_a_layer_at_a_time_with_the_head(context):
    """ZeRO-3 of Llama 3 8B: two layers and the head in 16 bits, and the head's gradient."""
    usual = {"framework": "fsdp", "devices": 8, "global_batch": 8, "zero_stage": 3, "recompute": 2}
    layer = 4096 * (4096 * 2 + 1024 * 2) + 3 * 4096 * 14336 + 2 * 4096
    head = 128_256 * 4096
    assert float(case_work(case(**usual), context).memory.buffers[0]) == pytest.approx(2 * (2 * layer + 2 * head))
    alone = case_work(case(**usual | {"zero_stage": 0}), context)
    assert float(alone.memory.buffers[0]) == 0.0
    deepspeed = case_work(case(**usual | {"framework": "deepspeed"}), context)
    buckets = context.calibration.training.framework("deepspeed").bucket_bytes
    assert float(deepspeed.memory.buffers[0]) == pytest.approx(2 * (2 * layer + 2 * head) + buckets)


def test_offloaded_weights_and_activations_leave_a_few_layers_and_take_time(context):
    usual = {"framework": "fsdp", "devices": 8, "global_batch": 8, "zero_stage": 3, "recompute": 2}
    here, away = case(**usual), case(**usual, are_weights_offloaded=True, are_activations_offloaded=True)
    kept, sent = case_work(here, context), case_work(away, context)
    assert float(sent.memory.state.total[0]) == 0.0
    assert float(sent.memory.activations[0]) < float(kept.memory.activations[0]) / 2
    assert float(sent.work.streamed_s[0]) > 0.0 == float(kept.work.streamed_s[0])
    assert predicted(away, context).value > predicted(here, context).value


def test_a_framework_that_balances_the_head_gives_the_first_stage_more_layers(context):
    """28 layers of 113 M and a head of 403 M on two stages: 16 layers on the first (nanotron)."""
    model = llama(28, 3072, 32, 32, 8192, 131_072)
    usual = {"model": model, "devices": 2, "pipeline_parallel": 2, "global_batch": 8, "recompute": 0}
    even = case_work(case(**usual), context).work
    balanced = case_work(case(**usual, framework="nanotron"), context).work
    assert (float(even.full_stage_layers[0]), float(balanced.full_stage_layers[0])) == (14.0, 16.0)
    assert float(balanced.last_stage_layers[0]) == 12.0


def test_a_pipeline_whose_micro_batch_is_not_stated_passes_one_sequence(context):
    made = case_work(case(micro_batch=-1, pipeline_parallel=4), context)
    assert made.layout.micro_batch[0] == 1


def test_bands_of_memory_are_those_of_the_framework(context):
    found = predicted(case(metric="peak_memory_allocated", framework="nanotron"), context)
    spread = context.calibration.training.framework("nanotron").memory_log_sd
    assert found.high80 / found.value == pytest.approx(np.exp(1.2815515655446004 * spread))


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


@pytest.mark.parametrize(
    ("devices", "context_parallel", "sequence", "batch", "published", "within"),
    [
        (8192, 1, 8192, 2048, 430e12, 0.22),
        (16_384, 1, 8192, 2048, 400e12, 0.12),
        (16_384, 16, 131_072, 128, 380e12, 0.12),
    ],
)
def test_metas_layouts_of_llama_3_405b(
    context, devices: int, context_parallel: int, sequence: int, batch: int, published: float, within: float
):
    """Llama 3 report 2024, table 4: TP 8, PP 16 on H100, FLOP/s per device."""
    model = context.catalog.models["llama-3.1-405b"].model
    run = case(
        model=model, devices=devices, tensor_parallel=8, pipeline_parallel=16, context_parallel=context_parallel,
        sequence_length=sequence, global_batch=batch, zero_stage=1, recompute=0, metric="model_flop_per_s_per_device",
    )  # fmt: skip
    assert predicted(run, context).value == pytest.approx(published, rel=within)


def test_deepseek_v3_in_its_own_layout(context):
    """DeepSeek-V3 report 2024, table 1: 2.664 M H800-hours for 14.8 T tokens in PP 16, EP 64 with DualPipe."""
    run = case(
        model=context.catalog.models["deepseek-v3"].model, accelerator="nvidia-h800-sxm-80gb", devices=2048,
        pipeline_parallel=16, expert_parallel=64, sequence_length=4096, global_batch=15_360, zero_stage=1, recompute=1,
        recipe="fp8", scaling="micro", schedule="dualpipe",
    )  # fmt: skip
    hours = predicted(run, context).value * 14.8e12 / (15_360 * 4096) * 2048 / 3600
    assert hours == pytest.approx(2.664e6, rel=0.15)


def adapted_step_s(context, model: str, tokens: int, method: str, *, sequences: int = 1, is_compiled: bool = False):
    run = case(
        model=context.catalog.models[model].model, accelerator="nvidia-a100-sxm-80gb", devices=1, recompute=2,
        sequence_length=tokens, micro_batch=sequences, global_batch=8 * sequences, framework="fsdp", method=method,
        is_compiled=is_compiled,
    )  # fmt: skip
    return predicted(run, context).value


@pytest.mark.parametrize(
    ("model", "tokens", "lora_s", "qlora_s"),
    [
        ("llama-2-7b", 2048, 5.2, 7.0),
        ("llama-2-13b", 2048, 8.4, 11.8),
        ("llama-2-7b", 4096, 10.1, 11.6),
        ("llama-2-13b", 8192, 36.0, 38.3),
    ],
)
def test_adapters_take_as_long_as_published(context, model: str, tokens: int, lora_s: float, qlora_s: float):
    """Qwen's README, 7B and 14B of the shape of Llama 2 on an A100: unpacking hurts most where passes are short."""
    assert adapted_step_s(context, model, tokens, "lora") == pytest.approx(lora_s, rel=0.15)
    assert adapted_step_s(context, model, tokens, "qlora") == pytest.approx(qlora_s, rel=0.18)


def test_fine_tuning_is_less_sure_than_pre_training(context):
    """With the band of pre-training, 45 % of the published fine-tunes lay in it."""
    model = context.catalog.models["llama-3.1-8b"].model

    def width(method: str) -> float:
        found = case(
            model=model, accelerator="nvidia-h100-sxm-80gb", devices=8, sequence_length=4096, micro_batch=1,
            global_batch=64, zero_stage=3, framework="fsdp", method=method,
        )  # fmt: skip
        answer = predicted(found, context)
        return answer.high80 / answer.low80

    widths = [width(method) for method in ("pretraining", "full_fine_tune", "lora")]
    assert widths[0] < 1.4 < widths[1] == pytest.approx(widths[2])


def test_compiled_code_unpacks_faster(context):
    """Torchtune's ladder: 8,210 tokens/s of LoRA and 8,035 of QLoRA."""
    lora, qlora = (
        adapted_step_s(context, "llama-3.2-3b", 4096, method, sequences=2, is_compiled=True)
        for method in ("lora", "qlora")
    )
    assert qlora / lora == pytest.approx(8210 / 8035, rel=0.04)
