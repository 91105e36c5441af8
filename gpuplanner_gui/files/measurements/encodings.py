"""What a file's first bytes say about its encoding: UTF-16 becomes UTF-8, and what is no text gets a sentence."""

from __future__ import annotations

import codecs
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.measurements.file_bytes import FileBytes
from gpuplanner_gui.files.said import said

BYTE_ORDER_MARK = codecs.BOM_UTF8
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""PowerShell writes this where output is redirected to a file."""
PACKED = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\xfd7zXZ\x00": "xz",
    b"BZh": "bzip2",
    b"7z\xbc\xaf": "7z",
}
LOOKED_AT_BYTES = 32
PART_BYTES = 1_000_000


def refuse_what_is_no_text(path: Path, start: bytes) -> None:
    """Raise FileProblem where a file begins as no text does."""
    kind = next((name for mark, name in PACKED.items() if start.startswith(mark)), "")
    if kind:
        raise FileProblem(
            path, "", said("the file is packed ({kind})", kind=kind), "Unpack it, and choose the file that was in it"
        )
    if b"\x00" in start and not is_utf16(start):
        raise FileProblem(path, "", "this is not a text file", "Choose a file that a benchmark wrote")


def is_utf16(start: bytes) -> bool:
    return start.startswith(UTF16) and not start.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE))


@contextmanager
def in_utf8(written: FileBytes, look: Callable[[int], None]) -> Iterator[FileBytes]:
    """The text of a file of UTF-16, in a file of its own that is gone afterwards. `look` is told how far it is."""
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    with tempfile.TemporaryFile() as made:
        for position in range(0, len(written), PART_BYTES):
            look(position)
            part = written[position : position + PART_BYTES]
            is_last = position + PART_BYTES >= len(written)
            made.write(decoder.decode(part, is_last).encode("utf-8", "replace"))
        yield FileBytes(made, made.tell())
