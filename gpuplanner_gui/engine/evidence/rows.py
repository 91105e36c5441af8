"""Cases as arrays of codes and numbers, as the covariance compares them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.local_calibration import LABELS, NUMBERS, SHARES, LocalPoint
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.engine.model.parameters import model_parameters

UNSEEN = -1


@dataclass(frozen=True)
class EvidenceRows:
    """Cases: `labels` of shape (labels, N) as codes, `numbers` of shape (numbers, N), `shares` of shape (shares, N)."""

    labels: Integers
    numbers: Floats
    shares: Floats

    def __len__(self) -> int:
        return int(self.labels.shape[1])

    def at(self, index: Integers | NDArray[np.bool_] | slice) -> EvidenceRows:
        return EvidenceRows(self.labels[:, index], self.numbers[:, index], self.shares[:, index])


class Vocabulary:
    """Codes of the labels that points have; what no point has is `UNSEEN` and equals nothing."""

    def __init__(self, points: Sequence[LocalPoint]) -> None:
        self._codes = [
            {name: code for code, name in enumerate(dict.fromkeys(getattr(point, label) for point in points))}
            for label in LABELS
        ]

    def code(self, label: str, name: str) -> int:
        return self._codes[LABELS.index(label)].get(name, UNSEEN)

    def rows(self, points: Sequence[LocalPoint]) -> EvidenceRows:
        """Points as rows."""
        labels = [[self.code(label, getattr(point, label)) for point in points] for label in LABELS]
        numbers = [[getattr(point, name) for point in points] for name in NUMBERS]
        return EvidenceRows(
            np.array(labels, np.int64).reshape(len(LABELS), len(points)),
            np.array(numbers, np.float64).reshape(len(NUMBERS), len(points)),
            np.array([point.shares for point in points], np.float64).reshape(len(points), len(SHARES)).T,
        )


def model_signature(model: Model) -> str:
    """What kernels see of a model: equal for all that share an architecture, whatever their name."""
    layers = sum(group.count for group in model.layers)
    parameters = model_parameters(model)
    return f"{model.hidden_size}×{layers}×{model.vocab_size}:{float(parameters.total):.3g}"
