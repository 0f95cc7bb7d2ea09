"""Taking items: never more people an item than wanted, never an item twice for one person, whoever takes at once."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.store.annotators import ensure_annotator, find_codebook_in_file
from auditor.store.file import open_file, transaction
from auditor.store.history import Actor, act, uuid7
from auditor.store.leases import (
    Claim,
    Lease,
    drop_expired,
    expiry,
    holdings,
    leases_of_others,
    look_at,
    release,
    renew,
    standing,
    take,
    take_next,
)
from auditor.store.reviews import Defer, Intent, MarkReviewed, Undo
from tests.builders import make_audit

NOON = "2026-01-01T12:00:00.000Z"
PEOPLE = ("ana", "ben", "cem")


def after(seconds: float) -> str:
    return expiry(NOON, seconds)


@dataclass
class File:
    """An audit file and the people who work on it."""

    connection: sqlite3.Connection
    actors: dict[str, Actor] = field(default_factory=dict)

    def add(self, *names: str) -> None:
        book = find_codebook_in_file(self.connection, "execution")
        assert book is not None
        with transaction(self.connection):
            for name in names:
                self.actors[name] = Actor(ensure_annotator(self.connection, name), book)

    def claim(self, name: str, overlap: int = 1, session: str = "") -> Claim:
        actor = self.actors[name]
        return Claim(actor.annotator_id, actor.book.id, session or name, overlap)

    def take(
        self, name: str, items: list[int], overlap: int = 1, count: int = 1, session: str = "", at: str = NOON
    ) -> list[int]:
        return take_next(self.connection, self.claim(name, overlap, session), items, count, seconds=60, at=at)

    def mark(self, name: str, item: int, intent: Intent, at: str = NOON) -> None:
        with transaction(self.connection):
            act(self.connection, self.actors[name], item, intent, uuid=uuid7(), at=at)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """Return an audit file of 16 items; tests work on copies in memory."""
    with closing(open_file(make_audit(tmp_path_factory.mktemp("leases") / "a.db"))) as connection:
        yield connection


def copy_of(template: sqlite3.Connection) -> File:
    memory = sqlite3.connect(":memory:", isolation_level=None)
    template.backup(memory)
    file = File(memory)
    file.add(*PEOPLE)
    return file


@pytest.fixture
def file(template: sqlite3.Connection) -> File:
    return copy_of(template)


def test_an_item_goes_to_so_many_people_and_to_each_once(file: File) -> None:
    items = [1, 2, 3]
    assert file.take("ana", items, overlap=2) == [1]
    assert file.take("ben", items, overlap=2) == [1]
    assert file.take("cem", items, overlap=2) == [2]
    assert file.take("ana", items, overlap=2, session="ana's other window") == [2]
    assert file.take("cem", items, overlap=2, session="cem's other window") == [3]


def test_what_a_session_holds_is_its_own(file: File) -> None:
    assert file.take("ana", [1, 2], count=2) == [1, 2]
    assert file.take("ana", [1]) == [1]
    assert file.take("ben", [1, 2]) == []


def test_a_review_counts_as_long_as_it_stands(file: File) -> None:
    file.mark("ana", 1, MarkReviewed())
    assert file.take("ana", [1]) == file.take("ben", [1]) == []
    file.mark("ana", 1, Undo())
    assert file.take("ben", [1]) == [1]


def test_what_was_deferred_is_free_for_others_only(file: File) -> None:
    file.mark("ana", 1, Defer())
    assert (file.take("ana", [1]), file.take("ben", [1])) == ([], [1])


def test_later_passes_and_programs_are_nobody(file: File) -> None:
    file.add("ben#2")
    file.mark("ben#2", 1, MarkReviewed())
    assert file.take("ana", [1]) == [1]


def test_a_replaced_reply_is_not_taken(file: File) -> None:
    file.connection.execute("UPDATE responses SET superseded_at = ? WHERE id = 1", (NOON,))
    assert file.take("ana", [1, 2]) == [2]


def test_an_expired_lease_returns(file: File) -> None:
    file.take("ben", [1], at=NOON)
    assert file.take("ana", [1], at=after(59.999)) == []
    assert file.take("ana", [1], at=after(60)) == [1]


def test_what_was_taken_before_the_clock_was_set_back_is_free(file: File) -> None:
    """A session that ended without giving back holds nothing until the clock is where it was."""
    file.take("ben", [1, 2], count=2, at=after(3600))
    assert file.take("ana", [1], at=after(3600 - 60)) == [], "clocks are set back by some seconds now and then"
    assert look_at(file.connection, file.claim("ana"), [1, 2], NOON).free == [1, 2]
    assert standing(file.connection, file.claim("ana"), 1, NOON).free
    assert standing(file.connection, file.claim("ben", session="second"), 1, NOON).free
    assert holdings(file.connection, NOON) == []
    assert leases_of_others(file.connection, file.claim("ana"), NOON) == []
    assert file.take("ana", [1, 2], count=2) == [1, 2]


def test_a_session_keeps_what_it_holds_when_the_clock_is_set_back(file: File) -> None:
    file.take("ana", [1], at=after(3600))
    with transaction(file.connection):
        assert renew(file.connection, "ana", NOON, after(60)) == [1]
    assert file.take("ben", [1], at=after(59)) == []
    assert file.take("ben", [1], at=after(60)) == [1]


def test_renewing_keeps_what_is_held_and_brings_nothing_back(file: File) -> None:
    file.take("ana", [1, 2], count=2, at=NOON)
    with transaction(file.connection):
        assert renew(file.connection, "ana", after(50), after(110)) == [1, 2]
    assert file.take("ben", [1], at=after(109)) == []
    with transaction(file.connection):
        assert renew(file.connection, "ana", after(110), after(170)) == []
    assert file.take("ben", [1], at=after(110)) == [1]


def test_renewing_in_one_window_leaves_the_other_window_s_item(file: File) -> None:
    file.take("ana", [1], at=NOON)
    assert file.take("ana", [1], session="second", at=after(60)) == [1]
    with transaction(file.connection):
        assert renew(file.connection, "ana", after(60), after(120)) == []
        release(file.connection, "ana")
    assert file.take("ben", [1], at=after(61)) == []


def test_what_is_released_is_free_at_once(file: File) -> None:
    file.take("ana", [1, 2, 3], count=3)
    with transaction(file.connection):
        release(file.connection, "ana", [1])
    assert file.take("ben", [1, 2, 3], count=3) == [1]
    with transaction(file.connection):
        release(file.connection, "ana")
    assert file.take("cem", [1, 2, 3], count=3) == [2, 3]


def test_looking_tells_what_is_held_for_now_from_what_is_done(file: File) -> None:
    file.mark("ben", 1, MarkReviewed())
    file.take("ben", [2])
    file.mark("ana", 3, Defer())
    looked = look_at(file.connection, file.claim("ana"), [4, 3, 2, 1], NOON)
    assert (looked.free, looked.done) == ([4], [3, 1])
    assert look_at(file.connection, file.claim("ana"), [2], after(60)).free == [2]


def test_it_is_known_who_holds_what_until_when(file: File) -> None:
    file.take("ben", [1, 2, 3], count=3)
    file.mark("ben", 3, MarkReviewed())
    assert holdings(file.connection, NOON) == [("ben", "execution", 2, after(60))]
    assert holdings(file.connection, after(60)) == []
    others = leases_of_others(file.connection, file.claim("ana"), NOON)
    assert others == [Lease(1, "ben", after(60)), Lease(2, "ben", after(60))]
    assert leases_of_others(file.connection, file.claim("ben"), NOON) == []
    found = standing(file.connection, file.claim("ana"), 1, NOON)
    assert found == (False, 0, (Lease(1, "ben", after(60)),), None)
    assert standing(file.connection, file.claim("ana", overlap=2), 1, NOON).free
    assert standing(file.connection, file.claim("ana"), 3, NOON)[:2] == (False, 1)
    assert standing(file.connection, file.claim("ben", session="second"), 1, NOON) == (False, 0, (), after(60))


@pytest.mark.parametrize("where", ["take", "look", "standing", "renew", "release", "expired"])
def test_nothing_is_found_by_a_scan(file: File, where: str) -> None:
    """Every table is searched by an index, whatever the file's size; only the ids that are given are gone through."""
    statements: list[str] = []
    claim = file.claim("ana")
    file.connection.set_trace_callback(statements.append)
    with transaction(file.connection):
        calls: dict[str, Callable[[], object]] = {
            "take": lambda: take(file.connection, claim, [1], 1, NOON, after(1)),
            "look": lambda: look_at(file.connection, claim, [1], NOON),
            "standing": lambda: standing(file.connection, claim, 1, NOON),
            "renew": lambda: renew(file.connection, "ana", NOON, after(1)),
            "release": lambda: release(file.connection, "ana"),
            "expired": lambda: drop_expired(file.connection, NOON),
        }
        calls[where]()
    file.connection.set_trace_callback(None)
    plans = [row[3] for sql in statements for row in file.connection.execute(f"EXPLAIN QUERY PLAN {sql}")]
    assert any(plan.startswith("SEARCH") for plan in plans)
    allowed = ("SCAN j VIRTUAL TABLE", "SCAN CONSTANT ROW", "SCAN (subquery")
    assert [plan for plan in plans if plan.startswith("SCAN") and not plan.startswith(allowed)] == []


