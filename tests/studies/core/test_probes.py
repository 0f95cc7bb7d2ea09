"""Probes: answers held against programs that tell them themselves, the way to an answer by hand, and the choice."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auditor.execution.sandbox import Sandbox
from auditor.studies.core.line_facts import facts_of
from auditor.studies.core.probe_choice import Proposed, chosen
from auditor.studies.core.probe_moments import KINDS, Wanted
from auditor.studies.core.probe_questions import ordinal
from auditor.studies.core.probes import Probe, RunToAsk, answer_of, propose, run_to_ask
from auditor.studies.core.probes import asked as asked_for
from auditor.studies.core.problem_files import read_problems
from auditor.studies.core.reasoning_way import dimensions_of, way_to
from auditor.studies.core.run_story import Story, recorded
from tests.studies.core.rewritten import answer
from tests.walls import need_wall

SAMPLES = Path(__file__).resolve().parents[3] / "sample_runs"
COUNTING = """\
def count(limit):
    total = 0
    unused = 7
    for i in range(limit):
        if i % 2 == 1 and i != 3:
            total += i * 10
        unused += 1
    return total
"""


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    need_wall()
    with Sandbox() as opened:
        yield opened


def asked(source: str, call: str, probe: Probe) -> object:
    return answer(source, call, probe.kind, probe.line, probe.n, probe.variable)


def test_the_answers_of_the_sample_are_those_that_the_rewritten_programs_tell() -> None:
    kinds: Counter[str] = Counter()
    for line in (SAMPLES / "core" / "tasks.jsonl").read_text(encoding="utf-8").splitlines():
        task = json.loads(line)
        if task["target"] != "probe":
            continue
        probe = task["probe"]
        call = f"{task['entry_point']}({task['input']})"
        told = answer(task["source"], call, probe["kind"], probe["line"], probe["n"], probe["variable"])
        assert (told, type(told)) == (task["oracle"], type(task["oracle"])), task["case"]
        kinds[probe["kind"]] += 1
    assert set(kinds) == set(KINDS) and kinds.total() == 60


def test_all_that_is_proposed_of_some_programs_is_what_they_tell(box: Sandbox) -> None:
    kinds: Counter[str] = Counter()
    places = [SAMPLES / "core_problems" / name for name in ("merge_ranges", "prime_powers")]
    for problem in read_problems(places)[0]:
        test = max(problem.tests, key=lambda test: len(test.arguments))
        for one in problem.implementations:
            for probe in propose([box], one.source, problem.call(test)):
                told = asked(one.source, problem.call(test), probe)
                assert (told, type(told)) == (probe.answer.value, type(probe.answer.value)), probe.question
                kinds[probe.kind] += 1
    assert set(kinds) == set(KINDS) and kinds.total() > 100


def test_the_way_to_an_answer_by_hand(box: Sandbox) -> None:
    trace = recorded(box, COUNTING, "count(4)")
    assert trace is not None
    story = Story(trace, facts_of(COUNTING))
    lines = [(visit.line, place) for place, visit in enumerate(story.visits)]
    adding = [place for line, place in lines if line == 6]
    assert len(adding) == 1
    # total = 0, the header twice (i is 0 and 1), the condition with i = 1, and the line itself; not `unused`.
    way = way_to(story, adding)
    assert sorted(story.visits[place].line for place in way) == [2, 4, 4, 5, 6]
    assert dimensions_of(story, way, "value-at-visit", "total", at_an_end=False) == ("Arithmetic", "Logic")
    returned = way_to(story, [lines[-1][1]])
    assert sorted(story.visits[place].line for place in returned) == [2, 4, 4, 5, 6, 8]
    counted = way_to(story, [place for line, place in lines if line == 7][-1:])
    assert sorted(story.visits[place].line for place in counted) == [3, 4, 4, 4, 4, 7, 7, 7, 7]
    assert dimensions_of(story, counted, "value-at-exit", "unused", at_an_end=True) == ("State", "Boundary")


def test_questions_say_what_is_asked(box: Sandbox) -> None:
    found = {(one.kind, one.line, one.n, one.variable): one for one in propose([box], COUNTING, "count(6)")}
    adding = found["value-at-visit", 6, 2, "total"]
    words = "Right after line 6 (`total += i * 10`) has run for the 2nd time, what is the value of `total`?"
    assert (adding.question, adding.answer) == (words, (60, "integer"))
    assert adding.depth == 11 and adding.dimensions == ("Arithmetic", "Logic", "State")
    first = found["first-time", 5, None, None]
    assert first.answer == (2, "integer") and "hold for the first time?" in first.question
    assert found["branch", 5, 6, None].answer == (True, "boolean")
    assert found["loop-count", 4, None, None].answer == (6, "integer")
    assert found["value-at-exit", 4, 1, "total"].answer == (60, "integer")
    assert found["value-at-iteration", 4, 6, "total"].answer == (10, "integer")
    assert [ordinal(n) for n in (1, 2, 3, 11, 12, 21, 112)] == ["1st", "2nd", "3rd", "11th", "12th", "21st", "112th"]


def test_nothing_is_asked_where_runs_differ_or_are_too_long_or_a_line_calls_itself(box: Sandbox) -> None:
    need_wall()
    hashing = (
        "def f(n):\n    seen = ''\n    for word in {'a', 'b', 'c', 'd', 'e'}:\n        seen += word\n    return n\n"
    )
    with Sandbox(hash_seed=1) as other:
        variables = {one.variable for one in propose([box, other], hashing, "f(1)")}
    assert variables <= {None}
    endless = "def f(n):\n    k = 0\n    while k < n:\n        k += 1\n    return k\n"
    assert propose([box], endless, "f(100000)") == []
    inner = "def f(n):\n    if n == 0:\n        return 0\n    part = f(n - 1) + n\n    return part\n"
    assert {one.line for one in propose([box], inner, "f(6)")} <= {2}


def test_any_time_can_be_asked_for_that_there_is(box: Sandbox) -> None:
    def told(*wanted: Any) -> object:
        found = asked_for([box], COUNTING, "count(6)", Wanted(*wanted))
        return None if found is None else found.answer.value

    assert [told("value-at-visit", 6, n, "total") for n in (None, 1, 2, 3)] == [60, 10, 60, None]
    assert [told("branch", 5, n) for n in (1, 2, 6, 7)] == [False, True, True, None]
    assert [told("value-at-iteration", 4, n, "unused") for n in (1, 3)] == [7, 9]
    assert (told("loop-count", 4), told("first-time", 5)) == (6, 2)
    assert told("value-at-exit", 4, None, "i") == 5 and told("value-at-exit", 5, None, "i") is None
    assert told("value-at-visit", 7, 6, "total") == 60 and told("value-at-visit", 7, 1, "nothing") is None
    assert told("value-at-visit", 1, 1, "limit") is None


def test_the_end_of_a_loop_that_no_line_shows_is_not_asked_about(box: Sandbox) -> None:
    source = (
        "def fill(kept, n):\n    for i in range(n):\n        last = i * 3\n        kept.append(last)\n\n\n"
        "def f(n):\n    kept = []\n    fill(kept, n)\n    for i in range(n):\n        kept.append(i)\n"
        "        m = i + 4\n    return kept\n"
    )
    exits = {(one.line, one.variable) for one in propose([box], source, "f(3)") if one.kind == "value-at-exit"}
    assert exits == {(10, "m")}
    assert asked_for([box], source, "f(3)", Wanted("value-at-exit", 2, 1, "last")) is None
    never = "def f(n):\n    k = 0\n    while True:\n        k += 2\n        if k > n:\n            return k\n"
    kinds = {one.kind for one in propose([box], never, "f(9)")}
    assert "value-at-exit" not in kinds and "value-at-visit" in kinds


def test_values_that_json_does_not_have_are_not_asked_for() -> None:
    assert answer_of((1, [None, "a"])) == ([1, [None, "a"]], "list")
    assert answer_of({"a": True}) == ({"a": True}, "object")
    for value in ({1}, {1: 2}, float("nan"), [float("inf")], b"a", object(), [{1, 2}]):
        assert answer_of(value) is None


def test_the_chosen_probes_differ_in_kind_and_implementation(box: Sandbox) -> None:
    proposed = [
        Proposed(name, "t1", probe) for name in ("one", "other") for probe in propose([box], COUNTING, "count(6)")
    ]
    taken = chosen(proposed, 6)
    assert Counter(one.probe.kind for one in taken) == Counter(KINDS)
    assert min(Counter(one.implementation for one in taken).values()) >= 2
    assert [one.probe.depth for one in taken] == sorted((one.probe.depth for one in taken), reverse=True)
    assert len(chosen(proposed, 1_000)) <= len(proposed) and chosen([], 5) == [] == chosen(proposed, 0)


def test_every_moment_that_can_be_named_has_its_answer_or_none(box: Sandbox) -> None:
    run = run_to_ask([box], COUNTING, "count(6)")
    assert isinstance(run, RunToAsk)
    answered = 0
    for kind in KINDS:
        for line in range(8):
            for n in (None, 1, 6, 7):
                for variable in ("total", "i", "none") if kind.startswith("value") else (None,):
                    found = run.asked(Wanted(kind, line, n, variable))
                    if found is not None:
                        answered += 1
                        told = answer(COUNTING, "count(6)", kind, line, found.n, variable)
                        assert (told, found.line) == (found.answer.value, line), (kind, line, n, variable)
    assert answered > 20
    # Right after the last line of a run that assigns nothing, nothing is left to run.
    last = run.asked(Wanted("value-at-visit", 8, None, "total"))
    assert last is not None and last.answer.value == 60
