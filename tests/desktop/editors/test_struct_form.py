from __future__ import annotations

from typing import Any

import msgspec
import pytest
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel, QLineEdit, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.editors.base import PARTS, Surroundings, ValueEditor, offer_catalog_choices
from gpuplanner_gui.desktop.editors.choices_edit import PickList, PickManyEdit
from gpuplanner_gui.desktop.editors.field_row import FieldRow, note_at
from gpuplanner_gui.desktop.editors.kinds import starting_value
from gpuplanner_gui.desktop.editors.struct_form import FormSection, StructForm
from gpuplanner_gui.desktop.editors.text_edit import CutLine
from gpuplanner_gui.desktop.store import replaced
from gpuplanner_gui.desktop.window.project_file import starting_model
from gpuplanner_gui.domain.economics import Economics, ExchangeRate, PriceOverride
from gpuplanner_gui.domain.field import fields_of
from gpuplanner_gui.domain.model import LayerGroup, Model, MoeFfn
from gpuplanner_gui.domain.quantity import Lognormal, Money
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from tests.desktop.drawn import wait_until_drawn

LEFT = Qt.MouseButton.LeftButton
WAIT_MS = 30_000
MOST_ROWS_A_TURN = 10


class Form:
    """A form on screen that takes its own edits, as the store would."""

    def __init__(self, qtbot: QtBot, value: msgspec.Struct, editor: ValueEditor | None = None) -> None:
        self.surroundings = Surroundings()
        offer_catalog_choices(self.surroundings)
        self.value: Any = value
        self.editor = editor or StructForm(type(value), self.surroundings)
        self.paths: list[str] = []
        self.editor.edited.connect(self._on_edited)
        self.editor.show_value(value)
        self.qtbot = qtbot
        qtbot.addWidget(self.editor)
        self.editor.resize(360, 800)
        self.editor.show()
        wait_until_drawn(qtbot)

    def _on_edited(self, path: str, value: Any) -> None:
        self.paths.append(path)
        self.value = replaced(self.value, path, value)
        self.editor.show_value(self.value)

    def row(self, title: str) -> FieldRow:
        wait_until_drawn(self.qtbot)
        rows = [row for row in self.editor.findChildren(FieldRow) if row.label.text() == title]
        assert rows, f"no row {title!r}"
        return rows[0]

    def line(self, title: str) -> QLineEdit:
        found = self.row(title).editor.findChild(QLineEdit)
        assert found is not None
        return found

    def named(self, kind: type[Any], name: str) -> Any:
        wait_until_drawn(self.qtbot)
        found = [child for child in self.editor.findChildren(kind) if child.accessibleName() == name]
        assert found, f"nothing named {name!r}"
        return found[0]

    def button(self, text: str) -> QPushButton:
        return next(b for b in self.editor.findChildren(QPushButton) if b.text().strip() == text)

    def type(self, line: QLineEdit, text: str) -> None:
        line.setFocus()
        line.selectAll()
        self.qtbot.keyClicks(line, text)
        self.qtbot.keyClick(line, Qt.Key.Key_Return)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.path)
def test_every_part_can_be_shown_with_everything_open(qtbot: QtBot, part: Any) -> None:
    value = starting_model() if part.struct_type is Model else starting_value(part.struct_type)
    form = Form(qtbot, value)
    opened = 0
    while closed := [s for s in form.editor.findChildren(FormSection) if not s.header.isChecked()]:
        for section in closed:
            section.header.click()
            opened += 1
        wait_until_drawn(qtbot)
    assert opened
    assert form.paths == []


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.path)
def test_no_turn_of_the_event_loop_makes_many_rows(qtbot: QtBot, part: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made, make = [0], FieldRow.__init__

    def count(*arguments: Any) -> None:
        made[-1] += 1
        make(*arguments)

    monkeypatch.setattr(FieldRow, "__init__", count)
    turns = QTimer(interval=0)
    turns.timeout.connect(lambda: made.append(0))
    turns.start()
    form = Form(qtbot, starting_model() if part.struct_type is Model else starting_value(part.struct_type))
    for section in form.editor.findChildren(FormSection):
        made.append(0)
        section.header.click()
    wait_until_drawn(qtbot)
    turns.stop()
    assert sum(made) == len(form.editor.findChildren(FieldRow)) > MOST_ROWS_A_TURN
    assert max(made) <= MOST_ROWS_A_TURN, "a row takes three milliseconds"


def test_fields_without_a_meaning_stay_hidden_in_a_form_that_grows_on_screen(qtbot: QtBot) -> None:
    form = Form(qtbot, RequestClass(name="chat", peak_rate_per_s=1.0))
    assert form.row("Prompt").isVisible()
    assert [form.row(title).isVisible() for title in ("Denoising steps", "Width", "Height", "Frames")] == [False] * 4


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.path)
def test_every_control_has_a_name_for_a_screen_reader(qtbot: QtBot, part: Any) -> None:
    value = starting_model() if part.struct_type is Model else starting_value(part.struct_type)
    form = Form(qtbot, value)
    for section in form.editor.findChildren(FormSection):
        section.header.click()
    wait_until_drawn(qtbot)
    controls = [
        child
        for child in form.editor.findChildren(QWidget)
        if child.focusPolicy() & Qt.FocusPolicy.TabFocus and child.isVisibleTo(form.editor)
    ]
    nameless = [c for c in controls if not c.accessibleName() and not getattr(c, "text", lambda: "")()]
    assert controls
    assert nameless == []


