"""Make `catalogs/evidence.json`: published measurements that a plan is compared with, few of each kind.

    python -m tools.make_evidence

Rows come from the development tables of the fidelity data, each with the source that it names. Of every model,
accelerator, engine, precision and count of devices, rows are kept evenly over the load.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import date
from itertools import product

import msgspec

from gpuplanner_gui.domain.benchmark import ServingCase, TrainingCase
from gpuplanner_gui.domain.measurement import EvidenceRow, EvidenceTable, FastestRun, MeasuredLoad
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.cases import Observation, observations
from gpuplanner_gui.engine.evidence.points import precision_of
from gpuplanner_gui.engine.evidence.record import SAME_SPEED
from gpuplanner_gui.engine.model.precision import PRECISIONS
from gpuplanner_gui.engine.serving.predict.door import serving_answers
from gpuplanner_gui.files.benchmark_rows.question import RowQuestion
from tools.repository import CATALOGS, shipped_context, table_cases, table_rows

OUTPUT = CATALOGS / "evidence.json"
TABLES = ("measured-serving-dev", "measured-inference-dev", "measured-training-dev")
SERVED = {
    "tpot_mean": "tpot", "tpot_p50": "tpot", "itl_mean": "itl", "output_tokens_per_s": "output_tokens_per_s",
    "decode_tokens_per_s": "decode_tokens_per_s", "total_tokens_per_s": "total_tokens_per_s", "ttft_mean": "ttft",
    "prefill_tokens_per_s": "prefill_tokens_per_s",
}  # fmt: skip
"""Questions of the tables, the surest to compare first, and the quantity that each is."""
TRAINED = ("step_time", "tokens_per_s", "tokens_per_s_per_device", "model_flop_per_s_per_device")
LOADS: tuple[MeasuredLoad, ...] = ("closed_loop", "offline", "batch")
KEPT_OF_KIND = 4


def sources_of(name: str) -> dict[str, str]:
    """What each row of a table names as its source, by `case_id`."""
    return {row["case_id"]: _source(row) for row in table_rows(name)}


def _source(row: dict[str, str]) -> str:
    if "source" in row:
        return row["source"]
    engine = " ".join(part for part in (row["backend"], row["backend_version"]) if part)
    month = f", {row['measured_on'][:7]}" if row["measured_on"] else ""
    return f"aiconfigurator-core 0.12 (Apache-2.0): {engine}{month}"


def served_row(
    case: ServingCase, questions: tuple[RowQuestion, ...], source: int, context: Context
) -> EvidenceRow | None:
    """The surest figure of a served case; None where it is of no kind that measurements have."""
    asked = {question.asked: question for question in questions if question.measured}
    best = next((name for name in SERVED if name in asked), None)
    ids = {entry.model.name: name for name, entry in context.catalog.models.items()}
    precision = precision_of(case)
    load = next((one for one in LOADS if one == case.load), None)
    if best is None or load is None or case.model.name not in ids or not precision:
        return None
    if not case.prompt_tokens or not case.output_tokens:
        return None
    question, layout = asked[best], case.layout
    assert question.measured is not None
    devices = max(layout.devices_stated, round(layout.devices * max(layout.replicas, 1.0)))
    return EvidenceRow(
        source=source, model=ids[case.model.name], accelerator=case.accelerator, devices=devices, precision=precision,
        engine=case.engine,
        parallel=(
            layout.tensor_parallel, layout.pipeline_parallel, layout.data_parallel, layout.expert_parallel,
        ),
        load=load, concurrency=case.concurrency, prompt_tokens=round(case.prompt_tokens, 1),
        output_tokens=round(case.output_tokens, 1), quantity=SERVED[best],
        value=float(f"{question.measured / question.per_si_unit:.4g}"),
    )  # fmt: skip


def trained_row(
    case: TrainingCase, questions: tuple[RowQuestion, ...], source: int, context: Context
) -> EvidenceRow | None:
    """The surest figure of a training run; None without one."""
    asked = {question.asked: question for question in questions if question.measured}
    best = next((name for name in TRAINED if name in asked), None)
    ids = {entry.model.name: name for name, entry in context.catalog.models.items()}
    if best is None or case.model.name not in ids or not case.global_batch or not case.sequence_length:
        return None
    measured = asked[best].measured
    assert measured is not None
    value = measured / asked[best].per_si_unit * (case.devices if best == "tokens_per_s_per_device" else 1)
    quantity = "training_tokens_per_s" if best.startswith("tokens_per_s") else best
    return EvidenceRow(
        source=source, model=ids[case.model.name], accelerator=case.accelerator, devices=case.devices,
        precision=case.recipe, engine=case.framework,
        parallel=(case.tensor_parallel, case.pipeline_parallel, 1, case.expert_parallel), load="",
        concurrency=case.global_batch, prompt_tokens=case.sequence_length, output_tokens=0.0, quantity=quantity,
        value=float(f"{value:.4g}"),
    )  # fmt: skip


def thinned(rows: list[EvidenceRow]) -> list[EvidenceRow]:
    """A few rows of each kind, evenly over their load."""
    kinds: dict[tuple[object, ...], list[EvidenceRow]] = defaultdict(list)
    once: dict[EvidenceRow, EvidenceRow] = {}
    for row in rows:
        # Sources state several figures of one run.
        once.setdefault(msgspec.structs.replace(row, quantity="", value=1.0), row)
    for row in once.values():
        kinds[row.model, row.accelerator, row.engine, row.precision, row.devices, row.load].append(row)
    kept = []
    for members in kinds.values():
        members.sort(key=lambda row: (row.concurrency, row.prompt_tokens, row.output_tokens))
        last = len(members) - 1
        count = min(len(members), KEPT_OF_KIND)
        kept += [members[round(place * last / max(count - 1, 1))] for place in range(count)]
    return kept


SERVED_LEAD = 0.15
LEAD_REASON = "half of the plans' left-out times per token are off by more (docs/accuracy.md, November 2026)"


def fastest(rows: list[EvidenceRow], context: Context) -> tuple[FastestRun, ...]:
    """Of each device and format with published serving runs the one that comes nearest to its prediction."""
    asked: list[tuple[EvidenceRow, Observation]] = []
    cases: list[ServingCase] = []
    for row in rows:
        for one in observations(row.measurement, context.catalog, context.calibration)[:1]:
            if isinstance(one.case, ServingCase):
                asked.append((row, one))
                cases.append(msgspec.structs.replace(one.case, metrics=(one.metric,)))
    found: dict[tuple[str, str], list[tuple[float, EvidenceRow]]] = defaultdict(list)
    for (row, one), answers in zip(asked, serving_answers(cases, context), strict=True):
        value = answers[0].value
        if value:
            slowdown = value / one.measured if one.is_rate else one.measured / value
            found[row.accelerator, row.precision].append((slowdown, row))
    best = []
    for accelerator, precision in product(dict.fromkeys(key[0] for key in found), PRECISIONS):
        alike = [one for name in SAME_SPEED.get(precision, (precision,)) for one in found.get((accelerator, name), ())]
        if alike:
            slowdown, row = min(alike, key=lambda one: one[0])
            rounded = float(f"{slowdown:.4g}")
            best.append(FastestRun(accelerator, precision, len(alike), rounded, row.source, row.model))
    return tuple(best)


def main() -> None:
    context, sources, rows = shipped_context(), dict[str, int](), list[EvidenceRow]()
    for name in TABLES:
        named = sources_of(name)
        for found in table_cases(name, context):
            if found.case is None or not found.counts:
                continue
            source = named[found.questions[0].case_id] if found.questions else ""
            place = sources.setdefault(source, len(sources))
            make = trained_row if isinstance(found.case, TrainingCase) else served_row
            row = make(found.case, found.questions, place, context)  # type: ignore[arg-type]
            rows += [row] if row is not None else []
    kept = thinned(rows)
    records = fastest(rows, context)
    used = sorted({row.source for row in kept} | {one.source for one in records})
    renamed, names = {old: new for new, old in enumerate(used)}, list(sources)
    table = EvidenceTable(
        date=date.today().isoformat(),
        sources=tuple(names[old] for old in used),
        rows=tuple(msgspec.structs.replace(row, source=renamed[row.source]) for row in kept),
        fastest=tuple(msgspec.structs.replace(one, source=renamed[one.source]) for one in records),
        served_lead=SERVED_LEAD,
        served_lead_reason=LEAD_REASON,
    )
    head = {name: getattr(table, name) for name in ("date", "sources", "served_lead", "served_lead_reason")}
    text = msgspec.json.format(msgspec.json.encode(head), indent=2).decode()[:-2]
    for name in ("fastest", "rows"):
        lines = ",\n".join(msgspec.json.encode(row).decode() for row in getattr(table, name))
        text += f',\n  "{name}": [\n{lines}\n]'
    OUTPUT.write_text(f"{text}}}\n", encoding="utf-8")
    print(f"{len(kept)} of {len(rows)} rows, {len(used)} sources, {OUTPUT.stat().st_size / 1e3:.0f} kB: {OUTPUT}")


if __name__ == "__main__":
    main()
