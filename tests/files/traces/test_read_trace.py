"""Traces of every format, and files that try to do harm."""

from __future__ import annotations

import csv
import datetime
import json
import statistics
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuplanner_gui.engine.cancelling import CancelledError
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.traces import ColumnNames, read_trace
from gpuplanner_gui.files.traces.columns import LONGEST_LINE_BYTES

DATA = Path(__file__).parent / "data"
HEADER = "TIMESTAMP,ContextTokens,GeneratedTokens\n"


def written(folder: Path, text: str | bytes, name: str = "trace.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refused(path: Path, names: ColumnNames | None = None) -> str:
    with pytest.raises(FileProblem) as caught:
        read_trace(path, names)
    sentence = str(caught.value)
    assert path.name in sentence
    assert sentence.endswith(".")
    return sentence


@pytest.mark.parametrize("name", ["azure-llm-2023-conv.csv", "azure-llm-2023-code.csv"])
def test_azure_2023_reads_every_row_as_it_stands(name):
    trace = read_trace(DATA / name)
    with (DATA / name).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert (trace.format, trace.rows, trace.bad_rows, len(trace)) == ("azure_llm", 600, 0, 600)
    assert trace.prompt_tokens.tolist() == [int(row["ContextTokens"]) for row in rows]
    assert trace.output_tokens.tolist() == [int(row["GeneratedTokens"]) for row in rows]
    moments = [datetime.datetime.fromisoformat(row["TIMESTAMP"]) for row in rows]
    np.testing.assert_allclose(trace.arrival_s, [(one - moments[0]).total_seconds() for one in moments], atol=1e-6)
    assert not trace.has_prefixes


def test_azure_2024_times_carry_a_zone():
    trace = read_trace(DATA / "azure-llm-2024.constructed.csv")
    assert trace.format == "azure_llm"
    np.testing.assert_allclose(trace.arrival_s, [0.0, 0.49007, 259_199.990069], atol=1e-5)
    assert trace.prompt_tokens.tolist() == [2162, 1024, 7000]


def test_zones_are_taken_into_account(tmp_path):
    rows = "2024-05-10 12:00:00+00:00,10,1\n2024-05-10 12:00:05,10,1\n2024-05-10 14:00:10+02:00,10,1\n"
    assert read_trace(written(tmp_path, HEADER + rows)).arrival_s.tolist() == [0.0, 5.0, 10.0]


def test_burstgpt_of_both_versions():
    first = read_trace(DATA / "burstgpt1-head.csv")
    assert (first.format, first.arrival_s.tolist()) == ("burstgpt", [0.0, 40.0, 113.0])
    assert first.session.tolist() == [-1, -1, -1]
    third = read_trace(DATA / "burstgpt3-reconstructed.csv")
    assert (third.format, len(third), third.bad_rows) == ("burstgpt", 70, 0)
    assert third.prompt_tokens[:3].tolist() == [906, 36, 1779]
    assert third.session[0] == 0
    assert third.session.max() < 70


def test_burstgpt_requests_without_answer_are_no_load_and_no_bad_rows(tmp_path):
    text = (
        "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
        "5,ChatGPT,472,18,490,Conversation log\n6,ChatGPT,100,0,100,API log\n9,GPT-4,20,3,23,API log\n"
    )
    trace = read_trace(written(tmp_path, text))
    assert (len(trace), trace.failed_requests, trace.bad_rows) == (2, 1, 0)
    assert trace.arrival_s.tolist() == [0.0, 4.0]


def test_mooncake_shares_prefixes_by_blocks():
    path = DATA / "mooncake-conversation.jsonl"
    trace = read_trace(path)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert (trace.format, len(trace), trace.has_prefixes) == ("mooncake", 120, True)
    assert trace.prompt_tokens.tolist() == [row["input_length"] for row in rows]
    np.testing.assert_allclose(trace.arrival_s, [(row["timestamp"] - rows[0]["timestamp"]) / 1e3 for row in rows])
    seen: set[int] = set()
    expected = []
    for row in rows:
        known = [block in seen for block in row["hash_ids"]]
        leading = known.index(False) if False in known else len(known)
        expected.append(min(512 * leading, row["input_length"] - 1))
        seen |= set(row["hash_ids"])
    assert trace.cached_tokens.tolist() == expected
    assert sum(expected) > 0


def test_a_block_counts_only_behind_known_ones(tmp_path):
    lines = [
        {"timestamp": 0, "input_length": 1500, "output_length": 1, "hash_ids": [1, 2, 3]},
        {"timestamp": 1, "input_length": 1500, "output_length": 1, "hash_ids": [1, 9, 3]},
        {"timestamp": 2, "input_length": 1500, "output_length": 1, "hash_ids": [1, 2, 3]},
    ]
    trace = read_trace(written(tmp_path, "\n".join(json.dumps(line) for line in lines), "t.jsonl"))
    assert trace.cached_tokens.tolist() == [0, 512, 1499]


@pytest.mark.parametrize(
    ("header", "row", "names"),
    [
        ("arrival_ms,input_tokens,output_tokens", "1500,10,20", None),
        ("time [us];prompt;output", "1500000;10;20", None),
        ("when\tin\tout", "1500\t10\t20", ColumnNames("when", "in", "out", time_unit="ms")),
        ("When , Prompt  Size,OUT,hit", '"1.5",10,20,4', ColumnNames("when", "prompt size", "out", cached="HIT")),
        ("created_at,input_length,output_length", "1970-01-01T00:00:01.5Z,10,20", None),
    ],
)
def test_other_tables_by_usual_or_given_names(tmp_path, header, row, names):
    first = row.replace("1500000", "500000").replace("1500", "500").replace("1.5", "0.5")
    trace = read_trace(written(tmp_path, f"{header}\r\n{first}\r\n{row}\r\n"), names)
    assert trace.format == "columns"
    assert trace.arrival_s.tolist() == pytest.approx([0.0, 1.0])
    assert trace.prompt_tokens.tolist() == [10, 10]
    assert trace.output_tokens.tolist() == [20, 20]
    assert trace.cached_tokens.tolist() == ([4, 4] if names is not None and names.cached else [0, 0])


BAD_ROWS = (
    "yesterday,10,1",
    "nan,10,1",
    "inf,10,1",
    "1e999,10,1",
    "1,-5,1",
    "1,0,1",
    "1,nan,1",
    "1,inf,1",
    "1,1.5,1",
    "1,99999999999999999999999,1",
    "1,10,0",
    "1,10",
    ",10,1",
    "1,,1",
    "1_0,10,1",
    "0x1f,10,1",
    "1," + "9" * 5000 + ",1",
    '{"timestamp": 1, "input_length": 4, "output_length": 2}',
    '"1,10,1',
    "9999-99-99 00:00:00,10,1",
    "1,٣٤,1e4000",
    "=cmd|' /C calc'!A0,10,1",
    "\x00\x01\x02",
)


@pytest.mark.parametrize("row", BAD_ROWS)
def test_a_bad_row_is_counted_with_its_line_and_stops_nothing(tmp_path, row):
    trace = read_trace(written(tmp_path, f"{HEADER}0,10,1\n{row}\n2,20,3\n"))
    assert (len(trace), trace.rows, trace.bad_rows) == (2, 3, 1)
    assert trace.first_bad[0].line == 3
    assert 0 < len(trace.first_bad[0].what) < 200
    assert trace.prompt_tokens.tolist() == [10, 20]


def test_only_the_first_bad_rows_are_kept(tmp_path):
    trace = read_trace(written(tmp_path, HEADER + "x,1,1\n" * 5000 + "1,10,1\n"))
    assert trace.bad_rows == 5000
    assert [row.line for row in trace.first_bad] == [2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        '{"timestamp": 1}',
        '{"timestamp": "1", "input_length": 4, "output_length": 2}',
        '{"timestamp": 1, "input_length": 4.5, "output_length": 2}',
        '{"timestamp": 1, "input_length": -4, "output_length": 2}',
        '{"timestamp": 1, "input_length": 4, "output_length": 2e300}',
        '{"timestamp": NaN, "input_length": 4, "output_length": 2}',
        '{"timestamp": 1, "input_length": 4, "output_length": 2, "hash_ids": [1, 2]}',
        '{"timestamp": 1, "input_length": 4, "output_length": 2, "hash_ids": ["a"]}',
        "[" * 100_000,
        "1,10,1",
    ],
)
def test_a_bad_line_of_mooncake_is_counted(tmp_path, line):
    good = '{"timestamp": 0, "input_length": 4, "output_length": 2, "hash_ids": [1]}'
    trace = read_trace(written(tmp_path, f"{good}\n{line}\n\n{good}\n", "t.jsonl"))
    assert (len(trace), trace.rows, trace.bad_rows, trace.first_bad[0].line) == (2, 3, 1, 2)


