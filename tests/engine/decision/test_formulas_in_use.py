"""Every formula of money that the handbook tells is one that an answer about a plan was computed with."""

from __future__ import annotations

import importlib

import msgspec

from gpuplanner_gui.domain.economics import RentalTerms
from gpuplanner_gui.domain.scenario import OwnedStock
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.decision import doors
from gpuplanner_gui.engine.explaining.formula import ENGINE, FORMULAS, tracing
from gpuplanner_gui.files.shipped_tables import methods


def test_every_formula_of_money_is_computed_with(both, catalog, calibration):
    economics = msgspec.structs.replace(both.economics, renting=RentalTerms(stored_bytes=1e12, support_share=0.1))
    stock = tuple(OwnedStock(accelerator=one, devices=1) for one in both.hardware.accelerators)
    hardware = msgspec.structs.replace(both.hardware, licensed_for_data_centres=False, owned=stock)
    economics = msgspec.structs.replace(economics, price_level="low")
    scenario = msgspec.structs.replace(both, economics=economics, hardware=hardware)
    told = {one for method in methods() for one in method.formulas if one.startswith("cost.")}
    for module in told:
        importlib.import_module(ENGINE + module)
    planned = plan(scenario, catalog, calibration)
    context_of(catalog, calibration).answers.clear()
    with tracing() as trace:
        doors.fleets(scenario, catalog, calibration, planned)
        doors.ownership(scenario, catalog, calibration, planned)
    computed = {call.formula.key for call in trace.calls}
    formulas = {one.key for one in FORMULAS.values() if one.key.rpartition(".")[0] in told}
    assert formulas - computed == set()