def test_typed_value_reaches_its_place_in_the_struct(qtbot: QtBot) -> None:
    form = Form(qtbot, starting_value(ServingWorkload))
    form.type(form.line("Peak rate"), "40 req/s")
    assert form.paths == ["classes[0].peak_rate_per_s"]
    assert form.value.classes[0].peak_rate_per_s == 40.0


def test_domain_bounds_are_said_at_the_field(qtbot: QtBot) -> None:
    form = Form(qtbot, starting_value(ServingWorkload))
    lines_of_lists = len(form.editor.findChildren(QLabel, "problem"))
    form.type(form.line("Peak rate"), "-3")
    row = form.row("Peak rate")
    assert form.paths == []
    assert form.line("Peak rate").text() == "-3"
    assert row.problem.isVisible()
    assert "Peak rate must be more than 0" in row.problem.text()
    assert row.problem.textFormat() == Qt.TextFormat.PlainText
    assert len(form.editor.findChildren(QLabel, "problem")) - lines_of_lists == 1, "the other fields need no label"


def test_difference_from_the_default_is_marked_and_taken_back(qtbot: QtBot) -> None:
    form = Form(qtbot, starting_value(ServingWorkload))
    row = form.row("Prompt")
    assert not row.reset.isVisible()
    form.type(form.line("Prompt"), "4096")
    assert row.reset.isVisible()
    assert "1024 tok" in row.reset.toolTip()
    qtbot.mouseClick(row.reset, LEFT)
    assert form.value.classes[0].prompt_tokens == 1024.0
    assert not row.reset.isVisible()


