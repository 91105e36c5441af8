"""How the program speaks and looks, from the settings: language, forms of numbers, theme, size of type."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QLocale, QSettings, Qt
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.desktop.settings import Key, flag_setting, number_setting, text_setting
from gpuplanner_gui.desktop.theme import apply_theme, load_font, theme_of
from gpuplanner_gui.drawing.translations import SYSTEM, language_of, use_language
from gpuplanner_gui.drawing.units import NumberSigns, use_number_signs

NUMBER_SIGNS = {
    "plain": NumberSigns(".", "\u00a0"),
    "comma_groups": NumberSigns(".", ","),
    "comma_decimals": NumberSigns(",", ".", is_money_behind=True),
    "blank_groups": NumberSigns(",", "\u00a0", is_money_behind=True),
}
"""By code; each is shown as an example in the preferences."""
_MOVING = (
    Qt.UIEffect.UI_AnimateMenu, Qt.UIEffect.UI_FadeMenu, Qt.UIEffect.UI_AnimateCombo, Qt.UIEffect.UI_AnimateTooltip,
    Qt.UIEffect.UI_FadeTooltip, Qt.UIEffect.UI_AnimateToolBox,
)  # fmt: skip
FONT_SCALES = (0.85, 1.0, 1.15, 1.3, 1.5, 2.0)


def take_up_settings(app: QApplication, settings: QSettings) -> None:
    """At the start, before there is a window."""
    speak(settings)
    use_number_signs(number_signs(text_setting(settings, Key.NUMBERS, SYSTEM)))
    load_font(app, font_scale(settings))
    apply_theme(app, theme_of(text_setting(settings, Key.THEME)))
    use_reduced_motion(flag_setting(settings, Key.REDUCED_MOTION, False))


def speak(settings: QSettings) -> None:
    """Take the language that is set; dates follow it."""
    code = language_of(text_setting(settings, Key.LANGUAGE, SYSTEM))
    use_language(code)
    system = QLocale.system()
    is_systems = system.name().startswith(code)
    QLocale.setDefault(system if is_systems else QLocale(code))


def use_reduced_motion(is_on: bool) -> None:
    """Let menus, lists and tips appear at once, or as the platform has it."""
    for effect, is_platforms in _platforms_effects().items():
        QApplication.setEffectEnabled(effect, is_platforms and not is_on)


@cache
def _platforms_effects() -> dict[Qt.UIEffect, bool]:
    """Which effects the platform has, asked before any was set here."""
    return {effect: QApplication.isEffectEnabled(effect) for effect in _MOVING}


def number_signs(code: str) -> NumberSigns:
    """What stands before decimals and between thousands; the system's for a code that is none of ours."""
    if code in NUMBER_SIGNS:
        return NUMBER_SIGNS[code]
    system = QLocale.system()
    decimal = "," if system.decimalPoint() == "," else "."
    group = system.groupSeparator().replace("\u202f", "\u00a0")
    is_known = group in (",", ".", "\u00a0", "'", "’") and group != decimal
    # The plain locale of a system that was told no country writes 1.00$.
    has_country = system.language() != QLocale.Language.C
    is_behind = has_country and not system.toCurrencyString(1.0, "$").lstrip("\u200e\u200f").startswith("$")
    return NumberSigns(decimal, group if is_known else "\u00a0", is_behind)


def font_scale(settings: QSettings) -> float:
    scale = number_setting(settings, Key.FONT_SCALE, 1.0)
    return min(FONT_SCALES, key=lambda one: abs(one - scale))
