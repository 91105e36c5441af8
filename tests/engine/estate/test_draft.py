"""A first estate of a project: all its workloads, at the catalogue's prices in units as sold."""

from __future__ import annotations

import math

from gpuplanner_gui.domain.estate import estate_problems
from gpuplanner_gui.engine.estate.draft import drafted_estate
from gpuplanner_gui.engine.planning import plan
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.paths import resources_dir


def test_a_first_estate_holds_every_workload_on_hardware_that_is_had():
    project = load_project(resources_dir() / "examples" / "13b-two-deployments.gpuplan")
    catalog, calibration = load_shipped_catalog(), load_calibration()
    plans = {one.name: plan(one, catalog, calibration) for one in project.scenarios}
    estate = drafted_estate(project, catalog, calibration, plans)
    parts = {one.name: tuple(p for p in ("serving", "training") if getattr(one, p)) for one in project.scenarios}
    assert estate_problems(estate, parts) == []
    assert {(one.scenario, one.part) for one in estate.workloads} == {(n, p) for n, ps in parts.items() for p in ps}
    assert 2 <= len(estate.hardware) <= 8
    for one in estate.hardware:
        entry = catalog.accelerators[one.accelerator]
        assert one.purchase_usd or one.rent_usd_per_device_hour or one.reservations
        assert math.isfinite(one.kw_per_unit)
        assert one.kw_per_unit * 1000 >= 0.9 * one.devices_per_unit * (entry.tdp_w or 0)
        assert one.devices_per_unit % 8 == 0 or not entry.form_factor.startswith("SXM")
        assert all(term.months in (12, 36) for term in one.reservations)
