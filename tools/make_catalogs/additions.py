"""Accelerators that published benchmark tables name and the collected facts lack, from the vendors' public documents.

GPU peaks are computed as units x lanes x 2 x boost clock times the tensor rate per lane that the architecture's
whitepaper states; CPU peaks as cores x base clock x operations per core and cycle. No prices: none were collected.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

GIB = 2**30
FROM_MEMORY = "datasheet, from memory of the public document, not re-read"
CHECKED = "datasheet, from memory of the public document; main figures agree with third-party summaries read"
READ = "vendor documentation text read"


class TensorRates(NamedTuple):
    """Dense rates as multiples of the FP32 vector rate."""

    rates: Mapping[str, float]
    fp16_accumulate: Mapping[str, float] = MappingProxyType({})
    sparsity: int | None = None


class Card(NamedTuple):
    """A GPU whose rates follow from units, clock and architecture."""

    id: str
    name: str
    architecture: str
    rates: str
    year: int
    gib: float
    memory_type: str
    gb_per_s: float
    units: int
    boost_mhz: float
    l2_mib: float | None
    watts: float
    pcie: tuple[int, int]
    reading: str
    kind: str = "gpu"
    form_factor: str = "PCIe"
    stated: Mapping[str, float] = MappingProxyType({})
    """Rates that the vendor states and the rule would not give. [FLOP/s]"""
    tensor_share: float = 1.0
    """Of the rule's tensor rates, where the vendor cut them."""
    note: str = ""
    differing: tuple[str, ...] | None = None
    """What a third-party database states otherwise; None: not compared."""


class Processor(NamedTuple):
    """A processor, whose peak rates are cores x base clock x operations per core and cycle."""

    id: str
    name: str
    vendor: str
    architecture: str
    year: int
    gib: float
    memory_type: str
    gb_per_s: float
    cores: int
    base_ghz: float
    boost_ghz: float | None
    operations: Mapping[str, int]
    l3_mib: float | None
    watts: float | None
    pcie: tuple[int, int] | None
    note: str
    efficient: tuple[int, float, Mapping[str, int]] | None = None
    """Smaller cores beside: how many, base clock [GHz], operations per core and cycle."""
    form_factor: str = "socket"
    network_bytes_per_s: float = 12.5e9
    power_known: str = "secondary"
    """How the watts are known: "estimate" where the vendor publishes none."""


