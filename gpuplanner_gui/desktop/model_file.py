"""A model's configuration from disk, checked against the checkpoint index that lies beside it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.units import format_value

if TYPE_CHECKING:
    from gpuplanner_gui.files.model_import.importer import ImportedModel

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
