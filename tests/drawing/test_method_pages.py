"""The handbook: every formula of the engine stands on one page, with its source, as plain text."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from dataclasses import replace

import pytest

from gpuplanner_gui import engine
from gpuplanner_gui.domain.method import Method
from gpuplanner_gui.drawing.language import use_translator
from gpuplanner_gui.drawing.method_pages import (
    input_text,
    method_html,
    method_of,
    method_text,
    module_formulas,
    module_of,
)
from gpuplanner_gui.engine.explaining.formula import ENGINE, FORMULAS
from gpuplanner_gui.files.shipped_tables import methods


def test_every_formula_of_the_engine_stands_on_one_page() -> None:
    for module in pkgutil.walk_packages(engine.__path__, ENGINE):
        importlib.import_module(module.name)
    told = Counter(module for method in methods() for module in method.formulas)
    made = {module_of(one.key) for name, one in FORMULAS.items() if name.startswith(ENGINE)}
    assert set(told) == made
    assert set(told.values()) == {1}


@pytest.mark.parametrize("method", methods(), ids=lambda method: method.code)
def test_page_says_what_it_rests_on_and_where_it_ends(method: Method) -> None:
    formulas = [one for module in method.formulas for one in module_formulas(module)]
    page = method_html(method, formulas, "#000000")
    assert page.startswith(f"<h2>{method.title}</h2>")
    assert method.introduction
    assert method.evidence
    assert method.limits
    assert page.count("<code>") == len(formulas)
    assert all(f'name="{one.key}"' in page and one.source for one in formulas)


def test_formula_stands_with_units_and_source() -> None:
    method = method_of("cost.energy.fleet_power_w")
    assert method is not None
    assert method.code == "energy"
    page = method_html(method, module_formulas("cost.energy"), "#5F6B76")
    fleet = "(devices · device power + max(paid devices − devices, 0) · running share · idle power)"
    assert f"<code>{fleet} · (1 + infrastructure share) · pue</code>" in page
    assert "Result in W" in page
    assert (
        "From: devices, device power [W], paid devices, idle power [W], running share, infrastructure share, pue"
        in page
    )
    assert "ISO/IEC 30134-2" in page


def test_markup_in_a_formula_stays_text() -> None:
    method = methods()[0]
    formula = replace(module_formulas("model.parameters")[0], expression="a < b > c & <img src=x>")
    page = method_html(method, [formula], "#000000")
    assert "a &lt; b &gt; c &amp; &lt;img src=x&gt;" in page
    assert "<img" not in page


def test_page_before_its_formulas_are_read_says_so() -> None:
    assert "Reading the formulas" in method_html(methods()[0], None, "#000000")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("prompt_tokens", "prompt tokens [tok]"),
        ("tokens_per_s", "tokens [tok/s]"),
        ("link_bytes_per_s", "link [bytes/s]"),
        ("usd_per_device_hour", "cost per device hour [USD/h]"),
        ("pue", "pue"),
    ],
)
def test_inputs_show_their_unit(name: str, said: str) -> None:
    assert input_text(name) == said


def test_search_finds_words_of_formulas_and_of_another_language() -> None:
    method = method_of("training.checkpoints.daly_interval_s")
    assert method is not None
    use_translator(lambda text: text.replace("job", "Auftrag"))
    try:
        text = method_text(method, module_formulas("training.checkpoints"))
    finally:
        use_translator(None)
    assert "daly 2006" in text
    assert "auftrag" in text
    assert "a job fails" in text


def test_formula_that_no_page_knows_has_no_method() -> None:
    assert method_of("") is None
    assert method_of("nowhere.at_all") is None