def test_rows_out_of_order_are_sorted_and_counted(tmp_path):
    trace = read_trace(written(tmp_path, HEADER + "5,50,1\n3,30,1\n4,40,1\n9,90,1\n"))
    assert trace.arrival_s.tolist() == [0.0, 1.0, 2.0, 6.0]
    assert trace.prompt_tokens.tolist() == [30, 40, 50, 90]
    assert trace.rows_out_of_order == 2


def test_a_wrong_year_does_not_stretch_the_trace(tmp_path):
    trace = read_trace(written(tmp_path, HEADER + "2024-01-01 00:00:00,10,1\n9024-01-01 00:00:00,10,1\n"))
    assert (len(trace), trace.bad_rows) == (1, 1)
    assert "ten years" in trace.first_bad[0].what


def test_a_line_without_end_is_one_bad_row(tmp_path):
    path = written(tmp_path, HEADER + "0,10,1\n" + "7" * (2 * LONGEST_LINE_BYTES + 7) + "\n2,20,3\n")
    trace = read_trace(path)
    assert (len(trace), trace.bad_rows, trace.first_bad[0].line) == (2, 1, 3)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"\n\n  \n", "empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "not a text file"),
        ("TIMESTAMP,ContextTokens,GeneratedTokens".encode("utf-16"), "UTF-16"),
        (HEADER.encode(), "no requests"),
        (HEADER.encode() + b"a,b,c\n", "line 2"),
        (b"a,b,c\n1,2,3\n", "no column for the time"),
        (b"timestamp,a\n1,2\n", "no column for the prompt"),
        (b"TIMESTAMP,ContextTokens,GeneratedTokens,timestamp\n1,2,3,4\n", "twice"),
        (b"," * 5000, "more than 1000 columns"),
        (b"x" * (LONGEST_LINE_BYTES + 10), "too long"),
        (b'{"a": 1}\n', "no row holds a request"),
    ],
)
def test_what_is_no_trace_is_refused_in_a_sentence(tmp_path, content, said):
    assert said in refused(written(tmp_path, content))


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    assert "no such file" in refused(tmp_path / "none.csv")
    assert "not a file" in refused(tmp_path)


