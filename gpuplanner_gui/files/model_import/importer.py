"""The door: a configuration file or its bytes in, a model and what was found about it out.

An audio encoder in front of a language model is Whisper's with a projector to the text's width.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.domain.model import (
    DECODERS,
    Attention,
    AudioTower,
    DenseFfn,
    DraftHead,
    Ffn,
    LayerGroup,
    Model,
    MoeFfn,
)
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.model.weight_sizes import checkpoint_bytes
from gpuplanner_gui.files.errors import FileProblem, said
from gpuplanner_gui.files.model_import.classic import CONTEXT, FFN, FFN_IS_FOUR_TIMES, HEADS, HIDDEN, LAYERS
from gpuplanner_gui.files.model_import.config import Config, shown
from gpuplanner_gui.files.model_import.diffusion import build_pipeline, is_pipeline
from gpuplanner_gui.files.model_import.encoders import whisper_convolutions, whisper_encoder
from gpuplanner_gui.files.model_import.layers import (
    EXPERTS_KEYS,
    SHARED_COUNT_KEYS,
    TOP_K_KEYS,
    has_sizes,
    head_size,
    tied_embeddings,
)
from gpuplanner_gui.files.model_import.quantization import weight_format
from gpuplanner_gui.files.model_import.registry import BUILDERS, family_name, has_no_head
from gpuplanner_gui.files.model_import.vision import vision_tower
from gpuplanner_gui.files.safe_json import read_json
from gpuplanner_gui.files.text import plain_text

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


UNREAD_HINTS = (
    "layer_types", "kv_lora_rank", "q_lora_rank", "sliding_window", "ssm_state_size", "state_size", "mamba_d_state",
    "linear_attn_config", "hybrid_override_pattern", "block_configs", "compress_ratios", "audio_config",
    "index_n_heads", "first_k_dense_replace", "is_encoder_decoder", "use_qk_norm", "moe_layer_freq",
)  # fmt: skip
"""Keys that change an architecture in ways only its own family defines."""


def build_unknown(config: Config, outer: Config | None) -> Model:
    """A plain decoder from the usual keys where all of them stand, else an empty model to be filled in."""
    notes = config.notes
    notes.give_up(f"architecture: {shown(config.family)} is not known")
    unread = [key for key in UNREAD_HINTS if config.data.get(key) not in (None, False, 0, [], {})]
    if unread:
        notes.give_up(f"not read: {', '.join(unread)}")
    if not (config.has(*HIDDEN) and config.has(*LAYERS) and config.has(*HEADS)):
        notes.give_up("no layers: hidden size, layers and heads are not all given under the usual names")
        return Model(name="", kind="custom", family=config.family, has_head=False)
    hidden, heads = config.integer(*HIDDEN), config.integer(*HEADS)
    ffn = _ffn(config, hidden)
    notes.give_up("layers: taken as grouped-query attention and a gated feed-forward part with two norms")
    attention = Attention(
        heads=heads,
        kv_heads=min(config.integer("num_key_value_heads", default=heads, derived="as many as query heads"), heads),
        head_dim=head_size(config, hidden, heads, "head_dim"),
    )
    return Model(
        name="",
        kind="moe_decoder" if isinstance(ffn, MoeFfn) else "dense_decoder",
        family=config.family,
        hidden_size=hidden,
        vocab_size=config.integer("vocab_size", default=0, least=0, derived="not given"),
        layers=(LayerGroup(count=config.integer(*LAYERS), mixer=attention, ffn=ffn),),
        tied_embeddings=tied_embeddings(config, False, outer),
        other_parameters=hidden,
        max_context=config.integer(*CONTEXT, default=0, least=0, derived="not given"),
    )


def _ffn(config: Config, hidden: int) -> Ffn:
    experts = config.integer(*EXPERTS_KEYS, least=0) if config.has(*EXPERTS_KEYS) else 0
    if not experts:
        return DenseFfn(size=config.integer(*FFN, default=4 * hidden, derived=FFN_IS_FOUR_TIMES))
    size = config.integer("moe_intermediate_size", *FFN, default=4 * hidden, derived=FFN_IS_FOUR_TIMES)
    shared = config.integer(*SHARED_COUNT_KEYS, least=0) if config.has(*SHARED_COUNT_KEYS) else 0
    top_k = min(config.integer(*TOP_K_KEYS, default=1, derived="not given"), experts)
    return MoeFfn(experts=experts, top_k=top_k, expert_size=size, shared_size=size * shared)


TEXT_PARTS = ("text_config", "language_config", "llm_config")
QUANTIZATION_FILE = "hf_quant_config.json"
MOST_PARAMETERS = 10**16
SIZE_TOLERANCE = 0.02
"""A checkpoint's size and its count may differ by this share: buffers, norms in other precisions, scales."""
PREDICTION_LAYERS = ("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules")

