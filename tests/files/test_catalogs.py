import datetime
import json
import re

import msgspec
import pytest

from gpuplanner_gui.domain.catalog import AmbiguousName, Catalog, age_days, newest_date
from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.files.catalog_names import resolve_accelerator, resolved_accelerator
from gpuplanner_gui.files.catalogs import load_catalog, load_shipped_catalog
from gpuplanner_gui.files.errors import FileProblem


@pytest.fixture(scope="module")
def catalog():
    return load_shipped_catalog()


def write(folder, name, content):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return folder


def test_everything_ships(catalog):
    assert len(catalog.accelerators) >= 280
    assert len(catalog.nodes) == 53
    assert len(catalog.links) == 53
    assert len(catalog.offers) == 252
    assert {entry.kind for entry in catalog.accelerators.values()} == {"gpu", "cpu", "npu", "tpu", "asic", "soc"}


def test_racks_say_what_a_site_must_offer(catalog):
    racks = [node for node in catalog.nodes.values() if node.sold_as == "rack"]
    assert {node.accelerator_count for node in racks} == {72, 256}
    for rack in racks:
        assert rack.cooling == "liquid"
        assert rack.sources
        assert rack.date
    known = catalog.nodes["gb200-nvl72"]
    assert (known.max_power_w, known.rack_units, known.weight_kg, known.floor_space_m2) == (132_000, 48, 1_360, 0.72)


def test_every_shipped_value_is_within_its_bounds(catalog):
    assert problems_of(catalog) == []


def test_every_reference_leads_to_an_entry(catalog):
    for holder in (*catalog.nodes.values(), *catalog.offers.values()):
        assert holder.accelerator_id in catalog.accelerators
    for holder in (*catalog.nodes.values(), *catalog.accelerators.values()):
        if holder.scale_up and holder.scale_up.link_id:
            assert holder.scale_up.link_id in catalog.links, holder.id
    for node in catalog.nodes.values():
        assert all(nic.link_id in catalog.links for nic in node.nics if nic.link_id)
    for alias, target in catalog.accelerator_aliases.items():
        ids = (target,) if isinstance(target, str) else target.ids
        assert set(ids) <= catalog.accelerators.keys(), alias


def test_every_entry_says_where_it_comes_from(catalog):
    for accelerator in catalog.accelerators.values():
        stated = (accelerator.sources, accelerator.source_reading, accelerator.confidence.compute)
        assert all(stated), accelerator.id
    assert all(node.sources for node in catalog.nodes.values())
    assert all(link.sources for link in catalog.links.values())
    assert all(offer.source and offer.as_of and offer.confidence for offer in catalog.offers.values())


def test_figures_of_the_h100_by_hand(catalog):
    h100 = catalog.accelerators["nvidia-h100-sxm-80gb"]
    assert h100.memory_bytes == 85_520_809_984
    assert h100.memory_bandwidth_bytes_per_s == 3.35e12
    assert h100.peak_flop_per_s("bf16") == 989.4e12
    assert h100.peak_flop_per_s("fp8") == 1978.9e12
    assert not h100.supports("fp4")
    assert (h100.scale_up.bytes_per_s_per_direction, h100.scale_up.domain_size) == (450e9, 8)
    assert (h100.pcie.generation, h100.pcie.bytes_per_s_per_direction) == (5, 63.015e9)
    assert (h100.tdp_w, h100.idle_w, h100.sm_count) == (700, 70, 132)
    assert central(h100.price.usd) == 30_000
    assert h100.rental.hyperscaler_usd_per_h == 10.6696
    link = catalog.link_of(h100)
    assert link.id == "nvlink-4"
    assert link.bytes_per_s_per_direction == h100.scale_up.bytes_per_s_per_direction


def test_latencies_are_in_seconds(catalog):
    for link in catalog.links.values():
        assert 1e-8 < central(link.hardware_latency_s) < 1e-3, link.id


def test_ecosystems_follow_vendor_and_kind(catalog):
    expected = {
        "nvidia-h100-sxm-80gb": "cuda",
        "amd-mi300x": "rocm",
        "intel-gaudi2": "gaudi",
        "intel-max-1550": "oneapi",
        "google-tpu-v5e": "xla",
        "aws-trainium2": "neuron",
        "apple-m4-max": "metal",
        "huawei-ascend-910b": "cann",
        "nvidia-grace-72": "cpu",
        "amd-epyc-9654": "cpu",
        "cerebras-wse-3": "vendor",
    }
    assert {entry_id: catalog.accelerators[entry_id].ecosystem for entry_id in expected} == expected


