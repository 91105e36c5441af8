"""Every text on screen passes through the translator: in a language of brackets, nothing stands outside of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QAbstractTableModel, QSettings, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QComboBox, QLabel, QLineEdit, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.dialogs.methods import AboutDialog
from gpuplanner_gui.desktop.editors.base import PARTS, SCENARIO_PART
from gpuplanner_gui.desktop.pages.plot_view import PlotView
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.window.guided_start import GuidedStart
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.desktop.window.preferences import PreferencesDialog
from gpuplanner_gui.desktop.window.tour import Tour
from gpuplanner_gui.domain.catalog import CATALOG_KINDS
from gpuplanner_gui.drawing.language import use_translator
from gpuplanner_gui.drawing.translations import LANGUAGES
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.paths import resources_dir
from tools.translations.sources import program_sources

WAIT_MS = 60_000
OPEN, CLOSE = "⟦", "⟧"
WORD = re.compile(r"[A-Za-z][a-z]{3,}")
SAME_EVERYWHERE = {
    "month", "tok", "param", "devices", "FLOP", "English", "Planner", "vllm", "sglang", "trtllm", "TensorRT", "Lang",
    "Export",
}  # fmt: skip
"""Units, names of programs and of languages; the last is of a menu of pyqtgraph that never opens."""
FROM_OUTSIDE = (
    "_PageTabs",
    "QuietDock/",
    "QDialogButtonBox/",
    "QTabBar/",
    "_Tabs/",
    "DeployDialog/",
    "QWidget/QPushButton",
)
"""Qt's own words, which Qt translates (the last are a wizard's buttons), and command lines."""


@pytest.fixture
def said() -> set[str]:
    """Every sentence that was asked for in the other language."""
    return set()


@pytest.fixture
def sentences() -> set[str]:
    """What the files of translations hold, asked for while the program speaks English."""
    return {source.text for source in program_sources()}


@pytest.fixture
def window(qtbot: QtBot, settings: QSettings, said: set[str], sentences: set[str]) -> Iterator[MainWindow]:
    def bracketed(text: str) -> str:
        said.add(text)
        return f"{OPEN}{text}{CLOSE}"

    use_translator(bracketed)
    made = MainWindow(ShippedEngine, settings)
    made.show()
    made.build_results()
    made.compute.start()
    made.file.open_template(resources_dir() / "examples" / "13b-two-deployments.gpuplan")
    qtbot.waitUntil(lambda: made.compute.state == PlanState.CURRENT, timeout=WAIT_MS)
    yield made
    use_translator(None)
    made.store.undo_stack.setClean()
    made.close()
    made.deleteLater()  # With the dialogs it opened, which would keep the mouse from the windows of other tests.


def outside(text: str) -> str:
    """What of a text stands in no bracket."""
    kept, depth = [], 0
    for sign in text:
        depth += (sign == OPEN) - (sign == CLOSE)
        if depth == 0 and sign != CLOSE:
            kept.append(sign)
    return "".join(kept)


def texts_of(root: QWidget) -> Iterator[tuple[str, str]]:
    """Each text that the widgets under a root show, tell or say, with who does."""
    for widget in [root, *root.findChildren(QWidget)]:
        who = f"{type(widget.parent()).__name__}/{type(widget).__name__}"
        for text in (widget.toolTip(), widget.whatsThis(), widget.accessibleName(), widget.accessibleDescription()):
            yield who, text
        match widget:
            case QLabel() | QAbstractButton():
                yield who, widget.text()
            case QLineEdit():
                yield who, widget.placeholderText()
            case QComboBox():
                yield from ((who, widget.itemText(place)) for place in range(widget.count()))
            case QTabBar():
                yield from ((who, widget.tabText(place)) for place in range(widget.count()))
            case QAbstractItemView() if isinstance(widget.model(), QAbstractTableModel):
                yield from ((f"{who} heading", text) for text in headings(widget))
            case PlotView():
                yield from ((who, text) for text in (widget.plot.title, widget.plot.message))
                yield from ((f"{who} column", column.title) for column in widget.plot.as_rows().columns)
    for action in root.findChildren(QAction):
        yield f"{type(action.parent()).__name__}/QAction", action.text()


def headings(view: QAbstractItemView) -> Iterator[str]:
    model = view.model()
    for column in range(model.columnCount()):
        for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            yield str(model.headerData(column, Qt.Orientation.Horizontal, role) or "")


def names_from_data() -> set[str]:
    """Words of the catalogue's names and codes, which no language changes."""
    catalog = load_catalog()
    names = {
        str(getattr(entry, name, ""))
        for kind in CATALOG_KINDS
        for entry in catalog.entries(kind).values()
        for name in ("id", "name", "vendor", "architecture", "provider", "region", "family", "source")
    }
    return {word for name in names for word in WORD.findall(name)}


def test_no_text_on_screen_is_outside_the_translation(window: MainWindow, said: set[str], sentences: set[str]) -> None:
    pane, scenario = window.results_pane, window.store.scenario
    assert pane is not None
    assert scenario is not None
    assert scenario.serving is not None
    for part in (*PARTS, SCENARIO_PART):
        window.inputs.show_part(part)
    for page in pane.page_names():
        pane.show_page_named(page)
    window.workspace.show_start_page()
    window.commands.show_launch_flags()
    tour = Tour(window.parts)
    tour.start()
    roots = [
        window,
        AboutDialog(window),
        GuidedStart(window.surroundings, window),
        PreferencesDialog(window.settings, window.appearance, window),
    ]
    own = (*LANGUAGES.values(), str(resources_dir()), *(one.name for one in scenario.serving.classes))
    known = SAME_EVERYWHERE | names_from_data() | set(WORD.findall(" ".join(own)))
    found: dict[str, Any] = {}
    for root in roots:
        for who, text in texts_of(root):
            words = set(WORD.findall(outside(text))) - known
            if words and not any(name in who for name in FROM_OUTSIDE):
                found.setdefault(text, who)
    tour.end()
    assert found == {}
    lacking = {text for text in said - sentences if OPEN not in text and WORD.search(text)} - names_from_data()
    assert lacking == set(), "no file of translations has them"
