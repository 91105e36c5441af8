from __future__ import annotations

import msgspec
import pytest

from gpuplanner_gui.desktop.editors.base import PARTS
from gpuplanner_gui.desktop.editors.kinds import shape_of, starting_value
from gpuplanner_gui.desktop.window.project_file import starting_model
from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.field import field_of, fields_of, problems_of
from gpuplanner_gui.domain.model import Attention, LatentAttention, LayerGroup, Model
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload

MIXERS = [kind for kind in shape_of(field_of(LayerGroup, "mixer").type).structs if kind]
LISTS = [
    shape.item.structs[0]
    for struct in (Model, ServingWorkload, RequestClass, Economics)
    for field in fields_of(struct)
    if not field.is_quantity and (shape := shape_of(field.type)).item is not None and shape.item.structs
]


@pytest.mark.parametrize("kind", [*MIXERS, *LISTS, *(part.struct_type for part in PARTS if part.add)])
def test_new_part_is_within_all_bounds(kind: type[msgspec.Struct]) -> None:
    assert problems_of(starting_value(kind)) == []


@pytest.mark.parametrize("before", MIXERS)
@pytest.mark.parametrize("after", MIXERS)
def test_changed_kind_is_within_all_bounds(before: type[msgspec.Struct], after: type[msgspec.Struct]) -> None:
    assert problems_of(starting_value(after, starting_value(before))) == []


def test_shared_fields_are_taken_over_where_they_fit() -> None:
    attention = Attention(heads=40, kv_heads=8, head_dim=128)
    latent = starting_value(LatentAttention, attention)
    assert latent.heads == 40
    assert latent.value_head_dim > 0


def test_starting_model_is_the_size_that_its_name_says() -> None:
    from gpuplanner_gui.engine.model.parameters import model_parameters

    assert model_parameters(starting_model()).total == pytest.approx(8.03e9, rel=1e-3)
