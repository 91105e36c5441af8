"""Processors of servers, cloud machines and desktops, and Apple's smaller GPUs, that benchmark collections name.

A row is as in `additions`. Parts made for one cloud have no page of their vendor's: cores and clock are what the
machine itself reports, the memory is what the socket takes, and the power is an estimate, for without one the engine
would take a GPU's.
"""

from __future__ import annotations

from typing import Any

from tools.make_catalogs.additions import AMX, AMX_CLOCK, AVX512, Processor

VNNI = "VNNI int8; no bf16"
AVX2 = {"fp64": 16, "fp32": 32}
AVX2_VNNI = AVX2 | {"int8": 128}
AVX512_DOUBLE_PUMPED = {"fp64": 16, "fp32": 32, "bf16": 64, "int8": 128}
"""Zen 4: 512-bit instructions on 256-bit units."""
AVX512_ZEN5 = {"fp64": 32, "fp32": 64, "bf16": 128, "int8": 256}
GRACEMONT = {"fp64": 8, "fp32": 16, "int8": 64}
SKYMONT = {"fp64": 16, "fp32": 32, "int8": 128}
AMX_FP16 = AMX | {"fp16": 1024}
NEON_N1 = {"fp64": 8, "fp32": 16, "fp16": 32, "int8": 64}
SVE_2X256 = {"fp64": 16, "fp32": 32, "fp16": 64, "bf16": 128, "int8": 256}
NO_DOT_PRODUCT = "no int8 dot product and no bf16"
SHORT_BOOST = "a desktop part holds clocks well above base: computed peaks are cautious"
AWS_PART = "made for AWS; the memory is what the socket takes"