def test_computed_peaks_of_added_cards_agree_with_the_vendors_figures(catalog):
    published_tflops = {
        "nvidia-rtx-4080": ("fp32", 48.7),
        "nvidia-rtx-3060-12gb": ("fp32", 12.7),
        "nvidia-rtx-a4000": ("int8", 153.4),
        "nvidia-rtx-5000-ada": ("fp16", 261.1),
        "nvidia-rtx-4090-d": ("fp16", 147.1),
        "nvidia-rtx-2080-ti": ("fp32", 13.4),
        "amd-radeon-pro-w7700": ("fp32", 28.3),
        "nvidia-l20": ("fp16", 119.5),
        "nvidia-gtx-1080-ti": ("fp32", 11.3),
        "nvidia-titan-rtx": ("fp16", 130),
        "nvidia-quadro-rtx-5000": ("fp16", 89.2),
        "nvidia-rtx-4000-sff-ada": ("fp32", 19.2),
        "nvidia-rtx-pro-4000-blackwell": ("fp4", 1178 / 2),
        "nvidia-rtx-5090-d": ("fp4", 2375 / 2),
        "nvidia-rtx-4050-laptop": ("int8", 194 / 2),
        "nvidia-jetson-agx-xavier-32gb": ("int8", 22.5),
        "nvidia-jetson-orin-nx-16gb": ("int8", 30),
        "amd-rx-6900-xt": ("fp32", 23.04),
        "amd-mi60": ("int8", 59),
        "amd-mi50-32gb": ("fp16", 26.5),
        "amd-rx-7800-xt": ("fp32", 37.3),
        "amd-rx-9070": ("int8", 289),
        "amd-rx-9060-xt-16gb": ("int8", 205),
        "intel-max-1100": ("fp32", 22.2),
        "intel-arc-b570": ("fp32", 11.52),
    }
    for accelerator_id, (precision, tflops) in published_tflops.items():
        computed = catalog.accelerators[accelerator_id].peak_flop_per_s(precision)
        assert computed == pytest.approx(tflops * 1e12, rel=0.01), accelerator_id


def test_the_same_rules_give_the_collected_figures_of_a_relative(catalog):
    """What the rules for added cards are worth: the RTX 4090 and 4090 D differ by their units alone."""
    full, cut = catalog.accelerators["nvidia-rtx-4090"], catalog.accelerators["nvidia-rtx-4090-d"]
    for precision in ("fp32", "tf32", "fp16", "bf16", "fp8", "int8", "int4"):
        ratio = cut.peak_flop_per_s(precision) / full.peak_flop_per_s(precision)
        assert ratio == pytest.approx(114 / 128, rel=2e-3), precision


def test_one_die_is_half_of_the_module(catalog):
    module, die = catalog.accelerators["amd-mi250x"], catalog.accelerators["amd-mi250x-gcd"]
    assert die.memory_bytes * 2 == module.memory_bytes
    assert die.peak_flop_per_s("bf16") * 2 == module.peak_flop_per_s("bf16")
    assert die.scale_up.domain_size == 2 * module.scale_up.domain_size


