"""Drift: what lies beyond the band, and the cause that the pattern speaks for."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.knowledge import LocalCalibration
from gpuplanner_gui.domain.measurement import Measurement, MeasurementContext, figure
from gpuplanner_gui.engine.evidence.knowledge import drift, outside_main_kernels
from tests.engine.local_fit.conftest import point

BATCHES = (0.0, 2.0, 4.0, 6.0)


def test_within_the_band_is_no_drift():
    found = drift([point(0.05)], None)
    assert found.beyond == ()
    assert found.cause == "none"


@pytest.mark.parametrize(
    ("points", "cause"),
    [
        ([point(0.15 * step, log2_devices=float(step)) for step in range(4)], "network"),
        ([point(0.15 * step, log2_batch=2.0 * step) for step in range(4)], "memory_pressure"),
        ([point(0.2 * step, log2_time=-4.0 - step) for step in range(4)], "host"),
        ([point(0.5, log2_batch=batch) for batch in BATCHES], "clocks"),
        ([point(0.5), point(0.0, phase="prefill")], "one_phase"),
    ],
)  # fmt: skip
def test_the_pattern_speaks_for_a_cause(points, cause):
    found = drift(points, None)
    assert found.beyond
    assert found.cause == cause


def test_another_release_of_the_same_engine_is_named_first(local_prior):
    local = LocalCalibration(prior=local_prior, points=(point(0.0, release="0.11.0"), point(0.0, engine="sglang")))
    found = drift([point(0.9, release="0.8.5")], local)
    assert found.cause == "engine_version"
    assert (found.new_releases, found.known_releases) == (("0.8.5",), ("0.11.0",))
    # Nothing is known of releases of another engine, nor of runs that do not say theirs.
    assert drift([point(0.9, release="0.5.4", engine="sglang")], local).cause != "engine_version"
    assert drift([point(0.9)], local).cause != "engine_version"


def test_a_new_release_within_the_band_is_not_blamed_for_what_others_did(local_prior):
    local = LocalCalibration(prior=local_prior, points=(point(0.0, release="0.11.0"),))
    found = drift([point(0.0, release="0.12.0"), *(point(0.9, release="0.11.0") for _ in range(3))], local)
    assert len(found.beyond) == 3
    assert found.cause != "engine_version"


def test_measured_pace_is_what_is_expected(local_prior):
    local = LocalCalibration(prior=local_prior, points=tuple(point(0.5, log2_batch=batch) for batch in BATCHES))
    same = drift([point(0.5, log2_batch=3.0)], local)
    assert same.beyond == ()
    assert same.points[0].expected == pytest.approx(0.01 * np.exp(0.5), rel=0.05)
    back = drift([point(0.0, log2_batch=3.0)], local)
    assert len(back.beyond) == 1
    assert back.median_log_residual < -0.4


def profile(devices: int, communication: float) -> list[Measurement]:
    shares = {"products": 0.7 - communication, "attention": 0.2, "communication": communication, "other": 0.1}
    return [
        Measurement(
            context=MeasurementContext(devices=devices, operation=name), figures=(figure("kernel_share", share),)
        )
        for name, share in shares.items()
    ]


def test_time_outside_the_main_kernels_that_rises_with_scale_is_a_finding():
    rising = outside_main_kernels([*profile(8, 0.05), *profile(64, 0.25)])
    assert rising is not None
    assert rising.is_finding
    assert (rising.fewest_devices, rising.most_devices, rising.risen) == (8, 64, "communication")
    assert rising.most_share - rising.fewest_share == pytest.approx(0.2)
    level = outside_main_kernels([*profile(8, 0.05), *profile(64, 0.06)])
    assert level is not None
    assert not level.is_finding
    assert outside_main_kernels(profile(8, 0.05)) is None


def test_profiles_of_different_jobs_are_no_trend():
    def of(accelerator: str, runs: list[Measurement]) -> list[Measurement]:
        return [
            msgspec.structs.replace(run, context=msgspec.structs.replace(run.context, accelerator=accelerator))
            for run in runs
        ]

    assert outside_main_kernels([*of("a", profile(8, 0.05)), *of("b", profile(64, 0.4))]) is None
    own = [*of("a", profile(8, 0.05)), *of("a", profile(16, 0.15))]
    trend = outside_main_kernels([*own, *of("b", profile(64, 0.4))])
    assert trend is not None
    assert (trend.fewest_devices, trend.most_devices) == (8, 16)
