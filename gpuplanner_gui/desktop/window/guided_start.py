"""The guided start: questions in the order in which they decide, each with what its answer leads to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import msgspec
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QLineEdit, QWidget, QWizard, QWizardPage

from gpuplanner_gui.desktop.editors.base import Surroundings
from gpuplanner_gui.desktop.editors.text_edit import FieldLine
from gpuplanner_gui.desktop.editors.unread import unread_in
from gpuplanner_gui.desktop.widgets.questions import may_give_up_edits
from gpuplanner_gui.desktop.window.guided_pages import (
    FitPage,
    InterruptionPage,
    QuestionWizard,
    SitePage,
    SpeedPage,
    VariationPage,
)
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.words.guided_start import reasoning_text
from gpuplanner_gui.files.shipped_tables import guided_figures, owner_at

WIDTH, HEIGHT = 640, 560


class GuidedStart(QuestionWizard):
    """Asks, and makes a scenario of the answers; the reasons become its notes."""

    def __init__(self, surroundings: Surroundings, parent: QWidget | None = None) -> None:
        super().__init__(surroundings, parent)
        self.take_up: Callable[[Scenario], bool] = lambda _: True
        """Plans what was answered; False if the planner would rather keep the present project."""
        self.setObjectName("guided-start")
        self.setWindowTitle(tr("Guided start"))
        self.setWizardStyle(QWizard.WizardStyle.ModernStyle)
        self.setOption(QWizard.WizardOption.NoBackButtonOnStartPage)
        self.setOption(QWizard.WizardOption.IgnoreSubTitles)
        self.setButtonText(QWizard.WizardButton.FinishButton, tr("&Plan it"))
        self.resize(WIDTH, HEIGHT)
        self.fit, self.speed = FitPage(self), SpeedPage(self)
        self.variation, self.site, self.interruption = VariationPage(self), SitePage(self), InterruptionPage(self)
        for page in (self.fit, self.speed, self.variation, self.site, self.interruption):
            # Who has said enough plans from any page.
            page.setFinalPage(True)
            self.addPage(page)
        self.currentIdChanged.connect(lambda _: QTimer.singleShot(0, self, self._enter_first_field))
        self._at_first = self.answers

    def reject(self) -> None:
        """Close, unless answers would be lost that the planner wants to keep."""
        field = self.focusWidget()
        if field is not None:
            # What stands in the field at hand counts as an answer too.
            field.clearFocus()
        if (self.answers == self._at_first and not unread_in(self)) or may_give_up_edits(self):
            super().reject()

    def validateCurrentPage(self) -> bool:
        """Whether all that was typed on this page was taken; what was refused is entered, under what it should be."""
        field = self.focusWidget()
        if field is not None:
            # Alt and a letter press a button, and stay in the field at hand.
            field.clearFocus()
            field.setFocus()
        is_taken = not _refused_on(self.currentPage())
        if not is_taken:
            self._enter_first_field()
        return is_taken

    def accept(self) -> None:
        """Plan, once every answer on the pages that are asked was taken; who keeps the present project stays here."""
        if not self.validateCurrentPage():
            return
        refused = [one for one in self.pageIds() if self._is_asked(self.page(one)) and _refused_on(self.page(one))]
        if refused:
            self.setCurrentId(refused[0])
        elif self.take_up(self.scenario()):
            super().accept()

    def _enter_first_field(self) -> None:
        """The first figure of a page can be typed over at once; one that was refused goes before it."""
        page = self.currentPage()
        fields = [*_refused_on(page), *page.findChildren(QLineEdit)] if page is not None else []
        field = next((one for one in fields if one.isVisible()), None)
        if field is not None:
            field.setFocus(Qt.FocusReason.TabFocusReason)
            field.selectAll()

    def nextId(self) -> int:
        """Questions that do not apply are not asked: a run has no load that varies."""
        following = super().nextId()
        return following if following < 0 or self._is_asked(self.page(following)) else following + 1

    def _is_asked(self, page: QWizardPage) -> bool:
        return page is not self.variation or self.answers.requests is not None

    def scenario(self) -> Scenario:
        """The scenario that the answers make; its notes give the reasons."""
        from gpuplanner_gui.engine.guided_start import guided_scenario

        answers = replace(self.answers, owner=owner_at(self.answers.place))
        made = guided_scenario(answers, answers.model.name, guided_figures())
        return msgspec.structs.replace(made, notes=reasoning_text(self.steps()))


def _refused_on(page: QWidget) -> list[FieldLine]:
    """The fields of a page with text that could not be taken, where the answers so far ask for them."""
    return [one.line for one in unread_in(page) if one.line.isVisibleTo(page)]
