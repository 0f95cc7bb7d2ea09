"""Contest problems: which tests and programs are taken from public data sets, and what is said of the rest."""

from __future__ import annotations

import base64
import gzip
import json
import os
import pickle
import zlib
from pathlib import Path
from typing import Any

import pytest

from auditor.errors import InputError
from auditor.formats.json_text import UnusableError
from auditor.studies.exact_output.building import BuildOptions, build_case
from auditor.studies.exact_output.case import LONG, SHORT, Case, Offer, Reason
from auditor.studies.exact_output.case_files import read_cases
from auditor.studies.exact_output.checking import Bench
from auditor.studies.exact_output.choosing import TRIED, offer_of
from auditor.studies.exact_output.problem_lines import problem_cases
from auditor.studies.exact_output.source_options import SourceOptions

COUNT = "total = 0\nfor number in range(int(input())):\n    total += number * number % 7\nprint(total)\n"
OTHER = COUNT.replace("% 7", "% 5")
OLD = "for number in range(input()):\n    print number\n"


def packed(tests: object) -> str:
    return base64.b64encode(zlib.compress(pickle.dumps(json.dumps(tests)))).decode()


def some_tests(*inputs: str, kind: str = "stdin") -> list[dict[str, str]]:
    return [{"input": text, "output": "?", "testtype": kind} for text in inputs]


LCB: dict[str, Any] = {
    "question_title": "Sums",
    "question_id": "abc310_e",
    "platform": "atcoder",
    "contest_date": "2023-07-15T00:00:00",
    "difficulty": "hard",
    "starter_code": "",
    "metadata": "{}",
    "public_test_cases": json.dumps(some_tests("3\n")),
    "private_test_cases": packed(some_tests("9\n", "3\n")),
    "code_list": [OTHER, COUNT],
    "graded_list": [False, True],
}
CONTEST: dict[str, Any] = {
    "name": "1575_A. Sums",
    "source": 2,
    "difficulty": 7,
    "cf_rating": 2500,
    "public_tests": {"input": ["3\n"], "output": ["8\n"]},
    "private_tests": {"input": [], "output": []},
    "generated_tests": {"input": ["9\n"], "output": ["?"]},
    "solutions": {"language": [1, 2, 3, 3, 3], "solution": [OLD, "int main() {}", OLD, COUNT, OTHER]},
    "incorrect_solutions": {"language": [3], "solution": ["print(1)"]},
    "input_file": "",
}


def taken(values: dict[str, Any], options: SourceOptions | None = None) -> list[Case | str]:
    return list(problem_cases(values, options or SourceOptions()))


def test_a_livecodebench_problem_has_its_packed_tests_and_the_program_that_passed() -> None:
    (case,) = taken(LCB)
    assert isinstance(case, Case)
    assert (case.name, case.source, case.offer) == ("abc310_e", COUNT, Offer(("3\n", "9\n")))
    assert case.facets == {"platform": "atcoder", "contest_date": "2023-07-15T00:00:00", "difficulty": "hard"}
    plain = {**LCB, "private_test_cases": json.dumps(some_tests("9\n", "3\n"))}
    assert taken(plain) == [case]


def test_a_codecontests_problem_has_as_many_python_3_programs_as_wanted() -> None:
    first, second = taken(CONTEST, SourceOptions(solutions=5))
    assert isinstance(first, Case) and isinstance(second, Case)
    assert [(case.name, case.source) for case in (first, second)] == [
        ("1575_A. Sums", COUNT),
        ("1575_A. Sums-2", OTHER),
    ]
    assert first.offer == Offer(("3\n", "9\n"))
    assert first.facets == {"difficulty": 7, "cf_rating": 2500, "platform": "codeforces"}
    (cpp,) = taken(CONTEST, SourceOptions(language="cpp"))
    assert isinstance(cpp, Case) and (cpp.language, cpp.source) == ("cpp", "int main() {}")
    messages = {
        **CONTEST,
        "public_tests": [{"input": "3\n", "output": "8\n"}, {"input": "9\n"}],
        "generated_tests": None,
        "solutions": [{"language": "PYTHON", "solution": COUNT}, {"language": "PYTHON3", "solution": COUNT}],
    }
    assert taken(messages) == [first]


