"""The questions of the guided start, a page each, with what the answers lead to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
    QWizard,
    QWizardPage,
)

from gpuplanner_gui.desktop.editors.base import Surroundings
from gpuplanner_gui.desktop.editors.choices_edit import PickList
from gpuplanner_gui.desktop.editors.part_editor import ModelSummary
from gpuplanner_gui.desktop.editors.struct_form import StructForm
from gpuplanner_gui.desktop.store import replaced
from gpuplanner_gui.desktop.widgets.calm import CalmSpinBox
from gpuplanner_gui.desktop.widgets.flow_layout import STRETCH, Gap, lay_out, scroll_area
from gpuplanner_gui.desktop.widgets.labels import WrappingLabel, plain_label
from gpuplanner_gui.desktop.widgets.questions import ask_for_file
from gpuplanner_gui.desktop.widgets.theme import choice_box, push_button
from gpuplanner_gui.desktop.window.project_file import read_model_file, starting_model
from gpuplanner_gui.domain.economics import Procurement
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.preset import (
    SERVING_TASKS,
    TRAINING_OF_TASK,
    VARIATIONS,
    GuidedAnswers,
    GuidedStep,
    OwnedDevices,
    SitePlace,
    Variation,
    guided_training,
)
from gpuplanner_gui.domain.traffic import Arrivals, Traffic
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import RequestClass, ServingEngine
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.words.choices import english_of_choice
from gpuplanner_gui.drawing.words.files import file_problem_text
from gpuplanner_gui.drawing.words.guided_start import QUESTIONS, VARIATION_WORDS, reasoning_text, step_text
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.shipped_tables import guided_figures, request_classes, request_presets

REQUEST_FIELDS = ("peak_rate_per_s", "prompt_tokens", "output_tokens", "slos")
TRAINING_FIELDS = ("method", "tokens", "sequence_length", "global_batch_tokens", "deadline_s", "budget_usd")
FIRST_PRESET = "chat"
MOST_OWNED = 999_999
DEMAND_FIELDS = ("users", "think_time_s", "batch_requests", "batch_time_s")
ARRIVALS: dict[Variation, Arrivals] = {"people": "users", "batch": "batch"}
TASK_WORDS: dict[str, tuple[str, str]] = {
    "serve": ("Serve requests", "A service that answers requests, judged by latency and cost."),
    "fine-tune": ("Fine-tune it", "A run on your data, judged by its deadline and budget."),
    "pretrain": ("Pretrain it", "A long run from scratch, judged by its deadline and budget."),
    "both": ("Fine-tune, then serve", "Two plans, and the cost of one fleet for both."),
}
PLACE_WORDS: dict[SitePlace | None, str] = {
    None: "Anywhere", "data_centre": "Own data centre", "office": "Office", "home": "Home", "cloud": "Cloud",
}  # fmt: skip
PAY_WORDS: dict[Procurement | None, str] = {
    None: "Choose for me", "rent_on_demand": "Rent by the hour", "rent_1y": "Rent for a year",
    "rent_3y": "Rent for three years", "rent_spot": "Rent spot capacity", "own": "Buy",
}  # fmt: skip
STOP_WORDS = {
    False: ("No", "Users wait for it, or a lost run cannot be repeated."),
    True: ("Yes", "Training resumes from a checkpoint; requests can be repeated."),
}


class QuestionWizard(QWizard):
    """Holds the answers so far, for the pages that ask."""

    def __init__(self, surroundings: Surroundings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.surroundings = surroundings
        self.answers = GuidedAnswers(model=starting_model(), requests=request_classes()[FIRST_PRESET])

    def take(self, **answers: Any) -> None:
        """Note an answer, and say on the page at hand what it leads to."""
        self.answers = replace(self.answers, **answers)
        page = self.currentPage()
        if isinstance(page, QuestionPage):
            page.show_reasons()

    def steps(self) -> Sequence[GuidedStep]:
        from gpuplanner_gui.engine.guided_start import guided_steps

        return guided_steps(self.answers, self.surroundings.catalog, guided_figures())


class QuestionPage(QWizardPage):
    """A question, ways to answer it, and at the foot what the answer leads to."""

    question: int
    answered = Signal()

    def __init__(self, start: QuestionWizard, hint: str) -> None:
        super().__init__()
        self.start = start
        title = plain_label(tr(QUESTIONS[self.question]), name="startTitle")
        self.hint = about = plain_label(hint, name="quiet", wraps=True)
        self.setAccessibleName(title.text())
        self.reasons = WrappingLabel(is_selectable=True, name="guidedReasons")
        body = QWidget()
        self.body = lay_out(QVBoxLayout(body), margins=(0, 0, 8, 0), spacing=10)
        lay_out(
            QVBoxLayout(self),
            title,
            about,
            Gap(8),
            (scroll_area(body), 1),
            self.reasons,
            margins=(8, 8, 8, 8),
            spacing=8,
        )

    def initializePage(self) -> None:
        self.show_reasons()

    def show_reasons(self) -> None:
        own = [step_text(step) for step in self.start.steps() if step.question == self.question]
        self.reasons.setText("\n".join(own))
        self.completeChanged.emit()

    def add_choices(
        self, words: dict[Any, tuple[str, str]], chosen: Any, take: Callable[[Any], None]
    ) -> dict[Any, QRadioButton]:
        """A radio button with a line of explanation for every answer."""
        group = QButtonGroup(self)
        buttons = {}
        for code, (title, explanation) in words.items():
            button = buttons[code] = QRadioButton(tr(title))
            button.setChecked(code == chosen)
            button.setAccessibleDescription(tr(explanation))
            button.clicked.connect(lambda _=False, code=code: take(code))
            group.addButton(button)
            line = plain_label(tr(explanation), name="quiet", wraps=True)
            line.setContentsMargins(24, 0, 0, 0)
            choice = lay_out(QVBoxLayout(), button, line, spacing=0)
            self.body.addLayout(choice)
        return buttons


class FitPage(QuestionPage):
    """The model, and what is done with it."""

    question = 0

    def __init__(self, start: QuestionWizard) -> None:
        super().__init__(start, tr("Choose the model, and what you want to do with it."))
        self.name = WrappingLabel(name="partTitle")
        self.pick = push_button(tr("From cata&logue…"), self._open_catalogue, picture="search")
        self.import_config = push_button(tr("&Import config.json…"), self._ask_for_file, picture="import")
        buttons = lay_out(QHBoxLayout(), self.pick, self.import_config, STRETCH)
        self.summary = ModelSummary()
        self.problem = WrappingLabel(name="problem")
        self.problem.hide()
        self.body.addWidget(self.name)
        self.body.addLayout(buttons)
        self.body.addWidget(self.problem)
        self.body.addWidget(self.summary)
        self.tasks = self.add_choices(TASK_WORDS, "serve", self._on_task)
        self.body.addStretch(1)
        start.surroundings.changed.connect(self._on_catalog)
        self._on_catalog()
        self._show_model()

    def take_file(self, path: Path) -> None:
        """Take the model of a configuration file."""
        try:
            model, words = read_model_file(path)
        except FileProblem as problem:
            said = file_problem_text(problem)
        else:
            said = words()
            self._take_model(model)
        self.problem.setText(said)
        self.problem.setVisible(bool(said))

    def _take_model(self, model: Model) -> None:
        """Take a model; where it is trained, with the run that is usual for it."""
        training = self.start.answers.training
        if training is not None:
            training = guided_training(training.method, model, guided_figures())
        self.start.take(model=model, training=training)
        self._show_model()

    def _show_model(self) -> None:
        self.name.setText(self.start.answers.model.name)
        self.summary.show_model(self.start.answers.model)

    def _on_catalog(self) -> None:
        self.pick.setEnabled(self.start.surroundings.catalog is not None)
        if self.start.surroundings.catalog is not None and self.start.currentPage() is self:
            self.show_reasons()

    def _open_catalogue(self) -> None:
        PickList.pick_one(self.pick, self.start.surroundings.catalog.models, tr("Search models…"), self._on_picked)

    def _on_picked(self, model_id: str) -> None:
        self._take_model(self.start.surroundings.catalog.models[model_id].model)

    def _ask_for_file(self) -> None:
        path = ask_for_file(self, tr("Import model configuration"), tr("Model configurations (*.json)"))
        if path is not None:
            self.take_file(path)

    def _on_task(self, task: str) -> None:
        answers = self.start.answers
        requests = (answers.requests or request_classes()[FIRST_PRESET]) if task in SERVING_TASKS else None
        method = TRAINING_OF_TASK.get(task)
        training = None if method is None else guided_training(method, answers.model, guided_figures())
        self.start.take(requests=requests, training=training)


class SpeedPage(QuestionPage):
    """Targets and rate of the service; tokens and deadline of the run."""

    question = 1

    def __init__(self, start: QuestionWizard) -> None:
        super().__init__(start, tr("Choose the closest example, then enter your own figures."))
        self.requests_title = plain_label(tr("Requests"), name="partTitle")
        self.body.addWidget(self.requests_title)
        self.presets = QWidget()
        row = QHBoxLayout(self.presets)
        row.setContentsMargins(0, 0, 0, 0)
        for name, preset in request_classes().items():
            button = QPushButton(tr(next(preset.title for preset in request_presets() if preset.id == name)))
            button.setObjectName(f"preset-{name}")
            button.clicked.connect(lambda _=False, preset=preset: self._take_requests(preset))
            row.addWidget(button)
        row.addStretch(1)
        self.body.addWidget(self.presets)
        self.requests = StructForm(RequestClass, start.surroundings, names=REQUEST_FIELDS)
        self.requests.edited.connect(self._on_requests_edited)
        self.body.addWidget(self.requests)
        self.training_title = plain_label(tr("Training"), name="partTitle")
        self.training = StructForm(TrainingWorkload, start.surroundings, names=TRAINING_FIELDS)
        self.training.edited.connect(self._on_training_edited)
        self.body.addWidget(self.training_title)
        self.body.addWidget(self.training)
        self.body.addStretch(1)

    def initializePage(self) -> None:
        answers = self.start.answers
        for widget in (self.requests_title, self.presets, self.requests):
            widget.setVisible(answers.requests is not None)
        for widget in (self.training_title, self.training):
            widget.setVisible(answers.training is not None)
        self.hint.setText(
            tr("Choose the closest example, then enter your own figures.")
            if answers.requests is not None
            else tr("Enter the figures of your run. The deadline may be a duration or a date.")
        )
        self._show()
        super().initializePage()

    def _show(self) -> None:
        if self.start.answers.requests is not None:
            self.requests.show_value(self.start.answers.requests)
        if self.start.answers.training is not None:
            self.training.show_value(self.start.answers.training)

    def _take_requests(self, requests: RequestClass) -> None:
        self.start.take(requests=requests)
        self._show()

    def _on_requests_edited(self, path: str, value: Any) -> None:
        self.start.take(requests=replaced(self.start.answers.requests, path, value))
        self._show()

    def _on_training_edited(self, path: str, value: Any) -> None:
        self.start.take(training=replaced(self.start.answers.training, path, value))
        self._show()


class VariationPage(QuestionPage):
    """The question how the load varies."""

    question = 2

    def __init__(self, start: QuestionWizard) -> None:
        super().__init__(
            start, tr("This decides what is reserved, what is rented by the hour, and how many replicas stay idle.")
        )
        words = {code: VARIATION_WORDS[code] for code in VARIATIONS}
        self.choices = self.add_choices(words, start.answers.variation, self._take)
        self.demand = StructForm(Traffic, start.surroundings, names=DEMAND_FIELDS)
        self.demand.edited.connect(self._on_demand_edited)
        self.body.addWidget(self.demand)
        self.body.addStretch(1)
        self._take(start.answers.variation)

    def _on_demand_edited(self, path: str, value: Any) -> None:
        self.start.take(demand=replaced(self.start.answers.demand, path, value))

    def _take(self, variation: Variation) -> None:
        """People and batches are asked for more; the other loads have a rate."""
        self.start.take(variation=variation)
        arrivals = ARRIVALS.get(variation)
        self.demand.setVisible(arrivals is not None)
        if arrivals is not None:
            self.demand.show_value(msgspec.structs.replace(self.start.answers.demand, arrivals=arrivals))


class SitePage(QuestionPage):
    """The questions about site, owned devices and terms of payment."""

    question = 3

    def __init__(self, start: QuestionWizard) -> None:
        super().__init__(start, tr("This decides which devices are allowed and how they are priced."))
        self.place, self.pay = _combo(PLACE_WORDS), _combo(PAY_WORDS)
        self.engine = _combo(
            {None: PAY_WORDS[None], **{code: english_of_choice(code) for code in get_args(ServingEngine)}}
        )
        self.engine.currentIndexChanged.connect(lambda: start.take(engine=self.engine.currentData()))
        self.place.currentIndexChanged.connect(lambda: start.take(place=self.place.currentData()))
        self.pay.currentIndexChanged.connect(lambda: start.take(procurement=self.pay.currentData()))
        self.count = CalmSpinBox()
        self.count.setRange(0, MOST_OWNED)
        self.count.setSpecialValueText(tr("none"))
        self.count.setAccessibleName(tr("Devices you already own"))
        self.count.valueChanged.connect(self._take_owned)
        self.device = push_button(tr("Which &device…"), self._open_catalogue, picture="search")
        self._device_id = ""
        owned = lay_out(QHBoxLayout(), self.count, (self.device, 1))
        form = QFormLayout()
        form.addRow(tr("&Where"), self.place)
        title = QLabel(tr("&Owned already"))
        title.setBuddy(self.count)
        form.addRow(title, owned)
        form.addRow(tr("&Paid for"), self.pay)
        form.addRow(tr("&Engine"), self.engine)
        self.form = form
        self.body.addLayout(form)
        self.body.addStretch(1)

    def initializePage(self) -> None:
        self.form.setRowVisible(self.engine, self.start.answers.requests is not None)
        super().initializePage()

    def _open_catalogue(self) -> None:
        catalog = self.start.surroundings.catalog
        if catalog is not None:
            PickList.pick_one(self.device, catalog.accelerators, tr("Search devices…"), self.take_device)

    def take_device(self, accelerator_id: str) -> None:
        """These are there already; where no number is given, as many as a server of them has, or one."""
        self._device_id, catalog = accelerator_id, self.start.surroundings.catalog
        self.device.setText(catalog.accelerators[accelerator_id].name)
        if self.count.value() == 0:
            self.count.setValue(next((node.accelerator_count for node in catalog.nodes_of(accelerator_id)), 1))
        self._take_owned()

    def _take_owned(self) -> None:
        count = self.count.value()
        is_known = count > 0 and bool(self._device_id)
        self.start.take(owned=OwnedDevices(accelerator=self._device_id, count=count) if is_known else None)


class InterruptionPage(QuestionPage):
    """Whether it may be interrupted, and everything that follows from the answers."""

    question = 4

    def __init__(self, start: QuestionWizard) -> None:
        super().__init__(
            start, tr("This decides whether spot capacity is allowed and whether a spare replica is kept.")
        )
        self.choices = self.add_choices(STOP_WORDS, start.answers.may_stop, lambda code: start.take(may_stop=code))
        self.body.addStretch(1)

    def show_reasons(self) -> None:
        self.reasons.setText(reasoning_text(self.start.steps()))
        self.completeChanged.emit()


def _combo(words: Mapping[Any, str]) -> QComboBox:
    return choice_box((code, tr(title)) for code, title in words.items())
