"""Hints on filters that leave nothing: the nearest value, or the values that there are."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit.load import LoadOptions, load
from auditor.errors import InputError
from auditor.store.expr import Match, parse, unparse
from auditor.store.file import open_for_reading
from auditor.store.filter import Vocabulary
from auditor.store.suggestions import hint_for_nothing
from auditor.text import has_invisible
from tests.builders import make_audit
from tests.hostile import HOSTILE
from tests.runs import response, task, write_run

DOCUMENT = (Path(__file__).parents[2] / "docs" / "expressions.md").read_text()


@pytest.mark.parametrize(
    ("where", "hint"),
    [
        ("arm:outptu", "Did you mean arm:output?"),
        ("arm=outptu", "Did you mean arm:output?"),
        ("arm:output,stat", "Did you mean arm:state?"),
        ("arm:output (case:case-33 OR case:case-0)", "Did you mean case:case-3?"),
        ("tag:copyin", "Did you mean tag:copying?"),
        ("mode:high", "There is no mode 'high'; there are: plain."),
        ("annotator:me", "There is no annotator 'me'; there are: none."),
        ("held:me", "There is no annotator 'me'; there are: none."),
        ("assigned:me OR case:case-0", "There is no annotator 'me'; there are: none."),
        ("mode:wrong_value", "Did you mean mode.computed:wrong_value?"),
        ("revealed:before", None),
        ("NOT arm:outptu", None),
        ("arm:output case:case-0", None),
        ("size:77", None),
        ("size>77 word", None),
        ("", None),
    ],
)
def test_the_first_value_that_nothing_has_is_named(tmp_path: Path, where: str, hint: str | None) -> None:
    with closing(open_for_reading(make_audit(tmp_path / "a.db"))) as connection:
        found = hint_for_nothing(connection, where)
    assert found == hint


def test_truth_values_are_known_in_either_spelling(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [task(facets={"hard": True})], [response()])
    load(tmp_path / "a.db", [run], LoadOptions())
    with closing(open_for_reading(tmp_path / "a.db")) as connection:
        assert hint_for_nothing(connection, "hard:True") is None
        assert hint_for_nothing(connection, "hard:tru") == "Did you mean hard:true?"


@pytest.mark.parametrize("name", [name for name in HOSTILE if "surrogate" not in name and HOSTILE[name]])
def test_hostile_values_are_shown_visibly(tmp_path: Path, name: str) -> None:
    run = write_run(tmp_path / "run", [task(facets={"f": HOSTILE[name]})], [response()])
    load(tmp_path / "a.db", [run], LoadOptions())
    with closing(open_for_reading(tmp_path / "a.db")) as connection:
        hint = hint_for_nothing(connection, "f:qqqqqqqq")
    assert hint is not None and not has_invisible(hint) and len(hint) < 150


@pytest.mark.parametrize("value", ["8 [/", 'say "a"', "a,b", "NOT", "(x", "a:b", "tab\there", "-1..2", "x\u202ey"])
def test_what_is_proposed_can_be_pasted(tmp_path: Path, value: str) -> None:
    made = [task(case=value, facets={"a b": "c d"})]
    load(tmp_path / "a.db", [write_run(tmp_path / "run", made, [response(case=value)])], LoadOptions())
    with closing(open_for_reading(tmp_path / "a.db")) as connection:
        hint = hint_for_nothing(connection, unparse(Match("case", (f"{value}x",)))) or ""
        assert parse(hint.removeprefix("Did you mean ").removesuffix("?")) == Match("case", (value,))
        with pytest.raises(InputError) as caught:
            Vocabulary(connection).condition(parse('"a bc":1'))
        assert caught.value.hint == 'Did you mean "a b"?'


def test_the_hint_in_the_documentation_is_right() -> None:
    assert "matches 'arm:outptu'. Did you mean arm:output?\n" in DOCUMENT
