"""Results of benchmarks, logs and profilers: every figure with its context, one importer per format."""

from gpuplanner_gui.files.measurements.registry import IMPORTERS, ImportedFile, import_file
from gpuplanner_gui.files.measurements.source import ImportCancelled

__all__ = ["IMPORTERS", "ImportCancelled", "ImportedFile", "import_file"]
