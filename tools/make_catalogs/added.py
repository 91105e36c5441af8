"""Turn the rows of `additions` into catalogue entries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tools.make_catalogs import additions
from tools.make_catalogs.additions import Card, Processor
from tools.make_catalogs.more_asics import MORE_ASICS
from tools.make_catalogs.more_cards import MORE_CARDS, MORE_VARIANTS, Variant
from tools.make_catalogs.more_processors import MORE_APPLE, MORE_CPUS
from tools.make_catalogs.names import ECOSYSTEM_OF_VENDOR, LINK_OF_FABRIC
from tools.make_catalogs.parts import Entry, pcie_entry, tidy, without_unknowns

WORKSTATION_NIC_BYTES_PER_S = 3.125e9
SERVER_NIC_BYTES_PER_S = 25e9
MODULE_NIC_BYTES_PER_S = 1.25e8
SERVER_CARDS = ("nvidia-p40", "nvidia-p4", "nvidia-l20", "amd-mi50-16gb", "amd-mi50-32gb", "amd-mi60", "intel-max-1100")
UNIT_OF_VENDOR = {"AMD": "CU", "Intel": "Xe core", "NVIDIA": "SM"}
TENSOR_RATES = ("tf32", "fp16", "bf16", "fp8", "int8", "fp6", "fp4", "int4")
COMPUTED_PEAKS = "peaks computed as units x lanes x 2 x boost clock x tensor rate of the architecture"
ESTIMATED_POWER = "the vendor publishes no power: estimated from parts of the same family"
THIRD_PARTY = "third-party GPU database (comparison only, no value taken)"


def added_entries(by_id: dict[str, Entry], lane_bytes_per_s: dict[int, float]) -> list[Entry]:
    added = [added_gpu(Card(*row), lane_bytes_per_s) for row in additions.GPUS]
    added += [added_variant(first_variant(row), by_id) for row in additions.VARIANTS]
    added += [added_cpu(Processor(*row), lane_bytes_per_s) for row in additions.CPUS]
    added += [added_apple(row, by_id) for row in additions.APPLE]
    added += [added_share(row, by_id) for row in additions.SHARES]
    pro = dict(by_id["qualcomm-ai100-standard"], id="qualcomm-ai100-pro", **additions.QUALCOMM_PRO)
    pro |= {"sources": [additions.QUALCOMM_SOURCE], "source_reading": additions.READ}
    added.append({key: value for key, value in pro.items() if key not in ("cross_checks", "notes", "year")})
    added += [added_gpu(card, lane_bytes_per_s) for card in MORE_CARDS]
    added += [added_variant(variant, by_id) for variant in MORE_VARIANTS]
    added += [added_cpu(processor, lane_bytes_per_s) for processor in MORE_CPUS]
    added += [added_apple(row, by_id) for row in MORE_APPLE]
    added += [stated_asic(row, lane_bytes_per_s) for row in MORE_ASICS]
    return added


SECONDARY = {"memory": "secondary", "compute": "secondary", "clocks_and_units": "secondary", "tdp": "secondary"}


def added_gpu(card: Card, lane_bytes_per_s: dict[int, float]) -> Entry:
    rates = additions.RATES[card.rates]
    vendor = {"amd": "AMD", "int": "Intel"}.get(card.id[:3], "NVIDIA")
    fp32 = card.units * additions.LANES.get(card.rates, 128) * 2 * card.boost_mhz * 1e6
    return without_unknowns(
        {
            "id": card.id,
            "name": card.name,
            "vendor": vendor,
            "kind": card.kind,
            "ecosystem": ECOSYSTEM_OF_VENDOR[vendor],
            "architecture": card.architecture,
            "year": card.year,
            "form_factor": card.form_factor,
            "memory_nominal_bytes": card.gib * additions.GIB,
            "memory_type": card.memory_type,
            "memory_bandwidth_bytes_per_s": tidy(card.gb_per_s * 1e9),
            "peak_dense_flop_per_s": ruled_rates(card, fp32, rates.rates) | dict(card.stated),
            "peak_dense_fp16_accumulate_flop_per_s": ruled_rates(card, fp32, rates.fp16_accumulate),
            "structured_sparsity_speedup": rates.sparsity,
            "l2_bytes": card.l2_mib and tidy(card.l2_mib * 2**20),
            "sm_count": card.units,
            "sm_kind": UNIT_OF_VENDOR[vendor],
            "boost_clock_hz": tidy(card.boost_mhz * 1e6),
            "tdp_w": card.watts,
            "pcie": pcie_entry(card.pcie[0], card.pcie[1], lane_bytes_per_s),
            "scale_out_bytes_per_s": network_of(card),
            "sources": [sources_of(card, vendor)],
            "source_reading": card.reading,
            "cross_checks": third_party_check(card),
            "confidence": without_unknowns(
                {**SECONDARY, "l2_or_sram": card.l2_mib and "secondary", "scale_out": "estimate"}
            ),
            "notes": [COMPUTED_PEAKS, *([card.note] if card.note else [])],
        }
    )


def ruled_rates(card: Card, fp32: float, times: Mapping[str, float]) -> dict[str, float]:
    """Rates by the architecture's rule. [FLOP/s]"""
    share = {key: card.tensor_share if key in TENSOR_RATES else 1.0 for key in times}
    return {key: rounded_rate(fp32 * factor * share[key]) for key, factor in times.items()}


