"""The Catalogue menu's work: own devices, price lists and signed packs."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gpuplanner_gui.desktop.tasks.runner import Watch
from gpuplanner_gui.desktop.widgets.message_bar import Act, Severity
from gpuplanner_gui.desktop.widgets.questions import ask_for_file
from gpuplanner_gui.desktop.window.reading_controls import ReadingControls
from gpuplanner_gui.domain.catalog import CatalogKind
from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.words.pack import change_rows, keys_text, pack_lines, pack_title, revoked_text

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.window.window_parts import WindowParts
    from gpuplanner_gui.domain.catalog import Pack, PackChange
    from gpuplanner_gui.domain.hardware import Accelerator
    from gpuplanner_gui.files.catalogs import OwnChange
    from gpuplanner_gui.files.packs.pack_file import SignedPack

FIRST_COPIED = "nvidia-h100-sxm-80gb"


def say_and_reload(
    parts: WindowParts, words: Callable[[], str], action: Callable[[], str] = str, act: Act | None = None,
    severity: Severity = Severity.NOTE,
) -> None:  # fmt: skip
    """Compute with the catalogue as it is now; a project keeps the figures that it carries along."""
    parts.messages.show_message(words, severity, action, act, is_about_project=False)
    parts.compute.start()
    parts.compute.retry()


_ToldChange = tuple[Callable[[], str], "OwnChange"]
"""What was said of a change of the user's catalogue, and what it takes back."""


class OwnCatalogControls:
    """The actions on the user's own catalogue entries, from menu and browser; each change takes effect at once."""

    def __init__(self, parts: WindowParts) -> None:
        self._parts = parts
        self._changes: tuple[_ToldChange, ...] = ()

    def add_device(self) -> None:
        """Copy the device that is chosen in the browser, or the plan's best one."""
        catalog = self._parts.compute.catalog
        if catalog is not None:
            self.open_device(self._at_hand(), is_edit=False)

    def open_device(self, accelerator_id: str, is_edit: bool) -> None:
        """Ask for the figures of a copy, or of an own device."""
        from gpuplanner_gui.desktop.dialogs.own_device import OwnDeviceDialog

        catalog = self._parts.compute.catalog
        original = catalog.accelerators.get(accelerator_id) if catalog is not None else None
        if original is None:
            return
        dialog = OwnDeviceDialog(original, catalog, self._parts.surroundings, is_edit, self._parts.frame)
        if dialog.exec() == OwnDeviceDialog.DialogCode.Accepted:
            self.save_device(dialog.device(), is_edit)
        dialog.deleteLater()

    def save_device(self, device: Accelerator, is_edit: bool = False) -> None:
        from gpuplanner_gui.desktop.dialogs.own_device import saved_form
        from gpuplanner_gui.files.catalogs import save_own_entries

        with self._parts.messages.telling_problems():
            change = save_own_entries({"accelerators": (saved_form(device),)})
            self._say_and_reload(
                lambda: (
                    tr("Changed in your catalogue: {name}.") if is_edit else tr("Added to your catalogue: {name}.")
                ).format(name=device.name),
                change,
            )
            if self._parts.results_pane is not None:
                self._parts.results_pane.show_catalog_entry("accelerators", device.id, is_coming=True)

    def remove(self, kind: CatalogKind, entry_id: str) -> None:
        """Take an own entry out; what it had replaced counts again. Who still plans with it is told so."""
        from gpuplanner_gui.files.catalogs import load_catalog, remove_own_entry

        entry = self._parts.compute.catalog.entries(kind).get(entry_id)
        name = getattr(entry, "name", "") or entry_id
        with self._parts.messages.telling_problems():
            is_used = kind == "accelerators" and entry_id in self._accelerators_used()
            change = remove_own_entry(kind, entry_id)
            is_missed = is_used and entry_id not in load_catalog().accelerators
            self._say_and_reload(
                lambda: (
                    tr("Removed from your catalogue: {name}. The open project uses it: undo, or choose another device.")
                    if is_missed
                    else tr("Removed from your catalogue: {name}.")
                ).format(name=name),
                change,
                Severity.WARNING if is_missed else Severity.NOTE,
            )

    def _accelerators_used(self) -> set[str]:
        """Those that the open project names, or its plans recommend; without those that its file carries along."""
        from gpuplanner_gui.files.project import named_accelerators

        project, results = self._parts.store.project, self._parts.compute.results
        used = named_accelerators(project)
        if results is not None:
            best = [int(one.table.accelerator[one.best]) for one in results.plan.answers.values() if one.best >= 0]
            used.update(results.plan.accelerators[one] for one in best)
        return used - {one.id for one in project.catalog.accelerators}

    def import_prices_by_dialog(self) -> None:
        path = ask_for_file(self._parts.frame, tr("Import price list"), tr("Price lists (*.csv *.tsv *.txt)"))
        if path is not None:
            self.import_prices(path)

    def import_prices(self, path: Path) -> None:
        """Show how a list is understood; take its prices where the planner says so."""
        from gpuplanner_gui.desktop.dialogs.price_list import PriceListDialog
        from gpuplanner_gui.files.catalogs import save_own_entries
        from gpuplanner_gui.files.price_list import read_price_table

        catalog, scenario = self._parts.compute.catalog, self._parts.store.scenario
        if catalog is None:
            return
        economics = scenario.economics if scenario is not None else Economics()
        worths = {one.currency: economics.usd_per_unit(one.currency) for one in economics.rates}
        rates: dict[str, float] = {currency: usd for currency, usd in worths.items() if not math.isnan(usd)}
        with self._parts.messages.telling_problems():
            table = read_price_table(path)
            dialog = PriceListDialog(table, catalog, rates, datetime.date.today(), self._parts.frame)
            is_taken = dialog.exec() == PriceListDialog.DialogCode.Accepted
            usable = sum(row.fault is None for row in dialog.rows)
            stated = dialog.stated()
            dialog.deleteLater()
            if not is_taken:
                return
            change = save_own_entries(stated, keeps_fields=True)
            self._say_and_reload(partial(_taken_text, usable, path.name), change)

    def _at_hand(self) -> str:
        pane, results = self._parts.results_pane, self._parts.compute.results
        browser = pane.catalog_browser if pane is not None else None
        chosen = browser.page("accelerators").chosen() if browser is not None else None
        if chosen is not None:
            return str(chosen.id)
        answer = None if results is None else results.plan.serving or results.plan.training
        if results is not None and answer is not None and answer.best >= 0:
            return results.plan.accelerators[int(answer.table.accelerator[answer.best])]
        known = self._parts.compute.catalog.accelerators
        return FIRST_COPIED if FIRST_COPIED in known else next(iter(known), "")

    def undo(self, changes: tuple[_ToldChange, ...]) -> None:
        """Take back the last of these changes; the one before it can be undone then."""
        from gpuplanner_gui.files.catalogs import take_back

        with self._parts.messages.telling_problems():
            take_back(changes[-1][1])
            self._reload(partial(_restored_text, changes[:-1]), changes[:-1])

    def _say_and_reload(self, words: Callable[[], str], change: OwnChange, severity: Severity = Severity.NOTE) -> None:
        self._reload(words, (*self._changes, (words, change)), severity)

    def _reload(
        self, words: Callable[[], str], changes: tuple[_ToldChange, ...], severity: Severity = Severity.NOTE
    ) -> None:
        self._changes = changes
        undo: Act | None = (OwnCatalogControls, lambda controls: controls.undo(changes)) if changes else None
        say_and_reload(self._parts, words, (lambda: tr("Undo")) if changes else str, undo, severity)


