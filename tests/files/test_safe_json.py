"""JSON from outside: sizes, depth, duplicate keys, numbers and characters."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.safe_json import read_json
from gpuplanner_gui.files.text import has_unsafe_text, plain_text

documents = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)  # fmt: skip


@given(documents)
def test_ordinary_documents_come_back_as_they_are(document):
    assert read_json(json.dumps(document).encode()) == document


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"a": 1, "a": 2}', "twice"),
        (b'{"a": {"b": [{"c": 1, "c": 1}]}}', "twice"),
        (b"[1e999]", "too large"),
        (b"[NaN]", "NaN"),
        (b"[-Infinity]", "Infinity"),
        (b"[1" + b"0" * 25 + b"]", "26 digits"),
        (b"[1" + b"0" * 10_000 + b"]", "10001 digits"),
        (b"[" * 101 + b"]" * 101, "levels deep"),
        (b"[" * 200_000, "levels deep"),
        (b'{"a" 1}', "not valid JSON"),
        (b'["\x80"]', "not UTF-8"),
    ],
)
def test_hostile_documents_are_refused(data, words):
    with pytest.raises(FileProblem, match=words):
        read_json(data)


def test_nesting_up_to_the_limit_is_read():
    assert read_json(b"[" * 100 + b"]" * 100)


def test_infinity_is_kept_where_asked():
    value = read_json(b"[Infinity, -Infinity, NaN]", keep_infinity=True)
    assert value[:2] == [math.inf, -math.inf]
    assert math.isnan(value[2])


def test_the_place_of_a_mistake_is_named(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text('{\n  "a": ]\n}', encoding="utf-8")
    with pytest.raises(FileProblem) as caught:
        read_json(path)
    assert str(caught.value).startswith("mine.json, at line 2, column 8")


def test_a_byte_order_mark_is_no_obstacle():
    assert read_json(b"\xef\xbb\xbf{}") == {}


def test_files_over_the_limit_are_refused_unread(tmp_path):
    path = tmp_path / "big.json"
    path.write_bytes(b" " * 1000)
    with pytest.raises(FileProblem, match="smaller"):
        read_json(path, limit_bytes=999)
    with pytest.raises(FileProblem, match="smaller"):
        read_json(b" " * 1000, limit_bytes=999)


@given(st.text(max_size=400))
def test_plain_text_is_safe_and_short(text):
    plain = plain_text(text)
    assert len(plain) <= 200
    assert not has_unsafe_text(plain)
    assert "\n" not in plain
    plain.encode("utf-8")


def test_plain_text_drops_what_reorders_or_hides():
    assert plain_text("a\u202eb\u0000c\ud800d\n e") == "abcd e"