RATES = {
    "pascal": TensorRates({"fp64": 1 / 32, "fp32": 1, "int8": 4}),
    "turing_geforce": TensorRates({"fp64": 1 / 32, "fp32": 1, "fp16": 4, "int8": 16, "int4": 32}, {"fp16": 8}),
    "turing_pro": TensorRates({"fp64": 1 / 32, "fp32": 1, "fp16": 8, "int8": 16, "int4": 32}),
    "ampere_geforce": TensorRates(
        {"fp64": 1 / 64, "fp32": 1, "tf32": 1, "fp16": 2, "bf16": 2, "int8": 8, "int4": 16}, {"fp16": 4}, 2
    ),
    "ampere_pro": TensorRates(
        {"fp64": 1 / 64, "fp32": 1, "tf32": 2, "fp16": 4, "bf16": 4, "int8": 8, "int4": 16}, sparsity=2
    ),
    "ada_geforce": TensorRates(
        {"fp64": 1 / 64, "fp32": 1, "tf32": 1, "fp16": 2, "bf16": 2, "fp8": 4, "int8": 8, "int4": 16},
        {"fp16": 4, "fp8": 8},
        2,
    ),
    "ada_pro": TensorRates(
        {"fp64": 1 / 64, "fp32": 1, "tf32": 2, "fp16": 4, "bf16": 4, "fp8": 8, "int8": 8, "int4": 16}, sparsity=2
    ),
    "ada_half": TensorRates(
        {"fp64": 1 / 64, "fp32": 1, "tf32": 1, "fp16": 2, "bf16": 2, "fp8": 4, "int8": 4, "int4": 8}, sparsity=2
    ),
    "blackwell_geforce": TensorRates(
        {"fp64": 1 / 64, "fp32": 1, "tf32": 1, "fp16": 2, "bf16": 2, "fp8": 4, "int8": 8, "fp6": 4, "fp4": 16},
        {"fp16": 4, "fp8": 8},
        2,
    ),
    "rdna3": TensorRates({"fp64": 1 / 32, "fp32": 1, "fp16": 2, "bf16": 2, "int8": 2, "int4": 4}),
    "volta": TensorRates({"fp64": 1 / 2, "fp32": 1, "fp16": 8}),
    "volta_soc": TensorRates({"fp32": 1, "fp16": 8, "int8": 16}),
    "orin": TensorRates({"fp32": 1, "tf32": 2, "fp16": 8, "bf16": 8, "int8": 16}, sparsity=2),
    "blackwell_pro": TensorRates(
        {"fp64": 1 / 64, "fp32": 1, "tf32": 2, "fp16": 4, "bf16": 4, "fp8": 8, "int8": 8, "fp6": 8, "fp4": 16},
        sparsity=2,
    ),
    "gcn5": TensorRates({"fp64": 1 / 2, "fp32": 1, "fp16": 2, "int8": 4, "int4": 8}),
    "rdna2": TensorRates({"fp64": 1 / 16, "fp32": 1, "fp16": 2, "int8": 4, "int4": 8}),
    "rdna4": TensorRates(
        {"fp64": 1 / 32, "fp32": 1, "fp16": 4, "bf16": 4, "fp8": 8, "int8": 8, "int4": 16}, sparsity=2
    ),
    "xe_hpg": TensorRates({"fp32": 1, "fp16": 8, "bf16": 8, "int8": 16}),
    "xe2": TensorRates({"fp64": 1 / 8, "fp32": 1, "fp16": 8, "bf16": 8, "int8": 16}),
    "xe_hpc": TensorRates({"fp64": 1, "fp32": 1, "tf32": 8, "fp16": 16, "bf16": 16, "int8": 32}),
}
LANES = {"turing_geforce": 64, "turing_pro": 64, "volta": 64, "volta_soc": 64, "gcn5": 64, "rdna2": 64}
"""FP32 lanes per unit where they are not 128."""

