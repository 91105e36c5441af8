"""A usual class of requests, ready to be added to a service."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.workload import RequestClass


class RequestPreset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Lengths and targets of a kind of traffic, with where they come from."""

    id: Annotated[str, about("Identifier")]
    title: Annotated[str, about("Name")]
    source: Annotated[str, about("Source")]
    date: Annotated[str, about("As of")]
    request_class: Annotated[RequestClass, about("Request class")]


class RequestPresets(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file of presets that ships."""

    presets: Annotated[tuple[RequestPreset, ...], about("Presets")]
