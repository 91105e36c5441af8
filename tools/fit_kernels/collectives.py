"""Fits collectives to measured ones: NCCL and the engines' own all-reduce kernels.

    python -m tools.fit_kernels.collectives

The NCCL table does not name its collectives: it holds four for each type, number of ranks and size, in the file's order
all-gather, all-to-all, reduce-scatter, all-reduce (the last takes about twice the time of the others).
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.knowledge import Residual
from gpuplanner_gui.engine.hardware.collectives import (
    CollectiveKind,
    CollectiveParameters,
    collective_time,
    expert_exchange_bytes,
    latency_steps,
)
from tools.fit_kernels.fit import significant, write
from tools.fit_kernels.prepared import DATA, LOG_BEST, load, residual_of
from tools.repository import grouped

NCCL_ORDER: tuple[CollectiveKind, ...] = ("all_gather", "all_to_all", "reduce_scatter", "all_reduce")
BYTES = {"half": 2, "int8": 1, "bfloat16": 2}
USUAL = CollectiveParameters(*(np.asarray(value) for value in (6e-6, 1e-6, 0.7, 0.75, 0.8, 5e-6, 2e6)))
LOSS_SCALE = 0.1
PULL = 0.05
RANKS_OF_ONE_HOST = 8


@dataclass(frozen=True)
class Measured:
    """Rows of one collective of one library on one system."""

    kind: CollectiveKind
    system: str
    library: str
    engine: str
    ranks: Floats
    message_bytes: Floats
    seconds: Floats


def nccl() -> Iterator[Measured]:
    for key, shapes, seconds in load(DATA / "nccl.npz"):
        if key["engine"] != "nccl" or key["nccl_dtype"] != "half":
            continue
        ranks, elements = shapes["num_gpus"], shapes["message_size"]
        seen: dict[tuple[float, float], int] = {}
        position = np.empty(len(seconds), int)
        for row, name in enumerate(zip(ranks, elements, strict=True)):
            position[row] = seen.get(name, 0)
            seen[name] = position[row] + 1
        for number, kind in enumerate(NCCL_ORDER):
            rows = position == number
            yield Measured(kind, key["system"], "nccl", "", ranks[rows], 2 * elements[rows], seconds[rows])


def custom() -> Iterator[Measured]:
    for key, shapes, seconds in load(DATA / "custom_allreduce.npz"):
        is_eager = "eager" in key["backend"]
        if is_eager and key["system"] != "b60":
            continue
        library = "mnnvl" if "MNNVL" in key["kernel_source"] else "custom"
        rows = shapes["num_gpus"] <= RANKS_OF_ONE_HOST if library == "custom" else seconds > 0
        if key["system"].startswith("gb") and library == "custom":
            rows = shapes["num_gpus"] <= 4
        message = BYTES[key["allreduce_dtype"]] * shapes["message_size"]
        yield Measured(
            "all_reduce", key["system"], library, key["engine"], shapes["num_gpus"][rows], message[rows], seconds[rows]
        )


def expert_exchange() -> Iterator[Measured]:
    kinds: dict[str, CollectiveKind] = {"dispatch": "expert_dispatch", "combine": "expert_combine"}
    for key, shapes, seconds in load(DATA / "moe_all_to_all.npz"):
        is_wide = key["comm_dtype"] in ("default", "bfloat16")
        library = next((name for name in ("deepep_ht", "deepep_ll") if key["comm_backend"].endswith(name)), None)
        if library is None or not is_wide:
            continue
        sent = expert_exchange_bytes(
            shapes["num_tokens"], shapes["hidden_size"], np.asarray(2.0), shapes["topk"], shapes["ep_size"]
        )
        yield Measured(kinds[key["phase"]], key["system"], library, key["engine"], shapes["ep_size"], sent, seconds)


def joined(parts: Iterator[Measured]) -> list[Measured]:
    """One entry per collective, system, library and engine: kernels that share the sizes among them are one."""
    entries = grouped(parts, lambda part: (part.kind, part.system, part.library, part.engine))
    return [
        dataclasses.replace(
            same[0],
            ranks=np.concatenate([part.ranks for part in same]),
            message_bytes=np.concatenate([part.message_bytes for part in same]),
            seconds=np.concatenate([part.seconds for part in same]),
        )
        for same in entries.values()
    ]


def decoded(vector: Floats) -> CollectiveParameters:
    return CollectiveParameters(*np.exp(vector))


def within_measured_ranks(parameters: CollectiveParameters, ranks: Floats) -> CollectiveParameters:
    """Efficiencies at numbers of ranks that were not measured take the nearest measured one's."""
    if ranks.max() == ranks.min():
        at_once = float(latency_steps(ranks.min())) * parameters.latency_per_rank_s
        parameters = dataclasses.replace(
            parameters, latency_s=parameters.latency_s + at_once, latency_per_rank_s=np.asarray(0.0)
        )
    if ranks.max() == ranks.min() == 4:
        parameters = dataclasses.replace(parameters, efficiency_2=parameters.efficiency_4)
    if ranks.max() < 8:
        parameters = dataclasses.replace(parameters, efficiency_8=parameters.efficiency_4)
    if ranks.min() >= 8:
        parameters = dataclasses.replace(
            parameters, efficiency_2=parameters.efficiency_8, efficiency_4=parameters.efficiency_8
        )
    return parameters


