"""What software on a family of devices makes of a model's kernels, as effects fitted to published inference results."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import msgspec

from gpuplanner_gui.domain.field import about


class StackSoftware(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Inference software as published tables name it, by generation where generations differ."""

    software: Annotated[str, about("Software")]
    engine: Annotated[str, about("Engine", "", "Whose facts it starts from.")]
    aliases: Annotated[tuple[str, ...], about("Names", "", "Words of a published engine's name.")]
    versions: Annotated[tuple[str, ...], about("Versions", "", "Their beginnings; empty: any.")] = ()
    splits_layers: Annotated[
        bool, about("Splits layers", "", "Devices hold layers of their own instead of parts of each.")
    ] = False


class StackFamily(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Devices that the same software treats alike."""

    family: Annotated[str, about("Family")]
    architectures: Annotated[tuple[str, ...], about("Architectures", "", "Beginnings of their names.")] = ()
    kinds: Annotated[tuple[str, ...], about("Kinds", "", "Of device; empty: any.")] = ()
    memory: Annotated[tuple[str, ...], about("Memory", "", "Beginnings of its kind's name; empty: any.")] = ()


class StackEffect(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Logarithms by which parameters differ from the usual where all that is named holds; empty: holds everywhere."""

    software: Annotated[str, about("Software")] = ""
    family: Annotated[str, about("Family")] = ""
    kind: Annotated[str, about("Kind of model")] = ""
    is_narrow: Annotated[bool, about("Narrow weights", "", "Only where weights have fewer than 16 bits.")] = False
    logs: Annotated[dict[str, float], about("Logarithms", "", "By parameter.")] = {}


class StackBand(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Logarithm of measured over predicted, 10th and 90th percentile, in groups that a fit had not seen."""

    load: Annotated[str, about("Load", "", "Empty: any.")] = ""
    quantity: Annotated[str, about("Quantity", "", "prefill, decode, whole, memory; empty: any.")] = ""
    is_known: Annotated[bool | None, about("Software known on the family", "", "None: either.")] = None
    low: Annotated[float, about("10th percentile")]
    high: Annotated[float, about("90th percentile")]
    rows: Annotated[int, about("Rows", minimum=0)]


class InferenceStacks(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All stacks; `usual` holds the parameters' values where no effect applies."""

    software: tuple[StackSoftware, ...]
    families: tuple[StackFamily, ...]
    usual: Annotated[dict[str, float], about("Usual values", "", "By parameter, above 0.")]
    effects: tuple[StackEffect, ...] = ()
    bands: tuple[StackBand, ...] = ()
    sources: Annotated[tuple[str, ...], about("Sources")] = ()
    date: Annotated[str, about("As of")] = ""

    def software_named(self, name: str, version: str) -> StackSoftware | None:
        """The entry for a published name and version; the one with the longest name, then version, that fits."""
        best, length = None, (-1, -1)
        words = f" {_plain(name)} "
        for entry in self.software:
            known = [len(alias) for alias in entry.aliases if f" {_plain(alias)} " in words]
            stated = [len(start) for start in entry.versions if version.startswith(start)]
            if known and (stated or not entry.versions) and (max(known), max(stated, default=0)) > length:
                best, length = entry, (max(known), max(stated, default=0))
        return best

    def family_of(self, architecture: str, kind: str, memory: str) -> str:
        """The first family that a device belongs to; empty where none fits."""
        for entry in self.families:
            fits = not entry.architectures or architecture.startswith(entry.architectures)
            fits = fits and (not entry.kinds or kind in entry.kinds)
            if fits and (not entry.memory or memory.startswith(entry.memory)):
                return entry.family
        return ""


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    return " ".join("".join(letter if letter.isalnum() else " " for letter in text.lower()).split())
