"""Judges of an audit file: who is held against whom, and which tags the computed modes stand for."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.agreement.judges import measure_judges
from auditor.audit.adjudicate import decide_item
from auditor.audit.judge import COMPUTED, judged_ratings, modes_by_tag, other_comparisons
from auditor.audit.tags import put_tags
from auditor.codebook import dump_codebook, load_codebook, parse_codebook
from auditor.errors import InputError
from auditor.model import AnnotatorKind
from tests.builders import make_audit

BOOK = """name: values
tags:
  - id: wrong
    name: wrong value
    definition: The value is another one.
    computed: [wrong_value, one_digit]
  - id: no-response
    name: nothing
    definition: There is no reply.
  - id: guess
    name: guess
    definition: It was guessed.
"""


def put(path: Path, book: Path, who: str, tags: list[list[str]], kind: AnnotatorKind = AnnotatorKind.PERSON) -> None:
    for case, chosen in enumerate(tags):
        put_tags(
            path, who, f"demo/case-{case}/output/model-a/0", chosen, none=not chosen, kind=kind, codebook=str(book)
        )


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "values.yaml"
    path.write_text(BOOK)
    return path


@pytest.fixture
def path(tmp_path: Path, book: Path) -> Path:
    """Return a file of four wrong answers, one of which is missing, that ana, ben and a judge have tagged."""
    path = make_audit(tmp_path / "audit.db", replies={(3, "output", "model-a"): None})
    put(path, book, "ana", [["wrong"], ["wrong", "guess"], ["guess"], ["no-response"]])
    put(path, book, "ben", [["wrong"], ["wrong"], ["wrong"]])
    put(path, book, "judge", [["wrong"], [], ["guess"]], AnnotatorKind.MODEL)
    return path


def test_models_are_held_against_a_person_and_people_only_where_they_are_named(path: Path) -> None:
    found = judged_ratings(path, ["ana"])
    assert (found.judges, found.references, found.able) == (("judge",), ("ana",), {})
    assert judged_ratings(path, ["ana"], judges=["ben"]).judges == ("ben",)
    assert judged_ratings(path, ["judge"]).judges == ("ana", "ben")


def test_the_computed_modes_are_the_tags_that_the_codebook_declares_for_them(path: Path) -> None:
    found = judged_ratings(path, ["ana"], computed=True)
    assert found.judges == ("judge", COMPUTED)
    assert found.modes == {"no-response": ("no_response",), "wrong": ("one_digit", "wrong_value")}
    assert list(found.able[COMPUTED]) == ["guess"]
    by_tag = {
        one.tag: one
        for one in measure_judges(found.ratings, [COMPUTED], ["ana"], able=found.able)
        if one.judge == COMPUTED
    }
    assert tuple(by_tag["wrong"].counts) == (2, 0, 1, 1)
    assert tuple(by_tag["no-response"].counts) == (1, 0, 0, 3)
    assert all("No computed mode stands for" in (one.reason or "") for one in by_tag["guess"].coefficients)


def test_a_response_without_a_grade_is_not_judged_by_its_modes(path: Path) -> None:
    import sqlite3

    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM grades WHERE response_id = (SELECT min(response_id) FROM reviews)")
    connection.commit()
    connection.close()
    found = judged_ratings(path, ["ana"], computed=True)
    (wrong, *_) = measure_judges(found.ratings, [COMPUTED], ["ana"], able=found.able)
    assert sum(wrong.counts) == 3


def test_a_tag_without_a_declaration_stands_for_the_mode_of_its_id() -> None:
    book = parse_codebook(BOOK, "values.yaml")
    assert book.tags_by_mode["no_response"] == {"no-response"} and "wrong" not in book.tags_by_mode
    merged = BOOK.replace(
        "computed: [wrong_value, one_digit]", "computed: one_digit\n    retired: true\n    merged_into: guess"
    )
    assert modes_by_tag(parse_codebook(merged, "values.yaml"))["guess"] == ("one_digit",)


def test_the_declaration_survives_writing_and_reading(tmp_path: Path, book: Path) -> None:
    again = tmp_path / "again.yaml"
    again.write_text(dump_codebook(load_codebook(book)))
    assert load_codebook(again) == load_codebook(book)
    plain = BOOK.replace("    computed: [wrong_value, one_digit]\n", "")
    assert parse_codebook(plain, "x").content_hash != load_codebook(book).content_hash


def test_names_that_are_not_there_and_questions_without_an_answer_are_sentences(path: Path, book: Path) -> None:
    with pytest.raises(InputError, match=r"nobody called 'anna'.*Did you mean ana\?"):
        judged_ratings(path, ["anna"])
    put(path, book, COMPUTED, [["wrong"]])
    with pytest.raises(InputError, match="is called 'computed modes' already"):
        judged_ratings(path, ["ana"], computed=True)


def test_one_person_is_told_of_their_second_pass_and_of_models(tmp_path: Path, book: Path) -> None:
    path = make_audit(tmp_path / "audit.db")
    put(path, book, "ana", [["wrong"], []])
    assert other_comparisons(path, "ana") == []
    with pytest.raises(InputError, match="nobody else has reviewed anything to hold against ana"):
        judged_ratings(path, ["ana"])
    put(path, book, "ana#2", [["wrong"], ["wrong"]])
    put(path, book, "judge", [["wrong"]], AnnotatorKind.MODEL)
    again, judge = other_comparisons(path, "ana")
    assert "--annotators ana,ana#2" in again.replace("'", "") and "judge tagged as a model" in judge
    (wrong, *_) = measure_judges(judged_ratings(path, ["ana"], judges=["ana#2"]).ratings, ["ana#2"], ["ana"])
    assert tuple(wrong.counts) == (1, 0, 1, 0)


def test_what_was_settled_is_a_reference(path: Path, book: Path) -> None:
    """Alike in ana and ben: item 0; decided: item 1; open: item 2, item 3 has one person only."""
    decide_item(path, "zoe", "demo/case-1/output/model-a/0", [("guess", "absent")], note="It was not.")
    found = judged_ratings(path, ["decisions"])
    assert (found.judges, found.references) == (("judge",), ("decisions",))
    by_tag = {one.tag: tuple(one.counts) for one in measure_judges(found.ratings, ["judge"], ["decisions"])}
    assert by_tag == {"wrong": (1, 1, 0, 0), "no-response": (0, 0, 0, 2), "guess": (0, 0, 0, 2)}
    decide_item(path, "zoe", "demo/case-2/output/model-a/0", [("guess", "present"), ("wrong", "unresolved")])
    again = judged_ratings(path, ["decisions"])
    assert sum(measure_judges(again.ratings, ["judge"], ["decisions"])[0].counts) == 2


def test_where_nothing_is_settled_the_reference_says_so(tmp_path: Path, book: Path) -> None:
    path = make_audit(tmp_path / "audit.db")
    put(path, book, "ana", [["wrong"]])
    put(path, book, "judge", [["wrong"]], AnnotatorKind.MODEL)
    with pytest.raises(InputError, match="nothing is settled yet"):
        judged_ratings(path, ["decisions"])
    put(path, book, "decisions", [["guess"]])
    assert judged_ratings(path, ["decisions"], judges=["ana"]).references == ("decisions",)
