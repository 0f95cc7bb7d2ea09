"""What a reviewer would object to is flagged with its number, opens what it counts, and a report says the same."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.audit.flags.every import read_flags
from auditor.audit.flags.flag import Flag
from auditor.audit.invalidate import set_validity
from auditor.audit.overview import InState, Overview, count_overview, items_behind, read_overview
from auditor.audit.report.make import make_report
from auditor.audit.report.subject import ReportOptions
from auditor.audit.review import QueueWish, open_session
from auditor.cli.main import main
from auditor.codebook import find_codebook
from auditor.documents.document import plain
from auditor.model import ReviewState
from auditor.store.annotators import ensure_annotator
from auditor.store.codebook_revisions import ensure_codebook
from auditor.store.file import now, open_file, open_for_reading, transaction
from auditor.store.history import Actor, act, uuid7
from auditor.store.reviews import NothingToTag
from auditor.store.tag_counts import Chosen
from tests.audit.flagged_audit import flagged_audit


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return flagged_audit(tmp_path_factory.mktemp("flagged") / "flagged.db")


@pytest.fixture(scope="module")
def flags(path: Path) -> list[Flag]:
    return read_overview(path).flags


EXPECTED = {
    "one person prex": 1,
    "fewer execution/ben": 8,
    "common execution/ana/ben": 8,
    "undefined execution/ana/ben": 1,
    "unused execution": 9,
    "unused prex": 4,
    "unseen": 46,
    "changed execution/ana": 2,
    "replaced execution/ana": 1,
    "open execution": 4,
    "revealed": 1,
    "unequal unequal": 40,
    "missing model-b": 5,
    "unmatched demo": 5,
    "absent": 1,
    "superseded": 2,
    "ungraded": 63,
    "silent": 4,
    "invalid": 2,
    "unconfirmed": 153,
}


def test_each_doubt_is_flagged_with_its_number(flags: list[Flag]) -> None:
    assert {flag.key: flag.count for flag in flags} == EXPECTED


def test_each_flag_opens_what_it_counts(path: Path, flags: list[Flag]) -> None:
    opened = 0
    with closing(open_session(path, "ana", QueueWish(where="", order="import"))) as session:
        for flag in flags:
            if flag.behind is not None:
                items = len(items_behind(path, flag.behind))
            elif flag.where is not None:
                queue = session.find_items(flag.where)
                queue.wait_for_rows(10**9)
                assert queue.error is None, flag
                items = len(queue)
            else:
                continue
            assert items == flag.count if flag.exact else items > 0, (flag, items)
            opened += 1
    assert opened == 15


def test_progress_counts_the_reviews_that_the_taxonomy_counts(path: Path) -> None:
    """Reviews of what was superseded or is invalid are in neither, and a figure opens as many items as it says."""
    with closing(open_for_reading(path)) as connection:
        (all_reviews,) = connection.execute("SELECT count(*) FROM reviews WHERE state = 'reviewed'").fetchone()
        counted = {(one.annotator, one.codebook): one.reviewed for one in Chosen(connection).reviewers()}
    progress = read_overview(path).progress or ()
    assert {(one.annotator, one.codebook): one.reviewed for one in progress} == counted
    assert sum(counted.values()) < all_reviews
    for one in progress:
        behind = InState(one.annotator, one.codebook, ReviewState.REVIEWED)
        assert len(items_behind(path, behind)) == one.reviewed


def test_a_flag_says_why_and_names_stand_apart(flags: list[Flag]) -> None:
    assert all(flag.why.endswith(".") and (not flag.do or flag.do.endswith(".")) for flag in flags)
    (fewer,) = [flag for flag in flags if flag.key.startswith("fewer")]
    assert fewer.said(lambda name: name[:3]) == "exe: ben reviewed 8 items, another person 38"
    assert replace(fewer, names=("{0}", "{")).said().startswith("{0}: { reviewed")


def test_a_report_and_the_command_say_the_same(
    path: Path, flags: list[Flag], capsys: pytest.CaptureFixture[str]
) -> None:
    document = make_report(path, ReportOptions(replicates=20))
    (limits,) = [section for section in document.sections if section.id == "limits"]
    said = [plain(words) for words in limits.blocks[0].items]  # type: ignore[union-attr]
    assert [flag.sentence() for flag in flags] == [line for line in said if line in {one.sentence() for one in flags}]
    assert main(["info", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["overview"]["flags"]
    assert {one["flag"]: one["count"] for one in told} == EXPECTED
    assert [one["line"] for one in told] == [flag.said() for flag in flags]


def test_a_filter_leaves_flags_of_what_it_describes(path: Path) -> None:
    with closing(open_for_reading(path)) as connection:
        found = {flag.key: flag.count for flag in read_flags(connection, path, "study:demo setting:model-b")}
    assert (found["missing model-b"], found["silent"], found["open execution"], found["ungraded"]) == (5, 4, 4, 1)
    assert "unequal unequal" not in found and "unmatched demo" not in found


def count_after(path: Path, before: Overview | None) -> tuple[list[frozenset[str]], Overview]:
    """Count what can have changed; return what was stale at each report too."""
    reported: list[frozenset[str]] = []

    def report(found: Overview) -> None:
        reported.append(found.stale)

    with closing(open_for_reading(path)) as connection:
        return reported, count_overview(connection, path, report, before=before)


def test_nothing_is_counted_again_that_a_mark_cannot_change(path: Path) -> None:
    _, first = count_after(path, None)
    reported, again = count_after(path, first)
    assert reported == [frozenset()] * 2 and again == first
    with closing(open_file(path)) as connection, transaction(connection):
        book = ensure_codebook(connection, find_codebook("execution"))
        cleo = Actor(ensure_annotator(connection, "cleo"), book)
        act(connection, cleo, 90, NothingToTag(), uuid=uuid7(), at=now())
    reported, third = count_after(path, first)
    assert reported[0] == {"progress", "shared", "tags", "reviewing"} and reported[-1] == frozenset()
    assert third.progress != first.progress and third.by_study is first.by_study
    set_validity(path, "ana", "case:case-21 arm:state", "the prompt was cut")
    reported, fourth = count_after(path, third)
    assert reported[0] > {"by_arm", "doubtful", "progress", "studies"} and "facts" not in reported[0]
    assert fourth.doubtful is not None and fourth.doubtful.invalid == 4
    assert replace(fourth, facts=None) == replace(read_overview(path), facts=None)


def test_an_empty_file_has_few_flags(tmp_path: Path) -> None:
    with closing(open_file(tmp_path / "e.db", create=True)):
        pass
    assert [flag.key for flag in read_overview(tmp_path / "e.db").flags] == ["nobody"]
