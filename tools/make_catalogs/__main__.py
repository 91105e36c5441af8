"""Write catalogs/{accelerators,nodes,racks,links,offers}.json from collected facts and the additions beside this.

    python -m tools.make_catalogs FACTS_FOLDER [CATALOGS_FOLDER]

The facts are read only; figures that follow from others (per-accelerator prices, both directions of a link) are left
out, microseconds become seconds, and the names become those of `gpuplanner_gui.domain.hardware`.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import msgspec

from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.domain.hardware import Accelerator, Link, NodeType, Offer
from tools.make_catalogs import additions
from tools.make_catalogs.added import added_entries
from tools.make_catalogs.corrections import CORRECTIONS
from tools.make_catalogs.names import (
    ECOSYSTEM_OF_ACCELERATOR,
    ECOSYSTEM_OF_VENDOR,
    LINK_OF_ACCELERATOR,
    LINK_OF_FABRIC,
    LINK_OF_NIC,
)
from tools.make_catalogs.parts import Entry, pcie_entry, spread, without_unknowns
from tools.make_catalogs.racks import parted

WHOLE_NUMBER = re.compile(rb"^(\s*\"\w+\": -?\d+)\.0(,?)$", re.MULTILINE)
"""A line that ends in a number such as 732000000000.0, which reads better without its zero."""
PCIE_LINK = {3: "pcie-gen3-x16", 4: "pcie-gen4-x16", 5: "pcie-gen5-x16", 6: "pcie-gen6-x16"}


def main(facts_folder: Path, catalogs_folder: Path) -> None:
    facts = {
        name: json.loads((facts_folder / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("accelerators", "nodes", "interconnects", "cloud_offers")
    }
    links = [link_entry(fact) for fact in facts["interconnects"]]
    links.insert(3, a800_link(next(link for link in links if link["id"] == "nvlink-3")))
    pcie_lane_bytes_per_s = {
        generation: next(link for link in links if link["id"] == link_id)["bytes_per_s_per_direction"] / 16
        for generation, link_id in PCIE_LINK.items()
    }
    accelerators = [accelerator_entry(fact, pcie_lane_bytes_per_s) for fact in facts["accelerators"]]
    by_id = {entry["id"]: entry for entry in accelerators}
    correct(by_id)
    accelerators += added_entries(by_id, pcie_lane_bytes_per_s)
    by_id = {entry["id"]: entry for entry in accelerators}
    nodes, racks = parted([node_entry(fact, by_id) for fact in facts["nodes"]])
    offers = [offer_entry(fact) for fact in facts["cloud_offers"]]
    write(catalogs_folder / "accelerators.json", accelerators, Accelerator)
    write(catalogs_folder / "nodes.json", nodes, NodeType)
    write(catalogs_folder / "racks.json", racks, NodeType)
    write(catalogs_folder / "links.json", links, Link)
    write(catalogs_folder / "offers.json", offers, Offer)


def scale_up_entry(fabric: Entry | None, accelerator_id: str, domain_key: str) -> Entry | None:
    if fabric is None:
        return None
    link_id = LINK_OF_ACCELERATOR.get(accelerator_id) or LINK_OF_FABRIC.get(fabric["name"])
    return without_unknowns(
        {
            "name": fabric["name"],
            "bytes_per_s_per_direction": fabric["unidirectional_bytes_per_s_per_accelerator"],
            "domain_size": fabric[domain_key],
            "topology": fabric["topology"],
            "link_id": link_id,
        }
    )


def purchase_entry(price: Entry | None) -> Entry | None:
    if price is None:
        return None
    return without_unknowns(
        {
            "usd": spread(price["low"], price["typical"], price["high"]),
            "as_of": price["as_of"],
            "confidence": price["confidence"],
            "source": price["source"],
            "launch_list_usd": price.get("launch_list"),
            "launch_date": price.get("launch_date"),
        }
    )


def rental_entry(cloud: Entry | None) -> Entry | None:
    if cloud is None:
        return None
    has_on_demand = cloud["on_demand_typical"] is not None
    on_demand = [cloud[f"on_demand_{part}"] for part in ("low", "typical", "high")]
    return without_unknowns(
        {
            "on_demand_usd_per_h": spread(*on_demand) if has_on_demand else None,
            "lowest_provider": cloud["on_demand_low_provider"],
            "highest_provider": cloud["on_demand_high_provider"],
            "marketplace_usd_per_h": cloud["on_demand_marketplace_typical"],
            "neocloud_usd_per_h": cloud["on_demand_neocloud_typical"],
            "hyperscaler_usd_per_h": cloud["on_demand_hyperscaler_typical"],
            "reserved_1y_usd_per_h": cloud["reserved_1y_typical"],
            "reserved_3y_usd_per_h": cloud["reserved_3y_typical"],
            "spot_usd_per_h": cloud["spot_typical"],
            "offers_counted": cloud["offers_counted"],
            "as_of_from": cloud["as_of_from"],
            "as_of_to": cloud["as_of_to"],
            "confidence": cloud["confidence"],
            "source": cloud["source"],
        }
    )


def cross_check_entry(check: Entry) -> Entry:
    verdicts = {key: value for key, value in check.items() if key.endswith("agrees")}
    differing = check.get("fields_differing", [])
    differing = differing + [key.removesuffix("_agrees") for key, agrees in verdicts.items() if not agrees]
    differing = [name for name in differing if name != "agrees"]
    return without_unknowns(
        {"against": check["against"], "agrees": all(verdicts.values()) and not differing, "differing": differing}
    )


def ecosystem_of(accelerator_id: str, vendor: str, kind: str) -> str:
    if kind == "cpu":
        return "cpu"
    if kind == "npu":
        return "npu"
    return ECOSYSTEM_OF_ACCELERATOR.get(accelerator_id) or ECOSYSTEM_OF_VENDOR.get(vendor, "vendor")


def accelerator_entry(fact: Entry, lane_bytes_per_s: dict[int, float]) -> Entry:
    pcie = fact["pcie"]
    return without_unknowns(
        {
            "id": fact["id"],
            "name": fact["name"],
            "vendor": fact["vendor"],
            "kind": fact["kind"],
            "ecosystem": ecosystem_of(fact["id"], fact["vendor"], fact["kind"]),
            "architecture": fact["architecture"],
            "year": fact["year"],
            "form_factor": fact["form_factor"],
            "memory_nominal_bytes": fact["memory_bytes"],
            "memory_usable_bytes": fact["memory_usable_bytes"],
            "memory_max_bytes": fact["memory_max_gib"] and fact["memory_max_gib"] * additions.GIB,
            "memory_type": fact["memory_type"],
            "memory_bandwidth_bytes_per_s": fact["memory_bandwidth_bytes_per_s"],
            "peak_dense_flop_per_s": without_unknowns(fact["peak_dense_flop_per_s"]),
            "peak_dense_fp16_accumulate_flop_per_s": without_unknowns(fact["peak_dense_fp16_accumulate_flop_per_s"]),
            "structured_sparsity_speedup": fact["structured_sparsity_speedup"],
            "l2_bytes": fact["l2_bytes"],
            "sm_count": fact["sm_count"],
            "sm_kind": fact["sm_kind"],
            "boost_clock_hz": fact["boost_clock_hz"],
            "tdp_w": fact["tdp_w"],
            "idle_w": fact["idle_w"],
            "scale_up": scale_up_entry(fact["scale_up"], fact["id"], "max_domain_size"),
            "pcie": pcie and pcie_entry(pcie["generation"], pcie["lanes"], lane_bytes_per_s),
            "scale_out_bytes_per_s": fact["scale_out_nic_typical_bytes_per_s"],
            "price": purchase_entry(fact["price_usd"]),
            "rental": rental_entry(fact["cloud_usd_per_accelerator_h"]),
            "availability": fact["availability"],
            "sources": fact["sources"]["specification"],
            "source_reading": fact["sources"]["reading"],
            "cross_checks": [cross_check_entry(check) for check in fact["cross_checks"]],
            "confidence": without_unknowns(fact["confidence"]),
            "notes": fact["notes"],
        }
    )


def correct(by_id: dict[str, Entry]) -> None:
    """Replace figures that the vendor's own documents contradict, and say so in the entry."""
    for accelerator_id, correction in CORRECTIONS.items():
        entry = by_id[accelerator_id]
        for key, value in correction.changes.items():
            entry[key] = {**entry[key], **value} if isinstance(value, dict) else value
        kept = [note for note in entry.get("notes", []) if note not in correction.superseded_notes]
        entry["notes"] = [*kept, correction.reason]
        entry["sources"] = [*entry["sources"], correction.source]


