from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from auditor.formats import lines as lines_module
from auditor.formats.json_text import UnusableError, parse_object
from auditor.formats.records import Refusal, ResponseRow
from auditor.formats.response_lines import ResponseLines, response_row
from auditor.text import UndecodedText, read_extra

GOOD: dict[str, Any] = {"study": "s", "case": "c", "arm": "a", "setting": "m", "sample": 0, "response": "x"}


def line(**changes: Any) -> bytes:
    """Return a good line with some fields changed."""
    return json.dumps(GOOD | changes).encode()


def without(name: str, **more: object) -> bytes:
    return json.dumps({key: value for key, value in GOOD.items() if key != name} | more).encode()


def read(path: Path, data: bytes, chunk: int = lines_module.CHUNK) -> list[ResponseRow | Refusal]:
    """Read a file of these bytes, in pieces of `chunk` bytes."""
    path.write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines_module, "CHUNK", chunk)
        reader = ResponseLines(path, frozenset({"s"}))
        items = [item for batch in reader.batches() for item in batch]
    assert reader.done == len(data)
    return items


def read_one(path: Path, data: bytes) -> ResponseRow | Refusal:
    """Read a line that ends a file of many good ones, without and with usage: there the fast way is at work."""
    found = []
    for good in (line(), line(usage={"a": 1})):
        *before, item = read(path, (good + b"\n") * 50 + data + b"\n", 1000)
        assert all(isinstance(row, ResponseRow) for row in before)
        found.append(item)
    assert found[0] == found[1]
    return found[0]


BROKEN: dict[bytes, str] = {
    b"{": "it is not JSON: expecting property name enclosed in double quotes at character 2.",
    b"[]": "it is a list, but must be an object.",
    line() + line(): "it is not JSON: extra data at character 86.",
    line() + b" " + line(): "it is not JSON: extra data at character 87.",
    without("study"): "it has no study.",
    without("case"): "it has no case.",
    without("arm"): "it has no arm.",
    without("setting"): "it has no setting.",
    without("response"): "it has no response.",
    without("response", Output="x", usage={}): "it has no response; did you mean its key Output?",
    without("response", respnse="x", note=1): "it has no response; did you mean its key respnse?",
    without("response", **{"repl\x1b": "x"}): "it has no response.",
    line(study="t"): 'its study "t" is not declared in run.toml.',
    line(study="\x1b[2J"): 'its study "␛[2J" is not declared in run.toml.',
    line(study=None): "study is null, but must be text.",
    line(case=3): "case is the number 3, but must be text.",
    line(arm=["a"]): "arm is a list, but must be text.",
    line(setting={}): "setting is an object, but must be text.",
    line(response=5): "response is the number 5, but must be text or null.",
    line(reasoning=True): "reasoning is true, but must be text or null.",
    line(finish=1.5): "finish is the number 1.5, but must be text or null.",
    line(error=[]): "error is a list, but must be text or null.",
    line(sample=-1): "sample is the number -1, but must be a whole number from 0.",
    line(sample=1.0): "sample is the number 1.0, but must be a whole number from 0.",
    line(sample=True): "sample is true, but must be a whole number from 0.",
    line(sample=None): "sample is null, but must be a whole number from 0.",
    line(sample="0"): "sample is text, but must be a whole number from 0.",
    line(sample=2**63): "sample is the number 9223372036854775808, but must be a whole number from 0.",
    line(usage=3): "usage is the number 3, but must be an object.",
    line(seconds="1"): "seconds is text, but must be a number or null.",
    line()[:-1] + b', "study": "s"}': 'the key "study" appears twice.',
    line()[:-1] + b', "\\u0073tudy": "s"}': 'the key "study" appears twice.',
    line()[:-1] + b', "study" : "s"}': 'the key "study" appears twice.',
    line().replace(b'"study":', b'"study" :')[:-1] + b', "study": "s"}': 'the key "study" appears twice.',
    line().replace(b'"study":', b'"study"\t:')[:-1] + b', "study": "s"}': 'the key "study" appears twice.',
    line().replace(b'"study":', b'"study"\r:')[:-1] + b', "study": "s"}': 'the key "study" appears twice.',
    line()[:-1] + b', "usage": {"a": 1, "a": 1}}': 'the key "a" appears twice.',
    line(usage={"x\\": 1})[:-1] + b', "case": "d"}': 'the key "case" appears twice.',
    line(**{"x\\": 1})[:-1] + b', "case": "d"}': 'the key "case" appears twice.',
    line()[:-1] + b', "seconds": 1e999}': "it holds the number 1e999, which is out of range.",
    line()[:-1] + b', "usage": {"a": NaN}}': "it holds NaN, which is not JSON.",
    line()[:-1] + b', "usage": {"a": ' + b"[" * 120 + b"]" * 120 + b"}}": "it is nested more than 100 levels deep.",
    line()[:-1] + b', "usage": {"a": ' + b"9" * 5000 + b"}}": "it holds a whole number with too many digits.",
}