def predicted_s(measured: Measured, link_bytes_per_s: float, vector: Floats, rows: NDArray[np.bool_]) -> Floats:
    return collective_time(
        measured.kind, measured.message_bytes[rows], measured.ranks[rows], np.asarray(link_bytes_per_s), decoded(vector)
    ).total


def fitted(measured: Measured, link_bytes_per_s: float, rows: NDArray[np.bool_], reduces: bool) -> Floats:
    centre = np.log(np.array([getattr(USUAL, f.name) for f in dataclasses.fields(USUAL)]))
    target = np.log(measured.seconds[rows])
    pull = PULL * LOSS_SCALE * np.sqrt(len(target)) * np.array([1, 1, 0.1, 0.1, 0.1, 1, 1])

    def errors(vector: Floats) -> Floats:
        logs = np.log(predicted_s(measured, link_bytes_per_s, vector, rows))
        return np.concatenate([logs - target, pull * (vector - centre)])

    most = LOG_BEST if reduces else 0.0
    highest = np.where([f.name.startswith("efficiency") for f in dataclasses.fields(USUAL)], most, np.inf)
    bounds = (-np.inf, highest)
    vector: Floats = least_squares(errors, centre, loss="soft_l1", f_scale=LOSS_SCALE, bounds=bounds).x
    return vector


def out_of_sample(measured: Measured, link_bytes_per_s: float, reduces: bool) -> Residual:
    """Error on every third size, left out in turn."""
    sizes = np.unique(measured.message_bytes, return_inverse=True)[1]
    errors = []
    for third in range(3):
        out = sizes % 3 == third
        vector = fitted(measured, link_bytes_per_s, ~out, reduces)
        errors.append(np.log(predicted_s(measured, link_bytes_per_s, vector, out) / measured.seconds[out]))
    return residual_of(np.concatenate(errors))


def main() -> None:
    specifications = json.loads((DATA / "devices.json").read_text())
    sets: list[dict[str, Any]] = []
    for measured in (*nccl(), *joined(custom()), *expert_exchange()):
        specification = specifications[measured.system]
        link = specification["link_bytes_per_s"]
        everything = np.ones(len(measured.seconds), bool)
        # Switches that add up what passes them let a rank send fewer bytes than a ring's, which efficiencies count.
        reduces = measured.kind == "all_reduce" and specification.get("switches_reduce", False)
        parameters = within_measured_ranks(decoded(fitted(measured, link, everything, reduces)), measured.ranks)
        residual = out_of_sample(measured, link, reduces)
        sets.append(
            {
                "collective": measured.kind, "fabric": specification["fabric"], "library": measured.library,
                "engine": measured.engine, "accelerator": specification["accelerator"], "link_bytes_per_s": link,
                "largest_ranks": int(measured.ranks.max()),
                "parameters": {f.name: significant(getattr(parameters, f.name)) for f in dataclasses.fields(USUAL)},
                "residual": msgspec.structs.asdict(residual),
            } | ({"reduces_on_the_way": True} if reduces else {})
        )  # fmt: skip
        print(
            f"{measured.kind:15s} {specification['accelerator']:38s} {measured.library:7s} {measured.engine:7s}"
            f" median {100 * residual.median_error:5.1f} %  p90 {100 * residual.p90_error:5.1f} %"
            f"  {residual.rows} rows  {sets[-1]['parameters']}"
        )
    write("collectives", sets)


if __name__ == "__main__":
    main()