# --- against a plain model ------------------------------------------------------------------------------------------


@dataclass
class Model:
    """The rule in plain Python: who has reviewed or deferred what, and which session holds what until when."""

    reviewed: set[tuple[str, int]] = field(default_factory=set)
    deferred: set[tuple[str, int]] = field(default_factory=set)
    held: dict[tuple[str, int], tuple[str, int]] = field(default_factory=dict)

    def is_free(self, who: str, session: str, item: int, overlap: int, at: int) -> bool:
        if (who, item) in self.reviewed | self.deferred:
            return False
        holder, until = self.held.get((who, item), ("", 0))
        if until > at and holder != session:
            return False
        others = {name for name, one in self.reviewed if one == item and name != who}
        others |= {name for (name, one), (_, end) in self.held.items() if one == item and name != who and end > at}
        return len(others) < overlap


steps = st.one_of(
    st.tuples(st.just("take"), st.sampled_from(PEOPLE), st.integers(1, 2), st.integers(1, 3)),
    st.tuples(st.sampled_from(["review", "defer"]), st.sampled_from(PEOPLE), st.integers(1, 4), st.just(0)),
    st.tuples(st.sampled_from(["release", "renew"]), st.sampled_from(PEOPLE), st.integers(1, 2), st.just(0)),
    st.tuples(st.just("wait"), st.just(""), st.integers(1, 70), st.just(0)),
)


