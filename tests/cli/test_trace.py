"""`gpuplanner trace`: figures on standard output, one sentence on standard error for what is no trace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpuplanner_gui.cli import main

DATA = Path(__file__).parents[1] / "files" / "traces" / "data"


def test_text_tells_rate_burstiness_and_lengths(capsys):
    assert main(["trace", str(DATA / "azure-llm-2023-conv.csv")]) == 0
    printed = capsys.readouterr().out
    assert "Azure LLM inference, 600 requests in 2.47 min, 4.05 req/s" in printed
    assert "Busiest over mean: second 2.47, 10 s 1.47, minute 1.16; CV of the gaps: 1.27" in printed
    assert "longest" in printed


def test_json_is_si_and_complete(capsys):
    assert main(["trace", str(DATA / "mooncake-conversation.jsonl"), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["format"], data["rows"], data["bad_rows"], data["requests"]) == ("mooncake", 120, 0, 120)
    assert set(data["peak_over_mean"]) == {"1s", "10s", "60s"}
    assert 0 < data["prefix_share"] < 1
    assert set(data["prompt_tokens"]) == {"mean", "p50", "p90", "p95", "p99", "longest", "log_sd"}


def test_bad_rows_are_shown_with_their_lines(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n1,10,1\nx,10,1\n0,20,2\n")
    assert main(["trace", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "1 of 3 rows hold no request:" in printed
    assert "line 3: 'x' is not a number" in printed
    assert "1 rows were out of order" in printed


def test_named_columns(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("at;in;out\n0;10;1\n2000;30;3\n")
    options = ["--columns", "time=at,prompt=in,output=out", "--time-unit", "ms", "--json"]
    assert main(["trace", str(path), *options]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["duration_s"], data["prompt_tokens"]["mean"]) == (2.0, 20.0)


@pytest.mark.parametrize("stated", ["time=at", "time=at,prompt=in,output=out,colour=x", "nonsense"])
def test_unusable_columns_are_told(tmp_path, capsys, stated):
    path = tmp_path / "t.csv"
    path.write_text("at;in;out\n0;10;1\n")
    assert main(["trace", str(path), "--columns", stated]) == 1
    assert "--columns" in capsys.readouterr().err


def test_a_file_that_is_no_trace_is_one_sentence(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    assert main(["trace", str(path)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "Traceback" not in captured.err
