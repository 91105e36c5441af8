"""What a new project starts from: a usual model, an example that ships, or a model's config.json."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gpuplanner_gui import paths
from gpuplanner_gui.desktop.editors.field_types import starting_value
from gpuplanner_gui.domain.model import LayerGroup, Model
from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.domain.workload import ServingWorkload
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.units import format_value

if TYPE_CHECKING:
    from gpuplanner_gui.files.model_import.importer import ImportedModel

SUFFIX = ".gpuplan"


def starting_model() -> Model:
    """A common decoder of eight billion parameters, to be replaced by the planner's own."""
    return Model(
        name=tr("8B decoder"),
        hidden_size=4096,
        vocab_size=128_256,
        layers=(starting_value(LayerGroup),),
        max_context=131_072,
    )


def new_scenario() -> Scenario:
    return Scenario(name=tr("Service"), model=starting_model(), serving=starting_value(ServingWorkload))


def new_project() -> Project:
    return Project(scenarios=(new_scenario(),))


TEMPLATE_NAMES = {
    "13b-two-deployments": "13B, fine-tuned and served",
    "70b-chat": "70B chat service",
    "7b-continued-pretraining": "7B, trained further",
    "agent": "Agents",
    "code-completion": "Code completion",
    "embedding-index": "Embedding index",
    "estate-12-quarters": "Three services, two training runs",
    "image-generation": "Image generation",
    "one-developer": "One developer",
    "rag": "Answers from retrieved passages",
    "summarising-overnight": "Documents summarised overnight",
    "transcription": "Calls written down",
    "voice": "Voice assistant",
}


def template_name(path: Path) -> str:
    return tr(TEMPLATE_NAMES.get(path.stem, path.stem))


def template_files() -> list[Path]:
    """Example projects that ship, to start from."""
    return sorted((paths.resources_dir() / "examples").glob(f"*{SUFFIX}"))


INDEX_PATTERN = "*.safetensors.index.json"


def read_model_file(path: Path) -> tuple[Model, Callable[[], str]]:
    """The model, and what says in sentences what the planner should know about the import. Raises FileProblem."""
    from gpuplanner_gui.files.model_import import read_model

    indices = sorted(path.parent.glob(INDEX_PATTERN))
    imported = read_model(path, indices[0] if len(indices) == 1 else None)
    return imported.model, partial(_remarks_text, imported, path.name)


def _remarks_text(imported: ImportedModel, name: str) -> str:
    """Empty where there is nothing to be said."""
    sentences = []
    if imported.model.not_understood:
        text = tr("{count} things in {name} were not understood; they stand in the model's summary.")
        sentences.append(text.format(count=len(imported.model.not_understood), name=name))
    for finding in imported.findings:
        if finding.code == "checkpoint_size_differs":
            sizes = {name: format_value(value, "bytes on disk", 4) for name, value in finding.values.items()}
            text = tr("The checkpoint's index states {stated_bytes}, but {counted_bytes} are counted.")
            sentences.append(text.format(**sizes))
    return " ".join(sentences)
