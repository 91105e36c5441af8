"""Model architectures from configuration files: Hugging Face transformers and diffusers."""

from gpuplanner_gui.files.model_import.importer import import_model

__all__ = ["import_model"]
