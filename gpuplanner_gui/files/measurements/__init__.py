"""Results of benchmarks, logs and profilers: every figure with its context, one importer per format."""

from gpuplanner_gui.files.measurements.registry import IMPORTERS, ImportedFile, import_file
from gpuplanner_gui.files.measurements.source import ImportCancelled
from gpuplanner_gui.files.measurements.table import TableHead, UnknownHeadings

__all__ = ["IMPORTERS", "ImportCancelled", "ImportedFile", "TableHead", "UnknownHeadings", "import_file"]
