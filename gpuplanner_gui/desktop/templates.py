"""What a new project starts with."""

from __future__ import annotations

from pathlib import Path

from gpuplanner_gui import paths
from gpuplanner_gui.desktop.editors.starting_values import starting_value
from gpuplanner_gui.domain.model import LayerGroup, Model
from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.domain.workload import ServingWorkload
from gpuplanner_gui.drawing.language import tr

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
