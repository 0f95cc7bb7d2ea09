"""Oracle and prediction as lines: both texts can be read back, differences are marked and none is hidden."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from auditor.audit.review import ReviewSession
from auditor.compare.fields import field_rows
from auditor.compare.text_diff import LITTLE_IN_COMMON, differences
from auditor.model import SUBJECT
from auditor.text import has_invisible, visible, visible_line
from auditor.tui.comparison import _compare_fields, compare_item, compare_texts
from auditor.tui.marked_lines import Comparison, MarkedLine
from auditor.tui.text_comparison import MOST_ROWS
from tests.hostile import HOSTILE

ALPHABET = st.text(st.sampled_from("ab 1,\n漢\u200b\r"), max_size=60)


def side(comparison: Comparison, marks: str) -> str:
    """Read the text of one side back from the lines."""
    text, first = "", True
    for line in comparison.lines:
        if line.mark in marks:
            text += ("" if first or line.goes_on else "\n") + line.text
            first = False
    return text


def expected(text: str) -> str:
    return visible(text)


def read_back(text: str) -> str:
    return text.replace("␊\n", "\n").replace("␊", "\n").replace("␠", " ")


@example("1\n\n1", "\n1", 12)
@example("\nb", "a\n\nb", 12)
@given(ALPHABET, ALPHABET, st.integers(12, 40))
def test_both_texts_can_be_read_back(oracle: str, prediction: str, width: int) -> None:
    comparison = compare_texts(oracle, prediction, width)
    assert read_back(side(comparison, "=-")).rstrip("\n") == expected(oracle).rstrip("\n")
    assert read_back(side(comparison, "=+")).rstrip("\n") == expected(prediction).rstrip("\n")


@given(ALPHABET, ALPHABET, st.integers(12, 40))
def test_there_is_a_place_exactly_when_the_texts_differ(oracle: str, prediction: str, width: int) -> None:
    comparison = compare_texts(oracle, prediction, width)
    assert bool(comparison.differences) == (oracle != prediction)
    assert comparison.diff is not None
    for place in comparison.differences if comparison.diff.reason != LITTLE_IN_COMMON else ():
        pair = comparison.lines[place.line : place.line + 2]
        assert any(span.role.endswith("changed") for line in pair for span in line.spans)


@given(ALPHABET, ALPHABET, st.integers(12, 40))
def test_lines_that_differ_fit_the_width(oracle: str, prediction: str, width: int) -> None:
    comparison = compare_texts(oracle, prediction, width)
    assert comparison.diff is not None
    for line in comparison.lines:
        if line.mark in "-+" and comparison.diff.reason != LITTLE_IN_COMMON:
            assert cell_len(line.text) <= width


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_are_shown_literally(text: str) -> None:
    for oracle, prediction in ((text, text + "x"), (text + "x", text), (text, ""), ("y" + text, text), (text, text)):
        comparison = compare_texts(oracle, prediction, 60)
        assert not any(has_invisible(line.text) for line in comparison.lines)
        assert read_back(side(comparison, "=-")).rstrip("\n") == expected(oracle).rstrip("\n")


def roles(line: MarkedLine) -> list[tuple[str, str]]:
    return [(line.text[span.start : span.end], span.role) for span in line.spans if span.role]


def test_changed_characters_are_marked_on_both_sides() -> None:
    minus, plus = compare_texts("63250 17", "63240 17", 60).lines
    assert (minus.mark, plus.mark) == ("-", "+")
    assert ("5", "oracle-changed") in roles(minus)
    assert ("4", "prediction-changed") in roles(plus)


def test_a_missing_final_newline_is_shown() -> None:
    comparison = compare_texts("a\nb\n", "a\nb", 60)
    assert [line.text for line in comparison.lines] == ["a", "b␊", "b"]
    assert "final newline" in comparison.look_alikes[0]


def test_a_trailing_space_is_shown() -> None:
    minus, plus = compare_texts("x \n", "x\n", 60).lines
    assert (minus.text, plus.text) == ("x␠", "x")


def test_spaces_are_marked_only_where_white_space_differs_or_ends_the_line() -> None:
    def shown(oracle: str, prediction: str) -> list[str]:
        return [line.text for line in compare_texts(oracle, prediction, 60).lines]

    assert shown("a b c", "a  b c") in (["a b c", "a ␠b c"], ["a b c", "a␠ b c"], ["a␠b c", "a␠␠b c"])
    assert shown("1 2 3\n", "1 x y z 3\n") == ["1 2 3", "1 x y z 3"]
    assert shown("one two\n", "one 2  \n") == ["one two", "one 2␠␠"]


def test_a_long_prediction_stands_below_a_short_oracle_as_one_block() -> None:
    comparison = compare_texts("7", ", ".join(str(n * 31) for n in range(100)), 40)
    marks = "".join(line.mark for line in comparison.lines)
    assert marks == "-" + "+" * (len(marks) - 1)
    assert all(line.text for line in comparison.lines)
    assert len(comparison.differences) <= 2


def test_a_stretch_that_is_cut_counts_once() -> None:
    comparison = compare_texts("x" * 300, "y" * 300, 40)
    assert len(comparison.differences) == 1
    assert len(comparison.lines) > 2


def test_what_was_not_looked_at_is_said_and_not_counted_as_seen() -> None:
    oracle = "".join(f"{n}\u00a0;\n" for n in range(600))
    sentences = compare_texts(oracle, oracle.replace("\u00a0", " "), 60).look_alikes
    assert sentences[3:] == (
        "… and 497 more differences that cannot be seen",
        "100 further differences were not looked at",
    )


def test_look_alikes_are_named() -> None:
    (sentence,) = compare_texts("a b", "a\u00a0b", 60).look_alikes
    assert "U+00A0 NO-BREAK SPACE" in sentence


def test_a_long_line_is_cut_into_pairs_that_stand_above_each_other() -> None:
    numbers = [str(n) for n in range(200)]
    oracle = ", ".join(numbers)
    comparison = compare_texts(oracle, oracle.replace("100,", "7,").replace("150,", "8,"), 40)
    marks = "".join(line.mark for line in comparison.lines)
    assert marks.count("-") == marks.count("+") == 2
    assert "-+" in marks
    assert len(comparison.differences) == 2


def test_a_difference_that_is_not_exact_says_so() -> None:
    left = "".join(chr(97 + (n * n * 31 + n) % 26) for n in range(400_000))
    right = "".join(chr(97 + (n * n * 17 + 5 * n) % 26) for n in range(400_000))
    assert compare_texts(left, right, 60).note.startswith("difference not exact: ")


@pytest.mark.timeout(60)
def test_a_megabyte_with_one_change_has_one_difference() -> None:
    text = "0123456789, " * 87_000
    comparison = compare_texts(text, text[:500_000] + "X" + text[500_000:], 57)
    assert len(comparison.differences) == 1


def fields(oracle: str, prediction: str, width: int = 58) -> Comparison:
    return _compare_fields(field_rows(oracle, prediction).rows, width)


def test_fields_stand_beside_each_other_with_their_digits_marked() -> None:
    comparison = fields('{"total": 63250, "ok": true}', '{"total": 63240, "ok": true}')
    head, total, ok = comparison.lines
    assert head.text.split() == ["field", "=", "oracle", "+", "prediction"]
    assert total.text.split() == ["total", "=", "63250", "+", "63240"]
    assert ("5", "oracle-changed") in roles(total)
    assert ("4", "prediction-changed") in roles(total)
    assert (total.mark, ok.mark) == ("≠", " ")
    assert [place.line for place in comparison.differences] == [1]


def test_long_fields_stand_above_each_other() -> None:
    comparison = fields(f'{{"text": "{"a" * 50}"}}', f'{{"text": "{"a" * 49}b"}}')
    assert [line.mark for line in comparison.lines] == [" ", "≠", "-", "+"]
    assert ("a", "oracle-changed") in roles(comparison.lines[2])


def test_missing_and_extra_fields_are_named() -> None:
    _, first, second = fields('{"a": 1}', '{"b": 2}').lines
    assert "(missing)" in first.text
    assert "(not asked for)" in second.text


def test_marks_that_are_not_exact_are_said() -> None:
    left, right = (" ".join(str((n * n * k + n) % 26) for n in range(30_000)) for k in (31, 17))
    rows = field_rows(f'{{"a": 1, "text": "{left}"}}', f'{{"a": 2, "text": "{right}"}}', seconds=0.01)
    assert _compare_fields(rows.rows, 58).note.endswith(": text")


def test_an_oracle_without_a_prediction_is_not_marked_as_equal(session: ReviewSession) -> None:
    ungraded = replace(session.item(0), grade=None)
    assert [line.mark for line in compare_item(ungraded, 60).lines] == ["-", "+"]


def test_equal_fields_are_equal_however_they_are_written() -> None:
    comparison = fields('{"a": 1, "b": [1, 2]}', '{"b":[1,2],"a":1.0}')
    assert comparison.differences == ()
    assert comparison.headline == "all fields equal"


def test_a_difference_of_very_many_rows_is_cut_and_says_so() -> None:
    oracle = "\n".join(f"line {number} abc" for number in range(20_000))
    prediction = "\n".join(f"row {number} xyz" for number in range(20_000))
    comparison = compare_texts(oracle, prediction, 60)
    assert len(comparison.lines) <= 2 * MOST_ROWS
    assert f"only its first {len(comparison.lines):,} rows are shown" in comparison.note
    assert comparison.lines[0].text.startswith("line 0")


# --- compared as values --------------------------------------------------------------------------------------------


def test_what_is_only_spelled_differently_is_dim_and_no_place() -> None:
    comparison = compare_texts("{'La': 3, 'b': 1}", '{"La": 2, "b": 1}', 60, "python-literal")
    minus, plus = comparison.lines
    assert (len(comparison.differences), comparison.differences[0].offset) == (1, 7)
    assert [each for each in roles(minus) if each[1] != "oracle"] == [
        *[("'", "spelled"), ("'", "spelled"), ("3", "oracle-changed"), ("'", "spelled"), ("'", "spelled")]
    ]
    assert ("2", "prediction-changed") in roles(plus)
    assert comparison.remark == "what is dim is spelled differently, equal as values"


def test_a_right_answer_spelled_differently_has_no_difference_and_says_so() -> None:
    comparison = compare_texts("['a', 'b']", '["a","b"]', 60, "python-literal")
    assert comparison.differences == ()
    assert (comparison.headline, comparison.remark) == ("equal as values", "spelled differently, equal as values")
    assert {role for line in comparison.lines for _, role in roles(line)} == {"oracle", "prediction", "spelled"}


def test_a_prediction_in_prose_stands_whole_below_the_whole_oracle(session: ReviewSession) -> None:
    item = session.item(0)
    prose = "\n".join(f"{n}. Then - as [{n}] says - the list is ['a', {n}]." for n in range(12))
    assert item.grade is not None
    reply = replace(item.response, text=prose)
    wrong = replace(item, oracle_text="['-', 5]\n['b', 6]", grade=replace(item.grade, prediction=prose), response=reply)
    comparison = compare_item(replace(wrong, task=replace(item.task, target="output")), 60)
    assert "".join(line.mark for line in comparison.lines) == "-- " + "+" * 12
    assert comparison.lines[2].text == "the prediction is the whole reply, 12 lines:"
    assert [line.text for line in comparison.lines[3:]] == prose.split("\n")
    assert len(comparison.differences) == 1
    assert comparison.note == "difference not exact: little in common, so each is whole"


def test_every_changed_stretch_knows_its_difference() -> None:
    comparison = compare_texts("[1, 2, 3]", "[1, 5, 6]", 60, "python-literal")
    minus, plus = (
        [span.difference for span in line.spans if span.role.endswith("changed")] for line in comparison.lines
    )
    assert minus == plus == [0, 1]
    both = fields('{"a": 1, "b": 2, "c": 3}', '{"a": 7, "b": 2, "c": 9}').lines
    assert [{span.difference for span in line.spans} - {-1} for line in both] == [set(), {0}, set(), {1}]


def test_a_long_string_with_little_in_common_leaves_the_other_differences_their_places() -> None:
    prose = "Then - as [1] says - it is so, and that is all there is to be said of it; next, more words."
    comparison = compare_texts("[1, '-[6]-', 2]", f"[3, {prose!r}, 4]", 60, "python-literal")
    assert comparison.diff is not None
    assert len(comparison.differences) == len(differences(comparison.diff)) > 2
    assert comparison.note == ""


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_subject_has_no_prediction_and_its_card_shows_everything(session: ReviewSession, text: str) -> None:
    item = session.item(0)
    probe = replace(item.task, target=SUBJECT, question=text, oracle=text, answer_type=text, dimensions=(text,))
    program = replace(
        probe, question=None, implementation=text, facets={"style": text}, extra={"nearest": {"source": text}}
    )
    for task in (probe, program):
        shown = compare_item(replace(item, task=task), 60)
        assert shown.title == "To be judged" and shown.standing and not shown.differences
        assert not any(line.mark in "+-=" for line in shown.lines)
        assert not any(has_invisible(line.text) for line in shown.lines)
        assert "".join(line.text for line in shown.lines).count(visible(text)[:200].split("\n")[0]) >= 1


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_question_stands_above_the_answer_to_it(session: ReviewSession, text: str) -> None:
    item = session.item(0)
    assert item.grade is not None
    task = replace(item.task, target="probe", question=f"What is {text}?", oracle=3)
    asked = replace(item, task=task, oracle_text="3", grade=replace(item.grade, prediction="4"))
    comparison = compare_item(asked, 60)
    assert comparison.lines[0].text == visible_line(f"What is {text}?", 400)
    assert [line.mark for line in comparison.lines[1:]] == ["-", "+"]
    assert comparison.lines[comparison.differences[0].line].mark == "-"
    for one in (replace(asked, grade=None), replace(asked, oracle_text=None)):
        assert compare_item(one, 60).lines[0] == comparison.lines[0]
