"""What a frozen build leaves out; the bare build that ours is compared with is made with the same."""

from __future__ import annotations

EXCLUDED = [
    "tkinter",  # NumPy's and pyqtgraph's optional helpers ask for it; no window of ours does
    "ssl", "_ssl",  # nothing here speaks to a network
    "lib2to3", "distutils", "setuptools", "pip", "pycparser",  # developers' tools; pydoc and unittest are needed
    "matplotlib", "scipy", "pandas", "IPython", "jupyter_rfb", "h5py", "cupy", "numba",  # optional to pyqtgraph
    "PySide6.QtQml", "PySide6.QtQuick", "PySide6.QtQuickWidgets", "PySide6.QtDesigner", "PySide6.QtUiTools",
    "PySide6.QtHelp", "PySide6.QtSql", "PySide6.QtXml", "PySide6.QtDBus", "PySide6.QtConcurrent",
    # PySide6.QtOpenGL and QtOpenGLWidgets stay: pyqtgraph imports both unconditionally.
]  # fmt: skip

UNUSED_FILES = (
    "PySide6/Qt/translations/",  # Qt's own words in other languages
    "PySide6/Qt/plugins/sqldrivers", "PySide6/Qt/plugins/qmltooling", "PySide6/Qt/plugins/generic",
    "PySide6/Qt/plugins/networkinformation", "PySide6/Qt/plugins/tls", "PySide6/Qt/plugins/egldeviceintegrations",
    "PySide6/Qt/plugins/platforms/libqeglfs", "PySide6/Qt/plugins/platforms/libqlinuxfb",
    "PySide6/Qt/plugins/platforms/libqvnc", "PySide6/Qt/plugins/platforms/libqminimalegl",
    "PySide6/Qt/plugins/platforms/libqvkkhrdisplay",
    "PySide6/Qt/plugins/platformthemes/libqgtk3",  # brings GTK, 18 MB that rarely fit the site's
    "PySide6/Qt/lib/libQt6Qml", "PySide6/Qt/lib/libQt6Quick", "PySide6/Qt/lib/libQt6VirtualKeyboard",
    "PySide6/Qt/lib/libQt6EglF", "PySide6/Qt/plugins/platforminputcontexts/libqtvirtualkeyboard",
    "PySide6/QtTest.pyi", "pyqtgraph/examples", "pyqtgraph/colors/maps/", "pyqtgraph/icons/peegee",
    "libQt6EglF", "libgtk-3", "libgdk-3", "libgdk_pixbuf", "libatk", "libatspi", "libcairo", "libpango", "libpixman",
    "libharfbuzz", "libgraphite2", "libfribidi", "libthai", "libdatrie", "libepoxy", "libjpeg", "libXcomposite",
    "libXcursor", "libXdamage", "libXinerama", "libXrandr", "libXi.so",
)  # fmt: skip
"""Beginnings of paths inside a build."""


def used(entries: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Entries of PyInstaller's lists that go into a build."""
    return [entry for entry in entries if not entry[0].replace("\\", "/").startswith(UNUSED_FILES)]
