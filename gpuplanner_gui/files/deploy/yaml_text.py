"""Pieces of all manifests: YAML from plain values, every text quoted or a block; places on servers, and workers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpuplanner_gui.domain.launch import Deployment, Launcher, Router, WorkerPool
from gpuplanner_gui.engine.handoff.options import shell_lines

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
    """Checkpoint folder of a training run, which every server reaches."""
    local_disk: str = ""

    def variables(self, deployment: Deployment) -> dict[str, str]:
        """What the variables of the plan's commands stand for, those alone that they name."""
        ending = deployment.launcher.checkpoint_ending
        values = {
            "MODEL": self.model or f"{MODELS}/{slug(deployment.model)}{ending}",
            "DRAFT_MODEL": self.draft_model or f"{MODELS}/draft{ending}",
            "CHECKPOINTS": self.checkpoints or f"/checkpoints/{slug(deployment.name)}",
            "LOCAL_DISK": self.local_disk or "/tmp/checkpoints",
        }  # fmt: skip
        text = " ".join(piece for pool in deployment.pools for piece in pool.launch.command)
        return {name: value for name, value in values.items() if f"${name}" in text}

    def image_of(self, deployment: Deployment) -> str:
        """The container image; empty where none is known for these devices."""
        return self.image or deployment.image


def slug(text: str, longest: int = 40) -> str:
    """A name that hosts, labels and files take."""
    plain = re.sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-")[:longest].strip("-")
    return plain if plain[:1].isalpha() else f"plan-{plain}".strip("-")


ROUTER_IMAGE = "python:3.12-slim"
"""The router is installed into it when it starts."""
ROUTER_PORT = 8080


def worker_script(pool: WorkerPool, launcher: Launcher, port: str, is_follower: bool = False) -> str:
    """What a shell runs on a server; `NODE_RANK` and `FIRST_NODE` are set where a worker takes several."""
    more = [launcher.listen.format(port=port)] if launcher.listen else []
    more += pool.launch.followers if is_follower else ()
    place = (f'export PATH="$PATH:{launcher.image_folder}"',) if launcher.image_folder else ()
    return "\n".join((*place, *shell_lines(pool.launch, *more, with_exec=True)))


def router_script(router: Router, arguments: Sequence[str]) -> str:
    """Installs the router and starts it."""
    command = " \\\n  ".join((f"exec {router.command.format(port=ROUTER_PORT)}", *arguments))
    return f"pip install --quiet {router.package}\n{command}"


Yaml = Mapping[str, "Yaml"] | Sequence["Yaml"] | str | int | bool
_PLAIN_KEY = re.compile(r"[A-Za-z_][\w./-]*")
_BLOCK = re.compile(r"[!-~][\n -~]*")
"""Texts that a literal block may hold; others are quoted."""
_BEYOND = re.compile("[\U00010000-\U0010ffff]")


def yaml_text(*documents: Yaml) -> str:
    """Documents in block style."""
    return "---\n".join("\n".join(_lines(one)) + "\n" for one in documents)


def _lines(value: Yaml) -> Iterator[str]:
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _under(f"{key if _PLAIN_KEY.fullmatch(key) else _scalar(key)}:", inner)
    elif isinstance(value, Sequence) and not isinstance(value, str) and value:
        for inner in value:
            first, *rest = _lines(inner) if not _is_block(inner) else _under("", inner)
            yield f"- {first.lstrip()}"
            yield from (f"  {line}" for line in rest)
    else:
        yield _scalar(value)


def _under(head: str, value: Yaml) -> Iterator[str]:
    if _is_block(value):
        assert isinstance(value, str)
        yield f"{head} |{'' if value.endswith(chr(10)) else '-'}"
        yield from (f"  {line}" if line else "" for line in value.removesuffix("\n").split("\n"))
    elif isinstance(value, (str, int)) or not value:
        yield f"{head} {_scalar(value)}"
    else:
        yield head
        yield from (f"  {line}" for line in _lines(value))


def _is_block(value: Yaml) -> bool:
    """A text of several lines that a literal block holds as it is."""
    return isinstance(value, str) and "\n" in value[:-1] and bool(_BLOCK.fullmatch(value)) and value[-2:] != "\n\n"


def _scalar(value: Yaml) -> str:
    """JSON's form of it, which is YAML's as well but for characters beyond 16 bits."""
    if isinstance(value, str):
        pieces = _BEYOND.split(value)
        beyond = [f"\\U{ord(one):08x}" for one in _BEYOND.findall(value)]
        return '"' + "".join(
            part for pair in zip((json.dumps(one)[1:-1] for one in pieces), [*beyond, ""]) for part in pair
        ) + '"'  # fmt: skip
    return json.dumps(value if isinstance(value, int) else ([] if isinstance(value, Sequence) else {}))
