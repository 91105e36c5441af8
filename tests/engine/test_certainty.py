"""The rule for bands of serving: more evidence never widens one, distance never narrows one, own points narrow it."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.knowledge import PhaseError
from gpuplanner_gui.domain.measurement import EvidenceKind
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.certainty import (
    LoadTraits,
    evidence_record,
    log_variance,
    published_runs,
    step_log_sd,
)
from gpuplanner_gui.engine.evidence.record import LEAST_RUNS, EvidenceRecord, kinds
from gpuplanner_gui.engine.kernels.choice import FORMATS
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration

NAMES = PhaseError.__struct_fields__
spreads = st.floats(0, 2)
errors = st.fixed_dictionaries(dict.fromkeys(NAMES, spreads)).map(lambda found: PhaseError(**found))
FLAGS = ("is_timed", "is_format_seen", "is_engine_seen", "is_architecture_seen")


@pytest.fixture(scope="module")
def context() -> Context:
    return Context(load_shipped_catalog(), load_calibration())


def record(runs: int, flags: dict[str, bool]) -> EvidenceRecord:
    known = {name: np.array([flags[name]]) for name in FLAGS}
    count = np.array([runs])
    return EvidenceRecord(kind=kinds(count, known["is_timed"], np.array([True])), device_runs=count,
                          **known)  # fmt: skip


def variance(error: PhaseError, runs: int, flags: dict[str, bool], transfer: float, load: LoadTraits) -> float:
    has_relative = np.array([True])
    return float(log_variance(error, record(runs, flags), np.array([transfer]), has_relative, load)[0])


@given(errors, st.integers(0, 9), st.fixed_dictionaries(dict.fromkeys(FLAGS, st.booleans())), spreads, st.data())
def test_more_evidence_never_widens(error, runs, flags, transfer, data):
    load = LoadTraits()
    better = {name: held or data.draw(st.booleans()) for name, held in flags.items()}
    more = runs + data.draw(st.integers(0, 9))
    assert variance(error, more, better, transfer, load) <= variance(error, runs, flags, transfer, load) + 1e-12


@given(errors, spreads, spreads)
def test_a_farther_relative_never_narrows(error, near, farther):
    flags = dict.fromkeys(FLAGS, False)
    near, far = sorted((near, farther))
    assert variance(error, 0, flags, near, LoadTraits()) <= variance(error, 0, flags, far, LoadTraits()) + 1e-12


def test_every_reason_counts_where_it_applies():
    """Each spread of the hierarchy widens the band of a case that nothing is known of."""
    nothing = record(0, dict.fromkeys(FLAGS, False))
    load = LoadTraits(is_crowd=True, is_pools=True, has_open_pools=True, is_burst=True)
    for name in NAMES:
        error = PhaseError(**dict.fromkeys(NAMES, 0.0) | {name: 0.3})
        found = log_variance(error, nothing, np.array([1.0]), np.array([False]), load)[0]
        assert found == pytest.approx(0.09), name


def test_five_published_runs_make_a_device_known():
    timed, relative = np.array([False]), np.array([True])
    assert kinds(np.array([LEAST_RUNS - 1]), timed, relative)[0] == EvidenceKind.RELATIVE
    assert kinds(np.array([LEAST_RUNS]), timed, relative)[0] == EvidenceKind.PUBLISHED


@pytest.mark.parametrize(
    ("device", "kind"),
    [("amd-mi300x", EvidenceKind.PUBLISHED), ("nvidia-h100-sxm-80gb", EvidenceKind.PUBLISHED),
     ("intel-arc-pro-b60", EvidenceKind.TIMED), ("nvidia-rtx-5090", EvidenceKind.RELATIVE),
     ("google-tpu-v5e", EvidenceKind.DATASHEET)],
)  # fmt: skip
def test_devices_are_called_what_they_are(context, device, kind):
    place = np.array([context.devices.ids.index(device)]), np.array([FORMATS.index("bf16")])
    assert evidence_record(context, "vllm", "dense_decoder", *place).kind[0] == kind


def test_an_unseen_device_has_a_wider_band_than_a_timed_one(context):
    seen, unseen = (
        step_log_sd(context, "vllm", "dense_decoder", np.array([context.devices.ids.index(name)]), np.array([0]))[0]
        for name in ("nvidia-h100-sxm-80gb", "nvidia-rtx-5090")
    )
    assert unseen > 1.1 * seen


def test_without_published_runs_no_device_is_published(context):
    bare = Context(context.catalog, msgspec.structs.replace(context.calibration, published=None))
    everybody = np.arange(len(bare.devices.ids))
    found = evidence_record(bare, "vllm", "dense_decoder", everybody, np.zeros_like(everybody))
    assert EvidenceKind.PUBLISHED not in found.kind


def test_runs_of_text_models_bear_out_no_images(context):
    """An image service on MI300X was called certain for the published runs of language models on it."""
    place = np.array([context.devices.ids.index("amd-mi300x")]), np.array([FORMATS.index("bf16")])
    assert evidence_record(context, "generic", "dense_decoder", *place).kind[0] == EvidenceKind.PUBLISHED
    assert evidence_record(context, "generic", "diffusion", *place).kind[0] > EvidenceKind.PUBLISHED
    assert published_runs(context, "vllm", "dense_decoder", True).any()
    assert not published_runs(context, "vllm", "diffusion", True).any()
