"""Audio encoders in front of language models: Whisper's encoder and a projector to the text's width."""

from __future__ import annotations

from gpuplanner_gui.domain.model import AudioTower
from gpuplanner_gui.files.model_import.config import Config, shown
from gpuplanner_gui.files.model_import.encoders import whisper_convolutions, whisper_encoder

POSITIONS_PER_S = 50.0


def audio_tower(top: Config, text_size: int) -> AudioTower | None:
    """The tower that `audio_config` describes; None where there is none, or none that is known."""
    config = top.part("audio_config")
    if config is None or not config.data:
        return None
    kind = config.text("model_type") or top.text("model_type")
    joined, has_bias, is_deep = {
        "qwen2_audio_encoder": (2, True, False), "voxtral_encoder": (4, False, True),
    }.get(kind, (0, False, False))  # fmt: skip
    if not joined:
        top.notes.give_up(f"audio_config: a tower of type {shown(kind)} is not counted")
        return None
    hidden = config.integer("d_model", "hidden_size", default=1280)
    encoder = whisper_encoder(config, hidden, layers=32, heads=20, ffn=5120)
    wide = config.integer("intermediate_size", default=5120) if is_deep else hidden
    projector = wide * text_size + (text_size if has_bias else 0) + (text_size * text_size if is_deep else 0)
    positions = config.integer("max_source_positions", default=1500) * hidden
    return AudioTower(
        hidden_size=hidden,
        layers=(encoder,),
        other_parameters=whisper_convolutions(config, hidden, mel=128) + positions + 2 * hidden + projector,
        tokens_per_s=POSITIONS_PER_S / joined,
    )
