"""Pictures of every view in every state, on sheets for a person to look at: `make screenshots`.

    python tests/benchmarks/contact_sheet.py [FOLDER]      # build/ where not said

Light and dark; small, usual and doubled screens, and one so high that whole pages are seen; large type; the other
language; right after start, while computing, after an error; names of all lengths and writings; wrong inputs; tables
of no, one and ten thousand rows; another currency and scenarios beside each other; the window at its least, docks on
their own; every dialog and menu. Each screen is a process of its own, for Qt scales once.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import msgspec
from PySide6.QtCore import QRect, QSettings, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QTabBar, QWidget

from gpuplanner_gui.desktop.dialogs.own_device import OwnDeviceDialog
from gpuplanner_gui.desktop.pages.plot_page import PlotPage
from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.tasks.runner import TaskRunner
from gpuplanner_gui.desktop.widgets import theme
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.domain.economics import ExchangeRate
from gpuplanner_gui.drawing.application import FONT_FAMILY
from gpuplanner_gui.drawing.language import ENGLISH
from gpuplanner_gui.drawing.translations import use_language
from gpuplanner_gui.paths import HOME_VARIABLE, resources_dir
from tests.benchmarks.dialogs import dialogs
from tests.benchmarks.example_window import wait
from tests.benchmarks.odd_states import LATIN, little_room, named, wrong

BUILD = Path(__file__).resolve().parents[2] / "build"


@dataclass(frozen=True)
class Screen:
    """What is pictured how; `shown`: every state, the pages alone, odd names and little room, or the dialogs."""

    theme: theme.ThemeChoice = theme.ThemeChoice.LIGHT
    size: tuple[int, int] = (1366, 768)
    scale: float = 1.0
    shown: str = "pages"
    language: str = ENGLISH
    type_scale: float = 1.0


LIGHT, DARK = theme.ThemeChoice.LIGHT, theme.ThemeChoice.DARK
SCREENS = {
    "light": Screen(shown="states"),
    "dark": Screen(DARK, shown="states"),
    "large": Screen(size=(1920, 1080)),
    "large-dark": Screen(DARK, size=(1920, 1080)),
    "doubled": Screen(size=(1920, 1080), scale=2.0),
    "doubled-dark": Screen(DARK, size=(1920, 1080), scale=2.0),
    "large-type": Screen(type_scale=1.5),
    "largest-type-dark": Screen(DARK, type_scale=2.0),
    "whole-pages": Screen(size=(1280, 2000)),
    "odd": Screen(shown="odd"),
    "chinese": Screen(language="zh_TW"),
    "dialogs": Screen(shown="dialogs"),
    "dialogs-dark": Screen(DARK, shown="dialogs"),
    "dialogs-chinese": Screen(shown="dialogs", language="zh_TW"),
}
THUMB_WIDTH, COLUMNS, LABEL_HEIGHT, GAP = 640, 3, 24, 12
WAIT_MS = 120_000
SETTLED_LOOKS = 20
"""Longer than the pause after which a plan is simulated."""
INNER_PAGE_MS = 1500
"""Until what only such a page asks for has been worked out."""
Picture = tuple[str, QPixmap]


def settle(window: MainWindow) -> None:
    """Wait until the plan stands and the page in front has all that it asked for."""
    waited, settled = 0, 0
    wait(200)  # until the page has asked
    # One piece of work begins a moment after another one has ended.
    while settled < SETTLED_LOOKS and waited < WAIT_MS:
        wait(50)
        waited += 50
        settled = settled + 1 if is_settled(window) else 0


def is_settled(window: MainWindow) -> bool:
    pane = window.results_pane
    page = pane.frame_in_front().widget() if pane is not None else None
    is_drawing = isinstance(page, PlotPage) and page.is_drawing()
    is_working = any(one.is_running for one in window.findChildren(TaskRunner))
    return window.compute.state == "current" and not is_working and not is_drawing


def pictured(window: QWidget) -> QPixmap:
    wait(150)
    return window.grab()


def started(folder: Path, size: tuple[int, int]) -> MainWindow:
    settings = QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat)
    window = MainWindow(ShippedEngine, settings)
    window.resize(*size)
    window.show()
    return window


def pictures(folder: Path, size: tuple[int, int], is_whole: bool) -> Iterator[Picture]:
    window = started(folder, size)
    window.resize(*size)
    if is_whole:
        yield "right after start", pictured(window)
        window.workspace.show_start_page()
        yield "start page", pictured(window)
        window.workspace.show_workspace()
    window.build_results()
    if is_whole:
        yield "no results yet", pictured(window)
    window.compute.start()
    window.file.open_template(resources_dir() / "examples" / "70b-chat.gpuplan")
    if is_whole:
        yield "computing", pictured(window)
    settle(window)
    if is_whole:
        yield from pages(window, ("overview", "load", "readiness", "fleets"))
    window.file.open_template(resources_dir() / "examples" / "13b-two-deployments.gpuplan")
    settle(window)
    yield from pages(window)
    if is_whole:
        yield from compared(window)
        yield from catalogue(window)
        yield from odd_states(window)
    window.store.undo_stack.setClean()
    window.close()


def pages(window: MainWindow, only: tuple[str, ...] = ()) -> Iterator[Picture]:
    """Every page, or those named, as they are of a service alone."""
    pane = window.results_pane
    assert pane is not None
    for name in pane.page_names():
        pane.show_page_named(name)
        if not only or pane.page_name() in only:
            settle(window)
            yield f"{name}, a service alone" if only else name, pictured(window)
            if not only:
                yield from inner_pages(window, name)


def inner_pages(window: MainWindow, name: str) -> Iterator[Picture]:
    """The further pages within the page in front, such as those of training."""
    pane = window.results_pane
    assert pane is not None
    tabs = next((one for one in pane.frame_in_front().findChildren(QTabBar) if one.isVisible()), None)
    for inner in range(1, tabs.count() if tabs is not None else 0):
        if not tabs.isTabVisible(inner):
            continue
        tabs.setCurrentIndex(inner)
        settle(window)
        wait(INNER_PAGE_MS)
        yield f"{name}, {tabs.tabText(inner).partition(' (')[0]}", pictured(window)
    if tabs is not None and tabs.isTabVisible(0):
        tabs.setCurrentIndex(0)


def compared(window: MainWindow) -> Iterator[Picture]:
    """Two scenarios, the other one laid over the plots, in euros."""
    pane = window.results_pane
    assert pane is not None
    window.commands.duplicate_scenario()
    window.store.edit("serving.classes[0].peak_rate_per_s", 40.0, "rate")
    window.store.edit("economics.rates", (ExchangeRate("EUR", 1.1),), "rate")
    window.store.edit("economics.display_currency", "EUR", "currency")
    window.decision.overlay_action.setChecked(True)
    for name in ("memory", "load", "compare", "cost"):
        pane.show_page_named(name)
        settle(window)
        yield f"two scenarios, {name}", pictured(window)
    window.decision.overlay_action.setChecked(False)


def catalogue(window: MainWindow) -> Iterator[Picture]:
    pane = window.results_pane
    assert pane is not None
    pane.show_catalog_page()
    browser = pane.catalog_browser
    assert browser is not None
    page = browser.page("accelerators")
    for name in ("nvidia-h100-sxm-80gb", "nvidia-h200-sxm-141gb", "amd-mi300x"):
        page.choose(name)
        if name in window.compute.catalog.accelerators:
            page.toggle_pin(name)
    page.filters.chips["vendor"].tick("NVIDIA", "AMD")
    yield "catalogue, filtered and pinned", pictured(window)
    page.open_comparison()
    yield "catalogue, compared", pictured(window)
    page.close_comparison()
    page.filters.text.setText("h200 sxm")
    yield "catalogue, one row", pictured(window)
    page.filters.text.setText("nothing is called this")
    yield "catalogue, no row", pictured(window)
    page.filters.clear_all()
    catalog = window.compute.catalog
    offer = next(iter(catalog.offers.values()))
    many = {f"o{place}": msgspec.structs.replace(offer, id=f"o{place}") for place in range(10_000)}
    browser.show_catalog(msgspec.structs.replace(catalog, offers=many))
    browser.tabs.setCurrentIndex(3)
    yield "catalogue, 10 000 rows", pictured(window)
    browser.show_catalog(catalog)
    original = catalog.accelerators["nvidia-h100-sxm-80gb"]
    dialog = OwnDeviceDialog(original, catalog, window.surroundings, False, window)
    dialog._on_edited("peak_dense_flop_per_s.bf16", 1979e12)
    dialog.check()
    dialog.show()
    yield "own device", pictured(dialog)
    dialog.done(0)


def odd_states(window: MainWindow) -> Iterator[Picture]:
    pane = window.results_pane
    assert pane is not None
    pane.show_page_named("overview")
    window.store.rename_scenario(0, LATIN, "rename")
    window.store.edit("model.name", LATIN, "rename")
    settle(window)
    yield "long names", pictured(window)
    window.store.edit("hardware.accelerators", ("nvidia-t4",), "one device alone")
    window.store.edit("hardware.max_devices_per_replica", 1, "one device alone")
    settle(window)
    yield "nothing fits", pictured(window)
    for name, text in (
        ("failed", "The stage could not be finished: an example of what is said then."),
        ("outdated", ""),
    ):
        window.compute.state_changed.emit(name, text)
        yield name, pictured(window)
    while window.store.project.scenarios:
        window.commands.remove_scenario()
    yield "project without scenarios", pictured(window)


def sheet(found: list[Picture]) -> QPixmap:
    """Pictures in rows, each with its name above it."""
    widest = max((picture for _, picture in found), key=QPixmap.width)
    height = round(THUMB_WIDTH * widest.height() / widest.width())
    rows = -(-len(found) // COLUMNS)
    whole = QPixmap(COLUMNS * (THUMB_WIDTH + GAP) + GAP, rows * (height + LABEL_HEIGHT + GAP) + GAP)
    whole.fill(QColor("#808890"))
    painter = QPainter(whole)
    painter.setPen(QColor("#FFFFFF"))
    painter.setFont(QFont(FONT_FAMILY, 10))
    for place, (name, picture) in enumerate(found):
        row, column = divmod(place, COLUMNS)
        left, top = GAP + column * (THUMB_WIDTH + GAP), GAP + row * (height + LABEL_HEIGHT + GAP)
        painter.drawText(QRect(left, top, THUMB_WIDTH, LABEL_HEIGHT), Qt.AlignmentFlag.AlignVCenter, name)
        plain = QPixmap(picture)
        plain.setDevicePixelRatio(1)
        small = plain.scaled(
            THUMB_WIDTH, height, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
        )
        painter.drawPixmap(left, top + LABEL_HEIGHT, small)
    painter.end()
    return whole


def planned(folder: Path, size: tuple[int, int], make: Callable[[MainWindow], Iterator[Picture]]) -> Iterator[Picture]:
    """Pictures of a window in which the example's plan stands."""
    window = started(folder, size)
    window.resize(*size)
    window.build_results()
    window.compute.start()
    window.file.open_template(resources_dir() / "examples" / "13b-two-deployments.gpuplan")
    settle(window)
    yield from make(window)
    window.store.undo_stack.setClean()
    window.close()


