"""What a blind review hides and refuses, before any screen comes in."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.audit.blindness import (
    OTHERS_WORK,
    hidden_dimensions,
    needs_second_asking,
    own_seed,
    why_not_filtered,
    why_not_shown,
)
from auditor.audit.review import MarkReviewed, QueueWish, Reveal, ReviewSession, Saved, SetNote, open_session
from auditor.audit.review_queue import check_review
from auditor.errors import InputError
from auditor.model import ReviewState
from tests.builders import make_audit

KNOWN = ("study", "case", "arm", "setting", "mode.computed", "lines", "trace_length", "shift")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "audit.db")


def blind_session(path: Path, annotator: str = "ana") -> ReviewSession:
    return open_session(path, annotator, QueueWish(blind=True))


def test_every_dimension_is_hidden_but_those_that_tell_no_setting_and_no_arm() -> None:
    assert hidden_dimensions(KNOWN, blind=True) - OTHERS_WORK == {
        "arm",
        "setting",
        "mode.computed",
        "trace_length",
        "shift",
    }
    assert hidden_dimensions(KNOWN, blind=False) == frozenset()


def test_what_would_show_the_hidden_is_refused_until_nothing_is_hidden() -> None:
    assert why_not_shown(frozenset(), "The arms") is None
    assert (why_not_shown(frozenset({"arm"}), "The arms") or "").startswith("The arms would show what")


def test_a_running_blind_review_is_not_filtered_by_what_it_hides() -> None:
    hidden = hidden_dimensions(KNOWN, blind=True)
    assert why_not_filtered(hidden, {"case", "lines"}) is None
    assert "setting is hidden" in (why_not_filtered(hidden, {"case", "setting"}) or "")
    assert "shift is hidden" in (why_not_filtered(hidden, {"facet:shift"}) or "")


def test_a_blind_review_begins_with_no_filter_by_others_and_in_no_telling_order(path: Path) -> None:
    for where in ("tag:copying", "NOT annotator:ben", "arm:output (lines<9 OR state:reviewed)"):
        with pytest.raises(InputError, match=r"a blind review cannot be filtered by (tag|annotator|state)"):
            open_session(path, "ana", QueueWish(where=where, blind=True))
    for order in ("smallest", "disagreement", "computed", "import"):
        with pytest.raises(InputError, match=f"goes in random order: {order} tells"):
            check_review(path, "ana", QueueWish(order=order, blind=True))
    assert check_review(path, "ana", QueueWish(where="arm:output", blind=True)) == 8


def test_a_blind_search_looks_at_no_notes(path: Path) -> None:
    session = open_session(path, "ben")
    session.submit(session.item(0).response_id, SetNote("peculiar"))
    session.close()
    assert check_review(path, "ana", QueueWish(where="peculiar")) == 1
    with pytest.raises(InputError, match="no response matches"):
        check_review(path, "ana", QueueWish(where="peculiar", blind=True))


def test_each_annotator_has_a_random_order_of_their_own_that_the_header_states(path: Path) -> None:
    orders: dict[tuple[str, int], list[int]] = {}
    for name, seed in (("ana", 0), ("ana", 0), ("ben", 0), ("ana", 5)):
        session = open_session(path, name, QueueWish(seed=seed, blind=True))
        assert session.description == f"blind · status:wrong · random, seed {seed} of your own ({own_seed(name, seed)})"
        ids = [row.response_id for row in session.rows(0, len(session))]
        assert orders.setdefault((name, seed), ids) == ids
    assert len({tuple(ids) for ids in orders.values()}) == 3
    plain = open_session(path, "cy", QueueWish(order="random", seed=own_seed("ana", 5)))
    assert [row.response_id for row in plain.rows(0, len(plain))] == orders["ana", 5]


def test_only_before_an_item_is_reviewed_a_reveal_is_asked_for_twice() -> None:
    assert [state for state in ReviewState if not needs_second_asking(state)] == [ReviewState.REVIEWED]


def test_the_seed_is_the_annotator_s_own_and_always_the_same() -> None:
    assert own_seed("ana", 0) == own_seed("ana", 0)
    assert len({own_seed(name, seed) for name in ("ana", "ben", "\udcff") for seed in (0, 1)}) == 6


def test_a_blind_item_holds_nothing_of_what_is_hidden(path: Path) -> None:
    session = blind_session(path)
    item = session.item(0)
    assert item.hidden == session.hidden > {"setting", "arm", "mode.computed", "size", "status"}
    told = repr((item.key, item.task.arm, item.task.facets, item.grade, item.response))
    for word in ("model-a", "model-b", "'output'", "'state'", "wrong_value", "Nothing more specific"):
        assert word not in told
    for row in session.rows(0, len(session)):
        assert (row.arm, row.setting, row.status, row.mode) == ("", "", None, None)
    assert session.names() == ((), ())


def test_a_reveal_shows_the_item_now_and_in_later_sessions(path: Path) -> None:
    session = blind_session(path)
    shown = session.item(0).response_id
    assert isinstance(session.submit(shown, Reveal()), Saved)
    assert session.item(0).key.setting.startswith("model-")
    assert session.item(1).key.setting == ""
    session.close()
    again = blind_session(path)
    assert again.item_by_id(shown).hidden == frozenset()
    other = blind_session(path, "ben")
    assert other.item_by_id(shown).hidden


def test_reviewing_an_item_does_not_by_itself_show_what_was_hidden(path: Path) -> None:
    session = blind_session(path)
    session.submit(session.item(0).response_id, MarkReviewed())
    assert session.item(0).hidden
