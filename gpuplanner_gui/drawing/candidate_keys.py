"""Names of candidates that stay the same from plan to plan: what is selected, pinned, or chosen in a file."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuplanner_gui.domain.plan import Plan, TrainingTable, column
from gpuplanner_gui.engine.training.layouts import is_usual_expert_tensor, unusual_expert_tensor

_IDENTITY = {
    "serving": ("tensor_parallel", "pipeline_parallel"),
    "training": (
        "devices", "tensor_parallel", "pipeline_parallel", "data_parallel", "context_parallel", "expert_parallel",
        "zero_stage", "micro_batch", "recompute", "virtual_stages",
        "sharding_group", "offload",
    ),
}  # fmt: skip
_GROUPS = ("attention_data_parallel", "expert_parallel")
"""Group sizes at the end of a serving candidate's key; left out where both are 1."""
_POOLS = (
    "prefill_tensor_parallel", "prefill_data_parallel", "prefill_expert_parallel", "prefill_workers", "decode_workers",
)  # fmt: skip
"""Likewise, of separate pools; it ends before them where there are none."""
_DRAFTS = "draft"
"""Mark before the number of draft tokens, where it differs from the first candidate's."""
_SHARED_EXPERTS = "etp"
"""Mark before the devices that share each expert at the end of a training candidate's key, where they are unusual."""
_AWAY = "acthost"
"""Likewise, where activations wait in host memory."""
_PRECISIONS = {"serving": ("weight_precision", "kv_precision"), "training": ()}


def candidate_key(plan: Plan, workload: str, candidate: int) -> str:
    """A readable key: accelerator, precisions, layout. Raises IndexError for a candidate that the plan lacks."""
    table = _table(plan, workload)
    parts = [plan.accelerators[int(table.accelerator[candidate])]]
    parts += [plan.precisions[int(column(table, name)[candidate])] for name in _PRECISIONS[workload]]
    parts += [str(int(column(table, name)[candidate])) for name in _IDENTITY[workload]]
    if workload != "serving":
        return "/".join(parts) + _choices(table, candidate)
    groups, pools = ([int(column(table, name)[candidate]) for name in names] for names in (_GROUPS, _POOLS))
    if any(pools):
        parts += map(str, (*groups, *pools))
    elif any(size > 1 for size in groups):
        parts += map(str, groups)
    drafts = int(table.draft_tokens[candidate])
    return "/".join(parts if drafts == table.draft_tokens[0] else [*parts, f"{_DRAFTS}{drafts}"])


def training_key(accelerator_id: str, table: TrainingTable, candidate: int) -> str:
    """The key of a layout that may stand in another plan than the table's."""
    parts = [accelerator_id, *(str(int(column(table, name)[candidate])) for name in _IDENTITY["training"])]
    return "/".join(parts) + _choices(table, candidate)


def _choices(table: TrainingTable, candidate: int) -> str:
    shared = unusual_expert_tensor(table, candidate)
    tail = f"/{_SHARED_EXPERTS}{shared}" if shared else ""
    return f"{tail}/{_AWAY}" if table.activation_offload[candidate] else tail


def candidate_of_key(plan: Plan, workload: str, key: str) -> int:
    """Index of the candidate with that key; -1 if the plan has none, or no answer for the workload."""
    answer = plan.serving if workload == "serving" else plan.training
    names, identity = _PRECISIONS[workload], _IDENTITY[workload]
    parts = key.split("/")
    drafts = parts.pop().removeprefix(_DRAFTS) if parts[-1].startswith(_DRAFTS) else ""
    is_away = parts[-1] == _AWAY and bool(parts.pop())
    shared = parts.pop().removeprefix(_SHARED_EXPERTS) if parts[-1].startswith(_SHARED_EXPERTS) else ""
    if workload == "serving":
        identity = (*identity, *_GROUPS, *_POOLS)
        parts += ["1"] * len(_GROUPS) if len(parts) == 1 + len(names) + len(_IDENTITY[workload]) else []
        parts += ["0"] * len(_POOLS) if len(parts) == 1 + len(names) + len(identity) - len(_POOLS) else []
    if answer is None or len(parts) != 1 + len(names) + len(identity) or parts[0] not in plan.accelerators:
        return -1
    table = answer.table
    matches = table.accelerator == plan.accelerators.index(parts[0])
    for name, code in zip(names, parts[1:], strict=False):
        if code not in plan.precisions:
            return -1
        matches &= column(table, name) == plan.precisions.index(code)
    for name, number in zip(identity, parts[1 + len(names) :], strict=True):
        if not number.lstrip("-").isdigit():
            return -1
        matches &= column(table, name) == int(number)
    if workload == "serving":
        counts = column(table, "draft_tokens")
        matches &= counts == (int(drafts) if drafts.isdigit() else counts[:1])
    elif isinstance(table, TrainingTable):
        is_usual = is_usual_expert_tensor(table)
        matches &= table.expert_tensor_parallel == int(shared) if shared.isdigit() else is_usual
        matches &= (table.activation_offload > 0) == is_away
    found = np.flatnonzero(matches)
    return int(found[0]) if len(found) else -1


def _table(plan: Plan, workload: str) -> Any:
    answer = plan.serving if workload == "serving" else plan.training
    if answer is None:
        raise IndexError(workload)
    return answer.table