def a800_link(nvlink_3: Entry) -> Entry:
    return {
        **nvlink_3,
        "id": "nvlink-3-a800",
        "name": "NVLink 3 cut (A800)",
        "bytes_per_s_per_direction": 200000000000,
        "composition": "8 links x 25 GB/s per direction",
        "confidence": {**nvlink_3["confidence"], "bandwidth": "secondary"},
        "notes": ["400 GB/s in both directions together; latency and efficiency as NVLink 3"],
    }


def link_entry(fact: Entry) -> Entry:
    latency = fact["hardware_latency_us"]
    collective = fact["collective_library_latency_us"]
    return without_unknowns(
        {
            "id": fact["id"],
            "name": fact["name"],
            "kind": fact["kind"],
            "bytes_per_s_per_direction": fact["unidirectional_bytes_per_s_per_endpoint"],
            "composition": fact["composition"],
            "hardware_latency_s": spread(latency["low"], latency["typical"], latency["high"], 1e-6),
            "collective_latency_s": collective
            and spread(collective["low"], collective["typical"], collective["high"], 1e-6),
            "point_to_point_efficiency": fact["point_to_point_efficiency_typical"],
            "collective_efficiency": fact["collective_efficiency_typical"],
            "sources": fact["sources"],
            "confidence": without_unknowns(fact["confidence"]),
            "notes": fact["notes"],
        }
    )


