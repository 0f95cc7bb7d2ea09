"""Own items once more: what comes back, that the first pass stays, and that nobody counts it as another person."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from auditor.agreement.coefficient import Options
from auditor.agreement.measure import measure_agreement
from auditor.audit.again import Again, parse_again
from auditor.audit.agree import ratings_from_audit
from auditor.audit.review import MarkReviewed, QueueWish, ReviewSession, SetNote, ToggleTag, open_session
from auditor.audit.review_queue import check_review
from auditor.audit.tags import TagImportOptions, import_tags, list_tags
from auditor.audit.taxonomy import taxonomies, taxonomy_records
from auditor.errors import InputError
from auditor.model import ReviewState
from auditor.store.file import open_for_reading
from auditor.store.replay import replay_differences
from auditor.store.selection import matching_responses
from tests.builders import make_audit

LONG_AGO = "2026-03-01T09:00:00Z"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return an audit of 16 failures; ana reviewed all of them long ago, as `copying`."""
    path = make_audit(tmp_path / "audit.db")
    bring_in(path, "ana", ["copying"] * 16)
    return path


def bring_in(path: Path, annotator: str, tags: Sequence[str], at: str = LONG_AGO) -> None:
    """Import one review an item."""
    with closing(open_for_reading(path)) as connection:
        sql = (
            "SELECT c.name, t.arm, g.name FROM responses r JOIN tasks t ON t.id = r.task_id JOIN cases c"
            " ON c.id = t.case_id JOIN settings g ON g.id = r.setting_id ORDER BY r.id"
        )
        items = connection.execute(sql).fetchall()
    rows = [f"demo/{'/'.join(names)}/0,{annotator},{tag},{at}\n" for names, tag in zip(items, tags, strict=False)]
    file = path.with_suffix(".csv")
    file.write_text("item,annotator,tag,at\n" + "".join(rows))
    assert not import_tags(path, file, TagImportOptions()).refusals


def again(path: Path, amount: str, *, now: bool = False, seed: int = 0, blind: bool = True) -> ReviewSession:
    return open_session(path, "ana", QueueWish(again=parse_again(amount, at_once=now), seed=seed, blind=blind))


def ids_of(session: ReviewSession) -> list[int]:
    return [row.response_id for row in session.rows(0, len(session))]


def query(path: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


@pytest.mark.parametrize(
    ("text", "reviewed", "items"),
    [("5%", 16, 1), ("5%", 20, 1), ("5%", 21, 2), ("100%", 16, 16), ("0.1 %", 16, 1), ("3", 16, 3), ("99", 16, 16)],
)
def test_a_share_is_rounded_up_and_at_least_one(text: str, reviewed: int, items: int) -> None:
    assert parse_again(text).of(reviewed) == items


@pytest.mark.parametrize("text", ["", "0", "0%", "101%", "1.5", "-3", "five", "5 % of them", "\u0665%", "1" * 30])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="no share and no number of items"):
        parse_again(text)
    assert parse_again("5%") == Again(Fraction(1, 20), None)


def test_the_own_items_come_back_as_fresh_ones(path: Path) -> None:
    session = again(path, "25%")
    assert session.annotator == "ana#2"
    assert session.description.startswith("again 25%: 4 of 16 reviewed · blind · status:wrong · random, seed 0")
    for row in session.rows(0, len(session)):
        assert (row.state, row.tags) == (ReviewState.NOT_REVIEWED, ())
        review = session.item(row.index).review
        assert (review.state, review.tags, review.note) == (ReviewState.NOT_REVIEWED, (), "")
    assert session.counts()[ReviewState.NOT_REVIEWED] == 4


def test_the_draw_is_by_seed_and_what_was_begun_stays_in_it(path: Path) -> None:
    session = again(path, "25%")
    drawn = ids_of(session)
    session.submit(drawn[-1], ToggleTag("arithmetic"))
    session.close()
    assert ids_of(again(path, "25%")) == drawn
    other = ids_of(again(path, "25%", seed=3))
    assert len(other) == 4 and drawn[-1] in other and set(other) != set(drawn)
    assert set(drawn) < set(ids_of(again(path, "50%")))


def test_the_first_pass_stays_as_it_was_and_the_history_replays(path: Path) -> None:
    before = query(path, "SELECT * FROM reviews ORDER BY 1, 2, 3")
    session = again(path, "2")
    for response_id in ids_of(session):
        session.submit(response_id, ToggleTag("arithmetic"))
        session.submit(response_id, SetNote("second thoughts"))
        session.submit(response_id, MarkReviewed())
    session.close()
    first = "(SELECT id FROM annotators WHERE name = 'ana')"
    assert query(path, f"SELECT * FROM reviews WHERE annotator_id = {first} ORDER BY 1, 2, 3") == before
    with closing(open_for_reading(path)) as connection:
        assert replay_differences(connection) == []