def test_a_mark_that_comes_or_goes_has_nothing_laid_out(qtbot: QtBot) -> None:
    form = Form(qtbot, starting_value(ServingWorkload))
    row = form.row("Prompt")
    wait_until_drawn(qtbot)
    QTest.qWait(20)
    asked: list[QObject] = []

    class Listener(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  (Qt's own name)
            if event.type() == QEvent.Type.LayoutRequest:
                asked.append(watched)
            return False

    listener = Listener()
    for within in (row, row.parentWidget(), form.editor):
        within.installEventFilter(listener)
    for is_marked in (True, False):
        row.reset.setVisible(is_marked)
        QApplication.processEvents()
    assert asked == []
    assert row.reset.size() == row.reset.sizeHint()


def test_section_is_marked_when_something_in_it_differs(qtbot: QtBot) -> None:
    form = Form(qtbot, starting_value(ServingWorkload))
    section = next(s for s in form.editor.findChildren(FormSection) if "Traffic" in s.header.text())
    assert "•" not in section.header.text()
    qtbot.mouseClick(section.header, LEFT)
    form.type(form.line("Mean over peak"), "70 %")
    assert form.value.traffic.mean_over_peak == 0.7
    assert "•" in section.header.text()


def test_choice_by_keyboard(qtbot: QtBot) -> None:
    form = Form(qtbot, starting_value(TrainingWorkload))
    box = form.row("Optimizer").editor.focus_widget()
    box.setFocus()
    qtbot.keyClicks(box, "Lion")
    assert form.value.optimizer == "lion"


def test_flag_by_keyboard(qtbot: QtBot) -> None:
    form = Form(qtbot, HardwareChoice())
    box = form.row("Include end-of-life devices").editor.focus_widget()
    assert isinstance(box, QCheckBox)
    qtbot.keyClick(box, Qt.Key.Key_Space)
    assert form.value.include_end_of_life is True


def test_chip_by_click(qtbot: QtBot) -> None:
    form = Form(qtbot, starting_value(ServingWorkload))
    qtbot.mouseClick(form.named(QToolButton, "Weight precisions: INT8"), LEFT)
    assert "int8" not in form.value.weight_precisions
    qtbot.mouseClick(form.named(QToolButton, "Weight precisions: NVFP4"), LEFT)
    assert "nvfp4" in form.value.weight_precisions


def test_request_class_is_added_copied_and_removed(qtbot: QtBot) -> None:
    form = Form(qtbot, starting_value(ServingWorkload))
    assert len(form.value.classes) == 1
    assert not form.named(QToolButton, "Remove entry 1").isEnabled(), "a service has one class at least"
    qtbot.mouseClick(form.button("Add request class"), LEFT)
    assert [one.name for one in form.value.classes] == ["chat", "chat 2"]
    form.type(form.line("Peak rate"), "33")
    qtbot.mouseClick(form.named(QToolButton, "Copy entry 1"), LEFT)
    assert [one.peak_rate_per_s for one in form.value.classes] == [33.0, 33.0, 10.0]

    def removers() -> list[QToolButton]:
        return [b for b in form.editor.findChildren(QToolButton) if b.accessibleName() == "Remove entry 3"]

    qtbot.waitUntil(lambda: any(one.isVisible() for one in removers()), timeout=WAIT_MS)
    qtbot.mouseClick(removers()[-1], LEFT)
    assert len(form.value.classes) == 2


def test_targets_are_edited_in_a_line(qtbot: QtBot) -> None:
    form = Form(qtbot, starting_value(ServingWorkload))
    form.type(form.named(QLineEdit, "Limit 1"), "800 ms")
    assert form.value.classes[0].slos[0].limit_s == 0.8
    form.type(form.named(QLineEdit, "Percentile 1"), "200")
    assert any("Percentile must be at most" in label.text() for label in form.editor.findChildren(QLabel))
    assert form.value.classes[0].slos[0].percentile == 95.0


def test_optional_value_is_set_and_emptied(qtbot: QtBot) -> None:
    form = Form(qtbot, starting_value(TrainingWorkload))
    form.type(form.line("Deadline"), "2 weeks")
    assert form.value.deadline_s == 1_209_600.0
    form.type(form.line("Deadline"), " ")
    assert form.value.deadline_s is None


def test_other_kind_of_feed_forward_takes_over_what_it_shares(qtbot: QtBot) -> None:
    group = starting_value(LayerGroup)
    form = Form(qtbot, group)
    box = form.row("Feed-forward").editor.focus_widget()
    box.setFocus()
    qtbot.keyClicks(box, "Mixture")
    assert isinstance(form.value.ffn, MoeFfn)
    form.type(form.line("Experts per token"), "4")
    assert form.value.ffn.top_k == 4


# The offscreen platform has no keyboard to grab for a popup.
@pytest.mark.qt_log_ignore("does not support grabbing the keyboard", extend=True)
def test_picking_accelerators_by_search(qtbot: QtBot) -> None:
    form = Form(qtbot, HardwareChoice())
    form.surroundings.take_catalog(load_shipped_catalog())
    editor = form.row("Accelerators").editor
    assert isinstance(editor, PickManyEdit)
    assert editor.button.text() == "Any"
    qtbot.mouseClick(editor.button, LEFT)
    pick_list = editor.findChild(PickList)
    assert pick_list is not None
    qtbot.keyClicks(pick_list.search, "h200")
    qtbot.keyClick(pick_list.search, Qt.Key.Key_Return)
    pick_list.close()
    assert len(form.value.accelerators) == 1
    assert "h200" in form.value.accelerators[0].lower()
    assert "H200" in editor.button.text()


def test_quoted_price_in_another_currency(qtbot: QtBot) -> None:
    form = Form(qtbot, Economics())
    qtbot.mouseClick(form.button("Add quoted price"), LEFT)
    form.type(form.line("Rent"), "EUR 2.10/h")
    rent = form.value.overrides[0].rent_per_device_hour
    assert (rent.amount, rent.currency) == (2.1, "EUR")


def test_help_stands_at_the_field(qtbot: QtBot) -> None:
    form = Form(qtbot, starting_value(TrainingWorkload))
    field = next(field for field in fields_of(TrainingWorkload) if field.name == "tokens")
    row = form.row(field.about.title)
    assert field.about.help in row.label.toolTip()
    assert row.label.buddy() is row.editor.focus_widget()
    assert row.editor.focus_widget().accessibleName() == field.about.title


def test_a_pick_that_does_not_fit_is_cut_with_an_ellipsis_and_said_whole(qtbot: QtBot) -> None:
    names = [("a", "An accelerator of a long name"), ("b", "Another one")]
    editor = PickManyEdit(lambda: names, "Any", "Accelerators")
    qtbot.addWidget(editor)
    editor.resize(140, 30)
    editor.show()
    editor.show_value(("a", "b"))
    qtbot.waitUntil(lambda: editor.button.text().endswith("…"), timeout=20_000)
    assert editor.button.accessibleName() == "Accelerators: An accelerator of a long name, Another one"
    editor.resize(700, 30)
    qtbot.waitUntil(lambda: editor.button.text() == "An accelerator of a long name, Another one", timeout=20_000)


def test_editors_of_a_form_stand_in_one_column_beside_labels_no_wider_than_needed(qtbot: QtBot) -> None:
    form = Form(qtbot, RequestClass(name="chat", peak_rate_per_s=1.0, prompt_tokens=Lognormal(700.0, 0.8)))
    rows = [row for row in form.editor.findChildren(FieldRow) if row.isVisible() and not row.editor.is_wide]
    widths = {row.label.width() for row in rows}
    assert len(widths) == 1
    assert widths.pop() == max(row.needed_width() for row in rows)


def test_spread_is_read_whole_in_the_inputs_of_a_small_window(qtbot: QtBot) -> None:
    form = Form(qtbot, RequestClass(name="chat", peak_rate_per_s=1.0, prompt_tokens=Lognormal(700.0, 0.8)))
    form.editor.resize(300, 800)
    line = form.line("Prompt")
    assert isinstance(line, CutLine)
    assert line.text() == "median 700 tok sigma 0.8"
    assert not line.is_cut()


def test_names_and_faults_of_one_long_word_leave_the_form_its_width(qtbot: QtBot) -> None:
    form = Form(qtbot, ServingWorkload(classes=(RequestClass(name="chat", peak_rate_per_s=1.0),)))
    before = form.editor.minimumSizeHint().width()
    form.value = replaced(form.value, "classes[0].name", "W" * 60)
    form.editor.show_value(form.value)
    line = form.line("Peak rate")
    line.setText("W" * 60)
    line.setModified(True)
    line.editingFinished.emit()
    assert "contains no number" in form.row("Peak rate").problem.text()
    assert form.editor.minimumSizeHint().width() == before


def test_a_quoted_price_says_what_it_holds_for_and_that_it_waits_for_a_rate() -> None:
    plain = Scenario(name="s", model=starting_model())
    asked = PriceOverride(accelerator="a", rent_per_device_hour=Money(1.0, "EUR"), purchase_per_device=Money(2.0))
    assert "until EUR has one exchange rate" in note_at(asked, "rent_per_device_hour", plain).text
    rated = replaced(plain, "economics.rates", (ExchangeRate("EUR", 1.25),))
    assert "every term" in note_at(asked, "rent_per_device_hour", rated).text
    assert not note_at(asked, "purchase_per_device", plain).text


def test_a_rent_of_one_term_is_said_to_be_of_that_term() -> None:
    year = PriceOverride(accelerator="a", term="rent_1y", rent_per_device_hour=Money(2.2))
    flat = PriceOverride(accelerator="a", rent_per_device_hour=Money(3.0))
    scenario = replaced(Scenario(name="s", model=starting_model()), "economics.overrides", (flat, year))
    assert not note_at(year, "rent_per_device_hour", scenario).text
    assert note_at(flat, "rent_per_device_hour", scenario).text == "Holds for every term that no row quotes lower."
    bought = PriceOverride(accelerator="a", term="rent_1y", purchase_per_device=Money(2.0))
    assert note_at(bought, "term", scenario).is_unused
    assert not note_at(year, "term", scenario).text


def test_a_rate_that_makes_nothing_is_said_to_be_unused() -> None:
    one = RequestClass(name="chat", peak_rate_per_s=1.0)
    plain = Scenario(name="s", model=starting_model(), serving=ServingWorkload(classes=(one,)))
    for arrivals, said in (
        ("users", "the number of users and their think time"),
        ("batch", "the batch's requests and deadline"),
    ):
        scenario = replaced(plain, "serving.traffic.arrivals", arrivals)
        alone = note_at(one, "peak_rate_per_s", scenario)
        assert alone.is_unused
        assert said in alone.text
        two = replaced(scenario, "serving.classes", (one, msgspec.structs.replace(one, name="other")))
        shared = note_at(one, "peak_rate_per_s", two)
        assert not shared.is_unused
        assert shared.text.startswith("Only the share of each class counts")
    assert not note_at(one, "peak_rate_per_s", plain).text
