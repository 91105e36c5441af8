"""Model architectures from configuration files: Hugging Face transformers and diffusers."""

from gpuplanner_gui.files.model_import.importer import ImportedModel, ImportFinding, import_model, read_model

__all__ = ["ImportFinding", "ImportedModel", "import_model", "read_model"]