MORE_CPUS: tuple[Processor, ...] = (
    Processor("intel-xeon-8260", "Xeon Platinum 8260 (24 cores)", "Intel", "Cascade Lake",
              2019, 384, "DDR4", 140.8, 24, 2.4, 3.9, AVX512, 35.75, 165, (3, 48), VNNI),
    Processor("intel-xeon-8259cl", "Xeon Platinum 8259CL (24 cores)", "Intel", "Cascade Lake",
              2019, 384, "DDR4", 140.8, 24, 2.5, 3.5, AVX512, 35.75, 210, (3, 48), AWS_PART,
              power_known="estimate"),
    Processor("intel-xeon-9282", "Xeon Platinum 9282 (56 cores)", "Intel", "Cascade Lake",
              2019, 768, "DDR4", 281.6, 56, 2.6, 3.8, AVX512, 77, 400, (3, 40), "twelve memory channels; " + VNNI),
    Processor("intel-xeon-8375c", "Xeon Platinum 8375C (32 cores)", "Intel", "Ice Lake",
              2021, 512, "DDR4", 204.8, 32, 2.9, 3.5, AVX512, 54, 300, (4, 64), AWS_PART,
              power_known="estimate"),
    Processor("intel-xeon-8488c", "Xeon Platinum 8488C (48 cores, AMX)", "Intel", "Sapphire Rapids",
              2023, 512, "DDR5", 307.2, 48, 2.4, 3.8, AMX, 105, 385, (5, 80), AWS_PART,
              power_known="estimate"),
    Processor("intel-xeon-8481c", "Xeon Platinum 8481C (56 cores, AMX)", "Intel", "Sapphire Rapids",
              2023, 512, "DDR5", 307.2, 56, 2.7, None, AMX, 105, 350, (5, 80),
              "made for Google Cloud; the clock is the one in its name, and AMX runs below it",
              power_known="estimate"),
    Processor("intel-xeon-8480c", "Xeon Platinum 8480C (56 cores, AMX)", "Intel", "Sapphire Rapids",
              2023, 512, "DDR5", 307.2, 56, 2.0, 3.8, AMX, 105, 350, (5, 80), AMX_CLOCK),
    Processor("intel-xeon-8490h", "Xeon Platinum 8490H (60 cores, AMX)", "Intel", "Sapphire Rapids",
              2023, 512, "DDR5", 307.2, 60, 1.9, 3.5, AMX, 112.5, 350, (5, 80), AMX_CLOCK),
    Processor("intel-xeon-gold-6530", "Xeon Gold 6530 (32 cores, AMX)", "Intel", "Emerald Rapids",
              2023, 512, "DDR5", 307.2, 32, 2.1, 4.0, AMX, 160, 270, (5, 80), AMX_CLOCK),
    Processor("intel-xeon-8568yplus", "Xeon Platinum 8568Y+ (48 cores, AMX)", "Intel", "Emerald Rapids",
              2023, 512, "DDR5", 358.4, 48, 2.3, 4.0, AMX, 300, 350, (5, 80), AMX_CLOCK),
    Processor("intel-xeon-8580", "Xeon Platinum 8580 (60 cores, AMX)", "Intel", "Emerald Rapids",
              2023, 512, "DDR5", 358.4, 60, 2.0, 4.0, AMX, 300, 350, (5, 80), AMX_CLOCK),
    Processor("intel-xeon-6972p", "Xeon 6972P (96 cores, AMX)", "Intel", "Granite Rapids",
              2024, 768, "DDR5", 844.8, 96, 2.4, 3.9, AMX_FP16, 480, 500, (5, 96),
              "844.8 GB/s with MRDIMM-8800, 614.4 with DDR5-6400"),
    Processor("intel-xeon-6787p", "Xeon 6787P (86 cores, AMX)", "Intel", "Granite Rapids",
              2025, 512, "DDR5", 409.6, 86, 2.0, 3.8, AMX_FP16, 336, 350, (5, 88),
              "409.6 GB/s with DDR5-6400, 512 with MRDIMM-8000"),
    Processor("intel-core-i9-13900k", "Core i9-13900K (24 cores)", "Intel", "Raptor Lake",
              2022, 64, "DDR5", 89.6, 8, 3.0, 5.8, AVX2_VNNI, 36, 125, (5, 16), SHORT_BOOST,
              efficient=(16, 2.2, GRACEMONT)),
    Processor("intel-core-ultra-9-285k", "Core Ultra 9 285K (24 cores)", "Intel", "Arrow Lake",
              2024, 64, "DDR5", 102.4, 8, 3.7, 5.7, AVX2_VNNI, 36, 125, (5, 16), SHORT_BOOST,
              efficient=(16, 3.2, SKYMONT)),
    Processor("amd-epyc-7763", "EPYC 7763 (Milan, 64 cores)", "AMD", "Zen 3",
              2021, 512, "DDR4", 204.8, 64, 2.45, 3.5, AVX2, 256, 280, (4, 128), NO_DOT_PRODUCT),
    Processor("amd-epyc-7r13", "EPYC 7R13 (Milan, 48 cores)", "AMD", "Zen 3",
              2021, 512, "DDR4", 204.8, 48, 2.65, 3.6, AVX2, None, 240, (4, 128), AWS_PART + "; " + NO_DOT_PRODUCT,
              power_known="estimate"),
    Processor("amd-epyc-9554", "EPYC 9554 (Genoa, 64 cores)", "AMD", "Zen 4",
              2022, 768, "DDR5", 460.8, 64, 3.1, 3.75, AVX512_DOUBLE_PUMPED, 256, 360, (5, 128), ""),
    Processor("amd-epyc-9575f", "EPYC 9575F (Turin, 64 cores)", "AMD", "Zen 5",
              2024, 768, "DDR5", 576, 64, 3.3, 5.0, AVX512_ZEN5, 256, 400, (5, 128), ""),
    Processor("amd-ryzen-9-7950x", "Ryzen 9 7950X (16 cores)", "AMD", "Zen 4",
              2022, 64, "DDR5", 83.2, 16, 4.5, 5.7, AVX512_DOUBLE_PUMPED, 64, 170, (5, 24), SHORT_BOOST),
    Processor("amd-ryzen-9-9950x", "Ryzen 9 9950X (16 cores)", "AMD", "Zen 5",
              2024, 64, "DDR5", 89.6, 16, 4.3, 5.7, AVX512_ZEN5, 64, 170, (5, 24), SHORT_BOOST),
    Processor("amd-threadripper-7970x", "Ryzen Threadripper 7970X (32 cores)", "AMD", "Zen 4",
              2023, 256, "DDR5", 166.4, 32, 4.0, 5.3, AVX512_DOUBLE_PUMPED, 128, 350, (5, 48), "four memory channels"),
    Processor("amd-threadripper-pro-7995wx", "Ryzen Threadripper PRO 7995WX (96 cores)", "AMD", "Zen 4",
              2023, 512, "DDR5", 332.8, 96, 2.5, 5.1, AVX512_DOUBLE_PUMPED, 384, 350, (5, 128),
              "eight memory channels"),
    Processor("aws-graviton3", "Graviton3 (64 cores)", "AWS", "Neoverse V1",
              2021, 512, "DDR5", 307.2, 64, 2.6, None, SVE_2X256, 32, 100, (5, 32), "two 256-bit SVE units per core",
              power_known="estimate"),
    Processor("ampere-altra-max-m128-30", "Altra Max M128-30 (128 cores)", "Ampere Computing", "Neoverse N1",
              2021, 512, "DDR4", 204.8, 128, 3.0, 3.0, NEON_N1, 16, 250, (4, 128), "two 128-bit vector units per core"),
    Processor("raspberry-pi-5", "Raspberry Pi 5 (4 cores)", "Raspberry Pi", "Cortex-A76",
              2023, 8, "LPDDR4X", 17.1, 4, 2.4, 2.4, NEON_N1, 2, 12, None, "built with 2, 4, 8 or 16 GB",
              form_factor="board", network_bytes_per_s=1.25e8, power_known="estimate"),
)  # fmt: skip

# id, name, id of the collected entry with the same per-core rate, year, GiB, GB/s, GPU cores
MORE_APPLE: tuple[tuple[Any, ...], ...] = (
    ("apple-m1-pro-14core", "M1 Pro (14-core GPU)", "apple-m1-max", 2021, 32, 204.8, 14),
    ("apple-m2-8core", "M2 (8-core GPU)", "apple-m2-max", 2022, 24, 102.4, 8),
    ("apple-m2-pro-16core", "M2 Pro (16-core GPU)", "apple-m2-max", 2023, 32, 204.8, 16),
    ("apple-m3-pro-14core", "M3 Pro (14-core GPU)", "apple-m3-max", 2023, 36, 153.6, 14),
    ("apple-m4-pro-16core", "M4 Pro (16-core GPU)", "apple-m4-pro", 2024, 64, 273, 16),
    ("apple-m5-pro", "M5 Pro (20-core GPU)", "apple-m5-max", 2026, 64, 307.2, 20),
)  # fmt: skip