def _restored_text(before: tuple[_ToldChange, ...]) -> str:
    said = tr("Your catalogue was restored.")
    return tr("{said} The change before: {change}").format(said=said, change=before[-1][0]()) if before else said


def _taken_text(count: int, name: str) -> str:
    words = tr("{count} price imported from {name}.") if count == 1 else tr("{count} prices imported from {name}.")
    return words.format(count=count, name=name)


PACK_SUFFIX = ".gpupack"


def _in_force_text(pack: Pack, revoked: tuple[Pack, ...]) -> str:
    return " ".join(filter(None, (tr("Now in use: {pack}.").format(pack=pack_title(pack)), revoked_text(revoked))))


@dataclass(frozen=True)
class _SeenPack:
    """A pack with all that its dialog shows."""

    path: Path
    signed: SignedPack
    changes: tuple[PackChange, ...]
    rows: list[tuple[str, ...]]
    in_force: tuple[Pack, ...]


def _seen(path: Path, _: Watch) -> _SeenPack:
    """Read a pack; thousands of entries take a second."""
    from gpuplanner_gui.files.catalogs import load_catalog_of_packs
    from gpuplanner_gui.files.packs.pack_file import applied_packs
    from gpuplanner_gui.files.packs.powers import looked_at

    signed, changes = looked_at(path, load_catalog_of_packs())
    return _SeenPack(path, signed, changes, change_rows(changes), tuple(one.pack for one in applied_packs()))


class PackControls(ReadingControls):
    """The actions of the Catalogue menu on packs."""

    def __init__(self, parts: WindowParts) -> None:
        super().__init__("packs", parts)

    def import_by_dialog(self) -> None:
        path = ask_for_file(self._parts.frame, tr("Import catalogue pack"), tr("Catalogue packs (*.gpupack)"))
        if path is not None:
            self.import_from(path)

    def import_from(self, path: Path) -> None:
        """Show what a pack would change, when it has been read; put it in force where the planner says so."""
        if self.is_reading:
            self._waiting.append(partial(self.import_from, path))
        else:
            self._begin(path, partial(_seen, path))

    def _task_text(self, file: str) -> str:
        return tr("Reading {file}").format(file=file)

    def _on_read(self, _: str, seen: _SeenPack) -> None:
        from gpuplanner_gui.desktop.dialogs.price_list import PackDialog
        from gpuplanner_gui.files.packs.pack_file import packs_of_revoked_keys
        from gpuplanner_gui.files.packs.powers import put_in_force

        pack = seen.signed.pack
        has_effect = bool(keys_text(pack)) or any(change.code != "same" for change in seen.changes)
        lines = pack_lines(pack, seen.signed.signer, seen.changes, seen.in_force)
        dialog = PackDialog(pack, lines, seen.rows, has_effect, self._parts.frame)
        is_taken = dialog.exec() == PackDialog.DialogCode.Accepted
        dialog.deleteLater()
        if not is_taken:
            return
        with self._parts.messages.telling_problems():
            put_in_force(seen.signed, seen.path)
            words = partial(_in_force_text, pack, packs_of_revoked_keys())
            say_and_reload(self._parts, words, lambda: tr("Remove"), (PackControls, PackControls.take_back))

    def take_back(self) -> None:
        """Take the newest pack away; what it had replaced is in force again."""
        from gpuplanner_gui.files.packs.pack_file import restore_before_last_pack

        with self._parts.messages.telling_problems():
            removed = restore_before_last_pack()
            if removed is None:
                self._parts.messages.show_message(lambda: tr("No catalogue pack is in use."), Severity.NOTE)
            else:
                say_and_reload(self._parts, lambda: tr("Removed: {pack}.").format(pack=pack_title(removed.pack)))
