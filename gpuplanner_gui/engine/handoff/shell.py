"""A launch as lines of a shell."""

from __future__ import annotations

from gpuplanner_gui.domain.launch import Launch

CONFIG_FILE = "launch.yaml"
OWN_ADDRESS = 'export OWN_ADDRESS="${POD_IP:-$(hostname -i)}"'
"""Where other workers reach this one: what Kubernetes says, else what the host says."""


def shell_lines(launch: Launch, *more: str, with_exec: bool = False) -> tuple[str, ...]:
    """Variables, the configuration file, then the command with one flag a line; `more` are further arguments."""
    lines = [OWN_ADDRESS] if launch.environment else []
    lines += [f'export {name}="{value}"' for name, value in launch.environment.items()]
    if launch.config:
        lines += [f"cat > {CONFIG_FILE} <<'END'", *launch.config, "END"]
    if launch.command:
        program, *rest = (*launch.command, *more)
        flags = [flag for piece in rest for flag in piece.replace(" --", "\n--").split("\n")]
        lines += " \\\n  ".join([f"exec {program}" if with_exec else program, *flags]).split("\n")
    return tuple(lines)
