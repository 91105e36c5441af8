"""Power of accelerators whose makers state none: that of their nearest relatives, and how far such a guess is off."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.hardware import Accelerator

RELATIVES = 3
OTHER_KIND, OTHER_VENDOR = 2.0, 0.5
"""What another kind of device, or another vendor, adds to a squared distance of logarithms."""
YEARS_APART = 4.0
"""A distance in years that counts as much as a factor of e in bandwidth."""
USUAL_YEAR = 2022
PRECISIONS = ("bf16", "fp16", "fp32")


@dataclass(frozen=True)
class AssumedPower:
    """A device's power limit as its relatives have it."""

    watts: float
    log_sd: float
    """Spread (of the logarithm) of the guess, from devices whose power is known."""


def assumed_power(accelerators: tuple[Accelerator, ...]) -> dict[str, AssumedPower]:
    """Power of each accelerator that states none, by identifier; none where no other states any.

    Notes
    -----
    The geometric mean of the nearest few in bandwidth, peak rate, year, kind and vendor. The spread is that of the
    same guess for every device of known power, itself left out.
    """
    known = [entry for entry in accelerators if entry.tdp_w is not None]
    unknown = [entry for entry in accelerators if entry.tdp_w is None]
    if not unknown or len(known) <= RELATIVES:
        return {}
    watts = np.log([float(entry.tdp_w or 1.0) for entry in known])
    among = _distances(known, known)
    np.fill_diagonal(among, np.inf)
    log_sd = float(np.sqrt(np.mean((_of_nearest(among, watts) - watts) ** 2)))
    guesses = np.exp(_of_nearest(_distances(unknown, known), watts))
    return {entry.id: AssumedPower(float(guess), log_sd) for entry, guess in zip(unknown, guesses, strict=True)}


def _of_nearest(distances: Floats, values: Floats) -> Floats:
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :RELATIVES]
    found: Floats = values[nearest].mean(axis=1)
    return found


def _distances(some: list[Accelerator], others: list[Accelerator]) -> Floats:
    """Squared distances, shape (some, others); a figure that either lacks does not count."""
    apart = np.nansum((_figures(some)[:, None, :] - _figures(others)[None, :, :]) ** 2, axis=-1)
    for name, weight in (("kind", OTHER_KIND), ("vendor", OTHER_VENDOR)):
        ours, theirs = (np.array([getattr(one, name) for one in entries]) for entries in (some, others))
        apart += weight * (ours[:, None] != theirs[None, :])
    distances: Floats = apart
    return distances


def _figures(entries: list[Accelerator]) -> Floats:
    peaks = [max(entry.peak_flop_per_s(one) or 0.0 for one in PRECISIONS) or np.nan for entry in entries]
    return np.stack(
        [
            np.log([entry.memory_bandwidth_bytes_per_s for entry in entries]),
            np.log(peaks),
            np.array([entry.year or USUAL_YEAR for entry in entries]) / YEARS_APART,
        ],
        axis=1,
    )
