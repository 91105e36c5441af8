"""Lengths of well-known workloads, for rows that name one instead of stating its lengths."""

from __future__ import annotations

from functools import lru_cache

from gpuplanner_gui.domain.preset import ReferenceWorkload, ReferenceWorkloads
from gpuplanner_gui.files.typed_json import read_shipped
from gpuplanner_gui.paths import catalogs_dir

WORKLOADS_FILE = "reference_workloads.json"


@lru_cache(maxsize=1)
def reference_workloads() -> tuple[ReferenceWorkload, ...]:
    """All of them, the more special first. Raises FileProblem for a damaged file."""
    return read_shipped(catalogs_dir() / WORKLOADS_FILE, ReferenceWorkloads).workloads


def workload_of(model_id: str, *texts: str) -> ReferenceWorkload:
    """The first workload of the model, or of any, that a row's source or notes name; the last one fits all."""
    joined = " ".join(texts).lower()
    for workload in reference_workloads():
        is_named = any(name.lower() in joined for name in workload.sources)
        if is_named and (not workload.models or model_id in workload.models):
            return workload
    return reference_workloads()[-1]
