"""The project's file: what a new one starts from; open, save, save as, what is asked before work is lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCryptographicHash, QObject, QSettings, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from gpuplanner_gui import paths
from gpuplanner_gui.desktop.editors.kinds import starting_value
from gpuplanner_gui.desktop.settings import Key, RecentFiles, text_setting
from gpuplanner_gui.desktop.store import Store
from gpuplanner_gui.desktop.tasks.runner import Step, TaskRunner, Watch
from gpuplanner_gui.desktop.widgets.questions import (
    SaveAnswer,
    ask_about_disk_change,
    ask_about_unsaved,
    may_lose_typing,
)
from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.domain.model import LayerGroup, Model
from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.domain.workload import ServingWorkload
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.files import problem_text
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.whole_file import write_whole_file as write_whole

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
    "7b-continued-pretraining": "7B, continued pretraining",
    "agent": "Agents",
    "code-completion": "Code completion",
    "embedding-index": "Embedding index",
    "estate-12-quarters": "Three services, two training runs",
    "image-generation": "Image generation",
    "one-developer": "One developer",
    "rag": "Answers from retrieved passages",
    "summarising-overnight": "Documents summarised overnight",
    "transcription": "Calls transcribed",
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
        text = tr("{count} settings in {name} were not understood. The model's summary lists them.")
        sentences.append(text.format(count=len(imported.model.not_understood), name=name))
    for finding in imported.findings:
        if finding.code == "checkpoint_size_differs":
            sizes = {name: format_value(value, "bytes on disk", 4) for name, value in finding.values.items()}
            text = tr(
                "The checkpoint's index states {stated_bytes}, but the model's weights add up to {counted_bytes}."
            )
            sentences.append(text.format(**sizes))
    return " ".join(sentences)


__all__ = ["DiskState", "disk_state", "was_changed_by_others", "write_whole"]

LARGEST_COMPARED_BYTES = 50_000_000


@dataclass(frozen=True)
class DiskState:
    """State of a file on disk when it was last read or written."""

    size: int
    modified_ns: int
    digest: str


def disk_state(path: Path) -> DiskState | None:
    """None where there is no file, or none that may be read."""
    try:
        status = path.stat()
        # A pipe would never end, and a file that is too large for a project is refused anyway.
        if not path.is_file() or status.st_size > LARGEST_COMPARED_BYTES:
            return None
        content = path.read_bytes()
    except OSError:
        return None
    digest = QCryptographicHash.hash(content, QCryptographicHash.Algorithm.Sha256)
    return DiskState(status.st_size, status.st_mtime_ns, bytes(digest.toHex().data()).decode())


def was_changed_by_others(path: Path, known: DiskState) -> bool:
    """True if the content is another than we know; a mere touch does not count, nor does a file that is gone."""
    try:
        status = path.stat()
    except OSError:
        return False
    if (status.st_size, status.st_mtime_ns) == (known.size, known.modified_ns):
        return False
    now = disk_state(path)
    return now is not None and now.digest != known.digest


READ_AT_ONCE_BYTES = 100_000
"""A larger file is read on a thread of its own. What so many bytes can say takes less than 50 ms."""


def _is_large(path: Path) -> bool:
    try:
        return path.is_file() and path.stat().st_size > READ_AT_ONCE_BYTES
    except OSError:
        return False  # Reading it tells why.


@dataclass(frozen=True)
class _Read:
    """What stands in a file, and where it goes."""

    project: Project
    path: Path | None
    """None for a file that stays as it is: what starts from it has no name."""
    state: DiskState | None


def _read(path: Path, is_template: bool, _: Watch | None = None) -> _Read:
    """Raises FileProblem."""
    from gpuplanner_gui.files.project import load_project

    state = disk_state(path)
    project = load_project(path)
    return _Read(project, None, None) if is_template else _Read(project, path.absolute(), state)


class ProjectFile(QObject):
    """Ties the store to a file on disk."""

    changed = Signal()
    """Another file, or none, or saved."""
    opened = Signal()
    problem = Signal(object)
    """A `FileProblem`: what could not be read."""
    reading_changed = Signal()
    """A large file is being read now, or not any more."""
    changed_on_disk = Signal(str)
    """The name of the project's file, which another program wrote to since; once for each such change."""
    saved = Signal()
    not_saved = Signal(object)
    """A `FileProblem`: what could not be written."""

    def __init__(
        self, store: Store, settings: QSettings, window: QWidget, stamped: Callable[[Project], Project]
    ) -> None:
        super().__init__(window)
        self._store = store
        self._settings = settings
        self._window = window
        self._stamped = stamped
        self.recent = RecentFiles(settings, self)
        self.unread: Callable[[], str] = str
        """Sentences about what was typed and could not be taken; empty where all was."""
        self.path: Path | None = None
        self._on_disk: DiskState | None = None
        self._told: DiskState | None = None
        """State written by another program that was already reported."""
        self.being_read = ""
        """Name of the large file that is being read, or was read last."""
        self._left: Project | None = None
        """What was in the window when a large file was asked for, and may be left for it."""
        self._reader = TaskRunner("project file", self)
        self._reader.answered.connect(lambda _, read: self._on_read(read))
        self._reader.failed.connect(self._on_failed)
        self._reader.finished.connect(self.reading_changed)

    @property
    def name(self) -> str:
        return self.path.name if self.path else tr("Untitled")

    @property
    def is_modified(self) -> bool:
        return not self._store.undo_stack.isClean()

    def new(self, project: Project | None = None) -> bool:
        """Start an unnamed project; False if the planner would rather keep the present one."""
        if not self.may_leave():
            return False
        self._take(_Read(project or new_project(), None, None))
        return True

    def open_template(self, path: Path) -> bool:
        """Start an unnamed project from a file that stays as it is; what comes back is as for `open`."""
        return self.open(path, is_template=True)

    def open_by_dialog(self) -> bool:
        name, _ = QFileDialog.getOpenFileName(
            self._window, tr("Open project"), self._folder(), _filters(), options=QFileDialog.Option(0)
        )
        return bool(name) and self.open(Path(name))

    def open(self, path: Path, is_template: bool = False) -> bool:
        """Open a file; the present project stays when that fails or is not wanted.

        True when it is open, or when it is so large that it is being read, until `reading_changed`.
        """
        if not self.may_leave():
            return False
        self.cancel_reading()
        try:
            if _is_large(path):
                self._left, self.being_read = self._store.project, path.name
                self._reader.run(lambda: (Step(path.name, partial(_read, path, is_template)),))
                self.reading_changed.emit()
            else:
                self._take(_read(path, is_template))
        except FileProblem as problem:
            self.problem.emit(problem)
            return False
        return True

    @property
    def is_reading(self) -> bool:
        return self._reader.is_running

    def cancel_reading(self) -> None:
        """Stay with the present project, if a large file is being read."""
        if self.is_reading:
            self._reader.cancel()
            self.reading_changed.emit()

    def stop(self) -> None:
        """Give up reading, and end the thread."""
        self._reader.stop()

    def _on_read(self, read: _Read) -> None:
        self.finish_typing()
        if self._store.project is self._left or self.may_leave():
            self._take(read)

    def _on_failed(self, _: str, problem: Exception) -> None:
        if not isinstance(problem, FileProblem):
            raise problem
        self.problem.emit(problem)

    def take_recovered(self, project: Project, original: Path | None, kept_at_s: float) -> None:
        """Go on with unsaved work, as unsaved. Its file keeps its name unless somebody wrote to it since."""
        path = original if original is not None and _is_unchanged_since(original, kept_at_s) else None
        self._take(_Read(project, path, disk_state(path) if path else None))
        self._store.undo_stack.resetClean()
        self.changed.emit()

    def continue_from(self, other: ProjectFile) -> None:
        """Be the file of another window's project, which this window has now."""
        self.path, self._on_disk, self._told = other.path, other._on_disk, other._told
        self.changed.emit()

    def save(self) -> bool:
        """Write to the project's file; asks for a name where it has none. False if nothing was written."""
        self.finish_typing()
        if self.path is None:
            return self.save_as()
        if self._on_disk is not None and was_changed_by_others(self.path, self._on_disk):
            answer = ask_about_disk_change(self._window, self.path)
            if answer == SaveAnswer.SAVE_AS:
                return self.save_as()
            if answer != SaveAnswer.SAVE:
                return False
        return self._write(self.path)

    def save_as(self) -> bool:
        """Write to a file that the planner names. False if nothing was written."""
        self.finish_typing()
        suggestion = self.path or Path(self._folder()) / f"{_file_stem(self._store.project)}{SUFFIX}"
        name, _ = QFileDialog.getSaveFileName(self._window, tr("Save project"), str(suggestion), _filters())
        if not name:
            return False
        path = Path(name)
        return self._write(path if path.suffix else path.with_suffix(SUFFIX))

    def look_at_disk(self) -> None:
        """Say so if another program wrote to the project's file."""
        if self.path is None or self._on_disk is None or not was_changed_by_others(self.path, self._on_disk):
            return
        now = disk_state(self.path)
        if now != self._told:
            self._told = now
            self.changed_on_disk.emit(self.path.name)

    def read_again(self) -> None:
        """Take what stands in the project's file now in place of the work at hand."""
        if self.path is not None:
            self.open(self.path)

    def may_leave(self) -> bool:
        """Ask what happens to unsaved work and untaken text; True if they may be left behind now."""
        self.finish_typing()
        if not self.is_modified:
            return self.may_lose_typing()
        answer = ask_about_unsaved(self._window, self.name, self.unread())
        if answer == SaveAnswer.SAVE:
            return self.save()
        return answer == SaveAnswer.DISCARD

    def may_lose_typing(self) -> bool:
        """Ask about text that could not be taken and would be gone; True where there is none."""
        unread = self.unread()
        return not unread or may_lose_typing(self._window, unread)

    def finish_typing(self) -> None:
        """Take what stands in the field at hand, as leaving it would."""
        field = self._window.focusWidget()
        if field is not None:
            field.clearFocus()
            field.setFocus()

    def _write(self, path: Path) -> bool:
        from gpuplanner_gui.files.project import project_from_bytes, project_to_bytes

        try:
            project = self._stamped(self._store.project)
            _refuse_values_out_of_bounds(project, path)
            content = project_to_bytes(project)
            # What could not be opened again must not take the place of what can.
            project_from_bytes(content, path)
            write_whole(path, content)
        except FileProblem as problem:
            self.not_saved.emit(problem)
            return False
        # Only now: a name that could not be written to must not become the project's.
        self.path = path.absolute()
        self._on_disk = disk_state(path)
        self._store.note_saved(project)
        self._remember(self.path)
        self.changed.emit()
        self.saved.emit()
        return True

    def _take(self, read: _Read) -> None:
        self.path = read.path
        self._on_disk = read.state
        self._store.open_project(read.project)
        if read.path is not None:
            self._remember(read.path)
        self.changed.emit()
        self.opened.emit()
        self.cancel_reading()

    def _remember(self, path: Path) -> None:
        self.recent.add(path)
        self._settings.setValue(Key.LAST_FOLDER, str(path.parent))

    def _folder(self) -> str:
        return str(self.path.parent) if self.path else text_setting(self._settings, Key.LAST_FOLDER, str(Path.home()))


def _is_unchanged_since(path: Path, moment_s: float) -> bool:
    try:
        return path.stat().st_mtime <= moment_s
    except OSError:
        return False


def _refuse_values_out_of_bounds(project: Project, path: Path) -> None:
    """No editor lets such a value in; a file with one would be refused when it is opened."""
    for found in problems_of(project):
        raise FileProblem(
            path, found.path, problem_text(found, with_path=False).rstrip(".。"), "Correct it and save again"
        )


def _filters() -> str:
    return ";;".join((tr("GPU Planner projects (*.gpuplan)"), tr("All files (*)")))


def _file_stem(project: Project) -> str:
    name = project.name or (project.scenarios[0].name if project.scenarios else "")
    kept = "".join(letter if letter.isalnum() or letter in " -_" else " " for letter in name)
    return " ".join(kept.split()) or tr("project")
