"""Parses the command line and hands it to the command that it names."""

from __future__ import annotations

import argparse
import io
import logging
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from gpuplanner_gui.cli.devices import fits, formats, gain
from gpuplanner_gui.cli.in_depth import ranked_layouts, roofline_of_plan, scaling_curve
from gpuplanner_gui.cli.launch import deploy, estate, flags, order
from gpuplanner_gui.cli.load import load
from gpuplanner_gui.cli.measurements import measurements, predict, probe
from gpuplanner_gui.cli.plan import plan
from gpuplanner_gui.cli.projects import check, diff, model, new
from gpuplanner_gui.cli.report import report
from gpuplanner_gui.cli.signed import pack, verify
from gpuplanner_gui.cli.terminal import Command, NameProblem
from gpuplanner_gui.cli.trace import trace
from gpuplanner_gui.domain.scenario import TooManyCandidates
from gpuplanner_gui.drawing.language import ENGLISH, use_translator
from gpuplanner_gui.drawing.words.files import too_many_candidates_text
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.migrations import version_text
from gpuplanner_gui.files.text import plain_text

logger = logging.getLogger(__name__)
INTERNAL_FAULT = 70
"""Exit status of a fault in the program itself, as `sysexits.h` has it."""
TRACEBACK_VARIABLE = "GPUPLANNER_TRACEBACK"
STOPPED = 130
"""Exit status after Ctrl-C, as shells have it."""
LANGUAGE_VARIABLE = "GPUPLANNER_LANGUAGE"
COMMANDS: tuple[Command, ...] = (
    new, model, plan, estate, load, ranked_layouts, scaling_curve, trace, measurements, probe, predict, gain, fits,
    formats, roofline_of_plan, check, report, order, flags, deploy, diff, pack, verify,
)  # fmt: skip


def parser() -> argparse.ArgumentParser:
    """The whole command line, with help."""
    top = argparse.ArgumentParser(
        prog="gpuplanner",
        description="Which accelerators to buy or rent to train and to serve machine-learning models. Works offline.",
    )
    top.add_argument(
        "--language",
        metavar="CODE",
        help=f"of results and reports: en, zh_TW; else ${LANGUAGE_VARIABLE}, else English",
    )
    top.add_argument("--version", action="version", version=f"GPU Planner {version_text()}")
    subparsers = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.mount(subparsers)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; what goes wrong with a file or a name is one sentence on standard error and exit status 1."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal or pipe may lack ▲, ×, or what stands in a name; it shows "?" for them.
            stream.reconfigure(errors="replace")
    chosen = parser().parse_args(arguments)
    language = chosen.language or os.environ.get(LANGUAGE_VARIABLE) or ENGLISH
    try:
        speak(language)
        status = chosen.run(chosen)
        sys.stdout.flush()
        return int(status)
    except (FileProblem, NameProblem) as problem:
        print(problem, file=sys.stderr)
        return 1
    except TooManyCandidates as problem:
        print(too_many_candidates_text(problem), file=sys.stderr)
        return 1
    except BrokenPipeError:
        # Whoever read our output has closed it, as `head` does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as problem:
        print(disk_sentence(problem), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return STOPPED
    except MemoryError:
        print("Not enough memory. Plan fewer accelerators, formats or scenarios.", file=sys.stderr)
        return 1
    except Exception as problem:
        if os.environ.get(TRACEBACK_VARIABLE):
            raise
        logger.debug("the command failed", exc_info=True)
        print(fault_sentence(problem), file=sys.stderr)
        return INTERNAL_FAULT


def speak(language: str) -> None:
    """Say results and reports in this language. Raises NameProblem."""
    if language == ENGLISH:
        use_translator(None)
        return
    # Only here: it takes Qt, which most commands do without.
    from gpuplanner_gui.drawing.translations import LANGUAGES, use_language

    if language not in LANGUAGES or not use_language(language):
        raise NameProblem(f"{plain_text(language)}: no such language. There are {', '.join(LANGUAGES)}.")


def disk_sentence(problem: OSError) -> str:
    """What the disk refused, as a sentence: a full one, a folder that is read-only or gone."""
    name = plain_text(os.path.basename(str(problem.filename))) if problem.filename else "A file"
    reason = problem.strerror or type(problem).__name__
    return f"{name}: it could not be read or written ({reason}). Check the folder, or choose another one."


def fault_sentence(problem: Exception) -> str:
    """Where the program failed and how, without a word or number of the file."""
    place = traceback.extract_tb(problem.__traceback__)[-1]
    where = f"{Path(place.filename).stem}.{place.name}, line {place.lineno}"
    return (
        f"An internal error stopped this command: {type(problem).__name__} in {where}. Please tell the maintainers; "
        f"{TRACEBACK_VARIABLE}=1 shows all of it."
    )


if __name__ == "__main__":
    raise SystemExit(main())
