"""Labels that keep their room: elided at its end, of a fixed number of lines, or wrapping."""

from __future__ import annotations

import html
import re

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent, QPainter, QPaintEvent, QPen, QResizeEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolTip, QWidget

from gpuplanner_gui.drawing.words.glossary import meanings, terms_in

LEAST_WIDTH = 20
ROOM_ABOVE_AND_BELOW = 2
ROUNDING_WIDTH = 1
"""An advance is rounded to whole pixels, and what is cut off is reckoned without rounding."""


def plain_label(
    text: str = "", parent: QWidget | None = None, *, name: str = "", wraps: bool = False, is_selectable: bool = False
) -> QLabel:
    """A label whose text is never taken for markup; `name` is the style sheet's."""
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setObjectName(name)
    label.setWordWrap(wraps)
    if is_selectable:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


class ElidedLabel(QLabel):
    """One line of plain text, cut with an ellipsis where it does not fit; the whole of it in the tool tip.

    Paints itself: a `QLabel` that is given a text has everything around it laid out anew, up to the window. Here that
    happens only where the width follows the text, which `fill_width` ends.
    """

    def __init__(self, parent: QWidget | None = None, name: str = "") -> None:
        """`name` is what a screen reader says before the text."""
        super().__init__(parent)
        self._name = name
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setMinimumWidth(LEAST_WIDTH)
        self._whole = ""

    def setText(self, text: str) -> None:
        if text != self._whole:
            width = self.sizeHint().width()
            self._whole = text
            self.setAccessibleName(f"{self._name}: {text}" if self._name else text)
            self._tell_whole()
            self.update()
            has_own_width = self.sizePolicy().horizontalPolicy() is not QSizePolicy.Policy.Ignored
            if has_own_width and self.sizeHint().width() != width:
                self.updateGeometry()

    def fill_width(self) -> None:
        """Be as wide as there is room, whatever the text."""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def keep_width(self) -> None:
        """Be as wide as for the present text with shorter ones too."""
        self.setMinimumWidth(self.sizeHint().width())

    def text(self) -> str:
        return self._whole

    def shown_text(self) -> str:
        """What there is room for."""
        return elided(self._whole, self.contentsRect().width(), self.fontMetrics())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell_whole()

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_WIDTH, self._line_height())

    def sizeHint(self) -> QSize:
        margins = self.contentsMargins()
        text_width = self.fontMetrics().horizontalAdvance(self._whole) + ROUNDING_WIDTH
        needed = text_width + margins.left() + margins.right()
        return QSize(max(needed, self.minimumWidth()), self._line_height())

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and (told := meanings(self._whole)):
            cut = [] if self.shown_text() == self._whole else [self._whole]
            QToolTip.showText(event.globalPos(), plain_tool_tip("\n".join((*cut, *told))), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        place = Qt.AlignmentFlag.AlignVCenter | self.alignment() & Qt.AlignmentFlag.AlignHorizontal_Mask
        self._draw_line(painter, self.contentsRect(), place, self.shown_text())
        painter.end()

    def _draw_line(self, painter: QPainter, room: QRect, place: Qt.AlignmentFlag, line: str) -> None:
        """A line of text; terms of the glossary are underlined with dots, for their meaning is in the tool tip."""
        self.style().drawItemText(
            painter, room, place, self.palette(), self.isEnabled(), line, self.foregroundRole()
        )  # fmt: skip
        metrics = self.fontMetrics()
        drawn = metrics.boundingRect(room, int(place), line)
        painter.setPen(QPen(self.palette().color(self.foregroundRole()), 1, Qt.PenStyle.DotLine))
        under = drawn.top() + metrics.ascent() + metrics.underlinePos() + 1
        for term in terms_in(line):
            start, end = (drawn.left() + metrics.horizontalAdvance(line[:at]) for at in (term.start, term.end))
            painter.drawLine(start, under, end, under)

    def _line_height(self) -> int:
        margins = self.contentsMargins()
        return self.fontMetrics().height() + ROOM_ABOVE_AND_BELOW + margins.top() + margins.bottom()

    def _tell_whole(self) -> None:
        self.setToolTip("" if self.shown_text() == self._whole else plain_tool_tip(self._whole))


class ShorteningLabel(ElidedLabel):
    """One line: its text, the longest of shorter ones that fits, or nothing; never cut within a word."""

    def __init__(self, parent: QWidget | None = None, name: str = "") -> None:
        super().__init__(parent, name)
        self._shorter: tuple[str, ...] = ()
        self.fill_width()

    def show_texts(self, whole: str, *shorter: str) -> None:
        """The whole text, and shorter ones, the longest first."""
        self._shorter = shorter
        self.setText(whole)

    def shown_text(self) -> str:
        room, metrics = self.contentsRect().width(), self.fontMetrics()
        return next((one for one in (self.text(), *self._shorter) if metrics.horizontalAdvance(one) <= room), "")


_NUMBER_AT_THE_CUT = re.compile(r"[ ·,(]*(?<![^\W_])[$€£¥]?\d[\d.,\u00a0\u202f]*…$")


def elided(text: str, width: int, metrics: QFontMetrics) -> str:
    """Cut at its right where there is no room; before a number, for a part of one would be read as another."""
    cut = metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
    return cut if cut == text else _NUMBER_AT_THE_CUT.sub("…", cut)


def plain_tool_tip(text: str) -> str:
    """A tool tip has no plain-text switch: what looks like markup is escaped."""
    return f"<span>{html.escape(text)}</span>" if "<" in text or "&" in text else text


_UNITS_BLANK = re.compile(r"(?<=\d) (?=\S)")
_PER = re.compile(r"\d\u00a0?[^\W\d]{0,8}/(?=[^\W\d])")
WORD_JOINER = "\u2060"
"""No width, and no line may end there."""


def in_two_lines(text: str) -> str:
    """A text broken at the space that is nearest to its middle."""
    spaces = [place for place, letter in enumerate(text) if letter == " "]
    if not spaces:
        return text
    middle = min(spaces, key=lambda place: abs(place - len(text) / 2))
    return f"{text[:middle]}\n{text[middle + 1 :]}"


def unbroken(text: str) -> str:
    """The text with each number and its unit in one line: 145 req/s."""
    return _PER.sub(rf"\g<0>{WORD_JOINER}", _UNITS_BLANK.sub("\u00a0", text))


class LinesLabel(ElidedLabel):
    """An `ElidedLabel` of several lines that fills its width; the layout moves only when a line comes or goes."""

    def __init__(self, most_lines: int, parent: QWidget | None = None) -> None:
        self._most_lines = most_lines
        self._lines: tuple[str, ...] = ("",)
        super().__init__(parent)
        self.fill_width()

    def setText(self, text: str) -> None:
        super().setText(text)
        self._break()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._break()
        super().resizeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._break()

    def lines(self) -> tuple[str, ...]:
        """The text on screen, line by line."""
        return tuple(line.rstrip() for line in self._lines)

    def shown_text(self) -> str:
        return "".join(self._lines)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self._height())

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_WIDTH, self._height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        inside, height = self.contentsRect(), self.fontMetrics().lineSpacing()
        top = inside.top() + (inside.height() - height * len(self._lines)) // 2
        for place, line in enumerate(self.lines()):
            room = QRect(inside.left(), top + place * height, inside.width(), height)
            self._draw_line(painter, room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, line)
        painter.end()

    def _height(self) -> int:
        return self.fontMetrics().lineSpacing() * len(self._lines) + ROOM_ABOVE_AND_BELOW

    def _break(self) -> None:
        before = len(self._lines)
        self._lines = self._broken(self.text(), max(self.contentsRect().width(), LEAST_WIDTH))
        self._tell_whole()
        if len(self._lines) != before:
            self.updateGeometry()

    def _broken(self, text: str, width: int) -> tuple[str, ...]:
        """Lines of all paragraphs; a paragraph that is too long for what is left of them ends in dots."""
        lines: list[str] = []
        paragraphs = text.split("\n")
        for place, paragraph in enumerate(paragraphs[: self._most_lines]):
            most = self._most_lines - len(lines) - (len(paragraphs) - 1 - place)
            lines += self._paragraph(paragraph, width, max(most, 1))
            if place < len(paragraphs) - 1:
                lines[-1] += "\n"
        if len(paragraphs) > self._most_lines:
            lines[-1] = f"{lines[-1].rstrip()} …"
        return tuple(lines)

    def _paragraph(self, text: str, width: int, most_lines: int) -> tuple[str, ...]:
        metrics = self.fontMetrics()
        if metrics.horizontalAdvance(text) <= width:
            return (text,)
        whole = unbroken(text)
        layout = QTextLayout(whole, self.font())
        anywhere = QTextOption()
        anywhere.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(anywhere)
        lines: list[str] = []
        end = 0
        layout.beginLayout()
        while end < len(text) and len(lines) < most_lines - 1:
            line = layout.createLine()
            line.setLineWidth(width)
            laid_out = whole[line.textStart() : line.textStart() + line.textLength()]
            lines.append(text[end : end + len(laid_out) - laid_out.count(WORD_JOINER)])
            end += len(lines[-1])
        layout.endLayout()
        if end < len(text):
            lines.append(elided(text[end:], width, metrics))
        return tuple(lines)