class _Runs:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("harmed",)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({**LCB, "question_id": " "}, "it has no question_id and no name."),
        ({**CONTEST, "input_file": "sums.in"}, "its programs read a file, not standard input."),
        (
            {**LCB, "public_test_cases": some_tests("[1]", kind="functional"), "private_test_cases": ""},
            "public_test_cases call a function; only programs that read standard input are built.",
        ),
        ({**CONTEST, "solutions": {"language": [2], "solution": ["x"]}}, "it has no program in Python 3."),
        ({**CONTEST, "solutions": {"language": [3], "solution": []}}, "solutions must hold as many languages as"),
        ({**CONTEST, "solutions": {"language": [3], "solution": [OLD]}}, "none of its 1 program is Python 3."),
        ({**LCB, "public_test_cases": 3, "private_test_cases": None}, "public_test_cases is the number 3, but must be"),
        ({**LCB, "public_test_cases": [], "private_test_cases": None}, "it has no tests."),
        ({**LCB, "public_test_cases": [{"output": "1"}], "private_test_cases": None}, "1 test of public_test_cases"),
        ({**LCB, "public_test_cases": "[1", "private_test_cases": None}, "public_test_cases: it is not JSON: "),
        (
            {**LCB, "public_test_cases": "%%", "private_test_cases": None},
            "public_test_cases is neither JSON nor packed",
        ),
    ],
)
def test_a_problem_that_cannot_be_used_says_why(values: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnusableError) as refused:
        taken(values)
    assert str(refused.value).startswith(reason) and str(refused.value).endswith(".")


@pytest.mark.parametrize(
    "text",
    [
        base64.b64encode(zlib.compress(pickle.dumps(_Runs()))).decode(),
        base64.b64encode(zlib.compress(pickle.dumps(7))).decode(),
        base64.b64encode(zlib.compress(b"no pickle")).decode(),
        packed([])[:-8],
        "\ud800",
    ],
)
def test_packed_tests_that_are_none_run_no_code_and_leave_the_others(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said, case = taken({**LCB, "private_test_cases": text})
    assert isinstance(said, str) and said.startswith("a part of it is left out: ") and said.endswith(".")
    assert isinstance(case, Case) and case.offer == Offer(("3\n",))
    assert list(tmp_path.iterdir()) == []


def test_a_compressed_file_is_read_line_by_line_and_every_odd_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "problems.jsonl.gz"
    rows = [json.dumps(row) for row in (LCB, {**CONTEST, "solutions": None}, CONTEST, LCB)]
    path.write_bytes(gzip.compress("\n".join([*rows, "{", ""]).encode()))
    cases, refusals = read_cases(path)
    assert [case.name for case in cases] == ["abc310_e", "1575_A. Sums"]
    assert [(refusal.where, refusal.reason[:28]) for refusal in refusals] == [
        (f"{path}:2", "it has no program in Python "),
        (f"{path}:4", "the name abc310_e stands in "),
        (f"{path}:5", "it is not JSON: expecting pr"),
    ]
    path.write_bytes(gzip.compress(rows[0].encode())[:-9])
    with pytest.raises(InputError, match="this is not a whole gzip file"):
        read_cases(path)


def test_only_both_ends_of_many_inputs_are_measured_and_none_that_is_too_long() -> None:
    texts = [str(10**size) for size in range(40)] * 2
    offer = offer_of(texts, 30)
    assert len(offer.inputs) == TRIED and offer.too_long == 10
    assert sorted(map(len, offer.inputs)) == [1, 2, 3, 4, 5, 6, 25, 26, 27, 28, 29, 30]


def test_the_inputs_with_the_shortest_and_the_longest_trace_are_taken(bench: Bench) -> None:
    case = Case("c", COUNT, "", "", offer=Offer(("30", "x", " 9 ", "9", "400", "90000"), too_long=1))
    verdict = build_case(case, BuildOptions(longest_trace=100_000), bench)
    assert verdict.refusal is None
    inputs = {task.arm: task.input for task in verdict.tasks}
    assert (inputs[SHORT], inputs[LONG]) == ("9", "400")
    narrow = build_case(case, BuildOptions(longest_trace=200), bench)
    assert narrow.refusal is not None and narrow.refusal.reason is Reason.INPUTS
    assert narrow.refusal.detail == (
        "no two of its 7 inputs differ in their traces; left out: 1 too long, "
        "4 that fail, write nothing or make more than 200 opcodes."
    )
