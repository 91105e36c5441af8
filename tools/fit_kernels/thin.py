"""Thins a folder of full kernel tables (parquet) to what the fit needs, as compressed NumPy files.

    python -m tools.fit_kernels.thin KERNELS_FOLDER ACCELERATORS_JSON [OUTPUT_FOLDER]

Rows are dropped by shape alone, never by their time, apart from times that are not positive.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as parquet
from numpy.typing import NDArray

from tools.fit_kernels.prepared import KernelTable, save

Shapes = dict[str, NDArray[np.float64]]
OUTPUT = Path(__file__).resolve().parents[2] / "tests" / "fidelity" / "data" / "kernels"

SYSTEMS = {
    "a100_sxm": "nvidia-a100-sxm-80gb",
    "b200_sxm": "nvidia-b200-sxm-180gb",
    "b300_sxm": "nvidia-b300-sxm-288gb",
    "b60": "intel-arc-pro-b60",
    "gb200": "nvidia-gb200",
    "gb300": "nvidia-gb300",
    "h100_sxm": "nvidia-h100-sxm-80gb",
    "h200_sxm": "nvidia-h200-sxm-141gb",
    "l40s": "nvidia-l40s",
    "rtx_pro_6000_server": "nvidia-rtx-pro-6000-blackwell-server",
}
"""The timings' names of systems, and the catalogue's."""

PCIE_X16_BYTES_PER_S = {3: 15.754e9, 4: 31.508e9, 5: 63.015e9}

STRANGENESS = {"b60": 1.0}
"""Systems whose early software (floors of tens of microseconds) should not stand for others lightly."""

GEMM_ROWS = (1, 4, 8, 16, 32, 64, 96, 128, 192, 256, 257, 512, 768, 1024, 1536, 2048, 3072, 4096, 8192, 16384, 32768)


@dataclass(frozen=True)
class Source:
    """A parquet file, the columns that name a configuration, the shape columns, and how much is kept."""

    file: str
    keys: tuple[str, ...]
    shapes: tuple[str, ...]
    rows_per_group: int
    keep: Callable[[Shapes], NDArray[np.bool_]] | None = None


_ATTENTION_KEYS = ("system", "engine", "engine_version", "kernel_source", "attn_dtype", "kv_cache_dtype")
_ATTENTION_SHAPES = ("batch_size", "isl", "num_heads", "num_key_value_heads", "head_dim", "step", "window_size")
_MLA_KEYS = ("system", "engine", "engine_version", "kernel_source", "mla_dtype", "kv_cache_dtype")
_MODULE_KEYS = (*_MLA_KEYS, "architecture", "gemm_type")
_MLA_SHAPES = ("batch_size", "isl", "num_heads", "step")
_LINEAR_KEYS = ("system", "engine", "engine_version", "kernel_source", "phase")
_COLLECTIVE_KEYS = ("system", "engine", "engine_version", "kernel_source")

SOURCES = (
    Source(
        "gemm", ("system", "engine", "engine_version", "kernel_source", "gemm_dtype"), ("m", "n", "k"), 12_000,
        lambda shapes: np.isin(shapes["m"], GEMM_ROWS),
    ),
    Source("context_attention", _ATTENTION_KEYS, _ATTENTION_SHAPES, 2_500),
    Source("generation_attention", _ATTENTION_KEYS, _ATTENTION_SHAPES, 2_500),
    Source("context_mla", _MLA_KEYS, _MLA_SHAPES, 600),
    Source("generation_mla", _MLA_KEYS, _MLA_SHAPES, 800),
    Source("mla_context_module", _MODULE_KEYS, _MLA_SHAPES, 300),
    Source("mla_generation_module", _MODULE_KEYS, _MLA_SHAPES, 300),
    Source(
        "moe",
        ("system", "engine", "engine_version", "kernel_source", "moe_dtype", "distribution"),
        ("num_tokens", "hidden_size", "inter_size", "topk", "num_experts", "moe_tp_size", "moe_ep_size"),
        1_200,
    ),
    Source(
        "moe_all_to_all",
        (*_COLLECTIVE_KEYS, "comm_backend", "phase", "comm_dtype"),
        ("ep_size", "node_num", "hidden_size", "topk", "num_experts", "num_tokens", "sms"),
        1_000,
    ),
    Source("nccl", (*_COLLECTIVE_KEYS, "nccl_dtype"), ("num_gpus", "message_size"), 10_000),
    Source(
        "custom_allreduce", (*_COLLECTIVE_KEYS, "allreduce_dtype", "backend"), ("num_gpus", "message_size"), 10_000
    ),
    Source(
        "gated_delta_net", _LINEAR_KEYS,
        ("batch_size", "seq_len", "d_model", "num_k_heads", "head_k_dim", "num_v_heads", "head_v_dim"), 800,
    ),
    Source(
        "mamba2", _LINEAR_KEYS,
        ("batch_size", "seq_len", "d_model", "d_state", "nheads", "head_dim", "n_groups", "chunk_size"), 800,
    ),
)  # fmt: skip


def thinned(folder: Path, source: Source) -> KernelTable:
    """The kept rows of one file, in the file's order within each group."""
    table = parquet.read_table(folder / f"{source.file}.parquet")
    names, codes = _groups(table, source.keys)
    shapes = {name: np.nan_to_num(table[name].to_numpy().astype(np.float64)) for name in source.shapes}
    seconds = table["latency"].to_numpy() * (1e-6 if source.file == "moe_all_to_all" else 1e-3)
    kept = seconds > 0
    if source.keep is not None:
        kept &= source.keep(shapes)
    rows = np.sort(np.concatenate([_sample(np.flatnonzero(kept & (codes == g)), source) for g in range(len(names))]))
    return KernelTable(
        source.keys, names, codes[rows], {name: column[rows] for name, column in shapes.items()}, seconds[rows]
    )