Source = Path | str | bytes


@dataclass(frozen=True)
class ImportFinding:
    """Something the import noticed, as a code and values; the sentence is made where it is shown."""

    code: Literal["checkpoint_size_agrees", "checkpoint_size_differs", "checkpoint_size_unknown"]
    values: dict[str, float]


@dataclass(frozen=True)
class ImportedModel:
    """A model and what was found beside its configuration."""

    model: Model
    findings: tuple[ImportFinding, ...] = ()


def import_model(source: Source, index: Source | None = None) -> Model:
    """The model that a configuration file describes; see `read_model`."""
    return read_model(source, index).model


def read_model(source: Source, index: Source | None = None) -> ImportedModel:
    """A Hugging Face or diffusers configuration, or a pipeline's `model_index.json`, from a path or from its bytes.

    A `*.safetensors.index.json` given as `index` checks the checkpoint's size. Beside a path, `hf_quant_config.json` is
    read too. What the file leaves out comes from the family's defaults and is listed in `assumed`; what can't be read
    is listed in `not_understood`. Raises FileProblem for what is no configuration or holds impossible values.
    """
    path = Path("config.json") if isinstance(source, bytes) else Path(source)
    data = read_json(source, name=path, keep_infinity=True)
    if not isinstance(data, dict):
        raise FileProblem(path, "", "a JSON object is expected", "Choose a model's config.json")
    top = Config(data, path, "")
    config, outer = _own_part(top)
    model = build_pipeline(top, import_model) if is_pipeline(top) else _built(config, outer)
    model = _without_head(_with_towers(model, config, outer), config, outer or config)
    model = msgspec.structs.replace(
        model,
        drafts=_draft_head(config, outer),
        name=_name(top, path, config.family),
        source=f"imported from {plain_text(path.name)}",
        weight_format=weight_format(config, outer, _beside(path, source)),
        assumed=tuple(top.notes.assumed),
        not_understood=tuple(top.notes.not_understood),
    )
    _refuse_impossible(model, path)
    findings = (_size_finding(model, index),) if index is not None else ()
    return ImportedModel(model, findings)


def _refuse_impossible(model: Model, path: Path) -> None:
    total = model_parameters(model).total
    if total > MOST_PARAMETERS:
        raise FileProblem(
            path,
            "",
            "its sizes give {total} parameters, more than any model has",
            "Check its sizes",
            total=f"{total:.3g}",
        )
    for problem in problems_of(model):
        what = said(
            "{lower} is {value}, more than any model has",
            lower=problem.title.lower() or problem.path,
            value=problem.value,
        )
        raise FileProblem(path, problem.path, what, "Check the sizes in the configuration")


def _own_part(top: Config) -> tuple[Config, Config | None]:
    """The configuration of the layers themselves, named by its family, and the whole file where that is nested."""
    names = _architecture(top)
    family = family_name(*names)
    nested = next((part for part in map(top.part, TEXT_PARTS) if part is not None and part.data), None)
    if nested is None or family == "clip":
        return _named(top, family, names), None
    inner = _architecture(nested)
    inner_family = family_name(*inner) if inner[0] or inner[1] else ""
    if inner_family or inner[0]:
        return _named(nested, inner_family, inner), top
    return _named(nested, family, names), top


def _architecture(config: Config) -> tuple[str, list[str]]:
    return config.text("model_type", "_class_name"), [plain_text(n) for n in config.items("architectures", str)]


def _named(config: Config, family: str, names: tuple[str, list[str]]) -> Config:
    name = family or names[0] or next(iter(names[1]), "")
    return Config(config.data, config.path, name, config.notes, config.place)