@settings(max_examples=60)
@given(st.lists(steps, max_size=30), st.integers(1, 3))
def test_taking_follows_the_rule(
    template: sqlite3.Connection, done: list[tuple[str, str, int, int]], overlap: int
) -> None:
    file, model, at, items = copy_of(template), Model(), 0, [1, 2, 3, 4]
    for what, who, number, count in done:
        session, moment = f"{who} {number}", after(at)
        if what == "wait":
            at += number
        elif what == "take":
            expected = [item for item in items if model.is_free(who, session, item, overlap, at)]
            assert look_at(file.connection, file.claim(who, overlap, session), items, moment).free == expected
            assert file.take(who, items, overlap, count, session, moment) == expected[:count]
            model.held |= {(who, item): (session, at + 60) for item in expected[:count]}
        elif what in ("review", "defer"):
            standing_there = (who, number) in (model.reviewed if what == "review" else model.deferred)
            if not standing_there:
                file.mark(who, number, MarkReviewed() if what == "review" else Defer(), moment)
                model.reviewed.discard((who, number))
                model.deferred.discard((who, number))
                (model.reviewed if what == "review" else model.deferred).add((who, number))
        else:
            mine = {key: end for key, (holder, end) in model.held.items() if holder == session}
            with transaction(file.connection):
                if what == "release":
                    release(file.connection, session)
                else:
                    kept = sorted(item for (_, item), end in mine.items() if end > at)
                    assert sorted(renew(file.connection, session, moment, after(at + 60))) == kept
            for key, end in mine.items():
                if what == "release":
                    del model.held[key]
                elif end > at:
                    model.held[key] = (session, at + 60)
    file.connection.close()


# --- real processes -------------------------------------------------------------------------------------------------

TAKE_MANY = """
import sys
from contextlib import closing
from pathlib import Path
from auditor.store.file import open_file
from auditor.store.leases import Claim, take_next
path, annotator, session, overlap, times, items = sys.argv[1:]
claim = Claim(int(annotator), 1, session, int(overlap))
left = list(range(1, int(items) + 1))
with closing(open_file(Path(path))) as connection:
    print("ready", flush=True)
    sys.stdin.readline()
    for _ in range(int(times)):
        for item in take_next(connection, claim, left):
            left.remove(item)
            print(item)
"""


@pytest.mark.parametrize("overlap", [1, 2])
@pytest.mark.parametrize("people", [("ana", "ben"), ("ana", "ana")], ids=["two people", "one person twice"])
def test_two_processes_taking_at_once_never_exceed_the_overlap_and_never_repeat(
    tmp_path: Path, people: tuple[str, str], overlap: int
) -> None:
    """Each takes the next item 200 times, of 300: where they share them out, the last 100 are asked for in vain."""
    path = make_audit(tmp_path / "a.db", cases=75)
    with closing(open_file(path)) as connection:
        file = File(connection)
        file.add("ana", "ben")
    started = []
    for number, name in enumerate(people):
        arguments = [str(path), str(file.actors[name].annotator_id), f"session {number}", str(overlap), "200", "300"]
        command = [sys.executable, "-c", TAKE_MANY, *arguments]
        started.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
    for process in started:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    taken: list[tuple[str, int]] = []
    for name, process in zip(people, started, strict=True):
        out, _ = process.communicate()
        assert process.returncode == 0
        taken += [(name, int(line)) for line in out.splitlines()]
    assert len(taken) == len(set(taken)), "nobody was given an item twice"
    people_of = Counter(item for _, item in set(taken))
    assert max(people_of.values()) == (overlap if len(set(people)) > 1 else 1)
    assert len(taken) == (400 if overlap == 2 and len(set(people)) > 1 else 300), "nothing that was free was refused"
    with closing(open_file(path)) as connection:
        stored = connection.execute("SELECT annotator_id, response_id FROM leases ORDER BY 1, 2").fetchall()
    assert stored == sorted((file.actors[name].annotator_id, item) for name, item in taken)
