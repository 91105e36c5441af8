"""The fit of stacks finds effects that made its data, leaves groups out whole, has bands from what it had not seen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.engine.serving.predict.stacks import NAMES
from gpuplanner_gui.engine.serving.samples import StackTraits
from gpuplanner_gui.files.benchmark_rows.question import RowQuestion
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from tools.fit_inference.fit import EffectKey, Residual, bands_of, design_of, fitted_effects, folds_of, left_out
from tools.fit_inference.problem import InferenceProblem, Part
from tools.fit_serving.closed_loops import joined
from tools.fit_serving.tables import MeasuredCase

USUAL = dict.fromkeys(NAMES, 1.0)
SLOW = 0.8
"""Logarithm by which the slow software's kernels take longer in the made-up measurements."""


@dataclass(frozen=True)
class Work:
    time_s: np.ndarray


def problem(groups: int = 12) -> InferenceProblem:
    model = load_shipped_catalog().models["llama-3-8b"].model
    cases, traits, logs = [], [], []
    for group in range(groups):
        for software in ("fast", "slow"):
            case = ServingCase(case_id="", model=model, accelerator="x", engine="vllm", load="batch")
            question = RowQuestion("", "tpot_ms", "ms", "tpot_mean", 1.0, 1.0)
            cases.append(MeasuredCase(case, (question,), f"group {group}", {}))
            traits.append(StackTraits(software, "family", "dense_decoder", False))
            logs.append(math.log(1.0 + group) + (SLOW if software == "slow" else 0.0))
    rows = np.arange(len(cases))
    base = Work(np.repeat(1.0 + np.arange(groups), 2))
    part = Part(
        rows,
        base,
        lambda work, stack: {"tpot_mean": stack.decode_kernels * work.time_s},
        ("tpot_mean",) * len(rows),
        False,
    )
    samples = Part(rows[:0], Work(np.zeros(0)), lambda work, stack: {}, (), True)
    return InferenceProblem(tuple(cases), tuple(traits), ("tpot_mean",) * len(cases), np.array(logs), (part, samples))


def test_a_fit_finds_what_sets_software_apart():
    made = problem()
    design = design_of(made.traits, made.is_of_samples)
    effects = fitted_effects(made, design, USUAL, np.ones(len(made.cases), bool))
    logs = made.logs(design.stack(effects, USUAL)) - made.log_measured
    assert np.abs(logs).max() < 0.05
    by_key = dict(zip(design.keys, effects))
    several: tuple[dict[str, Any], ...] = ({}, {"family": "family"}, {"kind": "dense_decoder"})
    difference = sum(
        by_key["decode_kernels", EffectKey(software="slow", **more)]
        - by_key["decode_kernels", EffectKey(software="fast", **more)]
        for more in several
    )
    assert difference == pytest.approx(SLOW, abs=0.05)
    assert not any(value for (name, _), value in by_key.items() if name == "prefill_kernels")


def test_rows_that_are_not_kept_do_not_count():
    made = problem(2)
    design = design_of(made.traits, made.is_of_samples)
    none = fitted_effects(made, design, USUAL, np.zeros(len(made.cases), bool))
    assert not none.any()


def test_groups_are_left_out_whole():
    groups = [f"g{number % 7}" for number in range(100)]
    folds = folds_of(groups, 4)
    assert set(folds) == {0, 1, 2, 3}
    assert len({(group, int(fold)) for group, fold in zip(groups, folds)}) == 7


def test_left_out_rows_know_their_software_from_other_groups():
    made = problem()
    design = design_of(made.traits, made.is_of_samples)
    found = left_out(made, design, USUAL, 3)
    assert [one.position for one in found] == list(range(len(made.cases)))
    assert all(one.residual.is_known and abs(one.residual.log) < 0.1 for one in found)


def test_bands_hold_four_fifths_of_a_class():
    residuals = [Residual("batch", "tpot_mean", True, (number - 50) / 100) for number in range(101)]
    band = bands_of(residuals)[0]
    assert (band.load, band.quantity, band.is_known, band.rows) == ("batch", "decode", True, 101)
    assert (band.low, band.high) == (pytest.approx(-0.4), pytest.approx(0.4))


def test_a_band_holds_its_own_prediction():
    for band in bands_of([Residual("batch", "tpot_mean", True, 0.5)] * 50):
        assert band.low < 0 < band.high


def test_small_classes_go_with_larger_ones():
    few = [Residual("steady", "tpot_mean", False, 0.1)] * 3
    many = [Residual("batch", "tpot_mean", True, 0.1)] * 60
    assert not [band for band in bands_of([*few, *many]) if band.load == "steady"]


def test_arrays_of_structs_are_joined_in_order():
    found = joined([Work(np.array([1.0, 2.0])), Work(np.array(3.0))], [2, 2])
    assert list(found.time_s) == [1.0, 2.0, 3.0, 3.0]