# id, name, architecture, rates, year, GiB, memory type, GB/s, units, boost MHz, L2 MiB, W, (PCIe, lanes), reading
GPUS: tuple[tuple[Any, ...], ...] = (
    ("nvidia-p40", "Tesla P40", "Pascal", "pascal", 2016, 24, "GDDR5", 346, 30, 1531, 3, 250, (3, 16), FROM_MEMORY),
    ("nvidia-rtx-2080-ti", "GeForce RTX 2080 Ti", "Turing TU102", "turing_geforce",
     2018, 11, "GDDR6", 616, 68, 1545, 5.5, 250, (3, 16), FROM_MEMORY),
    ("nvidia-quadro-rtx-6000", "Quadro RTX 6000", "Turing TU102", "turing_pro",
     2018, 24, "GDDR6", 672, 72, 1770, 6, 260, (3, 16), FROM_MEMORY),
    ("nvidia-quadro-rtx-8000", "Quadro RTX 8000", "Turing TU102", "turing_pro",
     2018, 48, "GDDR6", 672, 72, 1770, 6, 260, (3, 16), FROM_MEMORY),
    ("nvidia-rtx-3060-12gb", "GeForce RTX 3060 12GB", "Ampere GA106", "ampere_geforce",
     2021, 12, "GDDR6", 360, 28, 1777, 3, 170, (4, 16), CHECKED),
    ("nvidia-rtx-3060-ti", "GeForce RTX 3060 Ti", "Ampere GA104", "ampere_geforce",
     2020, 8, "GDDR6", 448, 38, 1665, 4, 200, (4, 16), CHECKED),
    ("nvidia-rtx-3070", "GeForce RTX 3070", "Ampere GA104", "ampere_geforce",
     2020, 8, "GDDR6", 448, 46, 1725, 4, 220, (4, 16), CHECKED),
    ("nvidia-rtx-3080-10gb", "GeForce RTX 3080 10GB", "Ampere GA102", "ampere_geforce",
     2020, 10, "GDDR6X", 760, 68, 1710, 5, 320, (4, 16), CHECKED),
    ("nvidia-rtx-3080-12gb", "GeForce RTX 3080 12GB", "Ampere GA102", "ampere_geforce",
     2022, 12, "GDDR6X", 912, 70, 1710, 6, 350, (4, 16), FROM_MEMORY),
    ("nvidia-rtx-3080-ti", "GeForce RTX 3080 Ti", "Ampere GA102", "ampere_geforce",
     2021, 12, "GDDR6X", 912, 80, 1665, 6, 350, (4, 16), FROM_MEMORY),
    ("nvidia-rtx-3090-ti", "GeForce RTX 3090 Ti", "Ampere GA102", "ampere_geforce",
     2022, 24, "GDDR6X", 1008, 84, 1860, 6, 450, (4, 16), FROM_MEMORY),
    ("nvidia-rtx-a2000-6gb", "RTX A2000 6GB", "Ampere GA106", "ampere_pro",
     2021, 6, "GDDR6", 288, 26, 1200, 3, 70, (4, 16), FROM_MEMORY),
    ("nvidia-rtx-a2000-12gb", "RTX A2000 12GB", "Ampere GA106", "ampere_pro",
     2021, 12, "GDDR6", 288, 26, 1200, 3, 70, (4, 16), FROM_MEMORY),
    ("nvidia-rtx-a4000", "RTX A4000", "Ampere GA104", "ampere_pro",
     2021, 16, "GDDR6", 448, 48, 1560, 4, 140, (4, 16), CHECKED),
    ("nvidia-rtx-a4500", "RTX A4500", "Ampere GA102", "ampere_pro",
     2021, 20, "GDDR6", 640, 56, 1650, 6, 200, (4, 16), FROM_MEMORY),
    ("nvidia-rtx-4060", "GeForce RTX 4060", "Ada AD107", "ada_geforce",
     2023, 8, "GDDR6", 272, 24, 2460, 24, 115, (4, 8), FROM_MEMORY),
    ("nvidia-rtx-4060-ti-8gb", "GeForce RTX 4060 Ti 8GB", "Ada AD106", "ada_geforce",
     2023, 8, "GDDR6", 288, 34, 2535, 32, 160, (4, 8), FROM_MEMORY),
    ("nvidia-rtx-4060-ti-16gb", "GeForce RTX 4060 Ti 16GB", "Ada AD106", "ada_geforce",
     2023, 16, "GDDR6", 288, 34, 2535, 32, 165, (4, 8), FROM_MEMORY),
    ("nvidia-rtx-4070", "GeForce RTX 4070", "Ada AD104", "ada_geforce",
     2023, 12, "GDDR6X", 504, 46, 2475, 36, 200, (4, 16), FROM_MEMORY),
    ("nvidia-rtx-4070-super", "GeForce RTX 4070 SUPER", "Ada AD104", "ada_geforce",
     2024, 12, "GDDR6X", 504, 56, 2475, 48, 220, (4, 16), FROM_MEMORY),
    ("nvidia-rtx-4070-ti", "GeForce RTX 4070 Ti", "Ada AD104", "ada_geforce",
     2023, 12, "GDDR6X", 504, 60, 2610, 48, 285, (4, 16), FROM_MEMORY),
    ("nvidia-rtx-4070-ti-super", "GeForce RTX 4070 Ti SUPER", "Ada AD103", "ada_geforce",
     2024, 16, "GDDR6X", 672, 66, 2610, 48, 285, (4, 16), FROM_MEMORY),
    ("nvidia-rtx-4080", "GeForce RTX 4080", "Ada AD103", "ada_geforce",
     2022, 16, "GDDR6X", 716.8, 76, 2505, 64, 320, (4, 16), FROM_MEMORY),
    ("nvidia-rtx-4080-super", "GeForce RTX 4080 SUPER", "Ada AD103", "ada_geforce",
     2024, 16, "GDDR6X", 736, 80, 2550, 64, 320, (4, 16), FROM_MEMORY),
    ("nvidia-rtx-4090-d", "GeForce RTX 4090 D", "Ada AD102", "ada_geforce",
     2023, 24, "GDDR6X", 1008, 114, 2520, 72, 425, (4, 16), CHECKED),
    ("nvidia-rtx-2000e-ada", "RTX 2000E Ada Generation", "Ada AD107", "ada_pro",
     2024, 16, "GDDR6", 224, 22, 1575, 12, 50, (4, 8), FROM_MEMORY),
    ("nvidia-rtx-2000-ada", "RTX 2000 Ada Generation", "Ada AD107", "ada_pro",
     2024, 16, "GDDR6", 224, 22, 2130, 12, 70, (4, 8), CHECKED),
    ("nvidia-rtx-4000-ada", "RTX 4000 Ada Generation", "Ada AD104", "ada_pro",
     2023, 20, "GDDR6", 360, 48, 2175, 48, 130, (4, 16), CHECKED),
    ("nvidia-rtx-4500-ada", "RTX 4500 Ada Generation", "Ada AD104", "ada_pro",
     2023, 24, "GDDR6", 432, 60, 2580, 48, 210, (4, 16), FROM_MEMORY),
    ("nvidia-rtx-5000-ada", "RTX 5000 Ada Generation", "Ada AD102", "ada_pro",
     2023, 32, "GDDR6", 576, 100, 2550, 72, 250, (4, 16), CHECKED),
    ("nvidia-l20", "L20", "Ada AD102", "ada_half", 2023, 48, "GDDR6", 864, 92, 2520, 96, 275, (4, 16), CHECKED),
    ("nvidia-rtx-5060-ti-16gb", "GeForce RTX 5060 Ti 16GB", "Blackwell GB206", "blackwell_geforce",
     2025, 16, "GDDR7", 448, 36, 2572, 32, 180, (5, 8), FROM_MEMORY),
    ("nvidia-rtx-5070", "GeForce RTX 5070", "Blackwell GB205", "blackwell_geforce",
     2025, 12, "GDDR7", 672, 48, 2512, 48, 250, (5, 16), FROM_MEMORY),
    ("nvidia-rtx-5070-ti", "GeForce RTX 5070 Ti", "Blackwell GB203", "blackwell_geforce",
     2025, 16, "GDDR7", 896, 70, 2452, 48, 300, (5, 16), FROM_MEMORY),
    ("amd-rx-7900-xt", "Radeon RX 7900 XT", "RDNA 3", "rdna3",
     2022, 20, "GDDR6", 800, 84, 2400, 6, 315, (4, 16), FROM_MEMORY),
    ("amd-radeon-pro-w7700", "Radeon PRO W7700", "RDNA 3", "rdna3",
     2023, 16, "GDDR6", 576, 48, 2300, 4, 190, (4, 16), FROM_MEMORY),
)  # fmt: skip

