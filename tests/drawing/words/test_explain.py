"""Explanations as words: names and relations in the language of the moment, symbols and citations as they are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpuplanner_gui.domain.method import ExplainedValue
from gpuplanner_gui.drawing.language import use_translator
from gpuplanner_gui.drawing.words.explain import explanation_lines, expression_of, input_names, name_of, source_of

WORDS = {
    "Cost per month": "Kosten im Monat", "Cost of the fleet per month": "Kosten der Flotte im Monat",
    "figure of the plan": "vom Plan, wie er ist", "plan": "Plan",
}  # fmt: skip


@pytest.fixture
def german() -> Iterator[None]:
    use_translator(lambda text: WORDS.get(text, text), "de")
    yield
    use_translator(None)


MONTH = ExplainedValue(
    name="usd_per_month", title="Cost per month", unit="USD/month", value=730.0,
    expression="Cost of the fleet per month: cost per hour · 730", source="docs/derivations/cost.md",
    inputs=(ExplainedValue(name="usd_per_hour", title="", unit="USD/h", value=1.0),),
)  # fmt: skip
PLANNED = ExplainedValue(
    name="planned", title="Cost per month", unit="", value=1.0, expression="figure of the plan", source="plan"
)


def test_names_are_translated_and_formulas_say_no_name_of_code(german: None) -> None:
    assert name_of(MONTH) == "Kosten im Monat"
    assert expression_of(MONTH) == "Kosten der Flotte im Monat: cost per hour · 730"
    assert source_of(MONTH) == "docs/derivations/cost.md"
    assert name_of(MONTH.inputs[0]) == "Cost per hour"


def test_relations_in_words_are_translated(german: None) -> None:
    assert expression_of(PLANNED) == "vom Plan, wie er ist"
    assert source_of(PLANNED) == "Plan"


def test_the_copied_text_says_the_same_words(german: None) -> None:
    lines = list(explanation_lines(MONTH))
    assert lines[0].startswith("Kosten im Monat = ")
    assert lines[1] == "  = Kosten der Flotte im Monat: cost per hour · 730"
    assert lines[3].strip().startswith("Cost per hour = ")


def test_a_formula_names_no_code_behind_a_minus_and_an_input_is_called_by_words() -> None:
    step = ExplainedValue(
        name="step_s", title="Step", unit="s", value=1.0, expression="mean_step_s · exp(-answer_steps / chunks)",
        inputs=(ExplainedValue(name="own_s", title="own_s", unit="s", value=2e-4),
                ExplainedValue(name="places", title="places", unit="", value=8.0)),
    )  # fmt: skip
    assert expression_of(step) == "mean step · exp(-answer steps / chunks)"
    assert [name_of(one) for one in step.inputs] == ["Time that one more sequence adds", "Places"]
    assert source_of(MONTH) == "docs/derivations/cost.md"


def test_inputs_that_one_formula_corrected_are_told_apart() -> None:
    """Time on virtual machines + Time on virtual machines told nobody which was which."""
    parts = tuple(
        ExplainedValue(name=name, title="Time on virtual machines", unit="s", value=1.0)
        for name in ("compute_s", "bandwidth_s")
    )
    sequences = ExplainedValue(name="batch", title="Sequences", unit="", value=2.0)
    step = ExplainedValue(
        name="step_s", title="Step", unit="s", value=2.0, expression="compute_s + bandwidth_s",
        inputs=(*parts, sequences),
    )  # fmt: skip
    assert input_names(step) == ["Compute", "Bandwidth", "Sequences"]
    assert expression_of(step) == "Compute + Bandwidth"
    assert [line.strip() for line in explanation_lines(step)][2:4] == ["Compute = 1 s", "Bandwidth = 1 s"]


def test_what_many_values_share_is_told_once() -> None:
    """A latency's tree of 1,000 values would be 110,000 lines, and half a second of the window's thread."""
    shared = MONTH
    for level in range(20):
        shared = ExplainedValue(name=f"level_{level}", title="", value=1.0, unit="s", inputs=(shared, shared))
    lines = list(explanation_lines(shared))
    assert len(lines) < 60
    assert lines[-1].strip() == f"{name_of(shared.inputs[0])} = 1 s (as above)"
