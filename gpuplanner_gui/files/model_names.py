"""From a model's name as people write it to a catalogue entry: `meta-llama/Meta-Llama-3.1-8B-FP8`, `llama2-70b`.

A name is reduced to its words without organisation, precision and what does not change the architecture (Instruct,
Chat, a date). Keys are made the same way from identifiers, names and aliases, so spellings that nobody listed resolve
too. A size that the name states is never overruled: a name whose size no entry has resolves to nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from gpuplanner_gui.domain.catalog import AmbiguousName, Catalog
from gpuplanner_gui.domain.model import Precision

LONGEST_NAME = 300

_GGUF = re.compile(r"(?<![a-z0-9])i?q([2-8])(?:_(?:[0-9k]|xx?s|xl|nl|s|m|l))*(?![a-z0-9])")
_PRECISION_WORDS: dict[Precision, str] = {
    "nvfp4": "nvfp4(?:a16)?|w4a4|fp4",
    "mxfp4": "mxfp4",
    "fp8": "(?:mx)?fp8|float8|f8|w8a8[-_]fp8",
    "int4": "w4a16|w4a8|w4afp8|4[-_]?bits?|bnb|nf4|gptq|awq|u?int4",
    "int8": "w8a8|w8a16|8[-_]?bits?|int8|smoothquant",
    "bf16": "bf16|bfloat16",
    "fp16": "fp16|float16|f16|half",
    "fp32": "fp32|float32|f32",
}
"""The narrowest format first: `NVFP4-FP8` names weights in NVFP4 beside FP8."""
_PRECISIONS = {
    precision: re.compile(rf"(?<![a-z0-9])(?:{words})(?![a-z0-9])") for precision, words in _PRECISION_WORDS.items()
}
_MARK_OF_8_BITS = re.compile(r"(?<![a-z0-9])(?:gptq|awq)[-_]?(?:int8|8bit)(?![a-z0-9])")
_WORD = re.compile(r"[a-z0-9.]+")
_SIZE = re.compile(r"^(?:\d+x)?\d+(?:\.\d+)?[bmt]$")
_ACTIVE = re.compile(r"^a\d+(?:\.\d+)?b$")
_EXPERTS = re.compile(r"^\d+e$")
_DATE = re.compile(r"^(?:2[3-9](?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|20[2-3]\d{5})$")
_CONTEXT = re.compile(r"^\d+[km]$")
_VERSION = re.compile(r"^v\d+(?:\.\d+)*$")
_VERSION_WITH_UNDERSCORE = re.compile(r"(?<=-)(\d)_(\d)(?=-|$)")
"""`Llama-3_3-Nemotron`; only between hyphens, where an underscore is no separator."""
_WEIGHTS_AND_ACTIVATIONS = re.compile(r"(?<=-)w-((?:mx|nv)?fp[48]|int[48])-a-(?:(?:mx|nv)?fp[48]|int8|bf16)(?=-|$)")
"""`gpt-oss-120b-w-mxfp4-a-fp8`: what the weights are stored in counts."""
_PERCENTILE = re.compile(r"^99(?:\.9)?$")
_HARMLESS = frozenset({
    "instruct", "instruction", "instructions", "inst", "chat", "hf", "it", "pt", "meta", "text", "generation",
    "inference", "preview", "sft", "dpo", "rlhf", "tuned", "finetuned", "finetune", "ft", "thinking", "think",
    "reasoning", "quantized", "quantised", "quant", "dynamic", "static", "model", "models", "weights", "checkpoint",
    "original",
    "official", "mlperf", "offline", "server", "gguf", "ggml", "onnx", "trtllm", "tensorrt", "vllm", "sglang", "neuron",
    "mlx", "block", "g128", "gs128", "marlin", "compressed", "tensors", "modelopt", "kv", "uncased", "dev", "language",
    "stack", "nvidia", "mistralai", "redhatai", "neuralmagic", "unsloth", "thebloke", "casperhansen", "hybrid", "exl2",
    "embedding", "no", "head", "the", "channel", "tensor", "per", "token", "pertensor", "perchannel", "ptpc", "ud",
    "autoround", "dwq", "asq", "mixed", "mtp", "amd", "qat", "unquantized", "diffusers",
})  # fmt: skip
"""Words that change neither size nor architecture."""


class ModelKey(msgspec.Struct, frozen=True):
    """What a model's name says, without the way it is written."""

    words: tuple[str, ...]
    precision: Precision | None = None

    @property
    def joined(self) -> str:
        return "".join(self.words)

    @property
    def sizes(self) -> tuple[str, ...]:
        """Parameter counts that the name states as words."""
        return tuple(word for word in self.words if _SIZE.match(word) or _ACTIVE.match(word) or _EXPERTS.match(word))


