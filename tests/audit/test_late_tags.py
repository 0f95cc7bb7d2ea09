"""Reviews that are older than a tag are counted and told of, since they cannot say that it is absent."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit.agreement_overview import measure_pair, read_ground
from auditor.audit.codebook_revising import revise_codebook
from auditor.audit.late_tags import late_tags, tell_late_tags
from auditor.audit.tags import put_tags
from auditor.cli.main import main
from auditor.codebook_changes import add_tag, rename_tag
from auditor.store.file import open_for_reading
from auditor.tui.agreement_words import describe_pair
from tests.builders import make_audit


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file that ana and ben reviewed before a tag was added, and ben once more afterwards."""
    path = make_audit(tmp_path / "audit.db")
    for name, cases in (("ana", 3), ("ben", 2)):
        for case in range(cases):
            put_tags(path, name, f"demo/case-{case}/output/model-a/0", ["copying"])
    revise_codebook(path, lambda book: rename_tag(book, "copying", "miscopied", "miscopied"))
    revise_codebook(path, lambda book: add_tag(book, "off by one", "One too many or too few."))
    put_tags(path, "ben", "demo/case-1/output/model-a/0", ["off-by-one"])
    return path


def test_reviews_are_counted_by_tag_and_annotator_and_a_renamed_tag_is_none(path: Path) -> None:
    with closing(open_for_reading(path)) as connection:
        assert late_tags(connection, "execution") == {"off-by-one": {"ana": 3, "ben": 1}}
        assert late_tags(connection, "prex") == {}


def test_only_reviews_and_tags_that_are_measured_are_told_of(path: Path) -> None:
    (told,) = tell_late_tags(path, None, ["ana", "ben"], [])
    assert "(off-by-one: 4 reviews)" in told and "auditor export diagnosis" in told
    assert "1 review)" in tell_late_tags(path, None, ["ben"], ["off-by-one"])[0]
    assert tell_late_tags(path, None, ["ana", "ben"], ["other"]) == tell_late_tags(path, None, ["zoe"], []) == []


def test_the_command_and_the_screen_say_so(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agreement", str(path)]) == 0
    assert "off-by-one: 4 reviews" in capsys.readouterr().out
    assert main(["agreement", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["late_tags"] == {"off-by-one": {"ana": 3, "ben": 1}}
    assert main(["agreement", str(path), "--against", "ana"]) == 0
    assert "off-by-one: 4 reviews" in capsys.readouterr().out
    ground = read_ground(path, "execution")
    assert ground is not None
    kappas = measure_pair(ground, "ana", "ben")
    assert "4 reviews of theirs are older than the tag" in describe_pair(
        ground, "ana", "ben", "off-by-one", kappas["off-by-one"], None
    )
    assert "older" not in describe_pair(ground, "ana", "ben", "other", kappas["other"], None)


def test_a_codebook_that_never_changed_is_not_looked_through(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "audit.db")
    put_tags(path, "ana", "demo/case-0/output/model-a/0", ["copying"])
    assert tell_late_tags(path, None, ["ana"], []) == []