@pytest.mark.parametrize("data", BROKEN, ids=lambda data: repr(data[-40:]))
def test_an_unusable_line_is_refused_with_its_place_and_reason(tmp_path: Path, data: bytes) -> None:
    assert read_one(tmp_path / "responses.jsonl", data) == Refusal("responses.jsonl:51", BROKEN[data])


def test_a_bad_line_costs_no_other(tmp_path: Path) -> None:
    data = [line(case=str(number)) for number in range(200)]
    data[120] = b"{]"
    items = read(tmp_path / "r.jsonl", b"\n".join(data))
    assert [item.case for item in items if isinstance(item, ResponseRow)] == [str(n) for n in range(200) if n != 120]
    assert items[120] == Refusal(
        "r.jsonl:121", "it is not JSON: expecting property name enclosed in double quotes at character 2."
    )


@pytest.mark.parametrize("chunk", [1, 7, 100, 1 << 17])
def test_rows_know_their_lines_whatever_the_pieces(tmp_path: Path, chunk: int) -> None:
    data = b"\xef\xbb\xbf" + line(case="1") + b"\n\n  \r\n" + b"\n".join(line(case=str(n)) for n in range(4, 30))
    rows = read(tmp_path / "r.jsonl", data, chunk)
    assert [(row.case, row.line) for row in rows if isinstance(row, ResponseRow)] == [
        (str(n), n) for n in (1, *range(4, 30))
    ]


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b" \n", b"\n\n"])
def test_line_endings_and_a_missing_last_newline_change_nothing(tmp_path: Path, ending: bytes) -> None:
    data = [line(case=str(number)) for number in range(40)]
    rows = read(tmp_path / "r.jsonl", ending.join(data), 500)
    assert [row.case for row in rows if isinstance(row, ResponseRow)] == [str(number) for number in range(40)]
    assert read(tmp_path / "r.jsonl", ending.join(data) + ending, 500) == rows


def test_only_a_newline_ends_a_line(tmp_path: Path) -> None:
    text = "a\u2028b\u0085c\x0bd\x0ce\x1cf"
    data = json.dumps(GOOD | {"response": text}, ensure_ascii=False).encode()
    rows = read(tmp_path / "r.jsonl", data + b"\n" + data)
    assert [(row.text, row.line) for row in rows if isinstance(row, ResponseRow)] == [(text, 1), (text, 2)]


def test_an_empty_file_holds_nothing(tmp_path: Path) -> None:
    assert read(tmp_path / "r.jsonl", b"") == []
    assert read(tmp_path / "r.jsonl", b"\n\n") == []


def test_two_records_on_a_line_are_refused_even_if_another_takes_two_lines(tmp_path: Path) -> None:
    half = line(usage={"a": {}}).replace(b'"a": ', b'"a":\n')
    data = b"\n".join([line(usage={"a": {}})] * 30 + [half, line(usage={}) + line(usage={})]) + b"\n"
    items = read(tmp_path / "r.jsonl", data, 600)
    assert [isinstance(item, ResponseRow) for item in items] == [True] * 30 + [False] * 3


def test_a_very_long_line_and_a_nul_are_kept(tmp_path: Path) -> None:
    text = "0123456789" * 1_000_000
    first, second, third = read(tmp_path / "r.jsonl", b"\n".join([line(response=text), line(response="a\0b"), line()]))
    assert isinstance(first, ResponseRow)
    assert first.text == text
    assert isinstance(second, ResponseRow)
    assert second.text == "a\0b"
    assert isinstance(third, ResponseRow)


def test_no_response_is_a_row_without_text(tmp_path: Path) -> None:
    data = line(response=None, finish="error", error="timeout", reasoning="r")
    assert read_one(tmp_path / "r.jsonl", data) == ResponseRow(
        "s", "c", "a", "m", 0, None, "r", "error", "timeout", None, 51
    )


def test_an_absent_sample_is_sample_0(tmp_path: Path) -> None:
    row = read_one(tmp_path / "r.jsonl", without("sample"))
    assert isinstance(row, ResponseRow)
    assert row.sample == 0


