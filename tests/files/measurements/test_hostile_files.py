"""Damaged, foreign and hostile files get a sentence or finite figures, never a traceback."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuplanner_gui.engine.cancelling import CancelledError
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.measurements import import_file
from gpuplanner_gui.files.measurements.registry import CUT_LINE
from gpuplanner_gui.files.measurements.source import MOST_VALUES

SAMPLES = sorted(path for path in (Path(__file__).resolve().parent / "samples").iterdir() if path.suffix != ".md")
NOISE = (b"\x00", b"\xff", b"\n", b'"', b"{", b"[", b",", b"|", b"NaN", b"-1", b"1e999", b"\xe2\x80\xae", b"9" * 30)


def outcome(path: Path) -> str:
    """The tool, or the sentence; figures are finite and their context is of its own types."""
    try:
        found = import_file(path)
    except FileProblem as problem:
        return str(problem)
    for run in found.measurements:
        assert all(math.isfinite(one.value) and one.value >= 0 for one in run.figures)
        assert all(math.isfinite(getattr(run.context, name)) for name in ("concurrency", "rate_per_s", "prompt_tokens"))
        assert run.context.devices >= 0
    return found.tool


@settings(max_examples=150, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(which=st.sampled_from(SAMPLES), seed=st.integers(0, 2**32))
def test_damaged_samples_never_crash(which, seed, tmp_path):
    chance = random.Random(seed)
    content = bytearray(which.read_bytes()[:100_000])
    for _ in range(chance.randint(1, 8)):
        position = chance.randrange(len(content) + 1)
        action = chance.random()
        if action < 0.2:
            del content[position:]
        elif action < 0.6:
            content[position:position] = chance.choice(NOISE)
        else:
            del content[position : position + chance.randint(1, 40)]
        content = content or bytearray(b" ")
    path = tmp_path / f"damaged{which.suffix}"
    path.write_bytes(content)
    assert outcome(path)


@settings(max_examples=60, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=400))
def test_arbitrary_bytes_never_crash(content, tmp_path):
    path = tmp_path / "arbitrary.bin"
    path.write_bytes(content)
    assert outcome(path)


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("guidellm-report.json", "GuideLLM"),
        ("vllm-bench-serve.constructed.json", "vLLM bench serve"),
        ("hf-trainer_state.json", "Hugging Face Trainer"),
        ("aiperf-profile_export_aiperf.json", "AIPerf"),
    ],
)
def test_a_truncated_result_names_its_tool(name, tool, samples, tmp_path):
    first = (samples / name).read_bytes().split(b'}\n{"date"')[0]
    path = tmp_path / name
    path.write_bytes(first[: len(first) * 9 // 10])
    with pytest.raises(FileProblem, match=rf"looks like {tool}.*, but it is cut off in the middle"):
        import_file(path)


def test_a_damaged_line_is_left_out_and_remarked(samples, tmp_path):
    lines = (samples / "sglang-bench-serving-llama70b-h200.jsonl").read_text().splitlines()
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join([lines[0], lines[1][:100], lines[2]]))
    found = import_file(path)
    assert len(found.measurements) == 2
    assert found.remarks[0].startswith("Line 2 is skipped")


def test_traffic_is_told_from_measurements(tmp_path):
    path = tmp_path / "trace.csv"
    path.write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n")
    with pytest.raises(FileProblem, match="recorded traffic"):
        import_file(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b'{"a": 1}', "not a known measurement format"),
        (b"[" * 100_000, "nested too deeply|stops in the middle|no valid JSON"),
        ("Ünï".encode("utf-16"), "not a known measurement format"),
        ("Ünï".encode("utf-32"), "not a text file"),
        (b"2026/09/12 06:17:26.305, 2, 154.88 W, 100 %\n", "without headings. Remove noheader"),
        (b"\x7fELF\x00\x00", "not a text file"),
        (b'{"avg_latency": "x", "latencies": [], "percentiles": {}}', "contains no measurement"),
    ],
)
def test_foreign_files_get_a_sentence(content, words, tmp_path):
    path = tmp_path / "foreign"
    path.write_bytes(content)
    with pytest.raises(FileProblem, match=words):
        import_file(path)


def test_a_missing_file_gets_a_sentence(tmp_path):
    with pytest.raises(FileProblem, match="no such file"):
        import_file(tmp_path / "absent.json")


def long_log(path: Path, steps: int) -> None:
    line = " iteration {0}/ 50000 | elapsed time per iteration (ms): 250.0 | global batch size: 8 |\n"
    with path.open("w") as log:
        for step in range(steps):
            log.write(line.format(step))


def test_progress_rises_and_reading_can_be_stopped(tmp_path):
    path = tmp_path / "long.log"
    long_log(path, 60_000)
    shares: list[float] = []
    import_file(path, on_progress=shares.append)
    assert len(shares) > 3
    assert all(0 <= share <= 1 for share in shares)
    with pytest.raises(CancelledError):
        import_file(path, is_cancelled=lambda: True)


def test_every_step_of_a_long_log_counts(tmp_path):
    path = tmp_path / "long.log"
    long_log(path, 60_000)
    found = import_file(path)
    assert found.measurements[0].figures[0].value == pytest.approx(0.25)


def test_text_that_reorders_what_a_reader_sees_is_taken_out(tmp_path):
    path = tmp_path / "evil.json"
    path.write_text(
        '{"model_id": "a\\u202eb\\u0007", "completed": 2, "duration": 1, "request_throughput": 2.0, "num_prompts": 2}'
    )
    assert import_file(path).measurements[0].context.model_as_written == "ab"


def test_a_file_that_is_cut_short_meanwhile_gets_a_sentence(tmp_path):
    path = tmp_path / "rotated.log"
    long_log(path, 60_000)

    def rotate(share: float) -> None:
        if share > 0.2:
            path.write_bytes(b"")

    with pytest.raises(FileProblem, match="was shortened while it was read"):
        import_file(path, on_progress=rotate)


def test_a_file_that_is_deleted_meanwhile_is_read_to_its_end(tmp_path):
    path = tmp_path / "gone.log"
    long_log(path, 60_000)
    found = import_file(path, on_progress=lambda share: path.unlink(missing_ok=True))
    assert found.measurements[0].figures[0].value == pytest.approx(0.25)


@pytest.mark.slow
@pytest.mark.parametrize("part", [b"0,", b"{},", b"[],"])
def test_json_that_unfolds_to_much_more_than_it_is_long_is_refused(part: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bomb.json"
    path.write_bytes(b"[" + part * (MOST_VALUES + 1) + b"0]")
    with pytest.raises(FileProblem, match=f"it contains more than {MOST_VALUES:,} values"):
        import_file(path)


def test_a_text_that_was_cut_in_a_line_is_remarked(samples, tmp_path):
    name = "mlperf-loadgen-server-mlperf_log_summary.txt"
    whole, cut = (samples / name).read_bytes(), tmp_path / name
    cut.write_bytes(whole[: whole.index(b"\n", len(whole) // 2) - 3])
    assert CUT_LINE in import_file(cut).remarks
    assert CUT_LINE not in import_file(samples / name).remarks


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\n" * 65_536, id="empty lines"),
        pytest.param(
            b"# size count type redop algbw\n# Rank 1 " + b" " * 200_000 + b"\n1 1 a b 0 1 1 1 0\n", id="rank"
        ),
        pytest.param(b'Metric,avg\nRequest Latency (ms),1\n"' + b" " * 100_000 + b'",1\n', id="metric"),
    ],
)
def test_blanks_without_end_are_no_work_without_end(content, tmp_path):
    """Each of these took minutes or more, as a pattern began anew at every blank."""
    path = tmp_path / "blanks.txt"
    path.write_bytes(content)
    assert outcome(path)


def test_a_table_may_call_the_engines_release_its_version(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("model,gpu,engine,version,tpot_ms\nm,H100,vllm,0.11.0,14.1\n")
    (found,) = import_file(path).measurements
    assert found.context.engine_version == "0.11.0"
