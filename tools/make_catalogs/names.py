"""Which software ecosystem, and which link of the catalogue, the collected facts mean by their names."""

from __future__ import annotations

ECOSYSTEM_OF_VENDOR = {
    "NVIDIA": "cuda", "AMD": "rocm", "Intel": "oneapi", "Apple": "metal", "Google": "xla", "AWS": "neuron",
    "Huawei": "cann",
}  # fmt: skip
ECOSYSTEM_OF_ACCELERATOR = {"intel-gaudi2": "gaudi", "intel-gaudi3-oam": "gaudi", "intel-gaudi3-pcie": "gaudi",
                            "nvidia-groq3-lpu": "vendor", "apple-m4-neural-engine": "npu"}  # fmt: skip

LINK_OF_FABRIC = {
    "NVLink 2": "nvlink-2", "NVLink 3": "nvlink-3", "NVLink 3 (cut)": "nvlink-3-a800", "NVLink 4": "nvlink-4",
    "NVLink 4 (cut)": "nvlink-4-h800", "NVLink 4 bridge": "nvlink-4-bridge", "NVLink 5": "nvlink-5",
    "NVLink 6": "nvlink-6", "NVLink 3 bridge (cut)": "nvlink-3-bridge",
    "NVLink 4 bridge (H800)": "nvlink-4-bridge", "ConnectX-7 200GbE pair": "roce-200",
    "Infinity Fabric 3": "xgmi-mi200", "Infinity Fabric 4": "xgmi-mi300",
    "Infinity Fabric 4 (1075 GB/s)": "xgmi-mi350", "RoCE v2 100GbE x21": "gaudi2-roce",
    "RoCE v2 200GbE x21": "gaudi3-roce", "RoCE v2 200GbE bridge": "gaudi3-roce", "Xe Link": "xe-link-max",
    "NeuronLink-v2": "neuronlink-v2", "NeuronLink-v2 ring": "neuronlink-v2", "NeuronLink-v3": "neuronlink-v3",
    "NeuronLink-v4": "neuronlink-v4", "HCCS": "hccs-910b", "HCCS / UB": "hccs-910b",
    "xGMI (4 links)": "xgmi-socket-genoa", "UPI 2.0 (4 links)": "upi-2", "UPI 2.0 (6 links)": "upi-2",
}  # fmt: skip
LINK_OF_ACCELERATOR = {
    "nvidia-a30": "nvlink-3-bridge", "nvidia-a100-pcie-40gb": "nvlink-3-bridge",
    "nvidia-a100-pcie-80gb": "nvlink-3-bridge", "nvidia-a40": "nvlink-3-bridge-ga102",
    "nvidia-rtx-3090": "nvlink-3-bridge-ga102", "nvidia-rtx-a5000": "nvlink-3-bridge-ga102",
    "nvidia-rtx-a6000": "nvlink-3-bridge-ga102", "google-tpu-v4": "ici-v4", "google-tpu-v5e": "ici-v5e",
    "google-tpu-v5p": "ici-v5p", "google-tpu-v6e": "ici-v6e", "google-tpu-v7x": "ici-v7x",
    "amd-mi350x": "xgmi-mi350", "amd-mi355x": "xgmi-mi350",
}  # fmt: skip
LINK_OF_NIC = {
    "InfiniBand HDR / 200GbE": "ib-hdr-200", "InfiniBand HDR": "ib-hdr-200", "InfiniBand NDR / 400GbE": "ib-ndr-400",
    "InfiniBand XDR / 800GbE (ConnectX-8)": "ib-xdr-800",
    "InfiniBand XDR / 800GbE (ConnectX-8 on board)": "ib-xdr-800",
    "InfiniBand NDR / 400GbE (ConnectX-7)": "ib-ndr-400", "InfiniBand/Ethernet 800G (ConnectX-9)": "ib-xdr-800",
    "RoCE/InfiniBand 400G": "roce-400", "RoCE 400G": "roce-400", "RoCE 400G (Pollara)": "roce-400",
    "400GbE (24 x 100GbE)": "roce-400", "800GbE OSFP (24 x 200GbE)": "roce-800", "200GbE": "roce-200",
    "400GbE / NDR": "ib-ndr-400", "100GbE": "roce-100", "400GbE (ConnectX-7/8)": "roce-400", "10GbE": "eth-10",
    "ConnectX-7 200GbE ports (200 Gbit/s total in practice)": "roce-200", "ConnectX-7 200GbE": "roce-200",
    "Thunderbolt 5": "thunderbolt-5", "USB4": "usb4-40", "25GbE via QSFP28": "eth-25", "DCN 100GbE": "eth-100",
    "DCN, 100 Gbit/s per chip": "eth-100", "EFA v3, 3.2 Tbit/s total": "efa-v3", "EFA v3, 12.8 Tbit/s total": "efa-v3",
    "EFA (rate not stated; assumed)": "efa-v3", "ENA 100 Gbit/s": "eth-100",
}  # fmt: skip