def network_of(card: Card) -> float:
    """What is usually built beside a card. [bytes/s]"""
    if card.kind == "soc":
        return MODULE_NIC_BYTES_PER_S
    return SERVER_NIC_BYTES_PER_S if card.id in SERVER_CARDS else WORKSTATION_NIC_BYTES_PER_S


def sources_of(card: Card, vendor: str) -> str:
    if card.kind == "soc":
        return f"{vendor} data sheet of the {card.name.split(' (')[0]} module"
    return f"{vendor} product page of the {card.name} and {card.architecture.split()[0]} architecture whitepaper"


def third_party_check(card: Card) -> list[Entry]:
    if card.differing is None:
        return []
    return [without_unknowns({"against": THIRD_PARTY, "agrees": not card.differing, "differing": list(card.differing)})]


def stated_asic(row: Mapping[str, Any], lane_bytes_per_s: dict[int, float]) -> Entry:
    """An entry as it is written down, with its PCIe lanes spelled out."""
    entry = dict(row)
    if "pcie" in entry:
        entry["pcie"] = pcie_entry(*entry["pcie"], lane_bytes_per_s)
    return entry


def rounded_rate(flop_per_s: float) -> float:
    return tidy(float(f"{flop_per_s:.4g}"))


def first_variant(row: tuple[Any, ...]) -> Variant:
    return Variant(*row, reading=additions.VARIANT_READING[row[0]])


def added_variant(variant: Variant, by_id: dict[str, Entry]) -> Entry:
    base = by_id[variant.base_id]
    entry = {key: value for key, value in base.items() if key not in ("price", "rental", "cross_checks", "notes")}
    entry |= {"id": variant.id, "name": variant.name, "year": variant.year, "availability": variant.availability}
    bare_name = variant.name.split(" (")[0]
    entry |= {"sources": [f"{base['vendor']} {bare_name} product documents"], "notes": [variant.note]}
    entry["source_reading"] = variant.reading
    confidence = {key: value for key, value in base["confidence"].items() if key not in ("price", "cloud")}
    entry["confidence"] = {**confidence, **SECONDARY}
    for key, value in variant.changes.items():
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


def added_cpu(one: Processor, lane_bytes_per_s: dict[int, float]) -> Entry:
    fixed = one.memory_type == "HBM2e"
    known = {"l2_or_sram": one.l3_mib and "secondary", "tdp": one.watts and one.power_known}
    return without_unknowns(
        {
            "id": one.id,
            "name": one.name,
            "vendor": one.vendor,
            "kind": "cpu",
            "ecosystem": "cpu",
            "architecture": one.architecture,
            "year": one.year,
            "form_factor": one.form_factor,
            "memory_nominal_bytes": one.gib * additions.GIB,
            "memory_type": one.memory_type,
            "memory_bandwidth_bytes_per_s": tidy(one.gb_per_s * 1e9),
            "peak_dense_flop_per_s": {key: rounded_rate(rate) for key, rate in cpu_rates(one).items()},
            "l2_bytes": one.l3_mib and tidy(one.l3_mib * 2**20),
            "sm_count": one.cores + (one.efficient[0] if one.efficient else 0),
            "sm_kind": "core",
            "boost_clock_hz": one.boost_ghz and tidy(one.boost_ghz * 1e9),
            "tdp_w": one.watts,
            "pcie": one.pcie and pcie_entry(one.pcie[0], one.pcie[1], lane_bytes_per_s),
            "scale_out_bytes_per_s": one.network_bytes_per_s,
            "sources": [f"{one.vendor} product specification page of the {one.name.split(' (')[0]}"],
            "source_reading": additions.FROM_MEMORY,
            "confidence": without_unknowns({**SECONDARY, "compute": "estimate", **known, "scale_out": "estimate"}),
            "notes": [note for note in (
                clocks_note(one),
                "l2_bytes holds the L3 size" if one.l3_mib else "",
                "memory is fixed" if fixed else "memory is a usual build, not a limit",
                one.note,
                ESTIMATED_POWER if one.power_known == "estimate" else "",
            ) if note],
        }
    )  # fmt: skip


def cpu_rates(one: Processor) -> dict[str, float]:
    """Cores x base clock x operations per core and cycle, of both kinds of core. [FLOP/s]"""
    count, ghz, operations = one.efficient or (0, 0.0, {})
    return {
        key: one.cores * one.base_ghz * 1e9 * per_cycle + count * ghz * 1e9 * operations.get(key, 0)
        for key, per_cycle in one.operations.items()
    }


def clocks_note(one: Processor) -> str:
    kinds = [(one.cores, one.base_ghz, one.operations), *([one.efficient] if one.efficient else [])]
    said = [
        f"at base clock {ghz:g} GHz: "
        + ", ".join(f"{key} {per_cycle}" for key, per_cycle in operations.items())
        + " operations per core and cycle"
        for _, ghz, operations in kinds
    ]
    if len(said) == 1:
        return f"peaks computed {said[0]}"
    counts = [f"{count} cores {text}" for (count, _, _), text in zip(kinds, said)]
    return f"peaks computed as the sum of {'; '.join(counts)}"


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