class ResolvedModel(msgspec.Struct, frozen=True):
    """The entry that a name means, the precision it hints at, and what was taken for granted."""

    id: str
    precision: Precision | None = None
    note: str = ""


@lru_cache(maxsize=4096)
def model_key(name: str) -> ModelKey:
    """Reduce a written name: no organisation, no precision, lower case."""
    text = name.strip()[:LONGEST_NAME].lower().replace("×", "x").replace("\\", "/").rstrip("/")
    text = _without_organisation(text).removesuffix(".gguf").removesuffix(".json").replace(":", "-")
    text = re.sub(r"(\d)\s*(?:billion|bn)\b", r"\1b", text)
    text = re.sub(r"(?<=llama)[-_ ]?v(?=\d)", "", text)
    text = _WEIGHTS_AND_ACTIVATIONS.sub(r"\1", text)
    text = _VERSION_WITH_UNDERSCORE.sub(r"\1.\2", text)
    precision = precision_hint(text)
    text = _MARK_OF_8_BITS.sub(" ", _GGUF.sub(" ", text))
    for pattern in _PRECISIONS.values():
        text = pattern.sub(" ", text)
    words = (word.strip(".") for word in _WORD.findall(text))
    return ModelKey(tuple(word for word in words if word), precision)


def _without_organisation(text: str) -> str:
    """What stands after the last slash, unless that is a number only, as in `ViT-L/16`."""
    tail = text.partition(" / ")[0].rpartition("/")[2].rpartition("--")[2]
    return tail if any(character.isalpha() for character in tail) else text


def precision_hint(name: str) -> Precision | None:
    """The precision that a name says its weights have, such as FP8, AWQ or Q4_K_M; None where it says none."""
    text = name.lower()
    if _MARK_OF_8_BITS.search(text):
        return "int8"
    quantized = _GGUF.search(text)
    if quantized is not None:
        return "int4" if int(quantized[1]) <= 4 else "int8"
    return next((precision for precision, pattern in _PRECISIONS.items() if pattern.search(text)), None)


def resolve_model(catalog: Catalog, name: str) -> tuple[str | None, Precision | None]:
    """Identifier of the entry that a written name means (None: none known) and the precision it hints at."""
    resolved = resolved_model(catalog, name)
    if resolved is None:
        return None, precision_hint(name)
    return resolved.id, resolved.precision


def resolved_model(catalog: Catalog, name: str) -> ResolvedModel | None:
    """The model that a written name means, with a note where the name leaves a choice; None: none known."""
    written = model_key(name)
    if name in catalog.models:
        return ResolvedModel(name, written.precision)
    index = _index_of(catalog)
    exact = catalog.model_aliases.get(name)
    if exact is not None:
        ids = (exact,) if isinstance(exact, str) else exact.ids
        note = exact.note if isinstance(exact, AmbiguousName) else ""
        return ResolvedModel(ids[0], written.precision, note)
    named = index.by_name.get(name.strip().casefold())
    if named is not None:
        return ResolvedModel(named, written.precision)
    for key in _readings(written):
        found = index.entry(key)
        if found:
            return ResolvedModel(found, written.precision, index.notes.get(key.joined, ""))
    return None


def _readings(written: ModelKey) -> list[ModelKey]:
    """The name as written, then without more and more of what does not change the architecture."""
    readings = [written] if written.words else []
    for dropped in DROPPED:
        kept = tuple(word for word in written.words if _kind_of(word) not in dropped)
        if kept and (not readings or kept != readings[-1].words):
            readings.append(ModelKey(kept, written.precision))
    return readings


def _is_harmless(word: str) -> bool:
    return word in _HARMLESS or bool(_DATE.match(word) or _PERCENTILE.match(word))


def _kind_of(word: str) -> str:
    """Which kind of words that may say nothing of the architecture this is one of; empty for one that always does."""
    if _is_harmless(word):
        return "harmless"
    if _CONTEXT.match(word) and not (word.endswith("m") and len(word) > 2):  # `125m` is a size, `1m` a context.
        return "context"
    return "version" if _VERSION.match(word) else "base" if word == "base" else ""