def _built(config: Config, outer: Config | None) -> Model:
    build = BUILDERS.get(config.family)
    if build is None:
        if not config.family and not has_sizes(config):
            raise FileProblem(
                config.path,
                "model_type",
                "this file states no architecture and no sizes",
                "Choose a model's config.json",
            )
        return build_unknown(config, outer)
    if outer is None and not _says_something(config):
        raise FileProblem(
            config.path, "", "this file states an architecture but no sizes", "Choose the full config.json"
        )
    return build(config, outer)


def _says_something(config: Config) -> bool:
    """Whether a configuration states at least one number; defaults fill gaps, they don't make a model."""
    values = list(config.data.values())
    return any(v for v in values if isinstance(v, (int, list, dict)) and not isinstance(v, bool))


def _with_towers(model: Model, config: Config, outer: Config | None) -> Model:
    place = outer or config
    if model.kind in ("vision_transformer", "custom"):
        return model
    if model.vision is None and place.has("vision_config"):
        model = msgspec.structs.replace(model, vision=vision_tower(place, model.hidden_size))
    if model.audio is None and place.has("audio_config"):
        model = msgspec.structs.replace(model, audio=audio_tower(place, model.hidden_size))
    return model


def _without_head(model: Model, config: Config, place: Config) -> Model:
    """A decoder whose classes embed or rank has no head; some let every token see all others."""
    if model.kind not in DECODERS or not has_no_head(_architecture(place)[1]):
        return model
    sees_all = config.flag("use_bidirectional_attention", default=False, quiet=True)
    sees_all = sees_all or not config.flag("is_causal", default=True, quiet=True)
    layers = tuple(_seeing_all(group) for group in model.layers) if sees_all else model.layers
    return msgspec.structs.replace(model, has_head=False, layers=layers)


def _seeing_all(group: LayerGroup) -> LayerGroup:
    mixer = group.mixer
    if not isinstance(mixer, Attention):
        return group
    return msgspec.structs.replace(group, mixer=msgspec.structs.replace(mixer, causal=False, cached=False))


def _draft_head(config: Config, outer: Config | None) -> DraftHead | None:
    """Layers for predicting further tokens: drafts where the checkpoint brings them, and no part of the count."""
    for place in (config, outer):
        for key in PREDICTION_LAYERS if place is not None else ():
            count = place.data.get(key) if place is not None else None
            if isinstance(count, int) and not isinstance(count, bool) and count > 0:
                config.notes.assume(f"{key}: {count} layers for predicting further tokens are not counted")
                return DraftHead(source=f"config.json: {key} {count}")
    return None


def _name(top: Config, path: Path, family: str) -> str:
    if path.stem not in ("config", "data", "model_index"):
        return plain_text(path.stem)
    own = top.text("_name_or_path").replace("\\", "/").rstrip("/").rpartition("/")[2]
    return own or plain_text(path.resolve().parent.name if path.is_file() else "") or family or "imported model"


def _beside(path: Path, source: Source) -> Config | None:
    if isinstance(source, bytes):
        return None
    file = path.with_name(QUANTIZATION_FILE)
    if not file.is_file() or file == path:
        return None
    data = read_json(file)
    if not isinstance(data, dict):
        raise FileProblem(file, "", "a JSON object is expected", "Remove the file or export it again")
    return Config(data, file, "quantization")


def _size_finding(model: Model, index: Source) -> ImportFinding:
    """Whether the checkpoint's stated size is that of the counted weights."""
    path = Path("model.safetensors.index.json") if isinstance(index, bytes) else Path(index)
    data = read_json(index, name=path)
    if not isinstance(data, dict):
        raise FileProblem(path, "", "a JSON object is expected", "Choose the index of the checkpoint's shards")
    metadata = Config(data, path, "index").part("metadata")
    counted = checkpoint_bytes(model)
    if metadata is None or not metadata.has("total_size"):
        return ImportFinding("checkpoint_size_unknown", {"counted_bytes": counted})
    stated = metadata.number("total_size", least=0.0, most=1e17)
    values = {"counted_bytes": counted, "stated_bytes": stated}
    agrees = abs(stated - counted) <= SIZE_TOLERANCE * counted
    return ImportFinding("checkpoint_size_agrees" if agrees else "checkpoint_size_differs", values)