def test_a_named_column_must_be_there(tmp_path):
    path = written(tmp_path, "a,b\n1,2\n")
    assert "no column 'c'" in refused(path, ColumnNames("a", "b", "c"))


def test_progress_rises_and_a_cancelled_read_ends(tmp_path):
    path = written(tmp_path, HEADER + "1,10,1\n" * 20_000)
    seen: list[float] = []
    read_trace(path, on_progress=seen.append)
    assert len(seen) > 5
    assert seen == sorted(seen)
    assert seen[-1] <= 1.0
    with pytest.raises(CancelledError):
        read_trace(path, is_cancelled=lambda: True)


CELL = st.one_of(st.integers(-5, 10**20), st.floats(), st.text(max_size=5)).map(str)
ROW = st.lists(CELL, min_size=1, max_size=4).map(",".join)
GOOD_ROW = st.tuples(st.floats(0, 1e6), st.integers(1, 10**6), st.integers(1, 10**5)).map(
    lambda row: ",".join(map(str, row))
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=400), has_header=st.booleans())
def test_any_bytes_are_refused_in_a_sentence_or_read(tmp_path, content, has_header):
    path = written(tmp_path, (HEADER.encode() if has_header else b"") + content)
    try:
        trace, said = read_trace(path), ""
    except FileProblem as problem:
        trace, said = None, str(problem)
    assert said or len(trace) > 0


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.one_of(ROW, GOOD_ROW), max_size=20), good=GOOD_ROW)
def test_any_rows_beside_good_ones_are_counted(tmp_path, rows, good):
    text = HEADER + "\n".join([good, *rows]) + "\n"
    trace = read_trace(written(tmp_path, text.encode("utf-8", "replace")))
    assert len(trace) > 0
    assert len(trace) + trace.bad_rows + trace.failed_requests == trace.rows
    assert np.isfinite(trace.arrival_s).all()
    assert (np.diff(trace.arrival_s) >= 0).all()
    assert (trace.prompt_tokens >= 1).all()


def test_columns_keep_their_means(tmp_path):
    rows = [(index * 0.5, 10 + index, 1 + index % 7) for index in range(1000)]
    text = HEADER + "".join(f"{time},{prompt},{output}\n" for time, prompt, output in rows)
    trace = read_trace(written(tmp_path, text))
    assert trace.prompt_tokens.mean() == statistics.mean(row[1] for row in rows)
    assert trace.output_tokens.sum() == sum(row[2] for row in rows)
