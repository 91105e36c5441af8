"""Plans with the shape of real ones, made without the engine: what is drawn must not depend on how it was computed."""

from __future__ import annotations

import msgspec
import numpy as np

from gpuplanner_gui.domain.curves import (
    BatchShares,
    LoadCurve,
    MemoryPart,
    Roofline,
    RooflinePoint,
    ServingLimits,
)
from gpuplanner_gui.domain.method import ExplainedValue
from gpuplanner_gui.domain.model import Attention, DenseFfn, LayerGroup, Model
from gpuplanner_gui.domain.plan import Plan, ServingPlan, ServingTable, TrainingPlan
from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.verdict import Raising, Verdict, VerdictLevel, Verdicts
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.drawing.candidates import RivalRoofline, rival_marks, rivals_of
from gpuplanner_gui.drawing.results import Decision, Results
from tests.drawing.synthetic_tables import PARAMETERS, PRECISIONS, catalog, serving_table, training_table


def model() -> Model:
    group = LayerGroup(count=80, mixer=Attention(heads=64, kv_heads=8, head_dim=128), ffn=DenseFfn(size=28672))
    return Model(name="Chat 70B", hidden_size=8192, vocab_size=128256, layers=(group,), max_context=131072)


def scenario() -> Scenario:
    return Scenario(
        name="Chat service",
        model=model(),
        training=TrainingWorkload(tokens=20e9, deadline_s=14 * 86400.0),
        serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=40.0),)),
    )


def load_curve(candidate: int, max_rate: float = 9.0) -> LoadCurve:
    rates = np.geomspace(max_rate / 50, max_rate * 0.98, 120)
    waiting = 1 / (1 - rates / max_rate)
    ttft = {name: 0.08 * factor * waiting for name, factor in STATISTICS.items()}
    tpot = {name: 0.018 * factor**0.25 * waiting**0.25 for name, factor in STATISTICS.items()}
    return LoadCurve(
        candidate=candidate,
        rates_per_s=rates,
        ttft_s=ttft,
        itl_mean_s=tpot["mean"],
        tpot_s=tpot,
        e2e_s={name: ttft[name] + 256 * tpot[name] for name in STATISTICS},
        output_tokens_per_s=rates * 256,
        batch=rates * 256 * tpot["mean"],
        kv_use=np.minimum(rates / max_rate, 1),
        max_rate_per_s=max_rate,
        slo_rate_per_s=max_rate * 0.8,
        planned_rate_per_s=max_rate * 0.55,
        low80_factor=0.82,
        high80_factor=1.26,
    )


STATISTICS = {"mean": 1.2, "p50": 1.0, "p90": 2.0, "p95": 2.6, "p99": 4.0}


def roofline(accelerator: int, workload: str = "serving") -> Roofline:
    entry = list(catalog().accelerators.values())[accelerator]
    peaks = {name: entry.peak_flop_per_s(name) for name in ("bf16", "fp8")}
    known = {name: rate for name, rate in peaks.items() if rate} or {"bf16": 1e13}
    top = max(known.values())
    bandwidth = entry.memory_bandwidth_bytes_per_s
    points = (
        RooflinePoint(
            code="prefill",
            phase="prefill",
            intensity_flop_per_byte=2200.0,
            achieved_flop_per_s=top * 0.6,
            time_s=0.1,
            resource=0,
            compute_s=0.08,
            bandwidth_s=0.015,
            host_s=0.005,
            share=1.0,
        ),
        RooflinePoint(
            code="decode",
            phase="decode",
            intensity_flop_per_byte=35.0,
            achieved_flop_per_s=35 * bandwidth * 0.7,
            time_s=0.02,
            resource=1,
            compute_s=0.003,
            bandwidth_s=0.014,
            interconnect_s=0.002,
            host_s=0.001,
            share=1.0,
        ),
        RooflinePoint(
            code="decode_attention",
            phase="decode",
            intensity_flop_per_byte=8.0,
            achieved_flop_per_s=8 * bandwidth * 0.6,
            time_s=0.006,
            resource=1,
            compute_s=0.001,
            bandwidth_s=0.005,
            share=0.3,
            precision="bf16",
        ),
    )
    training = (
        RooflinePoint(
            code="step",
            phase="training",
            intensity_flop_per_byte=900.0,
            achieved_flop_per_s=top * 0.42,
            time_s=1.0,
            resource=0,
        ),
    )
    return Roofline(
        accelerator=accelerator,
        peak_flop_per_s=known,
        measured_flop_per_s={name: rate * 0.72 for name, rate in known.items()},
        bandwidth_bytes_per_s=bandwidth,
        measured_bandwidth_bytes_per_s=bandwidth * 0.88,
        points=points if workload == "serving" else training,
        formats=("bf16",),
        batches=batch_shares() if workload == "serving" else None,
        context_tokens=1152.0,
        prompt_tokens=1024.0,
    )


