"""Long lists: a few forms are made at once, so that no file holds up the window; the others at a click."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.editors.base import Surroundings, offer_catalog_choices
from gpuplanner_gui.desktop.editors.list_edit import SHOWN_AT_FIRST, SHOWN_MORE, CardEdit, ListEdit
from gpuplanner_gui.desktop.editors.struct_form import StructForm
from gpuplanner_gui.desktop.widgets.event_turns import DrawingTurn
from gpuplanner_gui.domain.economics import Economics, PriceOverride
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.files.catalogs import load_shipped_catalog

WAIT_MS = 30_000


def workload(count: int) -> ServingWorkload:
    return ServingWorkload(classes=tuple(RequestClass(name=f"c{place}", peak_rate_per_s=1) for place in range(count)))


@pytest.fixture
def form(qtbot: QtBot) -> StructForm:
    surroundings = Surroundings()
    offer_catalog_choices(surroundings)
    made = StructForm(ServingWorkload, surroundings)
    qtbot.addWidget(made)
    made.show_value(workload(20))
    made.show()
    return made


def classes(form: StructForm) -> ListEdit:
    return next(one for one in form.findChildren(ListEdit) if one.add.text() == "Add request class")


def test_a_long_list_makes_few_forms_and_says_how_many_are_left(form: StructForm, qtbot: QtBot) -> None:
    shown = classes(form)
    assert len(shown.items) == 1, "all in this turn of the event loop would hold up the window"
    qtbot.waitUntil(lambda: len(shown.items) == SHOWN_AT_FIRST)
    assert shown.more.isVisible()
    assert "17" in shown.more.text()
    shown.more.click()
    assert len(shown.items) == SHOWN_AT_FIRST
    qtbot.waitUntil(lambda: len(shown.items) == SHOWN_AT_FIRST + SHOWN_MORE, timeout=WAIT_MS)
    qtbot.mouseClick(shown.more, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(shown.items) == 20, timeout=WAIT_MS)
    assert not shown.more.isVisible()


def test_a_new_entry_is_shown_with_those_before_it(form: StructForm, qtbot: QtBot) -> None:
    form.edited.connect(lambda path, value: form.show_value(ServingWorkload(classes=value)))
    shown = classes(form)
    qtbot.mouseClick(shown.add, Qt.MouseButton.LeftButton)
    assert len(shown.items) == 1, "twenty forms in this turn of the event loop would hold up the window"
    qtbot.waitUntil(lambda: len(shown.items) == 21, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: shown.items[-1].isAncestorOf(QApplication.focusWidget()), timeout=WAIT_MS)
    form.show_value(workload(2))
    assert len(shown.items) == 2
    form.show_value(workload(3))
    form.show_value(workload(4))
    assert len(shown.items) == 2
    qtbot.waitUntil(lambda: len(shown.items) == 4, timeout=WAIT_MS)  # Seen, as all the others are.


def test_entries_come_one_a_turn_with_what_each_became_meanwhile(form: StructForm, qtbot: QtBot) -> None:
    shown = classes(form)
    steps = [len(shown.items)]

    def look() -> None:
        steps.append(len(shown.items))
        if steps.count(2) == 1 and steps[-1] == 2:
            new = tuple(RequestClass(name=f"new {place}", peak_rate_per_s=1) for place in range(3))
            form.show_value(ServingWorkload(classes=new))
        if len(shown.items) < 3:
            turn.start()

    turn = DrawingTurn(form, look)
    turn.start()
    # The look that sees the last one comes a turn after it is shown.
    qtbot.waitUntil(lambda: steps[-1] == 3, timeout=WAIT_MS)
    assert [step for place, step in enumerate(steps) if step not in steps[:place]] == [1, 2, 3]
    titles = [one.title.text() for one in shown.items if isinstance(one, CardEdit)]
    assert titles == ["1 · new 0", "2 · new 1", "3 · new 2"]


def test_a_card_is_headed_by_its_devices_name(qtbot: QtBot) -> None:
    surroundings = Surroundings()
    offer_catalog_choices(surroundings)
    made = StructForm(Economics, surroundings, names=("overrides",))
    qtbot.addWidget(made)
    made.show_value(Economics(overrides=(PriceOverride(accelerator="nvidia-l40s"),)))
    card = made.findChild(CardEdit)
    assert card is not None
    surroundings.take_catalog(load_shipped_catalog())
    assert card.title.text() == "1 · L40S"