# id, name, vendor, architecture, year, GiB, memory type, GB/s, cores, base GHz, boost GHz,
# operations per core and cycle, L3 MiB, W, (PCIe, lanes), note
AVX512 = {"fp64": 32, "fp32": 64, "int8": 256}
AVX512_BF16 = AVX512 | {"bf16": 128}
AMX = {"fp64": 32, "fp32": 64, "bf16": 1024, "int8": 2048}
AMX_CLOCK = "clock under AMX load is below base on some parts"
NEON_2X128 = {"fp64": 8, "fp32": 16, "fp16": 32, "bf16": 64, "int8": 128}
CPUS: tuple[tuple[Any, ...], ...] = (
    ("intel-xeon-gold-6240r", "Xeon Gold 6240R (24 cores)", "Intel", "Cascade Lake",
     2020, 384, "DDR4", 140.8, 24, 2.4, 4.0, AVX512, 35.75, 165, (3, 48), "VNNI int8; no bf16"),
    ("intel-xeon-8380h", "Xeon Platinum 8380H (28 cores)", "Intel", "Cooper Lake",
     2020, 384, "DDR4", 153.6, 28, 2.9, 4.3, AVX512_BF16, 38.5, 250, (3, 48), "some tables write Gold 8380H"),
    ("intel-xeon-8380", "Xeon Platinum 8380 (40 cores)", "Intel", "Ice Lake",
     2021, 512, "DDR4", 204.8, 40, 2.3, 3.4, AVX512, 60, 270, (4, 64), "VNNI int8; no bf16"),
    ("intel-xeon-gold-6338", "Xeon Gold 6338 (32 cores)", "Intel", "Ice Lake",
     2021, 512, "DDR4", 204.8, 32, 2.0, 3.2, AVX512, 48, 205, (4, 64), "VNNI int8; no bf16"),
    ("intel-xeon-8468", "Xeon Platinum 8468 (48 cores, AMX)", "Intel", "Sapphire Rapids",
     2023, 512, "DDR5", 307.2, 48, 2.1, 3.8, AMX, 105, 350, (5, 80), AMX_CLOCK),
    ("intel-xeon-max-9480", "Xeon Max 9480 (56 cores, AMX, HBM only)", "Intel", "Sapphire Rapids HBM",
     2023, 64, "HBM2e", 1638.4, 56, 1.9, 3.5, AMX, 112.5, 350, (5, 80),
     "four HBM2e stacks at 3.2 GT/s; DDR5 beside it is not counted"),
    ("intel-xeon-w7-2495x", "Xeon w7-2495X (24 cores, AMX)", "Intel", "Sapphire Rapids",
     2023, 256, "DDR5", 153.6, 24, 2.5, 4.8, AMX, 45, 225, (5, 64), "four memory channels"),
    ("intel-xeon-8592plus", "Xeon Platinum 8592+ (64 cores, AMX)", "Intel", "Emerald Rapids",
     2023, 512, "DDR5", 358.4, 64, 1.9, 3.9, AMX, 320, 350, (5, 80), AMX_CLOCK),
    ("ampere-ampereone-a192-32x", "AmpereOne A192-32X (192 cores)", "Ampere Computing", "AmpereOne",
     2024, 512, "DDR5", 332.8, 192, 3.2, 3.2, NEON_2X128, 64, None, (5, 128), "two 128-bit vector units per core"),
)  # fmt: skip

