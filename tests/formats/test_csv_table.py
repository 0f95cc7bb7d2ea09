"""CSV that a spreadsheet cannot execute and that reads back unchanged."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import InputError
from auditor.formats.csv_table import CsvTable, csv_field, csv_line, read_csv
from auditor.text import UndecodedText, from_bytes
from tests.hostile import HOSTILE

DANGER = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"


def write(path: Path, *rows: list[str]) -> Path:
    path.write_bytes(b"".join(map(csv_line, rows)))
    return path


def round_trip(folder: Path, text: str) -> str:
    path = write(folder / "t.csv", ["before", "text"], ["x", text])
    (row,) = read_csv(path, "text")
    assert row.line == 2 and row.fields["before"] == "x"
    return row.fields["text"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("csv")


texts = st.text(
    st.one_of(st.characters(exclude_categories=[]), st.sampled_from("'\"=+-@\t\r\n ,;\0\ud83d\udc80\uff1d"))
)


@given(text=texts)
def test_any_text_reads_back_unchanged(folder: Path, text: str) -> None:
    assert round_trip(folder, text) == text


@given(data=st.binary(max_size=40))
def test_text_of_undecodable_bytes_reads_back_unchanged(folder: Path, data: bytes) -> None:
    text = from_bytes(data)
    back = round_trip(folder, text)
    assert back == text and type(back) is type(text)


@given(blanks=st.text(" \u00a0\u3000\ufeff\u200b", max_size=3), first=st.sampled_from(DANGER), rest=texts)
def test_what_a_spreadsheet_would_execute_starts_with_a_quote(blanks: str, first: str, rest: str) -> None:
    assert csv_field(blanks + first + rest).startswith(b"\"'")


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_texts_read_back_unchanged(tmp_path: Path, text: str) -> None:
    assert round_trip(tmp_path, text) == text


@pytest.mark.parametrize("text", ["'", "''", "'a", "it's", "'=1", "''=1", "' =1", "'\t", "=", "'''", "-1", "NA", ""])
def test_quotes_in_front_are_kept(tmp_path: Path, text: str) -> None:
    assert round_trip(tmp_path, text) == text


def test_plain_text_is_not_changed_by_the_guard() -> None:
    assert csv_line(["it's", "a=b", "1-2", "'quoted'"]) == b'"it\'s","a=b","1-2","\'quoted\'"\n'


def test_numbers_truth_values_and_nothing_stand_as_they_are() -> None:
    assert csv_line([-5, 0.1, True, False, None]) == b'"-5","0.1","true","false",""\n'


def test_the_csv_module_reads_the_same_rows(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", ["a", "b"], ['say "hi"', "x\ny"], ["1,2", " "])
    with path.open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["a", "b"], ['say "hi"', "x\ny"], ["1,2", " "]]


def test_a_row_names_the_line_on_which_it_starts(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", ["a"], ["x\ny\nz"], ["second"])
    assert [row.line for row in read_csv(path)] == [2, 5]


def test_a_byte_order_mark_carriage_returns_and_blank_lines_are_tolerated(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b'\xef\xbb\xbf"a",b\r\n\r\n1,2\r\n')
    assert [(row.line, row.fields) for row in read_csv(path, "a")] == [(3, {"a": "1", "b": "2"})]


def test_a_field_longer_than_the_csv_modules_limit_is_read(tmp_path: Path) -> None:
    text = "x" * 1_000_000
    assert round_trip(tmp_path, text) == text


def test_undecoded_text_keeps_its_kind_behind_the_guard(tmp_path: Path) -> None:
    text = UndecodedText("=\udcff")
    back = round_trip(tmp_path, text)
    assert back == text and isinstance(back, UndecodedText)


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        (b'"a","c"\n"1","2"\n', 1, "no column 'b'; it has: a, c"),
        (b'"a","b"\n"1","2","3"\n', 2, "3 fields where the header has 2"),
        (b'"a","b"\n"1"\n', 2, "1 fields where the header has 2"),
        (b'"a","b"\n"1","2"\n"3","4\n\n', 3, "never closed"),
        (b'"a","b"\n"1"x,"2"\n', 2, "not well-formed"),
        (b'"a","b","a"\n', 1, "'a' twice"),
    ],
)
def test_a_bad_table_is_refused_with_file_and_line(tmp_path: Path, data: bytes, line: int, words: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        list(read_csv(path, "a", "b"))
    assert f"bad.csv:{line}: " in str(caught.value) and words in str(caught.value)


def test_an_empty_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    path.write_bytes(b"")
    with pytest.raises(InputError, match="empty"):
        CsvTable(path)
    with pytest.raises(InputError, match="cannot be read"):
        CsvTable(tmp_path / "none.csv")
