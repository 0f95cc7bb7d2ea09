"""Filters, dimensions and orders over an audit file: every name, odd names and values, and the logic against sets."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditor.audit.load import LoadOptions, load
from auditor.audit.review import MarkReviewed, QueueWish, SetNote, ToggleTag, open_session
from auditor.errors import InputError
from auditor.store.expr import And, Compare, Expr, Match, Not, Or, Word, unparse
from auditor.store.file import open_file, open_for_reading
from auditor.store.filter import NAMES, ORDERS, Vocabulary
from auditor.store.selection import matching_responses
from tests.builders import make_audit
from tests.hostile import HOSTILE
from tests.runs import response, task, write_run

BIG = 123_456_789_012_345_678_901


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Four cases x two arms x two settings, all wrong but case-0 under model-a and an unanswered one."""
    replies = {(0, "output", "model-a"): "right", (3, "state", "model-b"): None, (2, "output", "model-a"): "a Needle b"}
    path = make_audit(tmp_path / "a.db", replies=replies)
    with closing(open_session(path, "ana", QueueWish(where=""))) as session:
        session.submit(2, ToggleTag("copying"))
        session.submit(2, MarkReviewed())
        session.submit(3, SetNote("a carry\0 was lost \ud83d"))
    with closing(open_session(path, "ben", QueueWish(where=""))) as session:
        session.submit(2, MarkReviewed())
        session.submit(4, MarkReviewed())
    with closing(open_file(path)) as found:
        yield found


def keys(connection: sqlite3.Connection, where: str, **more: Any) -> list[str]:
    """Return the responses that a filter leaves as `case/arm/setting`, in order."""
    sql = (
        "SELECT c.name || '/' || t.arm || '/' || g.name FROM responses r JOIN tasks t ON t.id = r.task_id"
        " JOIN cases c ON c.id = t.case_id JOIN settings g ON g.id = r.setting_id WHERE r.id = ?"
    )
    return [connection.execute(sql, (row,)).fetchone()[0] for row in matching_responses(connection, where, **more)]


@pytest.mark.parametrize(
    ("where", "count"),
    [
        ("", 16),
        ("study:demo", 16),
        ("study:other", 0),
        ("case:case-1", 4),
        ("case:case-1,case-2", 8),
        ("case!=case-1", 12),
        ("arm:output", 8),
        ("setting:model-a", 8),
        ("model:model-b", 8),
        ("mode:plain", 16),
        ('prompting:""', 0),
        ("language:python", 16),
        ("target:output", 16),
        ("status:correct-valid", 1),
        ("status:correct", 1),
        ("status:wrong", 14),
        ("status:wrong-valid,no-response", 15),
        ("status:ungraded", 0),
        ("prediction:eed", 1),
        ('prediction:"A NEEDLE","ight"', 2),
        ('prediction="a needle b"', 0),
        ('prediction="a Needle b"', 1),
        ("prediction!=wrong", 3),
        ("NOT prediction:wrong", 3),
        ("oracle:RIG", 16),
        ("oracle=right", 16),
        ("oracle:wrong", 0),
        ("non_literal:true", 0),
        ("non_literal:false", 16),
        ("extraction:reply", 15),
        ("NOT status:wrong", 2),
        ("status!=wrong", 2),
        ("mode.computed:wrong_value", 14),
        ("sample:0", 16),
        ("sample<1", 16),
        ("sample>0", 0),
        ("finish:stop", 16),
        ("lines<=2", 8),
        ("loc<2", 4),
        ("loc=2", 4),
        ("loc=2.0", 4),
        ("size:0,3", 8),
        ("facet:size>=2", 8),
        ("tag:copying", 1),
        ("tag:arithmetic", 0),
        ("annotator:ana", 2),
        ("annotator:ben", 2),
        ("annotator:ana annotator:ben", 1),
        ("annotator:nobody", 0),
        ("state:reviewed", 2),
        ("state:in-progress", 1),
        ("state:not-reviewed", 13),
        ("state:not-reviewed,reviewed", 15),
        ("status:wrong arm:output loc<3", 3),
        ("case:case-0 OR case:case-1 arm:state", 6),
        ("(case:case-0 OR case:case-1) arm:state", 4),
    ],
)
def test_every_dimension_filters(connection: sqlite3.Connection, where: str, count: int) -> None:
    assert len(keys(connection, where)) == count


