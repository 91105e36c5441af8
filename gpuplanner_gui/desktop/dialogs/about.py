"""What the program is, and under which terms it and its parts may be used."""

from __future__ import annotations

import platform

from PySide6 import __version__ as pyside_version
from PySide6.QtCore import Qt, qVersion
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from gpuplanner_gui import paths
from gpuplanner_gui.desktop.widgets.icons import application_icon
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.files.migrations import version_text


class AboutDialog(QDialog):
    """Versions and licences, offline."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("About GPU Planner"))
        sign = QLabel()
        sign.setPixmap(application_icon().pixmap(64, 64))
        title = QLabel(f"GPU Planner {version_text()}")
        title.setObjectName("partTitle")
        text = QLabel(
            tr("Which accelerators to buy or rent to train and to serve machine-learning models. Works offline.")
        )
        text.setWordWrap(True)
        licences = QPlainTextEdit(_licence_text())
        licences.setReadOnly(True)
        licences.setAccessibleName(tr("Licences"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        for widget in (sign, title, text, licences, buttons):
            layout.addWidget(widget)
        self.resize(560, 460)


def _licence_text() -> str:
    versions = f"Python {platform.python_version()}, Qt {qVersion()}, PySide6 {pyside_version}"
    parts = tr(
        "GPU Planner is licensed under the Apache License 2.0.\n\n"
        "Qt and PySide6 are used under the GNU Lesser General Public License, version 3, linked dynamically: the"
        " libraries in the program's folder may be exchanged for others. Their source is at https://download.qt.io.\n"
        "pyqtgraph: MIT License. NumPy and msgspec: BSD 3-Clause License. platformdirs: MIT License. PyNaCl: Apache"
        " License 2.0 (with libsodium: ISC License). A build's folder “licences” holds the licences of all parts.\n"
        "The typeface is Inter, under the SIL Open Font License 1.1:"
    )
    font_licence = paths.resources_dir() / "fonts" / "OFL.txt"
    return "\n\n".join((versions, parts, font_licence.read_text(encoding="utf-8") if font_licence.is_file() else ""))
