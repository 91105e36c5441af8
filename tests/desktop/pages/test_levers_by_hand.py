"""Every lever on a service: its card is clicked, scenario and cost change, and undo brings both back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSettings, Qt
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages.overview import FindingCard, FindingsPage
from gpuplanner_gui.desktop.store import replaced
from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.domain.economics import Economics, UncertaintyTerms
from gpuplanner_gui.domain.quantity import Lognormal
from gpuplanner_gui.domain.scenario import HardwareChoice, OwnedStock, Project, Scenario
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload, Slo
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.project import project_to_bytes
from tests.desktop.person import Person

MODELS = load_shipped_catalog().models
H100, L40S, L4 = "nvidia-h100-sxm-80gb", "nvidia-l40s", "nvidia-l4"
H200 = "nvidia-h200-sxm-141gb"
PEAK, PROMPT, ANSWER = (f"serving.classes[0].{one}" for one in ("peak_rate_per_s", "prompt_tokens", "output_tokens"))
TTFT, TPOT = (f"serving.classes[0].slos[{place}].limit_s" for place in (0, 1))
BATCH, WEIGHTS = "serving.engine.max_sequences", "serving.weight_precisions"
WHOLE = (Slo(metric="e2e", percentile=95.0, limit_s=15.0),)
DRAWN = (RequestClass(peak_rate_per_s=2.0, request="image", slos=WHOLE),)
HEARD = (RequestClass(peak_rate_per_s=40.0, request="audio", slos=WHOLE),)
LEVERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "lever_shorter_answers": ("llama-3.1-8b", H100, {PEAK: 200.0}),
    "lever_shared_prefix": ("llama-3.1-8b", H100, {PROMPT: 8_000.0, PEAK: 40.0, TTFT: 4.0}),
    "lever_kept_sessions": ("llama-3.1-8b", H100, {
        PROMPT: 8_000.0, "serving.classes[0].prefix_cache_share": 0.9, "serving.classes[0].session_share": 0.9,
        PEAK: 40.0, TTFT: 4.0}),
    "lever_draft_tokens": ("llama-3.1-8b", H100, {PEAK: 20.0, TPOT: 0.005}),
    "lever_larger_batch": ("llama-3.1-8b", H100, {PEAK: 600.0, BATCH: 32, WEIGHTS: ("fp8",)}),
    "lever_continuous_batching": ("llama-3.1-8b", L40S, {
        PEAK: 20.0, "serving.engine.batching": "static", BATCH: 8, TTFT: 60.0, TPOT: 1.0,
        ANSWER: Lognormal(200.0, 0.9)}),
    "lever_narrower_formats": ("llama-3.1-8b", H100, {PEAK: 600.0, WEIGHTS: ("bf16",), BATCH: 32}),
    "lever_smaller_model": ("whisper-large-v3", L4, {"serving.classes": HEARD}),
    "lever_fewer_steps": ("sdxl-1.0", H100, {"serving.classes": DRAWN}),
    "lever_separate_pools": ("llama-3.1-8b", H100, {PROMPT: 8_000.0, TTFT: 2.0, TPOT: 0.006, PEAK: 40.0}),
    "lever_looser_targets": ("llama-3.1-8b", H100, {TPOT: 0.006, PEAK: 200.0}),
    "lever_pauses": ("llama-3.1-8b", H100, {"serving.traffic.arrivals": "users", "serving.traffic.users": 400.0}),
    "lever_other_devices": ("llama-3.1-8b", L4, {
        "hardware.owned": (OwnedStock(accelerator=L4, devices=2),), "economics.serving_procurement": "own"}),
    "lever_without_spare": ("llama-3.1-8b", H200, {
        "hardware.owned": (OwnedStock(accelerator=H200, devices=1),), "economics.serving_procurement": "own",
        PEAK: 2.0}),
    "lever_by_the_hour": ("llama-3.1-8b", H100, {"economics.serving_procurement": "rent_3y", PEAK: 20.0}),
    "lever_rented": ("llama-3.1-8b", H100, {"economics.serving_procurement": "own", PEAK: 2.0}),
    "cheaper_terms": ("llama-3.1-8b", L40S, {PEAK: 20.0}),
}  # fmt: skip
"""By finding: a model, the only device, and what is changed of a plain service."""
BY_DAY = ("lever_shared_prefix", "lever_draft_tokens", "cheaper_terms")
"""An input, the engine and the terms; `make test-deep` walks all."""


@pytest.fixture
def window(qtbot: QtBot, settings: QSettings, engine: ShippedEngine, user_home: Path) -> Iterator[MainWindow]:
    made = MainWindow(lambda: engine, settings)
    made.resize(1366, 768)
    made.show()
    made.build_results()
    made.compute.start()
    yield made
    made.store.undo_stack.setClean()
    made.close()
    made.deleteLater()


def service(code: str) -> Scenario:
    model, device, changes = LEVERS[code]
    scenario = Scenario(
        name=code, model=MODELS[model].model, hardware=HardwareChoice(accelerators=(device,)),
        serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=20.0),)),
        economics=Economics(uncertainty=UncertaintyTerms(confidence="expected")),
    )  # fmt: skip
    for path, value in changes.items():
        scenario = replaced(scenario, path, value)
    return scenario


def cost(window: MainWindow) -> float:
    results = window.compute.results
    assert results is not None
    assert results.plan.serving is not None
    return float(results.plan.serving.table.usd_per_month[results.plan.serving.best])


def card_of(window: MainWindow, code: str) -> FindingCard:
    """The visible card of a finding, scrolled to."""
    pane = window.results_pane
    assert pane is not None
    page = pane.view_in_front()
    assert isinstance(page, FindingsPage)
    card = next(one for one in page.cards if one.isVisible() and one.finding is not None and one.finding.code == code)
    page.area.ensureWidgetVisible(card.apply)
    return card


@pytest.mark.parametrize(
    "code", [one if one in BY_DAY else pytest.param(one, marks=pytest.mark.deep) for one in LEVERS]
)
def test_a_lever_is_applied_and_undone(code: str, window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    person, path = Person(window, qtbot), tmp_path / "service.gpuplan"
    path.write_bytes(project_to_bytes(Project(name=code, scenarios=(service(code),))))
    with qtbot.waitSignal(window.compute.completed, timeout=60_000):
        window.commands.open_path(path)
    person.wait_for_the_answer()
    before, dear = window.store.scenario, cost(window)
    person.open_page("Findings")
    qtbot.waitUntil(lambda: bool(codes_on(window) & {code}), timeout=60_000)
    card = card_of(window, code)
    remedy = card.finding.remedy if card.finding is not None else None
    assert remedy is not None
    assert card.apply.isVisible()
    qtbot.mouseClick(card.apply, Qt.MouseButton.LeftButton)
    person.wait_for_the_answer()
    after = window.store.scenario
    assert after != before
    for edit in remedy.edits:
        assert replaced(after, edit.path, edit.value) == after
    assert cost(window) < 0.95 * dear
    for _ in remedy.edits:
        person.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    person.wait_for_the_answer()
    assert window.store.scenario == before
    assert cost(window) == pytest.approx(dear)


def codes_on(window: MainWindow) -> set[str]:
    pane = window.results_pane
    page = pane.view_in_front() if pane is not None else None
    cards = page.cards if isinstance(page, FindingsPage) else []
    return {one.finding.code for one in cards if one.isVisible() and one.finding is not None}
