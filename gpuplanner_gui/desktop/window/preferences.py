"""Preferences: what a planner sets once, each applied as soon as it is chosen; none changes a computed number."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui import paths
from gpuplanner_gui.desktop.settings import Key, flag_setting, text_setting
from gpuplanner_gui.desktop.widgets.flow_layout import STRETCH, lay_out
from gpuplanner_gui.desktop.widgets.labels import plain_label
from gpuplanner_gui.desktop.widgets.questions import may_restore_preferences
from gpuplanner_gui.desktop.widgets.theme import (
    FONT_SCALES,
    NUMBER_SIGNS,
    ThemeChoice,
    choice_box,
    font_scale,
    number_signs,
    push_button,
    theme_of,
)
from gpuplanner_gui.desktop.window.crash import open_folder
from gpuplanner_gui.desktop.window.recovery import KEEP_CHOICES_S, keep_after_s
from gpuplanner_gui.drawing.application import type_scale
from gpuplanner_gui.drawing.language import tr, without_mnemonic
from gpuplanner_gui.drawing.translations import LANGUAGES, SYSTEM
from gpuplanner_gui.drawing.units import format_value

if TYPE_CHECKING:
    from PySide6.QtCore import QSettings

    from gpuplanner_gui.desktop.window.view_menus import AppearanceControls

FIRST_SIZE = (620, 680)
FRAME = 48
"""Pixels of the screen that the frame of a window takes."""
LEAST_LETTERS = 12
Choices = list[tuple[str, str]]


class PreferencesDialog(QDialog):
    """Stays open beside the window, so that each choice is seen at work."""

    def __init__(self, settings: QSettings, actions: AppearanceControls, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("preferences")
        self.setWindowTitle(tr("Preferences"))
        self._settings, self._actions = settings, actions
        self._form = QFormLayout()
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        # With large type a field stands under its title, so that neither is cut.
        self._form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self._form.setVerticalSpacing(2)
        self._form.setHorizontalSpacing(16)
        self._add_words_and_looks()
        self._add_plots()
        self._add_work()
        self._add_folders()
        self._lay_out()

    def _lay_out(self) -> None:
        inside = QWidget()
        inside.setLayout(self._form)
        room = QScrollArea()
        room.setWidgetResizable(True)
        room.setWidget(inside)
        room.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        restore = buttons.addButton(tr("Restore &defaults"), QDialogButtonBox.ButtonRole.ResetRole)
        restore.setObjectName("restore_all")
        restore.setToolTip(tr("Resets every preference; folders and projects do not change"))
        restore.setAccessibleDescription(restore.toolTip())
        restore.clicked.connect(self._restore_all)
        lay_out(QVBoxLayout(self), room, buttons)
        wanted = QSize(*FIRST_SIZE) * type_scale()
        room_there = self.screen().availableGeometry().size() - QSize(FRAME, FRAME)
        self.resize(wanted.boundedTo(room_there))

    def _restore_all(self) -> None:
        if may_restore_preferences(self):
            self._actions.restore_all()

    def _add_words_and_looks(self) -> None:
        act, settings = self._actions, self._settings
        self._add_heading(tr("Language and appearance"))
        self._add_choice(
            "language", tr("&Language"), tr("Language of the window, reports and exported plots."),
            [(SYSTEM, tr("System default")), *LANGUAGES.items()], text_setting(settings, Key.LANGUAGE, SYSTEM),
            act.use_language,
        )  # fmt: skip
        self._add_choice(
            "numbers", tr("&Numbers"),
            tr("Decimal and thousands separators. You can type either form; files do not change."),
            _number_choices(), text_setting(settings, Key.NUMBERS, SYSTEM), act.use_numbers,
        )  # fmt: skip
        themes = {
            ThemeChoice.SYSTEM: tr("System default"),
            ThemeChoice.LIGHT: tr("Light"),
            ThemeChoice.DARK: tr("Dark"),
        }
        self._add_choice(
            "theme", tr("&Theme"), tr("Plots exported for print are always light."),
            [(theme.value, words) for theme, words in themes.items()],
            theme_of(text_setting(settings, Key.THEME, SYSTEM)).value, act.use_theme,
        )  # fmt: skip
        self._add_choice(
            "font_scale", tr("Text &size"), tr("Text size in the window, in addition to the screen's scale."),
            [(f"{scale:g}", format_value(scale, "share")) for scale in FONT_SCALES], f"{font_scale(settings):g}",
            act.use_font_scale,
        )  # fmt: skip
        self._add_flag(
            "reduced_motion", tr("&Reduced motion"), tr("Switches animations off."),
            flag_setting(settings, Key.REDUCED_MOTION), act.use_reduced_motion,
        )  # fmt: skip

    def _add_plots(self) -> None:
        self._add_heading(tr("Plots"))
        self._add_flag(
            "overlays", tr("Show the other s&cenarios"), tr("Plots also show the curves of other scenarios."),
            text_setting(self._settings, Key.OVERLAYS) == "on", self._actions.show_overlays,
        )  # fmt: skip
        self._add_button(
            "plot_scales", tr("Axes"), tr("Resets the axes that you made logarithmic or linear."),
            tr("Reset a&xes"), self._actions.forget_plot_scales,
        )  # fmt: skip

    def _add_work(self) -> None:
        self._add_heading(tr("Work"))
        self._add_choice(
            "autosave_s", tr("&Autosave"),
            tr("Autosave a recovery copy after each edit. Your file changes only when you save."),
            [(f"{one:g}", tr("after {time}").format(time=format_value(one, "s"))) for one in KEEP_CHOICES_S],
            f"{keep_after_s(self._settings):g}", self._actions.keep_after,
        )  # fmt: skip
        self._add_flag(
            "restores_session", tr("Re&open last session"),
            tr("Reopens all windows, including unsaved work, so quitting does not ask to save."),
            flag_setting(self._settings, Key.RESTORES_SESSION), self._actions.restore_session,
        )  # fmt: skip

    def _add_folders(self) -> None:
        self._add_heading(tr("Folders"))
        for name, title, words, folder in (
            ("data", tr("Your data"), tr("Own catalogue entries, packs and recovery copies."),
             paths.user_data_dir()),
            ("config", tr("Settings"), tr("Settings of this dialog; delete the file to restore all defaults."),
             paths.user_config_dir()),
            ("logs", tr("Logs"), tr("Error logs, for support."), paths.log_dir()),
        ):  # fmt: skip
            self._add_folder(name, title, words, folder)

    def _add_heading(self, words: str) -> None:
        heading = plain_label(words, name="partTitle")
        heading.setContentsMargins(0, 10 if self._form.rowCount() else 0, 0, 2)
        self._form.addRow(heading)

    def _add_choice(
        self, name: str, title: str, words: str, choices: Choices, chosen: str, act: Callable[[str], None]
    ) -> None:
        box = choice_box(choices)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(LEAST_LETTERS)
        box.setCurrentIndex(max(0, box.findData(chosen)))
        box.activated.connect(lambda _: act(box.currentData()))
        self._add(name, title, words, box)

    def _add_flag(self, name: str, title: str, words: str, is_on: bool, act: Callable[[bool], None]) -> None:
        box = QCheckBox(title)
        box.setChecked(is_on)
        box.toggled.connect(act)
        self._add(name, "", words, box)
        box.setAccessibleName(without_mnemonic(title))

    def _add_button(self, name: str, title: str, words: str, says: str, act: Callable[[], None]) -> None:
        button = push_button(says, lambda: act())
        self._add(name, title, words, _at_left(button), button)

    def _add_folder(self, name: str, title: str, words: str, folder: Path) -> None:
        line = QLineEdit(str(folder))
        line.setReadOnly(True)
        line.setAccessibleName(title)
        said = tr("Open the folder: {name}").format(name=title)
        button = push_button(tr("Open"), lambda: open_folder(folder), said=said)
        box = QWidget()
        lay_out(QHBoxLayout(box), (line, 1), button, margins=(0, 0, 0, 0))
        self._add(name, title, words, box, line)
        button.setWhatsThis(words)

    def _add(self, name: str, title: str, words: str, row: QWidget, field: QWidget | None = None) -> None:
        field = field or row
        field.setObjectName(name)
        field.setToolTip(words)
        field.setWhatsThis(words)
        field.setAccessibleDescription(words)
        label = QLabel(title)
        label.setBuddy(field)
        if title and not field.accessibleName():
            field.setAccessibleName(without_mnemonic(title))
        said = plain_label(words, name="quiet", wraps=True)
        column = QWidget()
        lay_out(QVBoxLayout(column), row, said, margins=(0, 0, 0, 8), spacing=2)
        # Left to itself, the form puts titles of large type below the middle of their fields.
        row.ensurePolished()
        label.ensurePolished()
        label.setMaximumHeight(max(row.sizeHint().height(), label.sizeHint().height()))
        self._form.addRow(label, column)


def _number_choices() -> Choices:
    named = [(code, _example(code)) for code in NUMBER_SIGNS]
    return [(SYSTEM, tr("System default: {example}").format(example=_example(SYSTEM))), *named]


def _example(code: str) -> str:
    signs = number_signs(code)
    number = f"1{signs.group}234{signs.decimal}5"
    return f"{number} €" if signs.is_money_behind else f"€{number}"


def _at_left(widget: QWidget) -> QWidget:
    box = QWidget()
    lay_out(QHBoxLayout(box), widget, STRETCH, margins=(0, 0, 0, 0))
    return box