DROPPED = (
    ("harmless",),
    ("harmless", "context"),
    ("harmless", "context", "base"),  # `DeepSeek-V3.1-Base` keeps its version.
    ("harmless", "context", "version"),
    ("harmless", "context", "version", "base"),  # `base` is a size of some families, so it goes last.
)
"""Kinds of words that each further reading of a name leaves out, the least first."""


class _ModelIndex:
    """Keys of a catalogue's models, each with the entries that answer to it, the likeliest first."""

    def __init__(self, catalog: Catalog) -> None:
        self.notes: dict[str, str] = {}
        self.by_name = {entry.name.casefold(): entry.id for entry in catalog.models.values()}
        """Names as the catalogue shows them, with what stands in brackets."""
        self._by_key: dict[str, list[tuple[ModelKey, str]]] = {}
        self._by_words: dict[tuple[str, ...], list[tuple[ModelKey, str]]] = {}
        self._by_unsized_key: dict[str, set[str]] = {}
        self._all_words: list[tuple[tuple[str, ...], str]] = []
        for alias, target in catalog.model_aliases.items():
            ids = (target,) if isinstance(target, str) else target.ids
            if ids[0] in catalog.models:
                self._add(model_key(alias), ids[0])
            if isinstance(target, AmbiguousName):
                self.notes[model_key(alias).joined] = target.note
        for entry in catalog.models.values():
            stored = model_key(entry.id).precision
            for text in (entry.id, re.sub(r"\(.*?\)", " ", entry.name)):
                key = ModelKey(model_key(text).words, stored)
                self._add(key, entry.id)
                self._add_unsized(key, entry.id)

    def entry(self, written: ModelKey) -> str | None:
        """The entry of one reading of a name; None where none fits or several could be meant."""
        candidates = self._by_key.get(written.joined, []) + self._by_words.get(tuple(sorted(written.words)), [])
        fitting = [(key, entry_id) for key, entry_id in candidates if _sizes_agree(written, key)]
        if fitting:
            same = [entry_id for key, entry_id in fitting if key.precision == written.precision]
            plain = [entry_id for key, entry_id in fitting if key.precision is None]
            return (same or plain or [fitting[0][1]])[0]
        if any(_SIZE.match(word) for word in written.words):
            return self._without_active_size(written)
        unsized = self._by_unsized_key.get(written.joined, set())
        if len(unsized) != 1 or self._starts_others(written, next(iter(unsized))):
            return None
        return next(iter(unsized))

    def _starts_others(self, written: ModelKey, entry_id: str) -> bool:
        """True where a name without a size also begins the names of other entries, as `t5` does."""
        count = len(written.words)
        return any(other != entry_id and words[:count] == written.words for words, other in self._all_words)

    def _without_active_size(self, written: ModelKey) -> str | None:
        """`Qwen3-235B` for `Qwen3 235B-A22B`, where only one entry has that total."""
        matches = self._by_unsized_key.get(f"{written.joined}+", set())
        if len(matches) != 1:
            return None
        found = next(iter(matches))
        # Joined, a 22B of one generation reads like the 2B of the second.
        is_of_that_size = any(set(written.sizes) <= set(words) for words, other in self._all_words if other == found)
        return found if is_of_that_size else None

    def _add(self, key: ModelKey, entry_id: str) -> None:
        shorter = ModelKey(tuple(word for word in key.words if not _is_harmless(word)), key.precision)
        for reading in dict.fromkeys((key, shorter)):
            self._by_key.setdefault(reading.joined, []).append((reading, entry_id))
            self._by_words.setdefault(tuple(sorted(reading.words)), []).append((reading, entry_id))

    def _add_unsized(self, key: ModelKey, entry_id: str) -> None:
        self._all_words.append((key.words, entry_id))
        if key.precision is not None:
            return
        words = [word for word in key.words if not _is_harmless(word)]
        total_only = "".join(word for word in words if not (_ACTIVE.match(word) or _EXPERTS.match(word)))
        unsized = "".join(word for word in words if word not in key.sizes)
        self._by_unsized_key.setdefault(f"{total_only}+", set()).add(entry_id)
        if unsized != "".join(words):
            self._by_unsized_key.setdefault(unsized, set()).add(entry_id)


def _sizes_agree(written: ModelKey, key: ModelKey) -> bool:
    """Both state the same sizes, or at least one states none as a word of its own."""
    return not written.sizes or not key.sizes or sorted(written.sizes) == sorted(key.sizes)


@lru_cache(maxsize=4)
def _index_of(catalog: Catalog) -> _ModelIndex:
    return _ModelIndex(catalog)
