"""Files as other programs leave them: in UTF-16, with a mark at their beginning, packed, several results in one."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import json
import zipfile
from pathlib import Path

import pytest

from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.measurements import import_file

SERVED = "vllm-bench-serve.constructed.json"


def first_result(samples: Path) -> str:
    return (samples / SERVED).read_text(encoding="utf-8").splitlines()[0]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be-marked"])
@pytest.mark.parametrize("name", [SERVED, "megatron-train.log", "llama-bench.csv"])
def test_a_mark_or_utf16_at_the_beginning_changes_no_figure(samples, tmp_path, name, encoding):
    text = (samples / name).read_text(encoding="utf-8")
    path = tmp_path / name
    marked = b"\xfe\xff" + text.encode("utf-16-be") if encoding == "utf-16-be-marked" else text.encode(encoding)
    path.write_bytes(marked)
    found, plain = import_file(path), import_file(samples / name)
    assert found.measurements == plain.measurements
    assert found.digest == hashlib.sha256(marked).hexdigest()


def test_a_long_log_of_utf16_counts_every_step(tmp_path):
    line = "ü iteration {0}/ 9 | elapsed time per iteration (ms): {1}.0 | global batch size: 8 |\r\n"
    path = tmp_path / "long.log"
    path.write_text("".join(line.format(step, 100 + step % 3) for step in range(30_000)), encoding="utf-16")
    figures = {one.statistic: one.value for one in import_file(path).measurements[0].figures}
    assert figures == {"p50": pytest.approx(0.101), "p10": pytest.approx(0.1), "p90": pytest.approx(0.102)}


def zipped(content: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("result.json", content)
    return made.getvalue()


@pytest.mark.parametrize(("kind", "pack"), [("gzip", gzip.compress), ("zip", zipped), ("bzip2", bz2.compress)])
def test_a_packed_result_is_to_be_unpacked(samples, tmp_path, kind, pack):
    path = tmp_path / "result.json"
    path.write_bytes(pack((samples / SERVED).read_bytes()))
    with pytest.raises(FileProblem, match=rf"packed \({kind}\). Unpack it"):
        import_file(path)


@pytest.mark.parametrize(
    ("layout", "lines"),
    [
        pytest.param("{one}{one}", [1, 1], id="without a break"),
        pytest.param("\n\n{one}\n{one}\n", [3, 4], id="after empty lines"),
        pytest.param("{indented}\n\n{indented}", [1, None], id="indented"),
    ],
)
def test_results_that_follow_each_other_in_any_layout_are_all_read(samples, tmp_path, layout, lines):
    one = first_result(samples)
    indented = json.dumps(json.loads(one), indent=2)
    lines = [indented.count("\n") + 3 if line is None else line for line in lines]
    path = tmp_path / "runs.json"
    path.write_text(layout.format(one=one, indented=indented))
    runs = import_file(path).measurements
    assert [run.line for run in runs] == lines
    assert runs[0].figures == runs[1].figures


def test_what_stops_in_the_middle_of_the_second_result_leaves_the_first(samples, tmp_path):
    indented = json.dumps(json.loads(first_result(samples)), indent=2)
    path = tmp_path / "runs.json"
    path.write_text(f"{indented}\n{indented[:200]}")
    found = import_file(path)
    assert len(found.measurements) == 1
    assert found.remarks[0].startswith("Everything after the result in line 1 is skipped: it is cut off in the middle")


def test_a_damaged_first_line_leaves_the_others(samples, tmp_path):
    one = first_result(samples)
    path = tmp_path / "runs.jsonl"
    path.write_text(f"{one[:300]}\n{one}\n")
    found = import_file(path)
    assert [run.line for run in found.measurements] == [2]
    assert found.remarks[0].startswith("Line 1 is skipped")
