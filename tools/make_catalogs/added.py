"""Turn the rows of `additions` into catalogue entries."""

from __future__ import annotations

from typing import Any

from tools.make_catalogs import additions
from tools.make_catalogs.names import ECOSYSTEM_OF_VENDOR, LINK_OF_FABRIC
from tools.make_catalogs.parts import Entry, pcie_entry, tidy, without_unknowns

WORKSTATION_NIC_BYTES_PER_S = 3.125e9
SERVER_NIC_BYTES_PER_S = 25e9
CPU_NIC_BYTES_PER_S = 12.5e9


def added_entries(by_id: dict[str, Entry], lane_bytes_per_s: dict[int, float]) -> list[Entry]:
    added = [added_gpu(row, lane_bytes_per_s) for row in additions.GPUS]
    added += [added_variant(row, by_id) for row in additions.VARIANTS]
    added += [added_cpu(row, lane_bytes_per_s) for row in additions.CPUS]
    added += [added_apple(row, by_id) for row in additions.APPLE]
    added += [added_share(row, by_id) for row in additions.SHARES]
    pro = dict(by_id["qualcomm-ai100-standard"], id="qualcomm-ai100-pro", **additions.QUALCOMM_PRO)
    pro |= {"sources": [additions.QUALCOMM_SOURCE], "source_reading": additions.READ}
    added.append({key: value for key, value in pro.items() if key not in ("cross_checks", "notes", "year")})
    return added


SECONDARY = {"memory": "secondary", "compute": "secondary", "clocks_and_units": "secondary", "tdp": "secondary"}


def added_gpu(row: tuple[Any, ...], lane_bytes_per_s: dict[int, float]) -> Entry:
    (entry_id, name, architecture, rates_name, year, gib, memory_type, gb_per_s, units, boost_mhz, l2_mib, watts, pcie,
     reading) = row  # fmt: skip
    rates = additions.RATES[rates_name]
    vendor = "AMD" if entry_id.startswith("amd") else "NVIDIA"
    fp32 = units * additions.LANES.get(rates_name, 128) * 2 * boost_mhz * 1e6
    is_server_card = rates_name in ("pascal", "ada_half")
    return without_unknowns(
        {
            "id": entry_id,
            "name": name,
            "vendor": vendor,
            "kind": "gpu",
            "ecosystem": ECOSYSTEM_OF_VENDOR[vendor],
            "architecture": architecture,
            "year": year,
            "form_factor": "PCIe",
            "memory_nominal_bytes": gib * additions.GIB,
            "memory_type": memory_type,
            "memory_bandwidth_bytes_per_s": tidy(gb_per_s * 1e9),
            "peak_dense_flop_per_s": {key: rounded_rate(fp32 * times) for key, times in rates.rates.items()},
            "peak_dense_fp16_accumulate_flop_per_s": {
                key: rounded_rate(fp32 * times) for key, times in rates.fp16_accumulate.items()
            },
            "structured_sparsity_speedup": rates.sparsity,
            "l2_bytes": tidy(l2_mib * 2**20),
            "sm_count": units,
            "sm_kind": "CU" if vendor == "AMD" else "SM",
            "boost_clock_hz": tidy(boost_mhz * 1e6),
            "tdp_w": watts,
            "pcie": pcie_entry(pcie[0], pcie[1], lane_bytes_per_s),
            "scale_out_bytes_per_s": SERVER_NIC_BYTES_PER_S if is_server_card else WORKSTATION_NIC_BYTES_PER_S,
            "sources": [f"{vendor} product page of the {name} and {architecture.split()[0]} architecture whitepaper"],
            "source_reading": reading,
            "confidence": {**SECONDARY, "l2_or_sram": "secondary", "scale_out": "estimate"},
            "notes": ["peaks computed as units x lanes x 2 x boost clock x tensor rate of the architecture"],
        }
    )


def rounded_rate(flop_per_s: float) -> float:
    return tidy(float(f"{flop_per_s:.4g}"))


def added_variant(row: tuple[Any, ...], by_id: dict[str, Entry]) -> Entry:
    entry_id, name, base_id, year, changes, note = row
    base = by_id[base_id]
    entry = {key: value for key, value in base.items() if key not in ("price", "rental", "cross_checks", "notes")}
    entry |= {"id": entry_id, "name": name, "year": year, "availability": "EOL"}
    entry |= {"sources": [f"NVIDIA {name} product documents"], "notes": [note]}
    entry["source_reading"] = additions.VARIANT_READING[entry_id]
    confidence = {key: value for key, value in base["confidence"].items() if key not in ("price", "cloud")}
    entry["confidence"] = {**confidence, **SECONDARY}
    for key, value in changes.items():
        if key == "scale_up":
            fabric, rate = value
            entry["scale_up"] = {
                **base["scale_up"],
                "name": fabric,
                "bytes_per_s_per_direction": tidy(rate),
                "link_id": LINK_OF_FABRIC[fabric],
            }
            entry["confidence"] = {**entry["confidence"], "scale_up": "secondary"}
        elif isinstance(value, dict):
            entry[key] = {part: tidy(rate) for part, rate in value.items()}
        else:
            entry[key] = tidy(value)
    return entry


