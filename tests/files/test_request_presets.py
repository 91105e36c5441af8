from __future__ import annotations

import pytest

from gpuplanner_gui.engine.uncertainty.distributions import representative_values
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.shipped_tables import REQUESTS_FILE, request_presets
from gpuplanner_gui.paths import catalogs_dir


def test_usual_classes_have_sources_and_targets():
    presets = {preset.id: preset for preset in request_presets()}
    assert set(presets) == {"chat", "retrieval", "code", "agent", "batch"}
    for preset in presets.values():
        assert preset.source
        assert preset.date
        assert preset.request_class.slos


@pytest.mark.parametrize(
    ("preset", "prompt_mean", "output_mean"),
    [("chat", 1155, 211), ("retrieval", 12_035, 343), ("code", 2048, 28)],
)
def test_mean_lengths_are_those_of_the_traces(preset, prompt_mean, output_mean):
    """Means of docs/derivations/load.md#recorded-traffic."""
    chosen = next(one.request_class for one in request_presets() if one.id == preset)
    assert representative_values(chosen.prompt_tokens).mean() == pytest.approx(prompt_mean, rel=0.02)
    assert representative_values(chosen.output_tokens).mean() == pytest.approx(output_mean, rel=0.02)


def test_an_agents_prompts_grow_by_a_turn_and_only_the_turn_is_new():
    """25 turns of 4,000 to 23,200 tokens by 800: of all prompts together, 4,000 + 24 × 800 tokens are new."""
    agent = next(one.request_class for one in request_presets() if one.id == "agent")
    prompts = [4000 + 800 * turn for turn in range(25)]
    assert representative_values(agent.prompt_tokens).mean() == pytest.approx(sum(prompts) / 25)
    assert agent.prefix_cache_share == pytest.approx(1 - (4000 + 24 * 800) / sum(prompts), abs=0.005)
    assert representative_values(agent.output_tokens).mean() == pytest.approx(200, rel=0.02)


def test_a_damaged_file_is_told(tmp_path):
    text = (catalogs_dir() / REQUESTS_FILE).read_text().replace('"sigma": 0.99', '"sigma": -1', 1)
    (tmp_path / REQUESTS_FILE).write_text(text)
    with pytest.raises(FileProblem, match="out of range"):
        request_presets(tmp_path)