def node_entry(fact: Entry, accelerators: dict[str, Entry]) -> Entry:
    scale_up = scale_up_entry(fact["intra_node_link"], fact["accelerator_id"], "domain_size")
    own = accelerators[fact["accelerator_id"]].get("scale_up", {})
    if scale_up and "link_id" in own:
        scale_up["link_id"] = own["link_id"]
    return without_unknowns(
        {
            "id": fact["id"],
            "name": fact["name"],
            "vendor": fact["vendor"],
            "accelerator_id": fact["accelerator_id"],
            "accelerator_count": fact["accelerator_count"],
            "accelerators_per_host": fact["accelerators_per_host"],
            "scale_up": scale_up,
            "pcie_generation": fact["pcie_generation"],
            "nics": [without_unknowns({**nic, "link_id": LINK_OF_NIC.get(nic["kind"])}) for nic in fact["nics"]],
            "scale_out_bytes_per_s": fact["scale_out_bytes_per_s_total"],
            "host_cpu": without_unknowns(fact["host_cpu"]),
            "host_ram_bytes": fact["host_ram_bytes"],
            "max_power_w": fact["max_power_w"],
            "idle_power_w": fact["idle_power_w"],
            "rack_units": fact["rack_units"],
            "cooling": fact["cooling"],
            "capex": purchase_entry(fact["capex_usd"]),
            "capex_note": fact["capex_note"],
            "sources": fact["sources"],
            "confidence": without_unknowns(fact["confidence"]),
            "notes": fact["notes"],
        }
    )


def offer_entry(fact: Entry) -> Entry:
    kept = ("id", "provider", "market", "instance", "accelerator_id", "accelerator_count", "region")
    entry = {key: fact[key] for key in kept}
    for term in ("on_demand", "reserved_1y", "reserved_3y", "spot"):
        entry[f"{term}_usd_per_h"] = fact[f"{term}_usd_h"]
    for key in ("as_of", "as_of_precision", "spot_as_of", "source", "spot_source", "confidence", "note"):
        entry[key] = fact[key]
    return without_unknowns(entry)


def write(path: Path, entries: list[Entry], entry_type: type[Accelerator | NodeType | Link | Offer]) -> None:
    """Check every entry against its struct and bounds, then write them, one block each, in the struct's key order."""
    structs = [msgspec.convert(entry, entry_type, strict=True) for entry in entries]
    for struct in structs:
        problems = problems_of(struct, struct.id)
        if problems:
            raise ValueError(problems)
    text = msgspec.json.format(msgspec.json.encode(structs), indent=1)
    text = WHOLE_NUMBER.sub(rb"\1\2", text)
    path.write_bytes(text + b"\n")
    print(f"{path}: {len(structs)} entries, {len(text) / 1000:.0f} kB")


if __name__ == "__main__":
    here = Path(__file__).resolve().parent.parent.parent
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else here / "catalogs")
