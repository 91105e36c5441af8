"""Where a plan will run, as an operator says it: checkpoints, image, paths."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpuplanner_gui.domain.launch import Deployment

MODELS = "/models"
"""Folder of checkpoints on every server, where nothing else is said."""


@dataclass(frozen=True)
class DeployPlace:
    """What no plan holds; empty: the usual."""

    model: str = ""
    """The checkpoint: a path on every server, or a name on a hub."""
    draft_model: str = ""
    image: str = ""
    checkpoints: str = ""
    """Of a training run: a folder that every server reaches."""
    local_disk: str = ""

    def variables(self, deployment: Deployment) -> dict[str, str]:
        """What the variables of the plan's commands stand for, those alone that they name."""
        values = {
            "MODEL": self.model or f"{MODELS}/{slug(deployment.model)}",
            "DRAFT_MODEL": self.draft_model or f"{MODELS}/draft",
            "CHECKPOINTS": self.checkpoints or f"/checkpoints/{slug(deployment.name)}",
            "LOCAL_DISK": self.local_disk or "/tmp/checkpoints",
        }  # fmt: skip
        text = " ".join(piece for pool in deployment.pools for piece in pool.launch.command)
        return {name: value for name, value in values.items() if f"${name}" in text}

    def image_of(self, deployment: Deployment) -> str:
        """The container image; empty where none is known for these devices."""
        known = deployment.launcher.images.get(deployment.ecosystem, "")
        return self.image or known.format(release=deployment.launch.release)


def slug(text: str, longest: int = 40) -> str:
    """A name that hosts, labels and files take."""
    plain = re.sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-")[:longest].strip("-")
    return plain if plain[:1].isalpha() else f"plan-{plain}".strip("-")
