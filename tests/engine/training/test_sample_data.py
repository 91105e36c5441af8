"""Data of pictures, videos and sound: bytes, reads and cores of a sample, and what a slow store or few cores cost."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from gpuplanner_gui.domain.training_workload import DataPipeline, TrainingWorkload
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.advisor import findings
from gpuplanner_gui.engine.training.data_input import data_of
from gpuplanner_gui.engine.training.plan import training_plan
from gpuplanner_gui.files.model_import import import_model
from tests.engine.advisor.conftest import again
from tests.engine.training.conftest import ScenarioMaker
from tests.engine.training.test_sample_activations import never, published

HARDWARE: dict[str, object] = {"accelerators": ("nvidia-h100-sxm-80gb",), "training_devices": 8}


def sample(context, name: str, **data: Any) -> tuple[float, float]:
    """Stored bytes of a sample, and samples per second and core."""
    training = TrainingWorkload(tokens=1e9, data=DataPipeline(**data))
    model = context.catalog.models[name].model
    found = data_of(training, model, context)
    tokens = {"vit-b-16": 197, "whisper-large-v3": 448}.get(name, 1)
    size, rate = found.bytes_per_token, found.preprocessing_tokens_per_s_per_core
    assert isinstance(size, float)
    assert isinstance(rate, float)
    return size * tokens, rate / tokens


def test_a_picture_is_stored_as_mlperf_storage_stores_it(context):
    """ImageNet's 114,660 bytes at 31.5 MB/s and core; 0.24 bytes of 800 × 800 pixels are RetinaNet's 153,600."""
    assert sample(context, "resnet-50") == pytest.approx((114_660, 31.5e6 / 114_660))
    assert sample(context, "retinanet") == pytest.approx((153_600, 31.5e6 / 153_600))
    assert sample(context, "vit-b-16") == pytest.approx((114_660, 31.5e6 / 114_660))


def test_a_latent_has_its_mean_and_variance_and_an_encoded_prompt(context):
    """FLUX at 1024 × 1024: 16 values of 128 × 128 latent pixels, twice, and 512 tokens of 4,096 values, in 16 bits."""
    size, _ = sample(context, "flux.1-dev")
    assert size == 2 * (2 * 16 * 128 * 128 + 512 * 4096)


def test_mlperf_s_record_of_flux_is_counted_alike():
    """256 × 256 with 256 tokens, and the pooled prompt's 768 values: 2,164,224 of the benchmark's 2,164,832 bytes."""
    model = import_model(json.dumps(published("flux1-dev-transformer.json")).encode())
    assert model.sample_training is not None
    latents, text = 2 * 2 * 16 * 128 * 128, 2 * 512 * 4096
    assert model.sample_training.prepared_bytes == latents + text
    assert latents / 16 + text / 2 + 2 * 768 == pytest.approx(2_164_832, rel=3e-4)


def test_a_window_of_sound_is_thirty_seconds_of_speech(context):
    assert sample(context, "whisper-large-v3") == pytest.approx((30 * 17_100, 940 / 30))


def test_what_a_planner_says_of_a_sample_counts(context):
    found = sample(context, "resnet-50", bytes_per_sample=50_000.0, samples_per_s_per_core=1000.0)
    assert found == pytest.approx((50_000, 1000))


def test_text_keeps_its_bytes_per_token(context):
    training = TrainingWorkload(tokens=1e9, data=DataPipeline(bytes_per_sample=50_000.0))
    model = context.catalog.models["llama-3.1-8b"].model
    assert data_of(training, model, context) == training.data


def test_twelve_cores_a_device_starve_resnet_on_h100(context, made: ScenarioMaker):
    """96 cores of 275 images/s give 26,373 images/s: a step of 2,048 takes 77.7 ms, twice as long as its compute."""
    model = context.catalog.models["resnet-50"].model
    usual = {"global_batch_tokens": 2048, "tokens": 1e9, "framework": "fsdp"}
    table = training_plan(made(model, HARDWARE, **usual), context, never).table
    row = int(np.nanargmin(table.step_time_s))
    fed = 96 * 31.5e6 / 114_660
    assert table.step_time_s[row] == pytest.approx(2048 / fed, rel=1e-6)
    own_s = float(table.step_time_s[row] - table.input_s[row])
    assert own_s < 0.6 * table.step_time_s[row]
    assert table.data_bytes_per_s[row] == pytest.approx(114_660 * 2048 / own_s)
    assert table.data_reads_per_s[row] == pytest.approx(2048 / own_s)
    assert table.data_cores[row] == pytest.approx(2048 / own_s * 114_660 / 31.5e6)


def test_a_starved_job_of_pictures_is_said_with_the_cores_that_feed_it(context, made: ScenarioMaker):
    model = context.catalog.models["resnet-50"].model
    scenario = made(model, HARDWARE, global_batch_tokens=2048, tokens=1e9, framework="fsdp")
    quick = plan(scenario, context.catalog, context.calibration)
    found = {one.code: one for one in findings(scenario, quick, context, again)}
    remedy = found["input_bound"].remedy
    assert remedy is not None
    cores = {edit.path: edit.value for edit in remedy.edits}["training.data.cpu_cores_per_device"]
    assert isinstance(cores, float)
    assert 20 < cores < 60
