"""Graphics cards, modules and laptops' GPUs that benchmark collections and planners with existing machines name.

Written down from the vendors' public documents as remembered, then compared with a third-party GPU database, from which
no value was taken; what differs there is named in the row. Rates follow the rules of `additions`.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

from tools.make_catalogs.additions import CHECKED, FROM_MEMORY, Card

AGREES: tuple[str, ...] = ()
LAPTOP = "the clock is the top of the vendor's range; a laptop's own power limit decides what is sustained"
COMPUTED_AT_2_GHZ = "XMX rates as the vendor states them, at 2.0 GHz"


class Variant(NamedTuple):
    """An entry that is another one but for some figures."""

    id: str
    name: str
    base_id: str
    year: int
    changes: dict[str, object]
    note: str
    reading: str = CHECKED
    availability: str = "EOL"


# id, name, architecture, rates, year, GiB, memory type, GB/s, units, boost MHz, L2 MiB, W, (PCIe, lanes), reading
MORE_CARDS: tuple[Card, ...] = (
    Card("nvidia-gtx-1080-ti", "GeForce GTX 1080 Ti", "Pascal", "pascal",
         2017, 11, "GDDR5X", 484, 28, 1582, 2.75, 250, (3, 16), CHECKED, differing=AGREES),
    Card("nvidia-p4", "Tesla P4", "Pascal", "pascal",
         2016, 8, "GDDR5", 192, 20, 1063, 2, 75, (3, 16), CHECKED, differing=("boost", "fp32")),
    Card("nvidia-titan-v", "TITAN V", "Volta", "volta", 2017, 12, "HBM2", 652.8, 80, 1455, 4.5, 250, (3, 16), CHECKED,
         stated=MappingProxyType({"fp16": 110e12}), note="fp16 as the vendor states it", differing=AGREES),
    Card("nvidia-titan-rtx", "TITAN RTX", "Turing TU102", "turing_pro",
         2018, 24, "GDDR6", 672, 72, 1770, 6, 280, (3, 16), CHECKED, differing=AGREES),
    Card("nvidia-quadro-rtx-5000", "Quadro RTX 5000", "Turing TU104", "turing_pro",
         2018, 16, "GDDR6", 448, 48, 1815, 4, 230, (3, 16), CHECKED, differing=AGREES),
    Card("nvidia-quadro-rtx-4000", "Quadro RTX 4000", "Turing TU104", "turing_pro",
         2018, 8, "GDDR6", 416, 36, 1545, 4, 160, (3, 16), CHECKED, differing=AGREES),
    Card("nvidia-rtx-2060", "GeForce RTX 2060", "Turing TU106", "turing_geforce",
         2019, 6, "GDDR6", 336, 30, 1680, 3, 160, (3, 16), CHECKED, differing=AGREES),
    Card("nvidia-rtx-2060-super", "GeForce RTX 2060 SUPER", "Turing TU106", "turing_geforce",
         2019, 8, "GDDR6", 448, 34, 1650, 4, 175, (3, 16), CHECKED, differing=AGREES),
    Card("nvidia-rtx-2070", "GeForce RTX 2070", "Turing TU106", "turing_geforce",
         2018, 8, "GDDR6", 448, 36, 1620, 4, 175, (3, 16), CHECKED, differing=AGREES),
    Card("nvidia-rtx-2070-super", "GeForce RTX 2070 SUPER", "Turing TU104", "turing_geforce",
         2019, 8, "GDDR6", 448, 40, 1770, 4, 215, (3, 16), CHECKED, differing=AGREES),
    Card("nvidia-rtx-2080", "GeForce RTX 2080", "Turing TU104", "turing_geforce",
         2018, 8, "GDDR6", 448, 46, 1710, 4, 215, (3, 16), CHECKED, differing=AGREES),
    Card("nvidia-rtx-2080-super", "GeForce RTX 2080 SUPER", "Turing TU104", "turing_geforce",
         2019, 8, "GDDR6", 496, 48, 1815, 4, 250, (3, 16), CHECKED, differing=AGREES),
    Card("nvidia-rtx-3050-8gb", "GeForce RTX 3050 8GB", "Ampere GA106", "ampere_geforce",
         2022, 8, "GDDR6", 224, 20, 1777, 2, 130, (4, 8), CHECKED, differing=AGREES),
    Card("nvidia-rtx-3070-ti", "GeForce RTX 3070 Ti", "Ampere GA104", "ampere_geforce",
         2021, 8, "GDDR6X", 608, 48, 1770, 4, 290, (4, 16), CHECKED, differing=AGREES),
    Card("nvidia-rtx-4050-laptop", "GeForce RTX 4050 Laptop GPU", "Ada AD107", "ada_geforce",
         2023, 6, "GDDR6", 192, 20, 2370, 12, 115, (4, 8), CHECKED,
         form_factor="laptop", note=LAPTOP, differing=("boost", "fp32", "tdp")),
    Card("nvidia-rtx-4090-laptop", "GeForce RTX 4090 Laptop GPU", "Ada AD103", "ada_geforce",
         2023, 16, "GDDR6", 576, 76, 2040, 64, 150, (4, 16), CHECKED,
         form_factor="laptop", note=LAPTOP, differing=("boost", "fp32", "tdp")),
    Card("nvidia-rtx-5060", "GeForce RTX 5060", "Blackwell GB206", "blackwell_geforce",
         2025, 8, "GDDR7", 448, 30, 2497, None, 145, (5, 8), CHECKED, differing=AGREES),
    Card("nvidia-rtx-5060-ti-8gb", "GeForce RTX 5060 Ti 8GB", "Blackwell GB206", "blackwell_geforce",
         2025, 8, "GDDR7", 448, 36, 2572, 32, 180, (5, 8), CHECKED, differing=AGREES),
    Card("nvidia-rtx-5090-d", "GeForce RTX 5090 D", "Blackwell GB202", "blackwell_geforce",
         2025, 32, "GDDR7", 1792, 170, 2407, 96, 575, (5, 16), CHECKED, tensor_share=2375 / 3352,
         note="the vendor states 2375 of the RTX 5090's 3352 AI TOPS; other tensor rates are cut by the same share, "
         "an assumption", differing=AGREES),
    Card("nvidia-rtx-pro-4000-blackwell", "RTX PRO 4000 Blackwell", "Blackwell GB203", "blackwell_pro",
         2025, 24, "GDDR7", 672, 70, 2055, 48, 140, (5, 16), CHECKED, stated=MappingProxyType({"fp32": 46.9e12}),
         note="tensor rates from the published 1178 sparse fp4 TOPS, which is 2055 MHz; fp32 as published, at 2617 MHz",
         differing=("fp32",)),
    Card("nvidia-rtx-4000-sff-ada", "RTX 4000 SFF Ada Generation", "Ada AD104", "ada_pro",
         2023, 20, "GDDR6", 280, 48, 1560, 48, 70, (4, 16), CHECKED, differing=AGREES),
    Card("nvidia-jetson-agx-xavier-32gb", "Jetson AGX Xavier 32GB (GPU part)", "Volta (GV10B)", "volta_soc",
         2018, 32, "LPDDR4X (shared)", 136.5, 8, 1377, 0.5, 30, (4, 8), CHECKED, kind="soc", form_factor="module",
         note="32 TOPS marketed = 22 GPU + 10 DLA", differing=AGREES),
    Card("nvidia-jetson-xavier-nx-8gb", "Jetson Xavier NX 8GB (GPU part)", "Volta (GV10B)", "volta_soc",
         2020, 8, "LPDDR4X (shared)", 59.7, 6, 1100, 0.5, 20, (4, 4), CHECKED, kind="soc", form_factor="module",
         note="21 TOPS marketed count the DLA too; a module of 16 GB has the same figures", differing=("l2", "tdp")),
    Card("nvidia-jetson-orin-nx-16gb", "Jetson Orin NX 16GB (GPU part)", "Ampere (GA10B)", "orin",
         2023, 16, "LPDDR5 (shared)", 102.4, 8, 918, 4, 25, (4, 4), CHECKED, kind="soc", form_factor="module",
         note="100 sparse TOPS marketed = 60 GPU + 40 DLA; GPU dense int8 is 30", differing=AGREES),
    Card("amd-rx-6700-xt", "Radeon RX 6700 XT", "RDNA 2", "rdna2",
         2021, 12, "GDDR6", 384, 40, 2581, 3, 230, (4, 16), CHECKED, differing=AGREES),
    Card("amd-rx-6800-xt", "Radeon RX 6800 XT", "RDNA 2", "rdna2",
         2020, 16, "GDDR6", 512, 72, 2250, 4, 300, (4, 16), CHECKED, differing=AGREES),
    Card("amd-rx-6900-xt", "Radeon RX 6900 XT", "RDNA 2", "rdna2",
         2020, 16, "GDDR6", 512, 80, 2250, 4, 300, (4, 16), CHECKED, differing=AGREES),
    Card("amd-radeon-pro-w6800", "Radeon PRO W6800", "RDNA 2", "rdna2",
         2021, 32, "GDDR6", 512, 60, 2320, 4, 250, (4, 16), CHECKED, differing=AGREES),
    Card("amd-rx-7600", "Radeon RX 7600", "RDNA 3", "rdna3",
         2023, 8, "GDDR6", 288, 32, 2655, 2, 165, (4, 8), CHECKED, differing=AGREES),
    Card("amd-rx-7700-xt", "Radeon RX 7700 XT", "RDNA 3", "rdna3",
         2023, 12, "GDDR6", 432, 54, 2544, None, 245, (4, 16), CHECKED, differing=AGREES),
    Card("amd-rx-7800-xt", "Radeon RX 7800 XT", "RDNA 3", "rdna3",
         2023, 16, "GDDR6", 624, 60, 2430, 4, 263, (4, 16), CHECKED, differing=AGREES),
    Card("amd-rx-7900-gre", "Radeon RX 7900 GRE", "RDNA 3", "rdna3",
         2023, 16, "GDDR6", 576, 80, 2245, 6, 260, (4, 16), CHECKED, differing=AGREES),
    Card("amd-radeon-pro-w7800", "Radeon PRO W7800 32GB", "RDNA 3", "rdna3",
         2023, 32, "GDDR6", 576, 70, 2525, 6, 260, (4, 16), CHECKED, differing=AGREES),
    Card("amd-rx-9060-xt-16gb", "Radeon RX 9060 XT 16GB", "RDNA 4", "rdna4",
         2025, 16, "GDDR6", 320, 32, 3130, 4, 160, (5, 16), CHECKED, differing=AGREES),
    Card("amd-rx-9070", "Radeon RX 9070", "RDNA 4", "rdna4",
         2025, 16, "GDDR6", 640, 56, 2520, 8, 220, (5, 16), CHECKED, differing=AGREES),
    Card("amd-radeon-vii", "Radeon VII", "GCN 5.1", "gcn5",
         2019, 16, "HBM2", 1024, 60, 1750, 4, 300, (3, 16), CHECKED,
         stated=MappingProxyType({"fp64": 3.36e12}), note="fp64 is a quarter of fp32", differing=AGREES),
    Card("amd-mi50-16gb", "Instinct MI50 16GB", "GCN 5.1", "gcn5",
         2018, 16, "HBM2", 1024, 60, 1725, 4, 300, (4, 16), CHECKED, differing=AGREES),
    Card("amd-mi50-32gb", "Instinct MI50 32GB", "GCN 5.1", "gcn5",
         2018, 32, "HBM2", 1024, 60, 1725, 4, 300, (4, 16), FROM_MEMORY),
    Card("amd-mi60", "Instinct MI60", "GCN 5.1", "gcn5",
         2018, 32, "HBM2", 1024, 64, 1800, 4, 300, (4, 16), CHECKED, differing=AGREES),
    Card("intel-arc-a770-16gb", "Arc A770 16GB", "Xe-HPG", "xe_hpg",
         2022, 16, "GDDR6", 560, 32, 2100, 16, 225, (4, 16), CHECKED,
         stated=MappingProxyType({"fp16": 131e12, "bf16": 131e12, "int8": 262e12}), note=COMPUTED_AT_2_GHZ,
         differing=("bandwidth", "boost", "fp32")),
    Card("intel-arc-a750", "Arc A750", "Xe-HPG", "xe_hpg", 2022, 8, "GDDR6", 512, 28, 2050, 16, 225, (4, 16), CHECKED,
         stated=MappingProxyType({"fp16": 114.5e12, "bf16": 114.5e12, "int8": 229e12}), note=COMPUTED_AT_2_GHZ,
         differing=("boost", "fp32")),
    Card("intel-arc-b570", "Arc B570", "Xe2", "xe2", 2025, 10, "GDDR6", 380, 18, 2500, 18, 150, (4, 8), CHECKED,
         stated=MappingProxyType({"fp16": 101.5e12, "bf16": 101.5e12, "int8": 203e12}),
         note="XMX rates as the vendor states them, at 2.75 GHz", differing=AGREES),
    Card("intel-max-1100", "Data Center GPU Max 1100", "Xe-HPC", "xe_hpc",
         2023, 48, "HBM2e", 1228.8, 56, 1550, None, 300, (5, 16), CHECKED, differing=AGREES),
)  # fmt: skip

MORE_VARIANTS: tuple[Variant, ...] = (
    Variant("nvidia-h800-pcie-80gb", "H800 PCIe 80GB", "nvidia-h100-pcie-80gb", 2023,
            {"scale_up": ("NVLink 4 bridge (H800)", 200e9),
             "peak_dense_flop_per_s": {"fp64": 0.8e12, "fp64_matrix": 0.8e12, "fp32": 51.2e12, "tf32": 378e12,
                                       "fp16": 756.5e12, "bf16": 756.5e12, "fp8": 1513e12, "int8": 1513e12}},
            "an H100 PCIe with fp64 and NVLink cut", availability="China only; export-restricted"),
    Variant("amd-ryzen-ai-max-390", "Ryzen AI Max 390 (Strix Halo, iGPU part)", "amd-ryzen-ai-max-395", 2025,
            {"sm_count": 32, "boost_clock_hz": 2.8e9,
             "peak_dense_flop_per_s": {"fp32": 22.94e12, "fp16": 45.88e12, "bf16": 45.88e12, "int8": 45.88e12}},
            "the 32-unit GPU (Radeon 8050S) at 2.8 GHz; the processors beside it differ", availability="current"),
    Variant("amd-ryzen-ai-max-385", "Ryzen AI Max 385 (Strix Halo, iGPU part)", "amd-ryzen-ai-max-395", 2025,
            {"sm_count": 32, "boost_clock_hz": 2.8e9,
             "peak_dense_flop_per_s": {"fp32": 22.94e12, "fp16": 45.88e12, "bf16": 45.88e12, "int8": 45.88e12}},
            "the 32-unit GPU (Radeon 8050S) at 2.8 GHz; the processors beside it differ", availability="current"),
)  # fmt: skip