def test_an_item_rests_for_a_day_unless_it_is_wanted_now(path: Path) -> None:
    session = open_session(path, "ana")
    session.submit(session.item(0).response_id, SetNote("looked at today"))
    touched = session.item(0).response_id
    session.close()
    assert touched not in ids_of(again(path, "100%"))
    assert touched in ids_of(again(path, "100%", now=True))


def test_when_all_is_too_recent_the_sentence_says_from_when(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "new.db")
    session = open_session(path, "ana")
    session.submit(session.item(0).response_id, MarkReviewed())
    session.close()
    with pytest.raises(InputError, match="ana reviewed 1 item less than a day ago and none before: the first"):
        again(path, "5%")
    assert len(again(path, "5%", now=True)) == 1


def test_what_cannot_be_drawn_is_refused(path: Path) -> None:
    for annotator, more, words in (
        ("ben", {}, "ben has reviewed nothing that"),
        ("ana", {"where": "case:none"}, "ana has reviewed nothing that"),
        ("ana", {"take": 2}, "--take does not go with --again"),
        ("ana", {"where": "tag:copying"}, "cannot be filtered by tag"),
        ("ana", {"order": "smallest"}, "goes in random order"),
    ):
        with pytest.raises(InputError, match=words):
            check_review(path, annotator, QueueWish(again=parse_again("5%"), **more))
    for given in (None, parse_again("5%")):
        with pytest.raises(InputError, match="'ana#2' is the name of a later pass of 'ana'"):
            open_session(path, "ana#2", QueueWish(again=given))


@pytest.fixture
def twice(path: Path) -> Path:
    """Return the audit with a second pass of ana over all items: the first half otherwise, the rest the same."""
    bring_in(path, "ben", ["copying"] * 16)
    session = again(path, "100%", blind=False)
    for place, response_id in enumerate(sorted(ids_of(session))):
        session.submit(response_id, ToggleTag("arithmetic" if place < 8 else "copying"))
        session.submit(response_id, MarkReviewed())
    session.close()
    return path


def test_agreement_counts_the_person_once_and_the_passes_where_they_are_named(twice: Path) -> None:
    assert ratings_from_audit(twice).annotators == ("ana", "ben")
    own = ratings_from_audit(twice, annotators=["ana", "ana#2"])
    options = Options(statistics=("percent", "cohen_kappa"), annotators=("ana", "ana#2"), tags=("copying",))
    found = {one.statistic: one for one in measure_agreement(own, options)}
    assert found["percent"].value == 0.5 and found["percent"].n_items == 16
    assert found["cohen_kappa"].value == 0  # ana always said copying at first, so chance agrees as often


def test_when_only_a_second_pass_is_there_agreement_asks_for_names(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "second.db")
    bring_in(path, "ana#2", ["copying"])
    with pytest.raises(InputError, match="these count by name only") as error:
        ratings_from_audit(path)
    assert "there are: ana#2." in str(error.value)


def test_the_taxonomy_counts_the_first_pass_alone(twice: Path) -> None:
    with closing(open_for_reading(twice)) as connection:
        (taxonomy,) = taxonomies(connection)
        assert [reviewer.annotator for reviewer in taxonomy.reviewers] == ["ana", "ben"]
        assert taxonomy.several == {"person": 16}
        (named,) = taxonomies(connection, annotators=["ana", "ana#2"])
        assert named.several == {"person": 0}
        items = {(row["annotator"], row["tag"]): row["items"] for row in taxonomy_records([named])}
        assert (items["ana", "copying"], items["ana#2", "copying"]) == (16, 8)


def test_filters_and_the_order_by_disagreement_pass_over_a_second_pass(twice: Path) -> None:
    with closing(open_for_reading(twice)) as connection:
        assert matching_responses(connection, "tag:arithmetic") == []
        assert len(matching_responses(connection, "annotator:ana#2")) == 16
        smallest = matching_responses(connection, "", "smallest")
        assert matching_responses(connection, "", "disagreement") == smallest


def test_states_are_those_of_the_first_passes(path: Path) -> None:
    session = again(path, "1")
    session.submit(session.item(0).response_id, ToggleTag("arithmetic"))
    session.close()
    with closing(open_for_reading(path)) as connection:
        assert matching_responses(connection, "state:in-progress") == []


def test_exported_passes_come_in_elsewhere_as_passes(twice: Path, tmp_path: Path) -> None:
    other = make_audit(tmp_path / "other.db")
    bring_in(other, "ana#2", ["copying"] * 3)
    links = query(
        other, "SELECT a.name, b.name FROM annotators a LEFT JOIN annotators b ON b.id = a.pass_of ORDER BY 1"
    )
    assert links == [("ana", None), ("ana#2", "ana")]
    with closing(open_for_reading(twice)) as connection:
        assert {record.annotator for record in list_tags(connection)} == {"ana", "ana#2", "ben"}
