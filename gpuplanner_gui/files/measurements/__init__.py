"""Results of benchmarks, logs and profilers: every figure with its context, one importer per format."""

from gpuplanner_gui.files.measurements.registry import IMPORTERS, ImportedFile, import_file
from gpuplanner_gui.files.measurements.table import TableHead, UnknownHeadings

__all__ = ["IMPORTERS", "ImportedFile", "TableHead", "UnknownHeadings", "import_file"]
