"""What a task asks for, said in words, and where an answer first differs, in a row: hostile names included."""

from __future__ import annotations

import json

import pytest

from auditor.compare.fields import field_rows
from auditor.model import Checkpoint, Finding, Grade, Status, Task
from auditor.text import has_invisible
from auditor.tui.asked import asked_line, checkpoint_sentence, target_words
from auditor.tui.glance_line import glance_line
from auditor.tui.verdicts import verdict_of
from auditor.tui.widgets.source_view import checkpoint_words
from tests.hostile import HOSTILE


def state_task(checkpoint: Checkpoint | None) -> Task:
    return Task("s", "c", "a", "python", "x", "", "state", '{"i": 1, "total": 2}', checkpoint=checkpoint)


def wrong(prediction: str | None) -> Grade:
    return Grade(Status.WRONG_VALID, "reply", prediction, Finding("wrong_value", "Another value."))


@pytest.mark.parametrize(
    ("checkpoint", "words"),
    [
        (Checkpoint(14, "before-iteration", 17), "before iteration 17, line 14"),
        (Checkpoint(14, "after-loop", clean_line=9), "after the loop, line 14 (line 9 of the clean source)"),
        (Checkpoint(1_234, "after-line", clean_line=1_234), "after line 1,234"),
        (Checkpoint(3, "after-line", 2), "after line 3, time 2"),
        (Checkpoint(3, "in-the-\x1b[2Jmiddle"), "in the ␛[2Jmiddle, line 3"),
    ],
)
def test_a_checkpoint_is_said_in_words(checkpoint: Checkpoint, words: str) -> None:
    assert checkpoint_sentence(checkpoint) == words


def test_the_fields_that_are_asked_for_keep_the_checkpoint_s_order() -> None:
    task = state_task(Checkpoint(3, "after-loop", fields=("total", "i")))
    oracle = '{"i": 1, "total": 2}'
    assert asked_line(task, oracle, ()).text == "after the loop, line 3: total, i"
    rows = field_rows(oracle, '{"total": 2, "j": 0}').rows
    assert asked_line(task, oracle, rows).text == "after the loop, line 3: total, i; missing: i; not asked for: j"


def test_without_a_checkpoint_the_oracle_says_which_fields() -> None:
    assert asked_line(state_task(None), '{"i": 1, "total": 2}', ()).text == "asked for: i, total"
    assert asked_line(state_task(None), "3", ()).text == "asked for: no field"
    many = json.dumps({f"f{n}": n for n in range(45)})
    assert asked_line(state_task(None), many, ()).text.endswith("f39 and 5 more")


def test_each_target_says_what_it_asks_for() -> None:
    task = state_task(None)
    assert target_words(task) == "the state at a checkpoint"
    assert target_words(Task("s", "c", "a", "python", "x", "", "probe", 1, question="Is i even?")) == "Is i even?"


@pytest.mark.parametrize(
    ("grade", "oracle", "target", "text", "marked"),
    [
        (None, "1", "output", "", ""),
        (wrong(None), "1", "output", "(no answer found)", ""),
        (wrong("12 x"), None, "output", "12 x", ""),
        (wrong("1 2"), "1 2", "output", "as the oracle", ""),
        (wrong("1 205 3"), "1 2 3", "output", "1 205 3", "05"),
        (wrong("1 2"), "1 2\n", "output", "1 2(ends here)", "(ends here)"),
        (wrong("1  2"), "1 2", "output", "1 ␠2", "␠"),
        (wrong("cafe\u0301 2"), "caf\u00e9 1", "output", "cafe<U+0301> 2", "e<U+0301>"),
        (wrong("caf\u00e9 1"), "cafe\u0301 1", "output", "caf<U+00E9> 1", "<U+00E9>"),
        (wrong("abc"), "\u0430bc", "output", "<U+0061>bc", "<U+0061>"),
        (wrong('{"e\u0301": 1}'), '{"\u00e9": 1}', "state", "\u00e9 (missing)", "(missing)"),
        (wrong('{"\u00e9": 1, "e\u0301": 1}'), '{"\u00e9": 1}', "state", "e<U+0301> (not asked for) 1", "1"),
        (wrong('{"a": 3}'), '{"a": 1}', "state", "a 3", "3"),
        (wrong("{}"), '{"a": 1}', "state", "a (missing)", "(missing)"),
        (wrong('{"a": 1, "b": 0}'), '{"a": 1}', "state", "b (not asked for) 0", "0"),
    ],
)
def test_a_row_marks_where_an_answer_first_differs(
    grade: Grade | None, oracle: str | None, target: str, text: str, marked: str
) -> None:
    line = glance_line(grade, oracle, target)
    assert line.text == text
    assert "".join(text[a:b] for a, b, role, _ in line.spans if role == "prediction-changed") == marked
    assert "".join(text[a:b] for a, b, *_ in line.spans) == text


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_are_shown_literally(text: str) -> None:
    line = glance_line(wrong(f"{text}y"), f"{text}x", "output")
    assert not has_invisible(line.text) and "\n" not in line.text
    field = glance_line(wrong(json.dumps({text: 1})), json.dumps({text: 2}), "state")
    assert not has_invisible(field.text) and field.text.endswith(" 1")
    asked = asked_line(state_task(Checkpoint(1, "after-loop", fields=(text, text))), "{}", ())
    assert not has_invisible(asked.text) and "\n" not in asked.text


def test_a_verdict_is_told_by_mark_and_words() -> None:
    assert [str(verdict_of(status)) for status in (*Status, None)] == [
        "✓ correct-valid",
        "✓ correct-invalid",
        "✗ wrong-valid",
        "✗ wrong-invalid",
        "- no-response",
        "? not graded",
    ]


def test_the_time_at_which_a_line_has_run_is_no_line_number() -> None:
    assert checkpoint_words(Checkpoint(6, "after-line", 8)) == "after time 8"
    assert checkpoint_words(Checkpoint(6, "after-line")) == "after line"
    assert checkpoint_words(Checkpoint(6, "before-iteration", 8)) == "before iteration 8"
