"""The five resource colours stay apart for colour-blind eyes and stand out from the ground; each has a symbol too."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from gpuplanner_gui.domain.plan import Resource
from gpuplanner_gui.drawing.palette import DARK, LIGHT, RESOURCES, RIVAL_SYMBOLS, Theme, resource_colour, theme_for
from gpuplanner_gui.drawing.plots.cost import used_parts

# Machado, Oliveira, Fernandes, A Physiologically-based Model for Simulation of Color Vision Deficiency, 2009.
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def linear(colour: str) -> np.ndarray:
    channels = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(colour: str, vision: str) -> np.ndarray:
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    seen = np.clip(VISION[vision] @ linear(colour), 0, 1)
    xyz = (to_xyz @ seen) / np.array([0.9505, 1.0, 1.089])
    root = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


def contrast(first: str, second: str) -> float:
    luminances = sorted(float(np.array([0.2126, 0.7152, 0.0722]) @ linear(one)) for one in (first, second))
    return (luminances[1] + 0.05) / (luminances[0] + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("vision", VISION)
def test_resource_colours_stay_apart(theme: Theme, vision: str) -> None:
    for one, other in combinations(Resource, 2):
        distance = np.linalg.norm(lab(resource_colour(one, theme), vision) - lab(resource_colour(other, theme), vision))
        assert distance > 12, (one, other, distance)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_stand_out_from_the_ground(theme: Theme) -> None:
    for resource in Resource:
        assert contrast(resource_colour(resource, theme), theme.surface) >= 3
    for colour in (theme.text, theme.muted, theme.good, theme.warning, theme.bad, theme.accent):
        assert contrast(colour, theme.surface) >= 4.5


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("vision", VISION)
def test_rivals_stay_apart_from_each_other_and_from_resources(theme: Theme, vision: str) -> None:
    colours = [*theme.rivals, *(resource_colour(one, theme) for one in Resource)]
    for one, other in combinations(colours, 2):
        if one in theme.rivals:
            assert np.linalg.norm(lab(one, vision) - lab(other, vision)) > 12, (one, other)
    assert all(contrast(one, theme.surface) >= 3 for one in theme.rivals)


def test_each_rival_has_a_symbol_that_no_resource_has() -> None:
    assert len(set(RIVAL_SYMBOLS)) == len(RIVAL_SYMBOLS) == len(LIGHT.rivals) == len(DARK.rivals)
    assert not set(RIVAL_SYMBOLS) & {mark.symbol for mark in RESOURCES.values()}


def test_each_resource_has_its_own_symbol() -> None:
    assert set(RESOURCES) == set(Resource)
    assert len({mark.symbol for mark in RESOURCES.values()}) == len(Resource)


def test_theme_follows_the_window() -> None:
    assert theme_for(245) is LIGHT
    assert theme_for(28) is DARK


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_prefill_stands_apart_from_compute_in_thin_bars(theme: Theme) -> None:
    """Both are of one hue: two oranges of 1.9 to 1 were one in a bar of a few pixels."""
    prefill, compute = used_parts(theme)[:2]
    assert contrast(prefill.colour, compute.colour) >= 2.5
