"""What a model amounts to, above its fields: parameters, cache per token, checkpoint size, and what was assumed."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.views.wrapping_label import WrappingLabel
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.units import format_value


class ModelSummary(QWidget):
    """Figures that the engine derives from the model's fields."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._figures: dict[str, QLabel] = {}
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(2)
        for row, (name, title) in enumerate(_TITLES.items()):
            caption = self._label("quiet")
            caption.setText(tr(title))
            caption.setMinimumWidth(caption.fontMetrics().horizontalAdvance(tr(title)) + 1)
            self._figures[name] = self._label("")
            self._figures[name].setAccessibleName(tr(title))
            grid.addWidget(caption, row, 0)
            grid.addWidget(self._figures[name], row, 1)
        grid.setColumnStretch(1, 1)
        self.notes = self._label("quiet")
        self.warning = self._label("problem")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(grid)
        layout.addWidget(self.warning)
        layout.addWidget(self.notes)

    def show_model(self, model: Model) -> None:
        for name, text in model_figures(model).items():
            self._figures[name].setText(text)
        self.warning.setText(_lines(tr("Not understood:"), model.not_understood))
        self.warning.setVisible(bool(model.not_understood))
        self.notes.setText(_lines(tr("Assumed:"), model.assumed) + (f"\n{model.source}" if model.source else ""))
        self.notes.setVisible(bool(model.assumed or model.source))

    def _label(self, name: str) -> QLabel:
        label = WrappingLabel(parent=self, is_selectable=True)
        label.setObjectName(name)
        return label


_TITLES = {
    "total": "Parameters",
    "active": "Active per token",
    "kv": "KV cache",
    "checkpoint": "Checkpoint",
}


def model_figures(model: Model) -> dict[str, str]:
    """The figures by name, as they are read."""
    # Imports numpy, which the window's shell does not wait for.
    from gpuplanner_gui.engine.model.cache_sizes import kv_bytes_per_token, kv_bytes_per_token_beyond_window
    from gpuplanner_gui.engine.model.parameters import model_parameters
    from gpuplanner_gui.engine.model.weight_sizes import checkpoint_bytes

    parameters = model_parameters(model)
    cache, beyond = float(kv_bytes_per_token(model)), float(kv_bytes_per_token_beyond_window(model))
    return {
        "total": format_value(parameters.total, "param", 4),
        "active": format_value(parameters.active, "param", 4),
        "kv": _cache_text(cache, beyond),
        "checkpoint": format_value(float(checkpoint_bytes(model)), "bytes on disk", 4),
    }


def _cache_text(bytes_per_token: float, beyond_windows: float) -> str:
    if not bytes_per_token:
        return tr("none")
    size, less = (format_value(value, "bytes", 4) for value in (bytes_per_token, beyond_windows))
    if beyond_windows == bytes_per_token:
        return tr("{size} per token in BF16").format(size=size)
    return tr("{size} per token in BF16, {less} beyond the windows").format(size=size, less=less)


def _lines(heading: str, texts: tuple[str, ...]) -> str:
    return "\n".join([heading, *(f"· {text}" for text in texts)]) if texts else ""
