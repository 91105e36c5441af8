"""What the kinds of a model's parts are called."""

from __future__ import annotations

from gpuplanner_gui.drawing.language import tr

_WORDS = {
    "Attention": "Attention",
    "LatentAttention": "Latent attention (MLA)",
    "CompressedAttention": "Compressed attention",
    "LinearAttention": "Linear attention",
    "StateSpace": "State space (Mamba)",
    "DenseFfn": "Dense",
    "MoeFfn": "Mixture of experts",
    "VisionTower": "Present",
    "CrossAttention": "Present",
    "ScaleUp": "Present",
    "Pcie": "Present",
    "PurchasePrice": "Known",
    "RentalPrice": "Known",
    "Fp16AccumulateRates": "Stated",
}


def variant_words(kind: type) -> str:
    return tr(_WORDS.get(kind.__name__, kind.__name__))
