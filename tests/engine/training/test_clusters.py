from __future__ import annotations

import gc

import msgspec

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.training.communication import cluster_of

MOST_KEPT = 4


def test_clusters_are_made_once(context: Context) -> None:
    first = cluster_of(context.catalog, "", 1.0, 1.0)
    assert cluster_of(context.catalog, "", 2.0, 1.0) is not first
    assert cluster_of(context.catalog, "", 1.0, 1.0) is first


def test_few_catalogues_are_kept_for_their_clusters(context: Context) -> None:
    """Each project that is opened may bring one of its own."""
    known = sum(isinstance(one, Catalog) for one in gc.get_objects())
    for _ in range(3 * MOST_KEPT):
        cluster_of(msgspec.structs.replace(context.catalog), "", 1.0, 1.0)
    gc.collect()
    assert sum(isinstance(one, Catalog) for one in gc.get_objects()) <= known + MOST_KEPT
