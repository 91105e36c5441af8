"""The script that starts one server's part of a worker, and that of the router in front of several."""

from __future__ import annotations

from collections.abc import Sequence

from gpuplanner_gui.domain.launch import Launcher, Router, WorkerPool
from gpuplanner_gui.engine.handoff.shell import shell_lines

ROUTER_IMAGE = "python:3.12-slim"
"""The router is installed into it when it starts."""
ROUTER_PORT = 8080


def worker_script(pool: WorkerPool, launcher: Launcher, port: str, is_follower: bool = False) -> str:
    """What a shell runs on a server; `NODE_RANK` and `FIRST_NODE` are set where a worker takes several."""
    more = [launcher.listen.format(port=port)] if launcher.listen else []
    more += pool.launch.followers if is_follower else ()
    return "\n".join(shell_lines(pool.launch, *more, with_exec=True))


def router_script(router: Router, arguments: Sequence[str]) -> str:
    """Installs the router and starts it."""
    command = " \\\n  ".join((f"exec {router.command.format(port=ROUTER_PORT)}", *arguments))
    return f"pip install --quiet {router.package}\n{command}"