# id, name, id of the collected entry with the same per-core rate, year, GiB, GB/s, GPU cores
APPLE: tuple[tuple[Any, ...], ...] = (
    ("apple-m1", "M1 (8-core GPU)", "apple-m1-max", 2020, 16, 68.3, 8),
    ("apple-m1-pro", "M1 Pro (16-core GPU)", "apple-m1-max", 2021, 32, 204.8, 16),
    ("apple-m1-max-24core", "M1 Max (24-core GPU)", "apple-m1-max", 2021, 64, 409.6, 24),
    ("apple-m1-ultra-48core", "M1 Ultra (48-core GPU)", "apple-m1-max", 2022, 128, 819.2, 48),
    ("apple-m2", "M2 (10-core GPU)", "apple-m2-max", 2022, 24, 102.4, 10),
    ("apple-m2-pro", "M2 Pro (19-core GPU)", "apple-m2-max", 2023, 32, 204.8, 19),
    ("apple-m2-max-30core", "M2 Max (30-core GPU)", "apple-m2-max", 2023, 96, 409.6, 30),
    ("apple-m2-ultra-60core", "M2 Ultra (60-core GPU)", "apple-m2-max", 2023, 192, 819.2, 60),
    ("apple-m3", "M3 (10-core GPU)", "apple-m3-max", 2023, 24, 102.4, 10),
    ("apple-m3-pro", "M3 Pro (18-core GPU)", "apple-m3-max", 2023, 36, 153.6, 18),
    ("apple-m3-max-30core", "M3 Max (30-core GPU)", "apple-m3-max", 2023, 96, 307.2, 30),
    ("apple-m3-ultra-60core", "M3 Ultra (60-core GPU)", "apple-m3-ultra", 2025, 256, 819.2, 60),
    ("apple-m4-max-32core", "M4 Max (32-core GPU)", "apple-m4-max", 2024, 36, 409.6, 32),
)

