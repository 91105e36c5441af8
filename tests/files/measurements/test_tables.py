"""Tables of no known program: decimal marks, grouped digits, what stands before the headings, what is no number."""

from __future__ import annotations

import pytest

from gpuplanner_gui.files.measurements import import_file


def values_in(path, content: str, columns=None) -> dict[str, float]:
    path.write_text(content, encoding="utf-8")
    return {one.quantity: one.value for one in import_file(path, columns).measurements[0].figures}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param("gpu;ttft_ms;tpot_ms\nH100;1.120,5;14,1\n", {"ttft": 1.1205, "tpot": 0.0141}, id="decimal comma"),
        pytest.param("gpu;ttft_ms\nH100;120,125\n", {"ttft": 0.120125}, id="three decimals"),
        pytest.param("gpu;ttft_ms\nH100;120.5\n", {"ttft": 0.1205}, id="semicolons and points"),
        pytest.param("gpu\tttft_ms\nH100\t14,1\n", {"ttft": 0.0141}, id="tabs"),
        pytest.param("gpu\toutput_tok_s\nH100\t1,234\n", {"output_tokens_per_s": 1234.0}, id="tabs, grouped"),
        pytest.param('gpu,output_tok_s\nH100,"1,234.5"\n', {"output_tokens_per_s": 1234.5}, id="grouped"),
        pytest.param('gpu,ttft_ms\nH100,"14,1"\n', {"ttft": 0.0141}, id="quoted decimal comma"),
        pytest.param("gpu;output_tok_s;tpot_ms\nH100;12.345;9,5\n", {"output_tokens_per_s": 12345.0, "tpot": 0.0095},
                     id="grouped by points"),
        pytest.param("sep=;\ngpu;ttft_ms\nH100;120,5\n", {"ttft": 0.1205}, id="a spreadsheet's first line"),
        pytest.param("\n# our lab, March\ngpu,ttft_ms\nH100,120.5\n", {"ttft": 0.1205}, id="comment"),
    ],
)  # fmt: skip
def test_numbers_mean_what_the_table_means(tmp_path, content, expected):
    assert values_in(tmp_path / "runs.csv", content) == pytest.approx(expected)


def test_counts_of_the_context_follow_the_decimal_mark(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("gpu;isl;devices;tpot_ms\nH100;1.024,5;8;14,1\n")
    context = import_file(path).measurements[0].context
    assert (context.prompt_tokens, context.devices) == (1024.5, 8)


def test_what_is_no_number_is_said_and_an_empty_cell_is_not(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("gpu,ttft_ms,tpot_ms\nH100,fast,14.1\nH100,N/A,14.2\nH100,-3,\n")
    found = import_file(path)
    assert len(found.measurements) == 2
    assert found.remarks == (
        "Line 2: 'fast' in the column 'ttft_ms' is skipped, because it is not a number from 0.",
        "Line 4: '-3' in the column 'ttft_ms' is skipped, because it is not a number from 0.",
    )


def test_headings_are_mapped_below_a_comment(tmp_path):
    content = "# cluster B\nKarte;Erstes Token\nH100;120,5\n"
    assert values_in(tmp_path / "runs.csv", content, {"ttft_ms": "Erstes Token"}) == {"ttft": pytest.approx(0.1205)}
