"""Racks that are sold whole: what a site must know of them beside the collected facts, and two that the facts lack."""

from __future__ import annotations

from tools.make_catalogs.parts import Entry

WEIGHED = "servethehome.com, GTC 2024 (3,000 lb)"
USUAL_FLOOR = "introl.com (floor of a usual rack, 0.6 m × 1.2 m)"
NVL72: Entry = {
    "sold_as": "rack",
    "weight_kg": 1360,
    "floor_space_m2": 0.72,
    "sources": [WEIGHED, USUAL_FLOOR],
    "notes": ["one page says 3,000 kg, taking pounds for kilograms"],
}
OF_COLLECTED: dict[str, Entry] = {
    "gb200-nvl72": {**NVL72, "date": "2024-03"},
    "gb300-nvl72": {**NVL72, "date": "2025-03"},
    "vera-rubin-nvl72": {"sold_as": "rack", "floor_space_m2": 0.72, "date": "2026-03", "sources": [USUAL_FLOOR]},
}
"""By the identifier of the node; sources and notes are added to its own."""
PARTS = frozenset({"gb200-tray-4"})
"""Rented by themselves, sold only with their rack."""
ADDED: tuple[Entry, ...] = (
    {
        "id": "amd-helios-72",
        "name": "AMD Helios rack (preliminary)",
        "vendor": "AMD",
        "accelerator_id": "amd-mi455x",
        "accelerator_count": 72,
        "accelerators_per_host": 4,
        "scale_up": {
            "name": "UALink over Ethernet",
            "bytes_per_s_per_direction": 1800000000000,
            "domain_size": 72,
            "topology": "switched rack",
        },
        "scale_out_bytes_per_s": 21600000000000,
        "host_cpu": {"model": "AMD EPYC Venice", "sockets": 18},
        "cooling": "liquid",
        "sold_as": "rack",
        "weight_kg": 3175,
        "floor_space_m2": 1.44,
        "date": "2026-01",
        "sources": ["awesomeagents.ai/hardware/amd-helios (18 trays of 4, 7,000 lb, double-wide, liquid-cooled)"],
        "confidence": {"specification": "secondary"},
        "notes": [
            "announced for second half of 2026; neither power nor price stated",
            "floor space of two usual racks",
        ],
    },
    {
        "id": "nvidia-lpx-256",
        "name": "NVIDIA Groq 3 LPX rack (preliminary)",
        "vendor": "NVIDIA",
        "accelerator_id": "nvidia-groq3-lpu",
        "accelerator_count": 256,
        "accelerators_per_host": 8,
        "scale_up": {
            "name": "LPX chip-to-chip",
            "bytes_per_s_per_direction": 1250000000000,
            "domain_size": 256,
            "topology": "rack-scale",
        },
        "scale_out_bytes_per_s": 0,
        "cooling": "liquid",
        "sold_as": "rack",
        "date": "2026-03",
        "sources": ["press on GTC 2026 of 2026-03-16 and -19: 32 liquid-cooled trays of 8 chips"],
        "confidence": {"specification": "secondary"},
        "notes": ["meant to stand beside Vera Rubin NVL72; neither power nor price stated"],
    },
)


def parted(nodes: list[Entry]) -> tuple[list[Entry], list[Entry]]:
    """Nodes, and racks with what a site must know of them."""
    kept = [{**one, "sold_as": "part"} if one["id"] in PARTS else one for one in nodes if one["id"] not in OF_COLLECTED]
    racks = []
    for one in nodes:
        more = OF_COLLECTED.get(one["id"])
        if more is not None:
            longer = {name: [*one.get(name, []), *more.get(name, [])] for name in ("sources", "notes")}
            racks.append({**one, **more, **{name: values for name, values in longer.items() if values}})
    return kept, [*racks, *ADDED]
