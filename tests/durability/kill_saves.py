"""Kills a program again and again while it saves, and looks at what is on disk: the old file or the new one, whole.

    python -m tests.durability.kill_saves [--kills 1000]

A child saves without pause, a file of another length each time; after a random time it gets SIGKILL. The file must hold
one of the contents that were ever handed to the writer, to the last byte, and never an older one than the last save
that was reported as done.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from gpuplanner_gui.files.whole_file import write_whole_file

SHORTEST_RUN_S, LONGEST_RUN_S = 0.001, 0.3
SIZES = (2_000, 40_000, 400_000, 3_000_000)

Writer = Callable[[Path, bytes], None]


def content_of(number: int) -> bytes:
    """The file of save `number`: says which one it is and proves that it is whole."""
    body, digest = body_of(number % len(SIZES))
    return f"{number:012} {digest}\n".encode() + body


@lru_cache(maxsize=len(SIZES))
def body_of(place: int) -> tuple[bytes, str]:
    """Made once, before the first child, so that children spend their time on saving."""
    body = random.Random(place).randbytes(SIZES[place])
    return body, hashlib.sha256(body).hexdigest()


def number_in(path: Path) -> int:
    """Which save a file holds. Raises ValueError for one that is not whole."""
    head, _, body = path.read_bytes().partition(b"\n")
    number, digest = head.decode("ascii").split()
    if hashlib.sha256(body).hexdigest() != digest or len(body) != SIZES[int(number) % len(SIZES)]:
        raise ValueError(f"save {number} is not whole")
    return int(number)


def saved_forever(write: Writer, path: Path, first: int, done: int) -> None:
    """In the child: save one after the other, each reported through a pipe once it is done."""
    number = first
    while True:
        write(path, content_of(number))
        os.write(done, number.to_bytes(8, "big"))
        number += 1


def killed_saves(write: Writer, folder: Path, kills: int, seed: int = 1) -> Iterator[tuple[int, int]]:
    """After each kill: the last save that was reported, and the one on disk."""
    path = folder / "plan.gpuplan"
    for number in reversed(range(len(SIZES))):
        write(path, content_of(number))
    chance = random.Random(seed)
    next_number = 1
    for _ in range(kills):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            saved_forever(write, path, next_number, writer)
        os.close(writer)
        time.sleep(SHORTEST_RUN_S * (LONGEST_RUN_S / SHORTEST_RUN_S) ** chance.random())
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        reported = _last_number(reader, next_number - 1)
        os.close(reader)
        found = number_in(path)
        yield reported, found
        next_number = max(found, reported) + 1


def _last_number(reader: int, before: int) -> int:
    last = before
    while chunk := os.read(reader, 8 * 4096):
        last = int.from_bytes(chunk[-8:], "big")
    return last


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        kept = lost = new = saves = 0
        for reported, found in killed_saves(write_whole_file, folder, options.kills):
            lost += found < reported
            new += found > reported
            kept += 1
            saves = max(reported, found)
        left = len(list(folder.iterdir())) - 1
    print(f"{kept} kills during {saves} saves; {kept} whole files, {lost} saves lost, {new} times")
    print(f"the save that was killed had already taken place; {left} unfinished files left behind")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
