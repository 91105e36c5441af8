"""Everything the menus offer, as a table: words, shortcut, icon, and what is called."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWhatsThis, QWidget

from gpuplanner_gui.desktop.widgets.theme import icon
from gpuplanner_gui.desktop.window.crash import open_log_folder
from gpuplanner_gui.drawing.language import tr

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.settings import RecentFiles
    from gpuplanner_gui.desktop.store import Store

Standard = QKeySequence.StandardKey


@dataclass(frozen=True)
class MenuCommand:
    """A menu entry. `call` is what is called, or leads to it from the object that the menus are made for."""

    name: str
    text: str
    call: str | Callable[[], object]
    shortcut: Standard | str | None = None
    icon: str = ""
    menu_role: QAction.MenuRole = QAction.MenuRole.NoRole


@dataclass(frozen=True)
class SubMenu:
    """A menu within a menu, filled by the window."""

    name: str
    text: str


SEPARATOR = None
Entry = MenuCommand | SubMenu | None

MENUS: tuple[tuple[str, tuple[Entry, ...]], ...] = (
    ("&File", (
        MenuCommand("new", "&New Project", "parts.file.new", Standard.New, "new"),
        MenuCommand("guided_start", "New with &Guided Start…", "start_guided", "Ctrl+Alt+N"),
        SubMenu("templates", "New from &Example"),
        MenuCommand("open", "&Open…", "parts.file.open_by_dialog", Standard.Open, "open"),
        SubMenu("recent", "Open &Recent"),
        MenuCommand("recover", "Re&cover Unsaved Work…", "controls.recovery.offer"),
        SEPARATOR,
        MenuCommand("save", "&Save", "parts.file.save", Standard.Save, "save"),
        MenuCommand("save_as", "Save &As…", "parts.file.save_as", Standard.SaveAs),
        SEPARATOR,
        MenuCommand(
            "import_measurements", "Import Meas&urements…", "controls.calibrate.import_measurements", icon="import"
        ),
        MenuCommand("import_model", "&Import Model Configuration…", "import_model", "Ctrl+I", "import"),
        MenuCommand("import_trace", "Import &Traffic Trace…", "controls.load.import_trace", "Ctrl+Shift+I"),
        MenuCommand("export_report", "E&xport Report…", "controls.report.by_dialog", "Ctrl+Shift+E"),
        SEPARATOR,
        MenuCommand("start_page", "Start &Page", "parts.workspace.show_start_page"),
        MenuCommand("quit", "&Quit", "quit_requested.emit", "Ctrl+Q", menu_role=QAction.MenuRole.QuitRole),
    )),
    ("&Edit", (
        SubMenu("undo", ""),
        SEPARATOR,
        MenuCommand("palette", "&Find a Command…", "open_palette", "Ctrl+K", "search"),
        MenuCommand("edit_inputs", "Go to &Inputs", "parts.inputs.focus_editor", "Ctrl+E"),
        MenuCommand("edit_candidates", "Go to &Candidates", "focus_candidates", "Ctrl+T"),
        SEPARATOR,
        MenuCommand(
            "preferences", "&Preferences…", "show_preferences", "Ctrl+,", menu_role=QAction.MenuRole.PreferencesRole
        ),
    )),
    ("&View", (
        SubMenu("places", ""),
        SubMenu("pages", "&Pages"),
        SEPARATOR,
        SubMenu("explain", ""),
        SubMenu("overlays", ""),
        MenuCommand("reset_layout", "&Reset Layout", "reset_layout"),
        SEPARATOR,
        SubMenu("theme", "&Theme"),
        SubMenu("language", "&Language"),
    )),
    ("&Plan", (
        MenuCommand("add_scenario", "&Add Scenario", "add_scenario", "Ctrl+Shift+N", "add"),
        MenuCommand("duplicate_scenario", "&Duplicate Scenario", "duplicate_scenario", "Ctrl+D", "duplicate"),
        MenuCommand("rename_scenario", "Re&name Scenario", "rename_scenario", "F2"),
        MenuCommand("move_up", "Move Scenario &Up", "move_scenario_up", "Alt+Shift+Up", "up"),
        MenuCommand("move_down", "Move Scenario D&own", "move_scenario_down", "Alt+Shift+Down", "down"),
        MenuCommand("remove_scenario", "Remo&ve Scenario", "remove_scenario", None, "delete"),
        SEPARATOR,
        MenuCommand("pin", "&Pin or Unpin Candidate", "pin_candidate", "Ctrl+P"),
        MenuCommand("unpin_all", "Unpin All Candidates", "unpin_all"),
        MenuCommand("estate", "Plan All as One &Estate", "controls.estate.draft"),
        SEPARATOR,
        SubMenu("request_presets", "Add Request &Class"),
        MenuCommand("remove_training", "Remove &Training", "remove_training"),
        MenuCommand("remove_serving", "Remove &Serving", "remove_serving"),
        SEPARATOR,
        MenuCommand("launch_flags", "Launch &Flags…", "show_launch_flags", "Ctrl+L"),
        MenuCommand("recompute", "Compute A&gain", "parts.compute.retry", Standard.Refresh),
        MenuCommand("cancel", "Cance&l Computation", "cancel_computation", "Esc"),
    )),
    ("&Catalogue", (
        MenuCommand("browse", "&Browse", "browse_catalog", "Ctrl+B", "search"),
        MenuCommand("current_figures", "&Use Current Catalogue", "use_current_figures"),
        SEPARATOR,
        MenuCommand("add_device", "&Add Own Device…", "controls.own_catalog.add_device", None, "add"),
        MenuCommand("import_prices", "Import Price &List…", "controls.own_catalog.import_prices_by_dialog"),
        MenuCommand("user_folder", "Open &Folder of Own Entries", "open_user_catalogs"),
        SEPARATOR,
        MenuCommand("import_pack", "&Import Pack…", "controls.packs.import_by_dialog"),
        MenuCommand("take_back_pack", "&Remove Last Pack", "controls.packs.take_back"),
    )),
    ("&Window", (
        MenuCommand("new_window", "New &Window", "new_window_requested.emit", "Ctrl+Alt+W"),
        MenuCommand("next_window", "Ne&xt Window", "next_window_requested.emit", "Ctrl+F6"),
        SEPARATOR,
        MenuCommand("close_window", "&Close Window", "parts.frame.close", "Ctrl+W"),
    )),
    ("&Help", (
        MenuCommand("how_do_i", "&How Do I…", "show_tasks", "Ctrl+F1"),
        MenuCommand("methods", "&Methods…", "show_methods", Standard.HelpContents),
        MenuCommand("tour", "&Show the Tour", "show_tour"),
        MenuCommand("whats_this", "What's &This?", QWhatsThis.enterWhatsThisMode, Standard.WhatsThis),
        MenuCommand("logs", "Open &Log Folder", open_log_folder),
        MenuCommand("fault_report", "Write Fault &Report", "report_fault"),
        SEPARATOR,
        MenuCommand("about", "&About GPU Planner", "about", menu_role=QAction.MenuRole.AboutRole),
    )),
)  # fmt: skip


class Menus:
    """The menu bar's actions and menus by name."""

    def __init__(self, bar: QMenuBar, window: QWidget, target: object) -> None:
        self.actions: dict[str, QAction] = {}
        self.menus: dict[str, QMenu] = {}
        self._places: dict[str, tuple[QMenu, QAction]] = {}
        for title, entries in MENUS:
            # Held here: asking an action for a menu that Python no longer knows gives a dead one.
            menu = self.menus[title.replace("&", "").lower()] = bar.addMenu(tr(title))
            self._fill(menu, entries, window, target)

    def fill_place(self, name: str, actions: Iterable[QAction]) -> None:
        """Put actions where a submenu without a title keeps a place for them."""
        menu, before = self._places[name]
        menu.insertActions(before, list(actions))

    def _fill(self, menu: QMenu, entries: tuple[Entry, ...], window: QWidget, target: object) -> None:
        for entry in entries:
            if entry is None:
                menu.addSeparator()
            elif isinstance(entry, MenuCommand):
                menu.addAction(self._action(entry, window, target))
            elif entry.text:
                self.menus[entry.name] = menu.addMenu(tr(entry.text))
            else:
                place = menu.addAction("")
                place.setVisible(False)
                self._places[entry.name] = (menu, place)

    def _action(self, command: MenuCommand, window: QWidget, target: object) -> QAction:
        action = QAction(tr(command.text), window)
        action.setObjectName(command.name)
        action.setMenuRole(command.menu_role)
        if command.icon:
            action.setIcon(icon(command.icon))
        if isinstance(command.shortcut, Standard):
            action.setShortcuts(QKeySequence.keyBindings(command.shortcut))
        elif command.shortcut:
            action.setShortcut(QKeySequence(command.shortcut))
        named = command.call
        call: Callable[[], object] = attrgetter(named)(target) if isinstance(named, str) else named
        action.triggered.connect(lambda: call())
        self.actions[command.name] = action
        return action

    def follow(self, store: Store) -> None:
        """Offer what can be done with the scenario at hand."""
        scenario, actions = store.scenario, self.actions
        is_there = scenario is not None
        of_scenario = ("duplicate_scenario", "rename_scenario", "remove_scenario")
        for name in (*of_scenario, "import_model", "recompute", "export_report"):
            actions[name].setEnabled(is_there)
        actions["move_up"].setEnabled(store.current > 0)
        actions["move_down"].setEnabled(is_there and store.current < len(store.project.scenarios) - 1)
        actions["remove_training"].setEnabled(scenario is not None and scenario.training is not None)
        is_serving = scenario is not None and scenario.serving is not None
        actions["remove_serving"].setEnabled(is_serving)
        self.menus["request_presets"].setEnabled(is_serving)

    def refresh_icons(self) -> None:
        """Draw the icons in the present palette's colour."""
        for _, entries in MENUS:
            for entry in entries:
                if isinstance(entry, MenuCommand) and entry.icon:
                    self.actions[entry.name].setIcon(icon(entry.icon))


def fill_recent(menu: QMenu, recent: RecentFiles, open_path: Callable[[Path], object]) -> None:
    """The projects that were opened last."""
    menu.clear()
    for number, path in enumerate(recent.paths(), 1):
        name = f"{path.name} — {path.parent}" if number < 10 else path.name
        # An ampersand of a name is no mnemonic.
        escaped = name.replace("&", "&&")
        action = menu.addAction(f"&{number} {escaped}" if number < 10 else escaped)
        action.triggered.connect(lambda _=False, path=path: open_path(path))
    if menu.isEmpty():
        menu.addAction(tr("No recent projects")).setEnabled(False)
        return
    menu.addSeparator()
    menu.addAction(tr("&Clear List")).triggered.connect(recent.clear)
