from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpuplanner_gui.domain.economics import Economics, Ownership, Site
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.shipped_tables import ECONOMICS_FILE, load_economics_presets
from gpuplanner_gui.paths import catalogs_dir


def changed(folder: Path, change) -> Path:
    content = json.loads((catalogs_dir() / ECONOMICS_FILE).read_text(encoding="utf-8"))
    change(content)
    (folder / ECONOMICS_FILE).write_text(json.dumps(content), encoding="utf-8")
    return folder


def test_every_figure_of_every_preset_has_a_source():
    for preset in load_economics_presets().presets:
        for figure in [*preset.ownership.values(), *preset.site.values()]:
            assert len(figure.source) > 8


def test_presets_state_every_cost_of_owning():
    for preset in load_economics_presets().presets:
        assert set(preset.ownership) == set(Ownership.__struct_fields__)
        # What idle and lone devices draw is theirs, not the site's.
        of_devices = {"idle_share_of_rating", "batch_one_power_share"}
        assert set(preset.site) == set(Site.__struct_fields__) - {"grid_g_co2e_per_kwh"} - of_devices


def test_applying_a_preset_leaves_the_rest_of_the_money_section():
    preset = load_economics_presets().presets[0]
    before = Economics(horizon_years=5.0, site=Site(grid_g_co2e_per_kwh=41.0))
    after = preset.applied_to(before)
    assert after.horizon_years == 5.0
    assert after.site.grid_g_co2e_per_kwh == 41.0
    assert after.site.pue == preset.site["pue"].value


def test_price_shares_leave_something_for_the_host():
    split = load_economics_presets().resource_split.centrals()
    node = split["device_share_of_node"] + split["scale_up_share_of_node"] + split["scale_out_share_of_node"]
    assert 0.5 < node < 1


def test_unknown_field_is_named(tmp_path: Path):
    def misspell(content):
        content["presets"][0]["ownership"]["usefull_life"] = content["presets"][0]["ownership"].pop("useful_life_years")

    with pytest.raises(FileProblem, match=r"hyperscaler\.ownership\.usefull_life"):
        load_economics_presets(changed(tmp_path, misspell))


def test_figure_out_of_bounds_is_named(tmp_path: Path):
    def spoil(content):
        content["presets"][1]["site"]["pue"]["value"] = 0.5

    with pytest.raises(FileProblem, match=r"neocloud\.site\.pue"):
        load_economics_presets(changed(tmp_path, spoil))


def test_missing_and_damaged_files_are_told_apart(tmp_path: Path):
    with pytest.raises(FileProblem, match="can't be read"):
        load_economics_presets(tmp_path)
    (tmp_path / ECONOMICS_FILE).write_text("{", encoding="utf-8")
    with pytest.raises(FileProblem, match="not valid JSON"):
        load_economics_presets(tmp_path)