def odd(window: MainWindow) -> Iterator[Picture]:
    yield from wrong(window, pictured)
    yield from little_room(window, pictured, settle)
    yield from named(window, pictured, settle)


def picture_screen(screen: str, folder: Path) -> None:
    """All pictures of one screen, each in a file, and the sheet of them."""
    asked = SCREENS[screen]
    app = QApplication([])
    use_language(asked.language)
    theme.load_font(app, asked.type_scale)
    theme.apply_theme(app, asked.theme)
    (folder / "screenshots").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        os.environ[HOME_VARIABLE] = home
        folder_of_it = Path(home)
        if asked.shown == "dialogs":
            found = list(planned(folder_of_it, asked.size, lambda window: dialogs(window, folder_of_it, pictured)))
        elif asked.shown == "odd":
            found = list(planned(folder_of_it, asked.size, odd))
        else:
            found = list(pictures(folder_of_it, asked.size, asked.shown == "states"))
    for name, picture in found:
        file = f"{screen}-{name.replace(', ', '-').replace(' ', '-').replace('/', '-').lower()}.png"
        picture.save(str(folder / "screenshots" / file))
    path = folder / f"contact-sheet-{screen}.png"
    sheet(found).save(str(path))
    print(f"{path}: {len(found)} pictures")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=BUILD)
    parser.add_argument("--screen", choices=tuple(SCREENS), help="one screen alone, in this process")
    options = parser.parse_args()
    if options.screen:
        picture_screen(options.screen, options.folder)
        return 0
    for screen, asked in SCREENS.items():
        command = [sys.executable, __file__, str(options.folder), "--screen", screen]
        subprocess.run(command, check=True, env={**os.environ, "QT_SCALE_FACTOR": f"{asked.scale:g}"})
    return 0


if __name__ == "__main__":
    sys.exit(main())
