"""The decision of a scenario: verdicts, headline numbers, what differs between the two workloads."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from gpuplanner_gui.domain.plan import ServingPlan, TrainingPlan
from gpuplanner_gui.drawing.language import in_turn, tr
from gpuplanner_gui.drawing.report.model import (
    Block,
    Callout,
    Cell,
    Paragraph,
    ReportSection,
    Row,
    amount,
    clean,
    paragraph,
    section,
    table,
)
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import NOTHING, decimals_text, format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_of, precision_name, precisions_text, resource_name
from gpuplanner_gui.drawing.words.choices import WORKLOAD_TITLES
from gpuplanner_gui.drawing.words.decision import band_of, just_enough_text, skewed_text
from gpuplanner_gui.drawing.words.request_kinds import has_tokens
from gpuplanner_gui.drawing.words.selected_plan import selected_text
from gpuplanner_gui.drawing.words.targets import (
    owned_target_name,
    planned_ends_s,
    targets_of,
    told_headlines,
    told_latencies,
    told_target,
)
from gpuplanner_gui.drawing.words.training import slack_text
from gpuplanner_gui.drawing.words.verdict import verdicts

ENDLESS = "∞"


def summary_sections(results: Results) -> Iterator[ReportSection]:
    blocks: list[Block | None] = [*choice_blocks(results), *verdict_blocks(results), *headline_blocks(results)]
    blocks += [paragraph(context_line(results, workload), "quiet") for workload in results.workloads()]
    yield from section(tr("Summary"), blocks)


def choice_blocks(results: Results) -> Iterator[Block | None]:
    """Blocks about a chosen candidate that is not the recommended one, and its cost."""
    for workload in results.workloads():
        yield paragraph(clean(selected_text(results, workload)), "strong")


def verdict_blocks(results: Results) -> Iterator[Callout]:
    for verdict in verdicts(results):
        lines = [
            paragraph(f"{verdict.state} {verdict.headline}".strip(), "strong"),
            paragraph(verdict.detail),
            paragraph(verdict.advice, "quiet"),
        ]
        kept = tuple(line for line in lines if line is not None)
        yield Callout(tr(WORKLOAD_TITLES[verdict.workload]), verdict.status, kept)


def headline_blocks(results: Results) -> Iterator[Block | None]:
    """Each headline number with its band: of the samples where there are some, else of the prediction."""
    known = results.known.uncertainty
    if known is not None:
        sampled: list[Row] = [
            [
                name, amount(one.planned, one.unit),
                *(_of_samples(value, one.unit) for value in (one.p10, one.p50, one.p90)), amount(one.limit, one.unit),
            ]
            for name, one in told_headlines(results)
        ]  # fmt: skip
        headings = (tr("Result"), tr("At planned inputs"), tr("P10"), tr("P50"), tr("P90"), tr("Limit"))
        yield table(tr("Headline numbers"), headings, sampled)
        if any(ENDLESS in row for row in sampled):
            without_end = tr("{sign}: in these simulations the planned fleet cannot handle the load.")
            yield paragraph(without_end.format(sign=ENDLESS), "quiet")
        if results.scenario.serving is not None and len(results.scenario.service.classes) > 1:
            yield paragraph(tr("A class's range is that of all requests together, as a share of its latency."), "quiet")
        yield paragraph(in_turn(just_enough_text(known, results.plan.serving), skewed_text(known)), "quiet")
        return
    rows = [row for workload in results.workloads() for row in _predicted(results, workload)]
    yield table(tr("Headline numbers"), (tr("Result"), tr("Planned"), tr("80 % range"), tr("Limit")), rows)


def _of_samples(value: float, unit: str) -> Cell | str:
    """A result in the samples; without end where so many of them cannot be served at all."""
    return ENDLESS if value == math.inf else amount(value, unit)


def _predicted(results: Results, workload: str) -> Iterator[Row]:
    answer = results.answer(workload)
    if answer is None or answer.best < 0:
        return
    row = answer.best
    if isinstance(answer, ServingPlan):
        found = answer.table
        for metric in results.scenario.told_latencies:
            for name, middle_s, limit_s in told_latencies(results, answer, metric):
                low_s, high_s = planned_ends_s(results, answer, metric, middle_s)
                band = band_of(low_s, middle_s, high_s, "s") if np.isfinite(low_s) else ""
                yield [name, amount(middle_s, "s"), band, amount(limit_s, "s")]
        yield [tr("Cost per month"), amount(found.usd_per_month[row], "USD/month"), NOTHING, NOTHING]
        return
    run = answer.table
    scale = float(run.run_time_s[row] / run.step_time_s[row])
    fast, slow = (float(end[row]) * scale for end in (run.step_low80_s, run.step_high80_s))
    band = band_of(fast, float(run.run_time_s[row]), slow, "s")
    ends = bool(np.isfinite(run.run_time_s[row]))
    deadline = float(run.run_time_s[row] + run.deadline_slack_s[row]) if ends else math.nan
    yield [tr("Run time"), amount(run.run_time_s[row], "s"), band, amount(deadline, "s")]
    if np.isfinite(deadline):
        yield [tr("Deadline slack"), slack_text(run, row), NOTHING, NOTHING]
    yield [tr("Samples/s"), amount(run.samples_per_s[row], "1/s"), NOTHING, NOTHING]
    yield [tr("Cost of the run"), amount(run.usd_per_run[row], "USD"), NOTHING, NOTHING]


def difference_sentence(results: Results) -> str:
    """The sentence why the two workloads need different fleets; empty for a project of one."""
    serving, training = results.plan.serving, results.plan.training
    if serving is None or training is None or serving.best < 0 or training.best < 0:
        return ""
    served, trained = serving.table, training.table
    text = tr(
        "Training is limited by {training_limit} and judged by its run time ({run_time}): {training_fleet}. Serving is "
        "limited by {serving_limit} and judged by {target} at {rate}: {serving_fleet}."
    )
    place = told_target(results, serving)
    target = tr("its latency")
    if place >= 0:
        limit = format_value(targets_of(results.scenario)[place][1].limit_s, "s")
        target = f"{owned_target_name(results.scenario, place)} ≤ {limit}"
    return text.format(
        training_limit=resource_name(trained.limit[training.best]),
        run_time=format_value(trained.run_time_s[training.best], "s"),
        serving_limit=resource_name(served.limit[serving.best]),
        target=target,
        rate=format_value(serving.peak_rate_per_s, "req/s"),
        training_fleet=_fleet(results, training), serving_fleet=_fleet(results, serving),
    )  # fmt: skip


def _fleet(results: Results, answer: ServingPlan | TrainingPlan) -> str:
    name = accelerator_of(results.plan, results.catalog, answer.table, answer.best)
    return f"{format_value(float(answer.table.devices[answer.best]))} × {clean(name)}"


def context_line(results: Results, workload: str) -> str:
    """The sentence about what figures apply to: model, lengths, precision and batch."""
    answer, scenario = results.answer(workload), results.scenario
    if answer is None or answer.best < 0:
        return ""
    if isinstance(answer, ServingPlan) and not has_tokens(scenario):
        batch = max(round(float(answer.table.batch[answer.best])), 1)
        text = tr("Serving figures apply to {model}: {formats}, {batch} processed together.")
        if batch == 1:
            text = tr("Serving figures apply to {model}: {formats}, one request at a time.")
        return text.format(
            model=scenario.model.name, formats=precisions_text(results.plan, answer.table, answer.best),
            batch=format_value(batch, ""),
        )  # fmt: skip
    if isinstance(answer, ServingPlan):
        text = tr(
            "Serving figures apply to {model}: prompts of {prompt} and answers of {output} on average, "
            "{formats}, {batch} decoded together."
        )
        return text.format(
            model=scenario.model.name,
            prompt=tr("{count} tokens").format(count=decimals_text(answer.mean_prompt_tokens)),
            output=tr("{count} tokens").format(count=decimals_text(answer.mean_output_tokens)),
            formats=precisions_text(results.plan, answer.table, answer.best),
            batch=format_value(max(float(answer.table.batch[answer.best]), 1.0), "seq"),
        )
    job = scenario.training
    if job is None:
        return ""
    text = tr(
        "Training figures apply to {model}: {tokens} in sequences of {length}, {recipe}, global batch of "
        "{batch}, micro-batch {micro}."
    )
    return text.format(
        model=scenario.model.name, tokens=format_value(answer.tokens, "tok"),
        length=format_value(job.sequence_length, "tok", 7), recipe=precision_name(job.recipe),
        batch=format_value(job.global_batch_tokens, "tok"), micro=int(answer.table.micro_batch[answer.best]),
    )  # fmt: skip


def side_by_side_sections(results: Results) -> Iterator[ReportSection]:
    """Training and serving beside each other: what each buys, what limits it, what it is judged by."""
    serving, training = results.plan.serving, results.plan.training
    if serving is None or training is None or serving.best < 0 or training.best < 0:
        return
    one, other, s, t = serving.table, training.table, serving.best, training.best
    rows: list[Row] = [
        (tr("Hardware"), _fleet(results, training), _fleet(results, serving)),
        (tr("Judged by"), tr("date and budget"), tr("latency under load, every hour")),
        (tr("Limited by"), resource_name(other.limit[t]), resource_name(one.limit[s])),
        (tr("Power"), amount(other.power_w[t], "W"), amount(one.power_w[s], "W")),
        (tr("Price of a device"), amount(other.usd_per_device_hour[t], "USD/h"),
         amount(one.usd_per_device_hour[s], "USD/h")),
        (tr("Weights on a device"), amount(other.weights_bytes[t], "bytes"), amount(one.weights_bytes[s], "bytes")),
        (tr("Optimizer and gradients on a device"), amount(
            other.gradients_bytes[t] + other.master_weights_bytes[t] + other.first_moment_bytes[t]
            + other.second_moment_bytes[t], "bytes"), NOTHING),
        (tr("Activations on a device"), amount(other.activation_bytes[t], "bytes"),
         amount(one.activation_bytes[s], "bytes")),
        (tr("KV cache on a device"), NOTHING, amount(one.kv_cache_bytes[s], "bytes")),
        (tr("Communication, share of the step"), amount(communication_s(training) / other.step_time_s[t], "share"),
         amount(one.decode_interconnect_s[s] / one.decode_step_s[s], "share")),
        (tr("Cost"), amount(other.usd_per_run[t], "USD"), amount(one.usd_per_month[s], "USD/month")),
    ]  # fmt: skip
    made = table(tr("Training and serving side by side"), ("", tr("Training"), tr("Serving")), rows)
    yield from section(tr("Two workloads"), [Paragraph(difference_sentence(results)), made])


def communication_s(training: TrainingPlan) -> float:
    """Communication that a step waits for. [s]"""
    found, row = training.table, training.best
    parts = (
        found.tensor_communication_s, found.data_communication_s, found.pipeline_communication_s,
        found.expert_communication_s,
    )  # fmt: skip
    return float(sum(part[row] for part in parts))
