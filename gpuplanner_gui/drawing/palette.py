"""Colours, light and dark: the resources with the same colour everywhere, and what a plot or page needs beside them.

For those who do not see its colour, each resource also has a symbol, and tables say its name. The colours stay apart
in the three common kinds of colour blindness and stand out from the background; a test measures both.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpuplanner_gui.domain.plan import Resource


@dataclass(frozen=True)
class ResourceMark:
    """The marks of a resource: a plot symbol, and its colour in each theme."""

    symbol: str
    light: str
    dark: str

    def colour(self, theme: Theme) -> str:
        return self.dark if theme.is_dark else self.light


RIVAL_SYMBOLS = ("t", "t2", "star", "t3", "h")
"""Symbols of candidates beside the selected one, drawn hollow in `Theme.rivals`; none is a resource's."""

RESOURCES: dict[Resource, ResourceMark] = {
    Resource.COMPUTE: ResourceMark("o", "#AD3E08", "#FF8B45"),
    Resource.MEMORY_BANDWIDTH: ResourceMark("s", "#1F6FB4", "#5BAEF0"),
    Resource.MEMORY_CAPACITY: ResourceMark("t1", "#0B8A66", "#3CC79C"),
    Resource.INTERCONNECT: ResourceMark("d", "#B0348C", "#EBA3D2"),
    Resource.HOST: ResourceMark("p", "#B08A1E", "#F2D04E"),
    Resource.INPUT: ResourceMark("+", "#10103C", "#C0F0D8"),
    Resource.STORAGE: ResourceMark("x", "#F443EC", "#BE5108"),
    Resource.PARTLY_FILLED_TILES: ResourceMark("crosshair", "#613000", "#906E60"),
}
SPLIT = (Resource.COMPUTE, Resource.MEMORY_BANDWIDTH, Resource.INTERCONNECT, Resource.HOST)
"""Resources that the time of a step or an operation is split over, in the order of bars and areas."""


@dataclass(frozen=True)
class Theme:
    """Everything but the resources."""

    is_dark: bool
    window: str
    surface: str
    text: str
    muted: str
    line: str
    grid: str
    accent: str
    good: str
    warning: str
    bad: str
    series: tuple[str, ...]
    """Colours of curves that stand for no resource, strongest first."""
    parts: dict[str, str]
    """Colours of the parts of a device's memory."""
    unused: str
    """Paid for and not used."""
    rivals: tuple[str, ...]
    """Colours of candidates beside the selected one."""

    def named(self, colour: str) -> str:
        """A colour by its name here: accent, bad; of the series, `series 3`."""
        name, _, place = colour.partition(" ")
        found = getattr(self, name)
        return str(found[int(place)] if place else found)


LIGHT = Theme(
    is_dark=False,
    window="#F5F6F7",
    surface="#FFFFFF",
    text="#1C2126",
    muted="#5F6B76",
    line="#D5DADF",
    grid="#E7EAED",
    accent="#2B5FC7",
    good="#1B7F4B",
    warning="#9A6700",
    bad="#B3261E",
    series=("#1C2126", "#6B7782", "#2B5FC7", "#A2387F", "#0B8A66"),
    parts={
        "weights": "#0A5C46",
        "gradients": "#0B8A66",
        "master_weights": "#3FA98A",
        "first_moment": "#78C4AC",
        "second_moment": "#B0DDCE",
        "kv_cache": "#35A98B",
        "gathered": "#4F7F92",
        "activation": "#7E8F2D",
        "logits": "#B4C168",
        "runtime": "#8C969E",
    },
    unused="#D9DEE2",
    rivals=("#6A3DE8", "#0F4C5C", "#7A1F2B", "#8A8F98", "#4B2A9B"),
)

DARK = Theme(
    is_dark=True,
    window="#1B1E22",
    surface="#23272C",
    text="#E8EAED",
    muted="#9BA5AF",
    line="#3B424A",
    grid="#30363D",
    accent="#7FA8F8",
    good="#5CC48C",
    warning="#E0B040",
    bad="#FF8A80",
    series=("#E8EAED", "#8A95A0", "#7FA8F8", "#EBA3D2", "#3CC79C"),
    parts={
        "weights": "#1F8F6D",
        "gradients": "#35B58E",
        "master_weights": "#62CBAA",
        "first_moment": "#93DCC5",
        "second_moment": "#C4EEDF",
        "kv_cache": "#62CBAA",
        "gathered": "#86B6C8",
        "activation": "#A9B94F",
        "logits": "#D3DE93",
        "runtime": "#7C8791",
    },
    unused="#3F464E",
    rivals=("#8D6BF5", "#C8D68A", "#DA4BB5", "#6F7B87", "#A6683F"),
)


def theme_for(window_lightness: int) -> Theme:
    """The theme that goes with a window background of this lightness (0 to 255)."""
    return DARK if window_lightness < 128 else LIGHT


def resource_colour(resource: int, theme: Theme) -> str:
    return RESOURCES[Resource(resource)].colour(theme)