def test_usage_seconds_and_unknown_keys_are_kept_in_a_fixed_order(tmp_path: Path) -> None:
    changes = {"zeta": [1], "seconds": 3, "usage": {"in": 2, "detail": {"cached": [{"n": 1}]}}, "alpha": None}
    row = read_one(tmp_path / "r.jsonl", line(**changes))
    assert isinstance(row, ResponseRow)
    assert (
        row.extra == '{"usage": {"in": 2, "detail": {"cached": [{"n": 1}]}}, "seconds": 3, "zeta": [1], "alpha": null}'
    )
    assert read_extra(row.extra) == changes


def test_the_way_a_number_or_a_key_is_spaced_does_not_change_what_is_kept(tmp_path: Path) -> None:
    texts = set()
    for usage in (b'{"in":2,"x":1.50}', b'{ "in" : 2, "x": 15e-1 }', b'{"in":\t2, "\\u0078": 1.5}'):
        row = read_one(tmp_path / "r.jsonl", line()[:-1] + b', "usage": ' + usage + b"}")
        assert isinstance(row, ResponseRow)
        texts.add(row.extra)
    assert texts == {'{"usage": {"in": 2, "x": 1.5}}'}


def test_null_usage_and_seconds_are_as_if_absent(tmp_path: Path) -> None:
    row = read_one(tmp_path / "r.jsonl", line(usage=None, seconds=None))
    assert isinstance(row, ResponseRow)
    assert row.extra is None


def test_odd_text_is_kept_exactly(tmp_path: Path) -> None:
    lone = read_one(tmp_path / "r.jsonl", line(response="hello \ud83d"))
    raw = read_one(tmp_path / "r.jsonl", line(response="@").replace(b"@", b"caf\xe9"))
    assert isinstance(lone, ResponseRow)
    assert lone.text == "hello \ud83d"
    assert isinstance(raw, ResponseRow)
    assert raw.text == "caf\udce9"
    assert isinstance(raw.text, UndecodedText)


def test_settings_that_were_seen_are_remembered_once_in_order(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"\n".join(line(setting=name) for name in "bbacb") + b'\n{"setting": "z"}')
    reader = ResponseLines(path, frozenset({"s"}))
    list(reader.batches())
    assert list(reader.settings) == ["b", "a", "c"]


# --- the fast way gives what the slow one gives -------------------------------------------------------------------

words = st.sampled_from(
    ["s", "t", "", ":", ' "', '":', "\\", '\\":', " :", "é", "\x1b", "\ud83d", "\udc80", "}\n{", "\0"]
)
scalars = st.none() | st.booleans() | st.integers(-2, 2**65) | st.floats(allow_nan=False) | words
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(words, inner, max_size=2), max_leaves=4
)
pairs = st.tuples(
    st.sampled_from(["sample", "reasoning", "finish", "error", "usage", "seconds", "x\\", "study"]), values
)


@st.composite
def odd_lines(draw: st.DrawFn) -> bytes:
    """Return a line that is nearly a response: keys added, repeated, spaced oddly, of any type."""
    fields: list[tuple[str, Any]] = [(name, value) for name, value in GOOD.items() if draw(st.integers(0, 30))]
    fields += draw(st.lists(pairs, max_size=2))
    colon = draw(st.sampled_from([": ", ":", " : ", "\t:", "\r: "]))
    comma = draw(st.sampled_from([", ", ",", " ,\r "]))
    body = comma.join(json.dumps(name) + colon + json.dumps(value, ensure_ascii=False) for name, value in fields)
    return ("{" + body + "}").encode("utf-8", draw(st.sampled_from(["surrogatepass", "replace"])))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(odd_lines(), st.just(line()), st.just(line(usage={"a": 1}))), max_size=6))
@example([line(), line()[:-1] + b', "case": "d"}'])
@example([line(**{"x\\": 1})[:-1] + b', "finish": "a", "finish": "b"}'])
def test_every_line_is_read_as_if_it_were_alone(tmp_path_factory: pytest.TempPathFactory, data: list[bytes]) -> None:
    expected: list[ResponseRow | Refusal] = []
    for number, content in enumerate(data * 2, 1):
        try:
            row = response_row(parse_object(content), number)
        except UnusableError as err:
            expected.append(Refusal(f"r.jsonl:{number}", str(err)))
            continue
        undeclared = Refusal(f"r.jsonl:{number}", f'its study "{row.study}" is not declared in run.toml.')
        expected.append(row if row.study == "s" else undeclared)
    items = read(tmp_path_factory.getbasetemp() / "r.jsonl", b"\n".join(data * 2) + b"\n", 300)
    assert [_place(item) for item in items] == [_place(item) for item in expected]


def _place(item: ResponseRow | Refusal) -> object:
    """Return a row itself, but of a refusal its place and all but a study's name, which is shown visibly."""
    return (item.where, item.reason.split('"')[0]) if isinstance(item, Refusal) else item
