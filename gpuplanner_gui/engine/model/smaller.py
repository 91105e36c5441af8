"""Smaller models that may answer the same requests: of the same family, with the same tokens."""

from __future__ import annotations

import math
from itertools import takewhile

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.engine.model.parameters import model_parameters

MOST_SMALLER = 2
SMALLER = 0.6
"""Share of the parameters that a smaller model has at most, of the plan's and of the one before."""
SAME_VOCABULARY = 0.01
"""Vocabularies of one family are padded differently; tokens are the same."""


def smaller_models(model: Model, catalog: Catalog) -> tuple[Model, ...]:
    """The next two smaller models of the same family and vocabulary.

    Of several of about one size, the one whose name is most like the model's.
    """
    found: list[Model] = []
    size = model_parameters(model).total
    while len(found) < MOST_SMALLER:
        siblings = [
            (round(math.log2(parameters), 1), _letters_alike(one.name, model.name), parameters, one)
            for one in (entry.model for entry in catalog.models.values())
            if _speaks_alike(one, model) and 0 < (parameters := model_parameters(one).total) <= SMALLER * size
        ]
        if not siblings:
            break
        *_, size, smaller = max(siblings, key=lambda one: one[:3])
        found.append(smaller)
    return tuple(found)


def _letters_alike(one: str, other: str) -> int:
    """Number of letters with which two names begin alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other)))


def _speaks_alike(one: Model, other: Model) -> bool:
    return (
        other.vocab_size > 0
        and _stem(one.family) == _stem(other.family)
        and abs(one.vocab_size - other.vocab_size) <= SAME_VOCABULARY * other.vocab_size
        and (one.vision is None) == (other.vision is None)
    )


def _stem(family: str) -> str:
    """The family's stem, qwen3 for qwen3_moe: dense models and mixtures of one generation share their tokens."""
    return family.partition("_")[0]