def batch_shares() -> BatchShares:
    batch = np.geomspace(1, 65536, 33)
    return BatchShares(
        batch=batch,
        compute_s=batch * 2e-5,
        bandwidth_s=0.005 + batch * 8e-6,
        interconnect_s=np.full(33, 1e-3),
        host_s=np.full(33, 5e-4),
        planned_batch=24.0,
        largest_batch=300.0,
        crossover_batch=417.0,
    )


def limits(table: ServingTable) -> ServingLimits:
    contexts = np.array([2.0**power for power in range(8, 21)])
    pool = np.maximum(table.kv_pool_bytes, 0.0)
    return ServingLimits(
        concurrency=8.0,
        context_tokens=1152.0,
        model_parameters=PARAMETERS,
        model_context=131072,
        free_bytes=table.kv_pool_bytes - 8 * 1152 * 327_680.0,
        missing_bytes=np.maximum(8 * 1152 * 327_680.0 - table.kv_pool_bytes, 0.0),
        runs_out_at=np.where(table.fits, int(MemoryPart.NONE), int(MemoryPart.WEIGHTS)),
        largest_concurrency=np.floor(pool / (1152 * 327_680.0)),
        longest_context=np.floor(pool / (8 * 327_680.0)),
        longest_alone=np.floor(pool / 327_680.0),
        largest_parameters=PARAMETERS * (table.weights_bytes + pool) / table.weights_bytes,
        contexts=contexts,
        concurrency_by_context=np.floor(pool / (contexts[:, None] * 327_680.0)),
    )


def plan(count: int = 2000) -> Plan:
    serving, training = serving_table(count), training_table(count)
    return Plan(
        accelerators=tuple(catalog().accelerators),
        precisions=PRECISIONS,
        serving=ServingPlan(
            table=serving,
            best=int(serving.order[0]),
            mean_prompt_tokens=1024.0,
            mean_output_tokens=256.0,
            peak_rate_per_s=40.0,
            limiting_slo=0,
        ),
        training=TrainingPlan(
            table=training,
            best=int(training.order[0]),
            flop_per_token=6 * PARAMETERS,
            tokens=20e9,
            framework="megatron",
        ),
        findings=(),
        calibration_digest="0" * 64,
        elapsed_s=0.08,
        verdicts=Verdicts(serving=verdict(), training=verdict(), both=verdict()),
    )


def verdict(
    level: VerdictLevel = "holds", chance: float = 0.86, reasons: tuple[str, ...] = (), weakest: str = "",
    raised_by: Raising | None = None,
) -> Verdict:  # fmt: skip
    return Verdict(
        level=level, chance=chance, confidence=0.8, weakest=weakest, weakest_chance=float("nan"), reasons=reasons,
        evidence_kind="published", raised_by=raised_by,
    )  # fmt: skip


def results(count: int = 2000) -> Results:
    answer = plan(count)
    assert answer.serving is not None
    assert answer.training is not None
    best = answer.serving.best
    question = scenario()
    return Results(
        project=Project(name="Test project", scenarios=(question,)),
        scenario=question,
        plan=answer,
        catalog=catalog(),
        load_curve=load_curve(best),
        rooflines={
            "serving": roofline(int(answer.serving.table.accelerator[best])),
            "training": roofline(int(answer.training.table.accelerator[answer.training.best]), "training"),
        },
        rivals={"serving": rivals(answer.serving), "training": rivals(answer.training, "training")},
        decision=Decision(limits=limits(answer.serving.table)),
    )


def rivals(
    answer: ServingPlan | TrainingPlan, workload: str = "serving", selected: int = -1
) -> tuple[RivalRoofline, ...]:
    marks = rival_marks(answer, answer.best if selected < 0 else selected)
    return rivals_of(marks, [roofline(int(answer.table.accelerator[one]), workload) for one in marks])


def without(answer: Plan, workload: str) -> Plan:
    return msgspec.structs.replace(answer, **{workload: None})


def explained() -> ExplainedValue:
    figure = ExplainedValue(
        name="bandwidth", title="Memory bandwidth", unit="bytes/s", value=4.8e12, source="catalogue, datasheet 2024-11"
    )
    weights = ExplainedValue(name="weights", title="Weight bytes", unit="bytes", value=35e9, expression="P × b / TP")
    return ExplainedValue(
        name="decode_step_s",
        title="Decode step",
        unit="s",
        value=0.0183,
        expression="weights / bandwidth + launch",
        source="docs/derivations/serving-step.md",
        inputs=(weights, figure),
    )
