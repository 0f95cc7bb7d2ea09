"""Computed failure modes: which one is primary, which stand beside, and evidence that the texts bear out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.grading.grade import grade
from auditor.grading.modes import PRECEDENCE
from auditor.grading.question import NoOracleError, Question
from auditor.model import Finding, Grade
from tests.grading.findings import check_spans


def graded(oracle: str, prediction: str, policy: str = "json-or-tokens", **more: object) -> Grade:
    fields = {"target": "output", "input": "", **more}
    finish = fields.pop("finish", None)
    result = grade(
        Question(oracle=oracle, **fields),  # type: ignore[arg-type]  # keyword arguments of several types
        prediction,
        policy=policy,
        envelope="none",
        finish=finish,  # type: ignore[arg-type]
    )
    check_spans(result, oracle)
    return result


def modes(result: Grade) -> list[str]:
    return [result.finding.mode, *(other.mode for other in result.others)]


@pytest.mark.parametrize(
    ("oracle", "prediction", "mode", "detail"),
    [
        ("5", "5", "correct", None),
        ("12\n", "13", "off_by_one", "+1"),
        ("10", "9", "off_by_one", "-1"),
        ("0 4 7", "0 3 7", "off_by_one", "-1"),
        ("[2, 4, 6]", "[1, 3, 5]", "off_by_one", "-1"),
        ("[20, 40]", "[21, 39]", "wrong_value", None),
        ('{"a":12}', '{"a":13}', "off_by_one", "+1"),
        ("-1", "0", "off_by_one", "+1"),
        ("9" * 500, "1" + "0" * 500, "off_by_one", "+1"),
        ("5", "-5", "sign", None),
        ("[1, -2]", "[1, 2]", "sign", None),
        ("0.5", "-0.5", "sign", None),
        ("1234", "1324", "transposed_digits", None),
        ("12", "21", "transposed_digits", None),
        ("1234", "1934", "one_digit", "replaced"),
        ("1234", "124", "one_digit", "dropped"),
        ("1234", "12345", "one_digit", "added"),
        ("9" * 5000, "9" * 4000 + "1" + "9" * 999, "one_digit", "replaced"),
        ("3", "8", "wrong_value", None),
        ("1234", "99", "wrong_value", None),
        ("[3, 8, 1]", "[3, 40, 1]", "one_element", "replaced"),
        ("a b c", "a x c", "one_element", "replaced"),
        ("[3, 8, 1]", "[3, 1]", "one_element", "dropped"),
        ("[3, 8, 1]", "[3, 8, 5, 1]", "one_element", "added"),
        ("[3, 8, 1]", "[3, 8, 1, 7]", "one_element", "added"),
        ("[1, 2, 3]", "[3, 1, 2]", "permuted", "elements"),
        ("[[1, 2], [3, 4]]", "[[3, 4], [1, 2]]", "permuted", "elements"),
        ("1 2", "2 1", "permuted", "elements"),
        ('{"a":1,"b":5}', '{"a":5,"b":1}', "permuted", "elements"),
        ("abc", "acb", "permuted", "characters"),
        ("[1, 2, 3, 4]", "[1, 2]", "truncated", None),
        ("1 2 3 4", "1 2", "truncated", None),
        ("abcdef", "abc", "truncated", "characters"),
        ('{"a":1,"b":2}', '{"a":1}', "missing_field", "b"),
        ('{"a":{"b":1}}', '{"a":{}}', "missing_field", "a.b"),
        ('{"a":1}', '{"a":1,"z":3}', "extra_field", "z"),
        ('{"a":1}', '{"a":"1"}', "wrong_type", "integer expected"),
        ('[{"":null},0]', '[{"":false},0]', "wrong_type", "null expected"),
        ('{"[x":1}', '{"[x":2}', "off_by_one", "+1"),
        ('{"a":true}', '{"a":1}', "wrong_type", "boolean expected"),
        ("[1, 2]", '{"a": 1}', "wrong_type", "list expected"),
        ("12", '"12"', "wrong_type", "integer expected"),
        ('{"a":1}', "12 3", "wrong_type", "object expected"),
        ("12", "twelve", "wrong_type", "integer expected"),
        ("hello", "", "empty", None),
        ("hello", " \n", "empty", None),
    ],
)
def test_the_most_specific_mode_is_primary(oracle: str, prediction: str, mode: str, detail: str | None) -> None:
    finding = graded(oracle, prediction).finding
    assert (finding.mode, finding.detail) == (mode, detail)
    assert finding.evidence.endswith(".")


@pytest.mark.parametrize(
    ("oracle", "prediction", "mode", "detail"),
    [
        ("1", "True", "wrong_type", "integer expected"),
        ("1", "1.0", "wrong_type", "integer expected"),
        ("(1, 2)", "[1, 2]", "wrong_type", "tuple expected"),
        ("'ab'", "b'ab'", "wrong_type", "string expected"),
        ("'5'", "5", "wrong_type", "string expected"),
        ("{1, 2}", "{1: 2}", "wrong_type", "set expected"),
        ("{1: 2}", "{True: 2}", "wrong_type", "integer expected"),
        ("{1: 2}", "{1.0: 2}", "wrong_type", "integer expected"),
        ("{0: 2, 1: 3}", "{1: 3, False: 2}", "wrong_type", "integer expected"),
        ("{(1,): 1}", "{(True,): 1}", "wrong_type", "integer expected"),
        ("{1: 2}", "{True: 2, 3: 4}", "extra_field", "3"),
        ("{(1, 'a'): 1}", "{}", "missing_field", "(1, a)"),
        ("1", "1j", "wrong_type", "integer expected"),
        ("1j", "1", "wrong_type", "complex number expected"),
        ("[1, 2]", "[1_0, 2]", "one_digit", "added"),
        ("10", "0x_b", "wrong_value", None),
        ("1_0", "11", "off_by_one", "+1"),
        ("['10', 2]", "[1_0, 2]", "wrong_type", "string expected"),
        ("'abcd'", "'abXd'", "one_element", "character replaced"),
        ("'a  b'", "'a b'", "one_element", "character dropped"),
        ("{'a': 1}", "{'a': 2}", "off_by_one", "+1"),
        ("'a\\rb'", "'ab'", "one_element", "character dropped"),
        ("'a\\u00a0b'", "'a\u00a0b'", "correct", None),
        ("'caf\u00e9'", "'cafe\u0301'", "formatting_only", "normal form"),
        ("'a b'", "'a\u00a0b'", "formatting_only", "normal form"),
        ("'ab'", "'a\u200bb'", "formatting_only", "invisible characters"),
        ("'ab'", "ab", "formatting_only", "quotes"),
        ("'ab'", "'ab", "truncated", "unclosed literal"),
        ("5", "2 + 3", "wrong_value", "no literal"),
    ],
)
def test_python_literals_are_explained_by_their_values(
    oracle: str, prediction: str, mode: str, detail: str | None
) -> None:
    finding = graded(oracle, prediction, "python-literal").finding
    assert (finding.mode, finding.detail) == (mode, detail)


@pytest.mark.parametrize("prediction", ["ab", "'ab", "2 + 3", "x" * 100_000])
def test_a_prediction_that_is_no_literal_says_why(prediction: str) -> None:
    result = graded("'ab'", prediction, "python-literal")
    assert result.non_literal
    assert result.status == "wrong-valid"
    assert "no Python literal" in result.finding.evidence


@pytest.mark.parametrize(
    ("oracle", "prediction", "detail", "names"),
    [
        ("ab", "a\rb", "invisible characters", "U+000D CARRIAGE RETURN at character 1"),
        ("ab", "a\x08b", "invisible characters", "U+0008 BACKSPACE at character 1"),
        ("ab", "a\x0bb", "invisible characters", "U+000B LINE TABULATION at character 1"),
        ("ab", "a\u200bb", "invisible characters", "U+200B ZERO WIDTH SPACE at character 1"),
        ("ab", "\ufeffab", "invisible characters", "U+FEFF ZERO WIDTH NO-BREAK SPACE at character 0"),
        ("ab", "a\u202eb", "invisible characters", "U+202E RIGHT-TO-LEFT OVERRIDE at character 1"),
        ("a\nb\n", "a\r\nb\r\n", "invisible characters", "U+000D CARRIAGE RETURN at character 1"),
        ("x\n", "x \n", "white space", "U+0020 SPACE at character 1"),
        ("x\n", "x", "white space", "U+000A LINE FEED at character 1"),
        ("a b", "a\u00a0b", "white space", "U+00A0 NO-BREAK SPACE at character 1"),
        ("a b", "a\tb", "white space", "U+0009 CHARACTER TABULATION at character 1"),
        ("caf\u00e9", "cafe\u0301", "normal form", "U+0065 LATIN SMALL LETTER E at character 3"),
        ('{"a": 1}', '{"a":1}', "same JSON value", "U+0031 DIGIT ONE at character 5"),
        ("True", "true", "notation", "U+0074 LATIN SMALL LETTER T at character 0"),
        ("7 8", "7, 8", "separators", "U+002C COMMA at character 1"),
        ("7 8", "[7, 8]", "separators", "U+005B LEFT SQUARE BRACKET at character 0"),
        ("7 a", "07 a", "number format", "U+0030 DIGIT ZERO at character 0"),
        ("ab", '"ab"', "quotes", "U+0022 QUOTATION MARK at character 0"),
        ("a b", "```text\na b\n```", "quotes", "U+0060 GRAVE ACCENT at character 0"),
    ],
)
def test_what_only_looks_alike_is_formatting_and_names_the_code_point(
    oracle: str, prediction: str, detail: str, names: str
) -> None:
    finding = graded(oracle, prediction, "bytes").finding
    assert (finding.mode, finding.detail) == ("formatting_only", detail)
    assert names in finding.evidence


@pytest.mark.parametrize(
    ("oracle", "prediction"),
    [("12 3", "1 23"), ("ab", "a b"), ("[[1, 2], [3]]", "[[1], [2, 3]]"), ("abc", "ABC"), ("1.5", "15"), ("a", "")],
)
def test_a_difference_of_content_is_never_called_formatting(oracle: str, prediction: str) -> None:
    assert "formatting_only" not in modes(graded(oracle, prediction, "bytes"))


def test_an_invisible_character_inside_a_string_is_named() -> None:
    result = graded("'ab'", "'a\\x0bb'", "python-literal")
    assert "U+000B LINE TABULATION is added" in result.finding.evidence


def test_the_oracle_of_another_arm_is_recognised() -> None:
    siblings = {"short-trace-final": "812 3\n", "inside-loop-state": '{"a":1}'}
    result = graded("99 3\n", "812 3", siblings=siblings)
    assert (result.finding.mode, result.finding.detail) == ("sibling_arm", "short-trace-final")
    assert graded("99 3\n", "812 3", "bytes", siblings=siblings).finding.mode == "sibling_arm"


def test_of_many_arms_with_the_same_oracle_the_first_are_named_and_the_others_counted() -> None:
    result = graded("99 3\n", "812 3", siblings={f"state-{number}": "812 3\n" for number in range(7)})
    named = [finding for finding in (result.finding, *result.others) if finding.mode == "sibling_arm"]
    assert [finding.detail for finding in named] == [f"state-{number}" for number in range(5)]
    assert named[-1].evidence == "The answer is the oracle of the arm state-4, and of 2 more arms."
    assert named[0].evidence == "The answer is the oracle of the arm state-0."


def test_among_thousands_of_arms_only_the_same_text_counts() -> None:
    siblings = {f"state-{number}": f'{{"a":{number}}}\n' for number in range(2000)}
    assert graded('{"a":-1}', '{"a":1234}', siblings=siblings).finding.detail == "state-1234"
    assert "sibling_arm" not in modes(graded('{"a":-1}', '{"a": 1234}', siblings=siblings))


def test_a_short_coincidence_does_not_hide_what_is_wrong_with_the_value() -> None:
    result = graded("6", "5", siblings={"short-trace-final": "5"}, input="5")
    assert modes(result) == ["off_by_one", "sibling_arm", "echoes_input"]


@pytest.mark.parametrize(
    ("text", "prediction", "detail"),
    [
        ("3\n10 20 30\n", "3 10 20 30", "whole input"),
        ("3\n10 20 30\n", "10 20 30", "line 2"),
        ("'abc', 2", "('abc', 2)", "whole input"),
        ("[1,2]", "[1, 2]", "whole input"),
    ],
)
def test_an_answer_that_repeats_the_input_is_recognised(text: str, prediction: str, detail: str) -> None:
    finding = graded("60 1", prediction, input=text).finding
    assert (finding.mode, finding.detail) == ("echoes_input", detail)


def test_further_modes_stand_beside_in_their_order() -> None:
    assert modes(graded("1 20 3", "1 21 3")) == ["off_by_one", "one_digit", "one_element"]
    assert modes(graded("[1, 2, 3]", "[1, 2]")) == ["truncated", "one_element"]
    assert modes(graded('{"a":1,"b":2}', '{"a":"1","c":2}')) == ["missing_field", "extra_field", "wrong_type"]


def test_a_reply_at_its_length_limit_is_truncated_beside_what_else_it_is() -> None:
    assert modes(graded("hello world", "good", finish="length")) == ["truncated"]
    result = grade(Question("output", "5", ""), "I think", policy="bytes", envelope="output-json", finish="length")
    assert modes(result) == ["malformed", "truncated"]


@pytest.mark.parametrize("target", ["output", "state", "probe", "input"])
def test_a_non_response_is_neither_right_nor_wrong(target: str) -> None:
    result = grade(Question(target, "5", ""), None, policy="call-equals", envelope="output-json")
    assert (result.status, result.finding.mode, result.prediction) == ("no-response", "no_response", None)


@pytest.mark.parametrize("policy", ["bytes", "json-or-tokens", "int-alpha-tokens"])
def test_the_empty_output_of_a_silent_program_is_right_without_an_envelope(policy: str) -> None:
    result = grade(Question("output", "", ""), "", policy=policy, envelope="none")
    assert (result.status, result.finding.mode, result.prediction) == ("correct-valid", "correct", "")
    other = grade(Question("output", "", ""), "\n", policy=policy, envelope="none")
    assert (other.status, other.finding.mode) == (
        ("wrong-valid", "empty") if policy == "bytes" else ("correct-valid", "correct")
    )
    for oracle in ("5", "-"):
        wrong = grade(Question("output", oracle, ""), "", policy=policy, envelope="none")
        assert (wrong.status, wrong.finding.mode) == ("wrong-valid", "empty")
    assert grade(Question("output", "", ""), "", policy="python-literal", envelope="none").status == "wrong-valid"


@pytest.mark.parametrize("envelope", ["output-json", "ans-tags", "answer-tags"])
@pytest.mark.parametrize("reply", ["", " \n\t"])
def test_a_blank_reply_in_place_of_an_envelope_is_wrong_even_where_the_oracle_is_blank(
    envelope: str, reply: str
) -> None:
    result = grade(Question("output", reply, ""), reply, policy="bytes", envelope=envelope)
    assert result.status.is_wrong
    assert result.finding.mode == "empty"


def test_an_empty_answer_in_a_kept_envelope_is_an_answer() -> None:
    reply = '{"output": ""}'
    assert grade(Question("output", "", ""), reply, policy="bytes", envelope="output-json").status == "correct-valid"
    result = grade(Question("output", "5", ""), reply, policy="bytes", envelope="output-json")
    assert (result.status, result.finding.mode) == ("wrong-valid", "empty")


def test_a_task_without_an_oracle_cannot_be_graded() -> None:
    with pytest.raises(NoOracleError):
        grade(Question("output", None, ""), "null", policy="json-or-tokens", envelope="none")
    assert grade(Question("output", None, ""), None, policy="bytes", envelope="none").status == "no-response"
    assert grade(Question("probe", None, ""), "null", policy="probe", envelope="none").status == "correct-valid"


def test_two_candidates_are_malformed_with_that_evidence() -> None:
    reply = '{"output": "4"} {"output": "5"}'
    result = grade(Question("output", "5", ""), reply, policy="bytes", envelope="output-json")
    assert (result.status, result.finding.mode, result.prediction) == ("wrong-invalid", "malformed", None)
    assert "two candidates" in result.finding.evidence


NUMBERS = st.lists(st.integers(-2000, 2000), min_size=1, max_size=6)


@given(NUMBERS, NUMBERS, st.sampled_from(["json-or-tokens", "bytes", "python-literal", "int-alpha-tokens"]))
def test_every_wrong_list_gets_a_known_mode_whose_spans_lie_in_the_texts(
    left: list[int], right: list[int], policy: str
) -> None:
    result = graded(str(left), str(right), policy)
    assert result.status.is_correct == (left == right)
    assert set(modes(result)) <= set(PRECEDENCE)


@given(NUMBERS, st.integers(0, 5))
def test_adding_one_to_one_number_is_off_by_one_at_that_number(numbers: list[int], index: int) -> None:
    index %= len(numbers)
    changed = [*numbers[:index], numbers[index] + 1, *numbers[index + 1 :]]
    oracle, prediction = " ".join(map(str, numbers)), " ".join(map(str, changed))
    result = graded(oracle, prediction)
    found: Finding = result.finding
    assert found.mode in ("off_by_one", "permuted")
    if found.mode == "off_by_one":
        assert found.oracle_span and found.prediction_span
        assert oracle[slice(*found.oracle_span)] == str(numbers[index])
        assert prediction[slice(*found.prediction_span)] == str(changed[index])