# id, name, id of the collected entry, factor for every rate and size, form factor, note
SHARES: tuple[tuple[Any, ...], ...] = (
    ("amd-mi250-gcd", "Instinct MI250 (one of two dies)", "amd-mi250", 0.5, "half an OAM",
     "what software sees as one device: half of the module"),
    ("amd-mi250x-gcd", "Instinct MI250X (one of two dies)", "amd-mi250x", 0.5, "half an OAM",
     "what software sees as one device: half of the module"),
    ("huawei-ascend-910c-die", "Ascend 910C (one of two dies)", "huawei-ascend-910c", 0.5, "half a package",
     "what software sees as one device; 16 of them in an Atlas A3 server"),
    ("intel-arc-pro-b60-dual", "Arc Pro B60 Dual (two GPUs on one card)", "intel-arc-pro-b60", 2, "PCIe dual-slot",
     "two GPUs that software sees as two devices, each on eight of the card's PCIe lanes"),
)  # fmt: skip

# id, name, id of the collected entry it is a variant of, year, changed figures, note
VARIANTS: tuple[tuple[Any, ...], ...] = (
    ("nvidia-a800-sxm-80gb", "A800 SXM4 80GB", "nvidia-a100-sxm-80gb", 2022,
     {"scale_up": ("NVLink 3 (cut)", 200e9)}, "an A100 with NVLink cut to 400 GB/s in both directions together"),
    ("nvidia-a800-pcie-80gb", "A800 PCIe 80GB", "nvidia-a100-pcie-80gb", 2022,
     {"scale_up": ("NVLink 3 bridge (cut)", 200e9)}, "an A100 with NVLink cut to 400 GB/s in both directions together"),
    ("nvidia-v100s-pcie-32gb", "Tesla V100S PCIe 32GB", "nvidia-v100-pcie-32gb", 2019,
     {"memory_bandwidth_bytes_per_s": 1134e9, "boost_clock_hz": 1597e6,
      "peak_dense_flop_per_s": {"fp64": 8.2e12, "fp32": 16.4e12, "fp16": 130e12}}, "higher clocks than the V100 PCIe"),
)  # fmt: skip
VARIANT_READING = {
    "nvidia-a800-sxm-80gb": CHECKED,
    "nvidia-a800-pcie-80gb": CHECKED,
    "nvidia-v100s-pcie-32gb": FROM_MEMORY,
}

QUALCOMM_SOURCE = "Qualcomm Cloud AI SDK documentation, Architecture page"
QUALCOMM_PRO: dict[str, Any] = {
    "name": "Cloud AI 100 Pro",
    "memory_nominal_bytes": 32 * GIB,
    "peak_dense_flop_per_s": {"fp16": 125e12, "int8": 375e12},
    "l2_bytes": 144 * 2**20,
    "sm_count": 16,
}