def _groups(table: Any, keys: tuple[str, ...]) -> tuple[tuple[tuple[str, ...], ...], NDArray[np.int64]]:
    encoded = [table[key].combine_chunks().dictionary_encode() for key in keys]
    joint = np.zeros(table.num_rows, np.int64)
    for column in encoded:
        indices = column.indices.to_numpy(zero_copy_only=False)
        joint = joint * (len(column.dictionary) + 1) + np.nan_to_num(indices, nan=len(column.dictionary)).astype(int)
    _, first, codes = np.unique(joint, return_index=True, return_inverse=True)
    names = tuple(tuple(str(column[int(row)].as_py() or "") for column in encoded) for row in first)
    return names, codes


def _sample(rows: NDArray[np.int64], source: Source) -> NDArray[np.int64]:
    if len(rows) <= source.rows_per_group:
        return rows
    return np.random.default_rng(len(rows)).choice(rows, source.rows_per_group, replace=False)


def devices(accelerators: Path) -> dict[str, dict[str, Any]]:
    """The specification of each measured system, as the fit uses it."""
    catalogue = {entry["id"]: entry for entry in json.loads(accelerators.read_text())}
    described = {}
    for system, identifier in SYSTEMS.items():
        entry = catalogue[identifier]
        described[system] = {
            "accelerator": identifier,
            "peak_flop_per_s": {k: v for k, v in entry["peak_dense_flop_per_s"].items() if v},
            "bandwidth_bytes_per_s": entry["memory_bandwidth_bytes_per_s"],
            "compute_units": entry["sm_count"],
            "l2_bytes": entry["l2_bytes"],
            "vendor": entry["vendor"],
            "kind": entry["kind"],
            "architecture": entry["architecture"],
            "year": entry["year"],
            "memory_type": entry["memory_type"],
            "strangeness": STRANGENESS.get(system, 0.0),
            **_fabric(entry),
        }
    return described


def _fabric(entry: dict[str, Any]) -> dict[str, Any]:
    if entry["scale_up"]:
        return {
            "fabric": "nvlink",
            "link_bytes_per_s": entry["scale_up"]["unidirectional_bytes_per_s_per_accelerator"],
        }
    lanes = entry["pcie"]["lanes"] / 16
    return {"fabric": "pcie", "link_bytes_per_s": PCIE_X16_BYTES_PER_S[entry["pcie"]["generation"]] * lanes}


def main(arguments: list[str]) -> None:
    folder, accelerators = Path(arguments[0]), Path(arguments[1])
    output = Path(arguments[2]) if len(arguments) > 2 else OUTPUT
    output.mkdir(parents=True, exist_ok=True)
    (output / "devices.json").write_text(json.dumps(devices(accelerators), indent=1) + "\n")
    for source in SOURCES:
        table = thinned(folder, source)
        save(output / f"{source.file}.npz", table)
        size = (output / f"{source.file}.npz").stat().st_size / 1e6
        print(f"{source.file}: {len(table.seconds)} rows, {len(table.groups)} groups, {size:.2f} MB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