MOST_TITLE_LINES = 3


class PlotTitle(LinesLabel):
    """The sentence over a plot, bolder than what stands under it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(MOST_TITLE_LINES, parent)
        font = self.font()
        font.setWeight(font.Weight.DemiBold)
        self.setFont(font)


LONGEST_WORD = 20
LEAST_WRAPPED_WIDTH = 40
_LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")
_BREAK = "\u200b"
"""No width, and a line may end there."""


class WrappingLabel(QLabel):
    """`QLabel` breaks lines at blanks alone, and is never narrower than the longest word.

    Where the text can be selected nothing is put into its words, for it would be copied along.
    """

    def __init__(
        self, text: str = "", parent: QWidget | None = None, is_selectable: bool = False, name: str = ""
    ) -> None:
        """`name` is the style sheet's."""
        super().__init__(parent)
        self.setObjectName(name)
        self._whole = ""
        self._is_selectable = is_selectable
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setMinimumWidth(LEAST_WRAPPED_WIDTH)
        if is_selectable:
            self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setText(text)

    def setText(self, text: str) -> None:
        self._whole = text
        super().setText(_UNITS_BLANK.sub("\u00a0", text) if self._is_selectable else breakable(unbroken(text)))
        self.setAccessibleName(text)

    def text(self) -> str:
        """The text as it was set."""
        return self._whole


def breakable(text: str) -> str:
    """The text with places in its longest words where a line may end."""
    return _LONG_WORD.sub(lambda word: _BREAK.join(_pieces(word.group())), text)


def _pieces(word: str) -> list[str]:
    return [word[start : start + LONGEST_WORD] for start in range(0, len(word), LONGEST_WORD)]