def added_cpu(row: tuple[Any, ...], lane_bytes_per_s: dict[int, float]) -> Entry:
    (entry_id, name, vendor, architecture, year, gib, memory_type, gb_per_s, cores, base_ghz, boost_ghz, operations,
     l3_mib, watts, pcie, note) = row  # fmt: skip
    per_cycle = ", ".join(f"{key} {count}" for key, count in operations.items())
    return without_unknowns(
        {
            "id": entry_id,
            "name": name,
            "vendor": vendor,
            "kind": "cpu",
            "ecosystem": "cpu",
            "architecture": architecture,
            "year": year,
            "form_factor": "socket",
            "memory_nominal_bytes": gib * additions.GIB,
            "memory_type": memory_type,
            "memory_bandwidth_bytes_per_s": tidy(gb_per_s * 1e9),
            "peak_dense_flop_per_s": {
                key: rounded_rate(cores * base_ghz * 1e9 * count) for key, count in operations.items()
            },
            "l2_bytes": tidy(l3_mib * 2**20),
            "sm_count": cores,
            "sm_kind": "core",
            "boost_clock_hz": tidy(boost_ghz * 1e9),
            "tdp_w": watts,
            "pcie": pcie_entry(pcie[0], pcie[1], lane_bytes_per_s),
            "scale_out_bytes_per_s": CPU_NIC_BYTES_PER_S,
            "sources": [f"{vendor} product specification page of the {name.split(' (')[0]}"],
            "source_reading": additions.FROM_MEMORY,
            "confidence": {**SECONDARY, "compute": "estimate", "l2_or_sram": "secondary", "scale_out": "estimate"}
            if watts
            else {"memory": "secondary", "compute": "estimate", "clocks_and_units": "secondary",
                  "l2_or_sram": "secondary", "scale_out": "estimate"},
            "notes": [
                f"peaks computed at base clock {base_ghz:g} GHz: {per_cycle} operations per core and cycle",
                "l2_bytes holds the L3 size",
                "memory is a usual build, not a limit" if memory_type != "HBM2e" else "memory is fixed",
                note,
            ],
        }
    )  # fmt: skip


def added_apple(row: tuple[Any, ...], by_id: dict[str, Entry]) -> Entry:
    entry_id, name, base_id, year, gib, gb_per_s, cores = row
    base = by_id[base_id]
    share = cores / base["sm_count"]
    entry = {key: value for key, value in base.items() if key not in ("price", "rental", "tdp_w", "idle_w")}
    entry |= {
        "id": entry_id,
        "name": name,
        "year": year,
        "memory_nominal_bytes": gib * additions.GIB,
        "memory_bandwidth_bytes_per_s": tidy(gb_per_s * 1e9),
        "peak_dense_flop_per_s": {
            key: rounded_rate(rate * share) for key, rate in base["peak_dense_flop_per_s"].items()
        },
        "sm_count": cores,
        "source_reading": additions.FROM_MEMORY,
        "confidence": {"memory": "secondary", "compute": "estimate", "clocks_and_units": "secondary",
                       "scale_out": "estimate"},
        "notes": [
            f"peak scaled from the {base['sm_count']}-core GPU of the same generation",
            "the largest memory configuration; about 75 % of it is usable by the GPU by default",
        ],
    }  # fmt: skip
    return entry


SHARED_SIZES = ("memory_nominal_bytes", "memory_usable_bytes", "memory_bandwidth_bytes_per_s", "l2_bytes", "sm_count",
                "tdp_w", "idle_w", "scale_out_bytes_per_s")  # fmt: skip


def added_share(row: tuple[Any, ...], by_id: dict[str, Entry]) -> Entry:
    entry_id, name, base_id, factor, form_factor, note = row
    base = by_id[base_id]
    entry = {key: value for key, value in base.items() if key not in ("price", "rental", "cross_checks")}
    entry |= {"id": entry_id, "name": name, "form_factor": form_factor}
    for key in SHARED_SIZES:
        if key in entry:
            entry[key] = tidy(entry[key] * factor)
    entry["peak_dense_flop_per_s"] = {key: tidy(rate * factor) for key, rate in base["peak_dense_flop_per_s"].items()}
    if "scale_up" in base:
        fabric = base["scale_up"]
        entry["scale_up"] = {
            **fabric,
            "bytes_per_s_per_direction": tidy(fabric["bytes_per_s_per_direction"] * factor),
            "domain_size": round(fabric["domain_size"] / factor),
        }
    entry["notes"] = [note, f"computed as {factor:g} x {base['name']}"]
    entry["confidence"] = {key: value for key, value in base["confidence"].items() if key not in ("price", "cloud")}
    return entry
