"""The languages that the program speaks: compiled Qt Linguist files that ship with it, and Qt's own words."""

from __future__ import annotations

import logging
import re
from functools import lru_cache

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from gpuplanner_gui import paths
from gpuplanner_gui.drawing.language import ENGLISH, use_translator

logger = logging.getLogger(__name__)

CONTEXT = "gpuplanner"
LANGUAGES = {ENGLISH: "English", "zh_TW": "繁體中文"}
"""Languages by code, each named in itself."""
SYSTEM = "system"
_KEPT_SENTENCES = 8192

_IDEOGRAPH = r"[\u3400-\u9fff]"

_of_qt: list[QTranslator] = []


class Spaced(str):
    """A sentence that sets a blank around what is filled in only where Latin letters or figures meet ideographs."""

    def format(self, *values: object, **named: object) -> str:
        text = str(self)
        for name, value in named.items():
            said = str(value)
            if re.match(_IDEOGRAPH, said[:1]):
                text = re.sub(rf"(?<={_IDEOGRAPH}) (?=\{{{name}[}}!:])", "", text)
            if re.match(_IDEOGRAPH, said[-1:]):
                text = re.sub(rf"(?<=\{{{name}\}}) (?={_IDEOGRAPH})", "", text)
        return text.format(*values, **named)


def language_of(wanted: str) -> str:
    """The language that a setting asks for; the system's where that is one of ours, else English."""
    if wanted in LANGUAGES:
        return wanted
    for name in QLocale.system().uiLanguages():
        if name.replace("-", "_").startswith(("zh_Hant", "zh_TW", "zh_HK", "zh_MO")):
            return "zh_TW"
        if name.startswith(ENGLISH):
            return ENGLISH
    return ENGLISH


def use_language(code: str) -> bool:
    """Say everything in this language from now on; English, and False, where its file cannot be read."""
    _forget_qt_words()
    use_translator(None)
    if code == ENGLISH:
        return True
    ours = QTranslator()
    if not ours.load(str(paths.resources_dir() / "translations" / f"gpuplanner_{code}.qm")):
        logger.warning("the translation into %s could not be read", code)
        return False

    @lru_cache(maxsize=_KEPT_SENTENCES)
    def translated(text: str) -> str:
        # Sentences that the file lacks stay English.
        return Spaced(ours.translate(CONTEXT, text) or text)

    use_translator(translated, code)
    _take_qt_words(code)
    return True


def _take_qt_words(code: str) -> None:
    """Words of Qt's own dialogs and menus, where Qt brings them along."""
    application = QCoreApplication.instance()
    words = QTranslator()
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if application is not None and words.load(f"qtbase_{code}", folder):
        application.installTranslator(words)
        _of_qt.append(words)


def _forget_qt_words() -> None:
    while _of_qt:
        words = _of_qt.pop()
        application = QCoreApplication.instance()
        if application is not None:
            application.removeTranslator(words)
