"""The envelope output-json: what keeps it, and what is taken when it is broken."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from auditor.grading.grade import grade
from auditor.grading.question import Extraction, Question
from auditor.grading.registry import find_envelope

QUESTION = Question("output", "5", "")
F = "```"


def read(reply: str) -> Extraction:
    return find_envelope("output-json").read(reply, QUESTION)


@pytest.mark.parametrize(
    ("reply", "prediction"),
    [
        ('{"output": "5"}', "5"),
        (' \n{ "output" : "5" }\n', "5"),
        ('{"output": ""}', ""),
        ('{"output": "\\u0000\\ud83d"}', "\x00\ud83d"),
        (json.dumps({"output": f"{F}\n</answer><think>\n{F}"}), f"{F}\n</answer><think>\n{F}"),
        (json.dumps({"output": '{"output": "x"}'}), '{"output": "x"}'),
    ],
)
def test_a_kept_envelope_is_valid_and_its_text_untouched(reply: str, prediction: str) -> None:
    assert read(reply)[:3] == (True, "envelope", prediction)


@pytest.mark.parametrize(
    ("reply", "rule", "prediction"),
    [
        # the whole reply in a fence
        (f'{F}json\n{{"output": "5"}}\n{F}', "fence", "5"),
        (f'{F}\n{{"output": "5"}}\n{F}', "fence", "5"),
        (f'  {F}JSON\n{{"output": "5"}}\n  {F}', "fence", "5"),
        (f'{F}{{"output": "5"}}{F}', "fence", "5"),
        (f'{F}json{{"output": "5"}}{F}', "fence", "5"),
        ('~~~json\n{"output": "5"}\n~~~', "fence", "5"),
        (f'{F}python\n{{"output": "5"}}\n{F}', "fence", "5"),
        # another language first
        (f'{F}python\nd = {{"a": {{}}}}\n{F}\n{F}json\n{{"output": "5"}}\n{F}', "fence", "5"),
        (f'{F}python\nprint({{"output": "9"}})\n{F}\n{F}json\n{{"output": "5"}}\n{F}', "fence", "5"),
        # prose around
        ('Traced.\n{"output": "5"}\nSee {as shown above}.', "prose", "5"),
        ('The set {a, b} and {"a": 1}: {"output": "5"}', "prose", "5"),
        ('It prints {"output": ...}, so {"output": "5"}', "prose", "5"),
        ('{"output": "5"}\nDone.', "prose", "5"),
        # the same answer twice
        ('{"output": "5"} that is {"output": "5"}', "prose+repeated", "5"),
        ('{"output": "5", "output": "5"}', "duplicate-key", "5"),
        # strings are not searched
        (
            f'{F}json\n{{"output": "{F} <think> {{\\"output\\": \\"x\\"}}"}}\n{F}',
            "fence",
            f'{F} <think> {{"output": "x"}}',
        ),
        # reasoning
        ('<think>a {"output": "1"} b</think>\n{"output": "5"}', "after-reasoning", "5"),
        ('<Thinking>{"output": "1"}</Thinking> so {"output": "5"}', "prose", "5"),
        ('first {"output": "1"} </think> {"output": "5"}', "after-reasoning", "5"),
        # other spellings
        ("{'output': '12'}", "python-style", "12"),
        ("{'output': \"it's\"}", "python-style", "it's"),
        ('{"output": "12",}', "trailing-comma", "12"),
        ("{\u201coutput\u201d: \u201c12\u201d}", "smart-quotes", "12"),
        ('{"output": 1.5}', "json-value", "1.5"),
        ('{"output": ' + "9" * 700 + "}", "json-value", "9" * 700),
        ("{'output': " + "9" * 5000 + "}", "python-style+json-value", "9" * 5000),
        ("{'output': 12, }", "python-style+json-value", "12"),
        ("{'output\": 12}", "mixed-quotes+json-value", "12"),
        ("output: 12", "bare-key", "12"),
        (f"{F}\noutput: 12\n{F}", "bare-key", "12"),
        ('"output": "a b"', "bare-key", "a b"),
        ('{"output": "a\nb"}', "raw-newline", "a\nb"),
        # not a string
        ('{"output": 12}', "json-value", "12"),
        ('{"output": 1e400}', "json-value", "1e400"),
        ('{"output": true}', "json-value", "true"),
        ('{"output": {"a": 1}}', "json-value", '{"a": 1}'),
        (f'{F}json\n{{"output": 12}}\n{F}', "fence+json-value", "12"),
        ('{"output": "5", "explanation": {"output": "7"}}', "extra-keys", "5"),
    ],
)
def test_a_broken_envelope_gives_its_only_answer_under_a_named_rule(reply: str, rule: str, prediction: str) -> None:
    found = read(reply)
    assert found[:3] == (False, rule, prediction)
    assert not found.truncated


@pytest.mark.parametrize(
    ("reply", "note"),
    [
        ('e.g. {"output": "1"}; mine: {"output": "5"}', "two candidates"),
        ('{"output": "1", "output": "5"}', "two candidates"),
        (f'{F}json\n{{"output": "1"}}\n{F}\n{F}json\n{{"output": "5"}}\n{F}', "two candidates"),
        ('{"output": "1"} {"output": null}', "two candidates"),
        ('{"output": "1"} {"output": "2"} {"output": "3"}', "3 candidates"),
        ('<think>{"output": "1"}</think>', "nothing but reasoning"),
        ('<think>{"output": "1"}', "nothing but reasoning"),
        ('so <think>{"output": "1"}', "no object"),
        ('{"output": null}', "null"),
        ('{"output": ["12"]}', "list"),
        ('{"output": []}', "list"),
        ('{"answer": "5"}', "no object"),
        ('{"a": {"output": "5"}}', "no object"),
        ('{"output": NaN}', "no object"),
        ('{"output": {"a": 1, "a": 2}}', "no JSON value"),
        ("{'output': {1: 2}}", "no JSON value"),
        ("output: 12\noutput: 13", "no object"),
        ("output: {", "no object"),
        ('{"output": "5"} {"output', "ends inside"),
        (f'{F}json\n{{"output": "5\n{F}', "ends inside"),
        (f'{F}json\n{{"output": \n{F}', "ends inside"),
        (f"{F}json\n{{'output': '5\n{F}", "ends inside"),
        ("The answer is 5.", "no object"),
        ('["output", "5"]', "no object"),
    ],
)
def test_nothing_is_taken_where_the_answer_is_not_clear(reply: str, note: str) -> None:
    found = read(reply)
    assert found[:3] == (False, "none", None)
    assert note in (found.note or "")


@pytest.mark.parametrize("end", range(2, 30))
def test_nothing_is_ever_taken_from_a_truncated_object(end: int) -> None:
    reply = '{"output": "12 34", "why": "{\\"output\\": 1}"}'
    for cut in (reply[:end], f"{F}json\n{reply[:end]}", f"So: {reply[:end]}"):
        found = read(cut)
        assert found.prediction is None
        assert found.truncated


def test_objects_inside_a_truncated_one_do_not_count() -> None:
    assert read('{"steps": [{"output": "3"}, {"output":').prediction is None
    assert read('{\'steps\': [{"output": "3"}, ').prediction is None
    assert read('{"output": "5"} No, rather {"output": "7').prediction is None


@given(st.text(), st.sampled_from(["json", "", "text", "JSON"]), st.sampled_from(["", "\n", " \n"]))
def test_a_fence_never_changes_whether_an_answer_is_right(answer: str, language: str, space: str) -> None:
    reply = json.dumps({"output": answer})
    question = Question("output", answer, "")
    fenced = f"{space}{F}{language}\n{reply}\n{F}{space}"
    plain, inside = (grade(question, text, policy="bytes", envelope="output-json") for text in (reply, fenced))
    assert plain.status == "correct-valid"
    assert inside.status == "correct-invalid"
    assert inside.prediction == plain.prediction


PIECES = st.lists(
    st.sampled_from(
        [
            '{"output": "5"}',
            '{"output": "6"}',
            "{'output': '5'}",
            "{",
            "}",
            '"',
            "<think>",
            "</think>",
            "prose",
            '{"a": 1}',
        ]
    )
    | st.text(alphabet='{}":,o ', max_size=6),
    max_size=8,
).map(" ".join)


@given(PIECES)
def test_a_fence_around_any_reply_keeps_its_verdict(reply: str) -> None:
    assume(reply.strip())
    question = Question("output", "5", "")
    outer = "`" * 12
    statuses = [
        grade(question, text, policy="bytes", envelope="output-json").status.is_correct
        for text in (reply, f"{outer}json\n{reply}\n{outer}")
    ]
    assert statuses[0] == statuses[1]


VALUES = st.recursive(
    st.text(alphabet="ab{}\"'\\\n,:", max_size=5) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["output", "a", "steps"]), inner, min_size=1, max_size=3)
    ),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.sampled_from(["output", "a", "steps"]), VALUES, min_size=1, max_size=3)


@given(OBJECTS, st.integers(1, 200), st.sampled_from(["json", "indented", "python"]), st.booleans(), st.booleans())
def test_no_part_of_an_object_that_is_cut_off_is_taken(
    value: dict[str, object], keep: int, style: str, fenced: bool, closed: bool
) -> None:
    text = {"json": json.dumps(value), "indented": json.dumps(value, indent=1), "python": repr(value)}[style]
    kept = text[: min(keep, len(text) - 1)]
    reply = f"{F}json\n{kept}\n{F}" if fenced and closed else f"{F}json\n{kept}" if fenced else kept
    assert read(reply).prediction is None