def test_every_built_in_name_can_be_used(connection: sqlite3.Connection) -> None:
    values = {"non_literal": "true", "status": "wrong", "state": "reviewed", "revealed": "before", "decision": "open"}
    values |= {"executed": "no", "invalid": "yes", "superficial": "no"}
    for name in NAMES:
        matching_responses(connection, f"{name}:{values.get(name, 'x')}")


def test_texts_are_looked_into_and_not_grouped_by(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE grades SET prediction = ? WHERE response_id = 1", (b"a\xff_%B",))
    for where in ('prediction:"\\uDCFF_%b"', 'prediction="a\\uDCFF_%B"'):
        assert matching_responses(connection, where) == [1]
    with pytest.raises(InputError, match=r"^prediction cannot be compared with <\. Write prediction:VALUE\.$"):
        matching_responses(connection, "prediction<3")
    with pytest.raises(InputError, match=r"^oracle is a text, so it cannot be used here"):
        Vocabulary(connection).dimension("oracle")


def test_an_ungraded_response_is_neither_right_nor_wrong(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM grades WHERE response_id = 1")
    assert (len(keys(connection, "status:ungraded")), len(keys(connection, "status:correct"))) == (1, 0)
    assert len(keys(connection, "NOT mode.computed:wrong_value")) == 2


@pytest.mark.parametrize(
    "word", ["needle", "NEEDLE", '"a Needle"', "print", "carry", '"\\uD83D"', '"carry\\u0000 was"']
)
def test_a_bare_word_searches_source_input_reply_and_notes(connection: sqlite3.Connection, word: str) -> None:
    found = keys(connection, word)
    expected = {"print": 16, "needle": 1, "NEEDLE": 1, '"a Needle"': 1}.get(word, 1)
    assert len(found) == expected


def test_a_bare_word_is_found_in_text_that_is_kept_as_bytes(tmp_path: Path) -> None:
    raw = b'{"study": "s", "case": "c1", "arm": "output", "setting": "m", "response": "raw \xff Word"}'
    tasks = [task(), task("c2", source="# Word \0\n", input="\ud83d Other")]
    run = write_run(tmp_path / "run", tasks, [raw, response("c2")])
    load(tmp_path / "a.db", [run], LoadOptions())
    with closing(open_file(tmp_path / "a.db")) as connection:
        assert keys(connection, "word") == ["c1/output/m", "c2/output/m"]
        assert keys(connection, "other") == ["c2/output/m"]
        assert keys(connection, '"\\uDCFF word"') == ["c1/output/m"]


def test_a_value_of_raw_bytes_is_found_by_the_characters_that_stand_for_them(tmp_path: Path) -> None:
    raw = b'{"study": "s", "case": "c1", "arm": "output", "setting": "m\xff", "response": "", "finish": "f\xff"}'
    run = write_run(tmp_path / "run", [task()], [raw, response(setting="n", finish="f\udcff"), response()])
    load(tmp_path / "a.db", [run], LoadOptions())
    with closing(open_file(tmp_path / "a.db")) as connection:
        assert matching_responses(connection, 'setting:"m\\uDCFF"') == [1]
        assert matching_responses(connection, 'finish:"f\\uDCFF"') == [1, 2]


# --- facets and measures -------------------------------------------------------------------------------------------


@pytest.fixture
def facets(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    tasks = [
        task("c1", facets={"split": "test", "yes": True, "big": BIG, "x": "facet", "status": "odd", "only": 1}),
        task("c2", facets={"split": "train", "yes": False, "big": BIG + 1}, measures={"x": 3, "sample": 7, "only": 2}),
        task("c3", facets={"x": "both", "none": None}, measures={"x": 5, "loc": 99}),
    ]
    answers = [response(case, setting=setting) for case in ("c1", "c2", "c3") for setting in "mn"]
    given = [
        {"setting": "m", "facets": {"temp": 0.2, "cot": True, "split": "setting", "big": BIG}},
        {"setting": "n", "facets": {"temp": 1, "cot": False, "big": BIG + 1}},
    ]
    load(tmp_path / "a.db", [write_run(tmp_path / "run", tasks, answers, given)], LoadOptions())
    with closing(open_file(tmp_path / "a.db")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("where", "cases"),
    [
        ("split:test", "c1m c1n"),
        ("split:setting", "c3m"),  # the task's own value stands before the setting's
        ("yes:true", "c1m c1n"),
        ("yes:false", "c2m c2n"),
        (f"big:{BIG}", "c1m c1n c3m"),
        (f"big:{BIG + 1}", "c2m c2n c3n"),
        (f"big>{BIG - 10**6}", "c1m c1n c2m c2n c3m c3n"),
        ("big<5", ""),
        ("x:facet", "c1m c1n"),
        ("x:3", "c2m c2n"),
        ("x>=3", "c2m c2n c3m c3n"),
        ("x:both", ""),
        ("facet:x:both", "c3m c3n"),
        ("only:1", "c1m c1n"),
        ("only:2", "c2m c2n"),
        ("facet:status:odd", "c1m c1n"),
        ("facet:sample:7", "c2m c2n"),
        ("sample:7", ""),
        ("temp:0.2", "c1m c2m c3m"),
        ("temp<0.5", "c1m c2m c3m"),
        ("temp:1.0", "c1n c2n c3n"),
        ("cot:true", "c1m c2m c3m"),
        ("none:x", ""),
        ("NOT none:x split:test", "c1m c1n"),
        ("loc>50", "c3m c3n"),
        ("loc<2", "c1m c1n c2m c2n"),
    ],
)
def test_facets_and_measures_of_tasks_and_settings_filter(facets: sqlite3.Connection, where: str, cases: str) -> None:
    found = keys(facets, where)
    assert " ".join(sorted(f"{key.split('/')[0]}{key.split('/')[2]}" for key in found)) == cases


@pytest.mark.parametrize("name", HOSTILE)
def test_names_and_values_of_any_kind_filter(tmp_path: Path, name: str) -> None:
    text = HOSTILE[name]
    tasks = [task(text, text, language=text, facets={text: text}), task("plain", "plain")]
    answers = [response(text, text, text, finish=text), response("plain", "plain")]
    run = write_run(
        tmp_path / "run", tasks, answers, [{"setting": text, "model": text, "facets": {"of " + text: text}}]
    )
    assert load(tmp_path / "a.db", [run], LoadOptions()).refusals == []
    with closing(open_file(tmp_path / "a.db")) as connection:
        for dimension in ("case", "arm", "setting", "model", "language", "finish", f"facet:{text}", "of " + text):
            if dimension != "facet:":
                assert len(matching_responses(connection, unparse(Match(dimension, (text,))))) == 1, dimension
        assert len(matching_responses(connection, per=("case", "of " + text), take=1)) == 2
        assert "of " + text in Vocabulary(connection).known()


# --- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "sentence"),
    [
        ("settin:x", "no dimension 'settin'.*Did you mean setting"),
        ("zzzzqqq:x", "no dimension 'zzzzqqq'.*Known: study"),
        ("status:wrng", "no status 'wrng'.*Did you mean status:wrong"),
        ("state:done", "no state 'done'"),
        ("sample<x", "compares numbers"),
        ("tag<3", "cannot be compared"),
        ("case:(", "filter"),
    ],
)
def test_what_means_nothing_is_refused_with_the_cure(connection: sqlite3.Connection, where: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        matching_responses(connection, where)


@pytest.mark.parametrize("per", ["tag", "annotator", "state", "nonsense"])
def test_groups_need_one_value_a_response(connection: sqlite3.Connection, per: str) -> None:
    with pytest.raises(InputError):
        matching_responses(connection, per=(per,), take=1)


# --- orders --------------------------------------------------------------------------------------------------------


def test_smallest_begins_with_the_fewest_lines(connection: sqlite3.Connection) -> None:
    found = keys(connection, "", order="smallest")
    assert [key.split("/")[0] for key in found] == [f"case-{n // 4}" for n in range(16)]


def test_import_keeps_the_order_of_the_file(connection: sqlite3.Connection) -> None:
    assert matching_responses(connection, order="import") == list(range(1, 17))


def test_computed_puts_equal_modes_side_by_side(connection: sqlite3.Connection) -> None:
    found = matching_responses(connection, order="computed")
    modes = [connection.execute("SELECT mode FROM grades WHERE response_id = ?", (r,)).fetchone()[0] for r in found]
    assert modes == sorted(modes)


def test_random_is_the_same_whatever_the_order_of_import(tmp_path: Path) -> None:
    answers = [response(f"c{n}") for n in range(9)]
    orders = []
    for name, order in (("a", answers), ("b", answers[::-1])):
        run = write_run(tmp_path / name, [task(f"c{n}") for n in range(9)], order)
        load(tmp_path / f"{name}.db", [run], LoadOptions())
        with closing(open_file(tmp_path / f"{name}.db")) as connection:
            orders.append(keys(connection, "", order="random", seed=3))
            assert sorted(orders[-1]) == sorted(keys(connection, ""))
            assert keys(connection, "", order="random", seed=4) != orders[-1]
    assert orders[0] == orders[1]


def test_disagreement_begins_with_what_people_tagged_differently(connection: sqlite3.Connection) -> None:
    assert matching_responses(connection, order="disagreement")[0] == 2
    # A computed annotator is nobody to disagree with.
    connection.execute("UPDATE annotators SET kind = 'computed' WHERE name = 'ben'")
    assert matching_responses(connection, order="disagreement")[0] == 1


def test_an_unknown_order_is_refused_with_the_known_ones(connection: sqlite3.Connection) -> None:
    with pytest.raises(InputError, match=", ".join(ORDERS)):
        matching_responses(connection, order="nonsense")


def test_take_keeps_the_first_of_each_group_in_the_order(connection: sqlite3.Connection) -> None:
    assert keys(connection, "status:wrong", order="smallest", take=1, per=("arm", "setting")) == [
        "case-0/output/model-b",
        "case-0/state/model-a",
        "case-0/state/model-b",
        "case-1/output/model-a",
    ]
    assert len(keys(connection, "", take=3)) == 3
    assert len(keys(connection, "", take=1, per=("size",))) == 4


# --- the logic, against sets ---------------------------------------------------------------------------------------

TERMS: list[Expr] = [
    Match("case", ("case-0", "case-2")),
    Match("arm", ("state",)),
    Match("setting", ("model-a",)),
    Match("status", ("wrong",)),
    Match("prompting", ("x",)),  # nobody has one: neither it nor its comparison holds, but its NOT does
    Compare("lines", "<", "3"),
    Compare("size", ">=", "1"),
    Compare("prompting", "!=", "x"),
    Match("tag", ("copying",)),
    Word("needle"),
]
EXPRESSIONS = st.recursive(
    st.sampled_from(TERMS),
    lambda inner: st.one_of(
        inner.map(Not),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: And(tuple(parts))),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: Or(tuple(parts))),
    ),
    max_leaves=8,
)


def by_sets(expr: Expr, everything: frozenset[int], of_term: dict[Expr, frozenset[int]]) -> frozenset[int]:
    match expr:
        case Not(part):
            return everything - by_sets(part, everything, of_term)
        case And(parts):
            return everything.intersection(*(by_sets(part, everything, of_term) for part in parts))
        case Or(parts):
            return frozenset[int]().union(*(by_sets(part, everything, of_term) for part in parts))
    return of_term[expr]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(expr=EXPRESSIONS)
def test_not_and_or_are_those_of_sets(connection: sqlite3.Connection, expr: Expr) -> None:
    of_term = {term: frozenset(matching_responses(connection, unparse(term))) for term in TERMS}
    everything = frozenset(range(1, 17))
    assert of_term[TERMS[4]] == frozenset() and of_term[TERMS[7]] == everything
    assert frozenset(matching_responses(connection, unparse(expr))) == by_sets(expr, everything, of_term)


def test_python_s_truth_values_find_facets_that_are_true_or_false(tmp_path: Path) -> None:
    facets = {"c1": {"hard": True}, "c2": {"hard": False}, "c3": {"said": "True"}, "c4": {"said": "true"}}
    tasks = [task(case, facets=of_case) for case, of_case in facets.items()]
    load(tmp_path / "a.db", [write_run(tmp_path / "run", tasks, [response(case) for case in facets])], LoadOptions())
    with closing(open_for_reading(tmp_path / "a.db")) as connection:
        found = {
            where: len(matching_responses(connection, where))
            for where in ("hard:true", "hard:True", "hard=False", "hard:True,False", "said:True", "said:true")
        }
        rows = {where: matching_responses(connection, where) for where in ("said:True", "said:true")}
    assert found == {
        "hard:true": 1,
        "hard:True": 1,
        "hard=False": 1,
        "hard:True,False": 2,
        "said:True": 1,
        "said:true": 1,
    }
    assert rows["said:True"] != rows["said:true"]