SPELLINGS = {
    "nvidia-h100-sxm-80gb": [
        "H100", "8xH100", "8 x NVIDIA H100 80GB HBM3", "h100_sxm", "H100-SXM-80GB", "h100_sxm_80gb", "H100 SXM5",
        "NVIDIA H100 SXM5 80 GiB", "HGX H100", "H100x8", "h100-80g", "nvidia-h100-sxm-80gb",
    ],
    "nvidia-h100-pcie-80gb": ["NVIDIA H100 PCIe", "h100_pcie", "H100-PCIe-80GB", "H100 80GB PCI-Express"],
    "nvidia-h100-nvl-94gb": ["H100-94GB", "H100 NVL", "NVIDIA H100 NVL 94GB"],
    "nvidia-a100-sxm-80gb": ["A100", "A100_80GB", "NVIDIA A100-SXM4-80GB", "a100-sxm", "A100 SXM 80GB x 8"],
    "nvidia-a100-sxm-40gb": ["A100_40GB", "A100-40GB", "A100-SXM4-40GB", "4x A100 40G"],
    "nvidia-a100-pcie-40gb": ["NVIDIA A100-PCIE-40GB", "A100 PCIe 40GB"],
    "nvidia-v100-sxm2-32gb": ["V100-32GB", "Tesla V100-SXM2-32GB", "v100_sxm_32gb"],
    "nvidia-v100s-pcie-32gb": ["v100s_pcie_32gb", "Tesla V100S-PCIE-32GB"],
    "nvidia-a10": ["A10-24GB", "NVIDIA A10", "a10_24gb"],
    "nvidia-a10g": ["A10G", "NVIDIA A10G", "A10G-24GB", "a10g 22GB"],
    "nvidia-t4": ["Tesla T4", "T4-16GB"],
    "nvidia-gb200": ["GB200", "gb200_nvl72", "GB200-NVL72", "NVIDIA GB200 NVL72"],
    "nvidia-h20-141gb": ["h20_3e_141gb", "H20-141GB", "H20-3e"],
    "nvidia-b200-sxm-180gb": ["b200_sxm", "B200", "B200-192GB", "NVIDIA B200"],
    "nvidia-rtx-4090": ["rtx_4090", "RTX4090", "4090", "NVIDIA GeForce RTX 4090", "rtx-4090-24gb", "2x RTX 4090"],
    "nvidia-rtx-4090-d": ["rtx_4090_d", "GeForce RTX 4090D", "RTX 4090 D"],
    "nvidia-rtx-4070-ti-super": ["RTX-4070TiSuper-16GB", "rtx 4070 ti super", "4070Ti SUPER"],
    "nvidia-rtx-6000-ada": ["rtx_6000_ada_generation", "RTX 6000 Ada", "RTX-6000-Ada-48GB", "RTX 6000 48GB"],
    "nvidia-quadro-rtx-6000": ["Quadro RTX 6000", "RTX 6000 24GB"],
    "nvidia-rtx-a6000": ["A6000", "rtx_a6000", "NVIDIA RTX A6000", "RTX-A6000-48GB"],
    "nvidia-rtx-pro-6000-blackwell-server": ["RTX-PRO-6000-Blackwell-SE-96GB", "RTX PRO 6000 Blackwell Server Edition"],
    "nvidia-rtx-pro-6000-blackwell-ws": ["RTX PRO 6000 Blackwell Workstation Edition", "rtx_pro_6000_blackwell_ws"],
    "nvidia-dgx-spark-gb10": ["GB10-DGX-Spark-128GB", "DGX Spark", "GB10"],
    "nvidia-jetson-agx-orin-64gb": ["Jetson-AGX-Orin-64GB", "Jetson AGX Orin", "AGX Orin 64GB"],
    "amd-mi300x": ["MI300X", "mi300x_192gb", "AMD Instinct MI300X OAM", "8xMI300X"],
    "amd-mi250-gcd": ["MI250-64GB"],
    "amd-mi250x-gcd": ["MI250X-GCD-64GB"],
    "amd-rx-7900-xtx": ["7900XTX", "Radeon RX 7900 XTX", "RX-7900-XTX-24GB"],
    "intel-gaudi2": ["Gaudi2-96GB", "Intel Gaudi 2", "habana gaudi2"],
    "intel-gaudi3-oam": ["Gaudi3-128GB", "Gaudi 3"],
    "intel-max-1550": ["Intel-Max-1550-128GB", "Intel Data Center GPU Max 1550"],
    "intel-xeon-8480plus": ["CPU Xeon 8480+", "CPU Xeon 8480+ 56-Core", "Intel(R) Xeon(R) Platinum 8480+"],
    "amd-epyc-9654": ["EPYC 9654", "AMD EPYC 9654 96-Core Processor"],
    "apple-m2-ultra": ["Apple-M2-Ultra-76core-192GB", "Apple M2 Ultra", "M2 Ultra 64GB"],
    "apple-m2-ultra-60core": ["Apple-M2-Ultra-60core-64GB", "M2 Ultra (60-core GPU)"],
    "google-tpu-v5e": ["TPU-v5e-16GB", "TPU v5 lite", "tpuv5e", "v5e"],
    "huawei-ascend-910b": ["Ascend-910B-64GB", "Huawei Ascend 910B3", "910B"],
    "huawei-ascend-910c-die": ["huawei_ascend_ascend910"],
    "aws-trainium1": ["Trainium1-32GB", "trn1"],
    "aws-inferentia2": ["Inferentia", "inf2"],
    "aws-inferentia1": ["inf1", "Inferentia 8GB", "Inferentia1-8GB"],
    "nvidia-gtx-1080-ti": ["GTX 1080 Ti", "NVIDIA GeForce GTX 1080 Ti", "GTX-1080Ti-11GB"],
    "nvidia-p4": ["Tesla P4", "P4-8GB"],
    "nvidia-p40": ["Tesla P40", "P40"],
    "nvidia-titan-v": ["NVIDIA TITAN V", "Titan V 12GB"],
    "nvidia-titan-rtx": ["TITAN RTX"],
    "nvidia-quadro-rtx-5000": ["Quadro RTX 5000", "RTX 5000 16GB"],
    "nvidia-rtx-5000-ada": ["RTX 5000", "NVIDIA RTX 5000 Ada Generation", "RTX-5000-Ada-32GB"],
    "nvidia-quadro-rtx-4000": ["Quadro RTX 4000", "RTX 4000 8GB"],
    "nvidia-rtx-4000-ada": ["RTX 4000", "RTX 4000 Ada", "RTX-4000-Ada-20GB"],
    "nvidia-rtx-4000-sff-ada": ["NVIDIA RTX 4000 SFF Ada Generation", "rtx_4000_sff_ada"],
    "nvidia-rtx-pro-4000-blackwell": ["RTX PRO 4000", "NVIDIA RTX PRO 4000 Blackwell"],
    "nvidia-rtx-2070-super": ["RTX 2070 Super", "RTX-2070Super-8GB"],
    "nvidia-rtx-2070": ["RTX 2070", "GeForce RTX 2070 8GB"],
    "nvidia-rtx-3050-8gb": ["RTX 3050", "NVIDIA GeForce RTX 3050"],
    "nvidia-rtx-5060-ti-8gb": ["RTX 5060 Ti 8GB", "RTX-5060Ti-8GB"],
    "nvidia-rtx-5060-ti-16gb": ["RTX 5060 Ti", "RTX 5060 Ti 16GB"],
    "nvidia-rtx-5060": ["RTX 5060", "NVIDIA GeForce RTX 5060"],
    "nvidia-rtx-5090-d": ["RTX 5090 D", "NVIDIA GeForce RTX 5090 D"],
    "nvidia-rtx-5090": ["RTX 5090", "rtx_5090"],
    "nvidia-rtx-4090-laptop": ["NVIDIA GeForce RTX 4090 Laptop GPU", "RTX 4090 Laptop"],
    "nvidia-rtx-4050-laptop": ["NVIDIA GeForce RTX 4050 Laptop GPU"],
    "nvidia-h800-pcie-80gb": ["H800 PCIe", "NVIDIA H800 PCIe"],
    "nvidia-h800-sxm-80gb": ["H800", "H800-80GB"],
    "nvidia-jetson-orin-nx-16gb": ["Jetson Orin NX", "Orin NX 16GB"],
    "nvidia-jetson-agx-xavier-32gb": ["Jetson AGX Xavier", "AGX Xavier"],
    "nvidia-jetson-xavier-nx-8gb": ["Jetson Xavier NX", "Xavier NX"],
    "amd-mi50-16gb": ["MI50", "AMD Instinct MI50", "Radeon Instinct MI50 16GB"],
    "amd-mi50-32gb": ["MI50 32GB", "AMD Instinct MI50-32GB"],
    "amd-radeon-vii": ["Radeon VII", "AMD Radeon VII"],
    "amd-rx-7900-gre": ["RX 7900 GRE", "7900GRE"],
    "amd-rx-9070": ["RX 9070", "AMD Radeon RX 9070"],
    "amd-rx-9070-xt": ["RX 9070 XT", "9070XT"],
    "amd-ryzen-ai-max-390": ["Ryzen AI Max 390", "AMD Ryzen AI Max 390"],
    "amd-ryzen-ai-max-395": ["Strix Halo", "Ryzen AI Max+ 395 128GB"],
    "intel-arc-a770-16gb": ["Intel(R) Arc(TM) A770 Graphics", "Arc A770", "A770 16GB"],
    "intel-max-1100": ["Intel(R) Data Center GPU Max 1100", "Intel-Max-1100-48GB"],
    "intel-xeon-8481c": ["CPU Xeon 8481C", "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz"],
    "intel-xeon-gold-6240r": ["Intel(R) Xeon(R) Gold 6240R CPU @ 2.40GHz"],
    "intel-xeon-8259cl": ["Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz"],
    "intel-xeon-8568yplus": ["Intel(R) Xeon(R) Platinum 8568Y+", "CPU Xeon 8568Y+ 48-Core"],
    "intel-core-i9-13900k": ["13th Gen Intel(R) Core(TM) i9-13900K", "i9-13900K"],
    "intel-core-ultra-9-285k": ["Intel(R) Core(TM) Ultra 9 285K"],
    "amd-epyc-7r13": ["CPU EPYC 7R13", "AMD EPYC 7R13 Processor"],
    "amd-epyc-7763": ["AMD EPYC 7763 64-Core Processor"],
    "amd-ryzen-9-7950x": ["AMD Ryzen 9 7950X 16-Core Processor", "7950X"],
    "amd-threadripper-pro-7995wx": ["AMD Ryzen Threadripper PRO 7995WX 96-Cores"],
    "aws-graviton3": ["AWS Graviton3", "Graviton 3"],
    "aws-graviton4": ["AWS Graviton4"],
    "ampere-altra-max-m128-30": ["Ampere Altra Max M128-30", "Altra Max"],
    "raspberry-pi-5": ["Raspberry Pi 5", "Raspberry Pi 5 Model B 16GB"],
    "apple-m2": ["Apple M2", "M2 10-core", "Apple-M2-24GB"],
    "apple-m2-8core": ["M2 (8-core GPU)", "Apple-M2-8core-8GB"],
    "apple-m4-pro": ["Apple M4 Pro", "Apple-M4-Pro-20core-48GB"],
    "apple-m4-pro-16core": ["Apple-M4-Pro-16core-24GB"],
    "apple-m5-pro": ["Apple M5 Pro"],
    "google-tpu-v3": ["TPU v3", "TPU-v3-32GB", "tpuv3"],
    "google-tpu-v2": ["TPU v2"],
    "furiosa-rngd": ["FuriosaAI RNGD", "RNGD"],
    "tenstorrent-wormhole-n150": ["n150", "Tenstorrent Wormhole n150d"],
    "huawei-atlas-300i-duo": ["Atlas 300I Duo", "Ascend 310P3", "Huawei Atlas 300I Duo 96GB"],
    "cambricon-mlu370-x8-48gb": ["MLU370-X8", "Cambricon MLU370-X8"],
    "moore-threads-mtt-s4000": ["MTT S4000"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("spelling", "accelerator_id"), [(text, entry_id) for entry_id, texts in SPELLINGS.items() for text in texts]
)
def test_spellings_resolve(catalog, spelling, accelerator_id):
    assert resolve_accelerator(catalog, spelling) == accelerator_id


@pytest.mark.parametrize(
    "spelling",
    ["", "GPU", "NVIDIA", "80GB", "NotAGpu 80GB", "A100-SXM-64GB", "RTX", "H1000", "GTX 980 Ti", "M2 Ultra 61-core",
     "CPU EPYC 7R99", "100", "x8", "M10", "Tesla M40", "A2000 16GB", "RTX 5090 D V2", "RTX 2060 12GB", "RTX 3050 6GB",
     "GTX 1080", "RTX 4090 Laptop 24GB", "MI5", "Titan", "Titan X", "Xeon 8481", "EPYC 7763X", "Arc A770 8GB",
     "RX 7900", "RX 9060 XT 8GB", "W7800 48GB", "TPU", "Raspberry Pi", "Raspberry Pi 4", "Core i9", "Graviton2",
     "Xavier", "Max 1100 GB", "4th Gen Xeon", "@ 2.70GHz"],
)  # fmt: skip
def test_what_is_unknown_stays_unknown(catalog, spelling):
    assert resolve_accelerator(catalog, spelling) is None


def test_a_separate_memory_size_chooses_the_variant(catalog):
    assert resolve_accelerator(catalog, "A100", memory_gb=40) == "nvidia-a100-sxm-40gb"
    assert resolve_accelerator(catalog, "A100", memory_gb=80) == "nvidia-a100-sxm-80gb"
    assert resolve_accelerator(catalog, "A100-SXM4-40GB", memory_gb=80) == "nvidia-a100-sxm-40gb"
    assert resolve_accelerator(catalog, "GH200", memory_gb=144) == "nvidia-gh200-144gb"
    assert resolve_accelerator(catalog, "V100", memory_gb=24) is None


def test_memory_of_a_system_on_a_chip_is_a_matter_of_configuration(catalog):
    assert resolve_accelerator(catalog, "Apple-M1-Max-32GB") == "apple-m1-max"
    assert resolve_accelerator(catalog, "EPYC 9654", memory_gb=1536) == "amd-epyc-9654"


def test_a_choice_taken_for_the_planner_is_said(catalog):
    assert "80 GB" in resolved_accelerator(catalog, "8x A100").note
    assert resolved_accelerator(catalog, "A100-SXM4-80GB").note == ""
    assert resolved_accelerator(catalog, "A100", memory_gb=40).note == ""
    assert "8468" in resolved_accelerator(catalog, "CPU Xeon 4th Gen SPR 48 cores").note


def test_every_entry_is_found_by_its_own_identifier_and_name(catalog):
    for accelerator in catalog.accelerators.values():
        assert resolve_accelerator(catalog, accelerator.id) == accelerator.id
        assert resolve_accelerator(catalog, accelerator.id.upper().replace("-", " ")) == accelerator.id
        found = resolve_accelerator(catalog, accelerator.name)
        assert found == accelerator.id, (accelerator.name, found)


def test_published_names_resolve_without_being_listed(catalog):
    """Aliases list what the tables write; the rules alone must find nearly all, for the next table writes otherwise."""
    unlisted = {
        alias: target for alias, target in catalog.accelerator_aliases.items() if isinstance(target, AmbiguousName)
    }
    bare = msgspec.structs.replace(catalog, accelerator_aliases=unlisted)
    listed = {alias: target for alias, target in catalog.accelerator_aliases.items() if isinstance(target, str)}
    found = [alias for alias, target in listed.items() if resolve_accelerator(bare, alias) == target]
    wrong = [alias for alias, target in listed.items() if resolve_accelerator(bare, alias) not in (target, None)]
    assert wrong == []
    assert len(found) >= 0.85 * len(listed)


def test_a_training_node_has_a_switched_fabric_and_a_port_for_each_device(catalog):
    """DGX H100: 450 GB/s per direction and device inside, one 400 Gb/s port per device outside, 10.2 kW."""
    node = catalog.nodes["dgx-h100"]
    assert (node.accelerator_count, node.scale_up.domain_size, node.max_power_w) == (8, 8, 10_200)
    assert node.scale_up.bytes_per_s_per_direction == 450e9
    assert node.scale_out_bytes_per_s == 8 * 50e9


def test_caches_are_stated_for_most_devices(catalog):
    """Beyond bandwidth a larger last-level cache helps; what it does is within the model's error."""
    sizes = {name: catalog.accelerators[name].l2_bytes for name in ("nvidia-h100-sxm-80gb", "nvidia-l40s")}
    assert sizes == {"nvidia-h100-sxm-80gb": 50 * 2**20, "nvidia-l40s": 96 * 2**20}
    assert sum(one.l2_bytes is not None for one in catalog.accelerators.values()) > 0.7 * len(catalog.accelerators)


def test_age_of_an_entry(catalog):
    today = datetime.date(2026, 11, 1)
    assert age_days(newest_date(catalog.offers["akash-h100-sxm5-global"]), today) == 42
    assert age_days(newest_date(catalog.links["nvlink-4"]), today) is None


def test_a_user_catalogue_adds_and_overrides(tmp_path, catalog):
    own = {
        "id": "acme-one",
        "name": "Acme One",
        "vendor": "Acme",
        "kind": "gpu",
        "ecosystem": "vendor",
        "architecture": "Acme",
        "memory_nominal_bytes": 1e11,
        "memory_bandwidth_bytes_per_s": 1e12,
        "peak_dense_flop_per_s": {"bf16": 1e14},
    }
    cheaper = {"id": "nvidia-h100-sxm-80gb", "price": {"usd": 19999, "as_of": "2026-11-01", "confidence": "user"}}
    write(tmp_path, "accelerators.json", [own, cheaper])
    write(tmp_path, "aliases_accelerators.json", {"accelerators": {"our box": "acme-one"}})
    loaded = load_catalog(tmp_path)
    assert resolve_accelerator(loaded, "Acme One 100GB") == "acme-one"
    assert resolve_accelerator(loaded, "our box") == "acme-one"
    changed, shipped = (held.accelerators["nvidia-h100-sxm-80gb"] for held in (loaded, catalog))
    assert changed.price.usd == 19999
    assert msgspec.structs.replace(changed, price=shipped.price) == shipped
    assert len(loaded.accelerators) == len(catalog.accelerators) + 1
    assert loaded.offers == catalog.offers


def test_a_missing_user_folder_is_no_problem(tmp_path, catalog):
    assert load_catalog(tmp_path / "nowhere").nodes == catalog.nodes


@pytest.mark.parametrize(
    ("name", "content", "place", "what"),
    [
        ("accelerators.json", [{"id": "nvidia-t4", "tdp_w": "70"}], r"\$\[0\]\.tdp_w \(entry 'nvidia-t4'\)", "float"),
        ("accelerators.json", [{"id": "nvidia-t4", "tdp_w": -70}], r"\$\[0\]\.tdp_w \(entry 'nvidia", "more than"),
        ("accelerators.json", [{"id": "nvidia-t4", "tpd_w": 70}], r"\$\[0\] \(entry 'nvidia-t4'\)", "tpd_w"),
        ("accelerators.json", [{"id": "new", "name": "New"}], r"\$\[0\] \(entry 'new'\)", "missing required field"),
        ("offers.json", [{"id": "a", "provider": "P", "market": "own", "instance": "i", "accelerator_id": "gone",
                          "accelerator_count": 1}], "accelerator_id", "'gone', which is in no catalogue"),
        ("links.json", [{"id": "nvlink-4"}, {"id": "nvlink-4"}], r"\$\[1\]\.id", "twice"),
        ("nodes.json", '[{"id": ', "line 1", "not valid JSON"),
        ("nodes.json", '{"id": "x"}', "^$", "a list of entries"),
        ("aliases_accelerators.json", {"accelerators": {"x": 3}}, "accelerators", "expected"),
        ("aliases_accelerators.json", {"accelerators": {"x": "gone"}}, "accelerators", "'gone', which is"),
        ("aliases_models.json", {"models": {"x": {"ids": ["gone"]}}}, "models", "'gone', which is in no catalogue"),
        ("gpus.json", [], "", "no catalogue file has this name"),
    ],
)  # fmt: skip
def test_a_damaged_user_file_is_refused_with_file_and_place(tmp_path, name, content, place, what):
    write(tmp_path, name, content)
    with pytest.raises(FileProblem) as caught:
        load_catalog(tmp_path)
    problem = caught.value
    assert problem.path.name == name
    assert re.search(place, problem.where)
    assert what in problem.what
    assert problem.remedy
    assert str(problem).startswith(name)


def test_an_oversized_user_file_is_refused(tmp_path):
    path = write(tmp_path, "offers.json", "[]") / "offers.json"
    with path.open("r+b") as file:
        file.truncate(50_000_001)
    with pytest.raises(FileProblem, match="50 MB"):
        load_catalog(tmp_path)


def test_shipped_files_read_well():
    from gpuplanner_gui.paths import catalogs_dir

    for name in ("accelerators", "nodes", "links", "offers"):
        text = (catalogs_dir() / f"{name}.json").read_text(encoding="utf-8")
        entries = json.loads(text)
        assert text.count("\n {\n") == len(entries), "one block for each entry"
        assert "null" not in re.sub(r'"[^"]*"', "", text)
        assert all(next(iter(entry)) == "id" for entry in entries)


def test_a_catalogue_is_compared_by_identity():
    assert Catalog() != Catalog()
