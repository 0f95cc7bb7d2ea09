"""The ratings of an audit file: whose reviews of which items agreement is measured on."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.agreement.coefficient import Options
from auditor.agreement.measure import measure_agreement
from auditor.audit.agree import ratings_from_audit, sides_from_audit
from auditor.audit.review import Defer, MarkReviewed, ToggleTag, open_session
from auditor.audit.tags import put_tags
from auditor.errors import AuditFileError, InputError
from auditor.model import AnnotatorKind
from tests.builders import make_audit


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file in which ana and ben reviewed the same three items, and ana began and deferred one each."""
    file = make_audit(tmp_path / "audit.db")
    for annotator, tags in (("ana", ("copying", "copying", "other")), ("ben", ("copying", "other", "other"))):
        session = open_session(file, annotator)
        for index, tag in enumerate(tags):
            item = session.item(index).response_id
            session.submit(item, ToggleTag(tag))
            session.submit(item, MarkReviewed())
        if annotator == "ana":
            session.submit(session.item(3).response_id, ToggleTag("copying"))
            session.submit(session.item(4).response_id, Defer())
        session.close()
    return file


def test_only_reviewed_items_are_rated_and_clusters_are_the_items(path: Path) -> None:
    ratings = ratings_from_audit(path)
    assert (ratings.annotators, ratings.n_items, len(ratings.item)) == (("ana", "ben"), 3, 6)
    assert ratings.multi and ratings.cluster is not None and len(set(ratings.cluster.tolist())) == 1


def test_models_are_rated_only_when_they_are_named(path: Path) -> None:
    put_tags(path, "judge", "demo/case-0/output/model-a/0", ["copying"], kind=AnnotatorKind.MODEL)
    assert ratings_from_audit(path).annotators == ("ana", "ben")
    assert ratings_from_audit(path, annotators=["ana", "judge"]).annotators == ("ana", "judge")


def test_exclusive_groups_of_the_codebook_are_measured(tmp_path: Path) -> None:
    file = make_audit(tmp_path / "audit.db")
    for annotator, tags in (("ana", ("false-success", "false-error")), ("ben", ("false-success", "wrong-rule"))):
        for case, tag in enumerate(tags):
            put_tags(file, annotator, f"demo/case-{case}/output/model-a/0", [tag], codebook="prex")
    ratings = ratings_from_audit(file)
    (group,) = ratings.groups
    assert group.name == "outcome" and {"false-success", "false-error", "wrong-rule"} <= set(group.tags)
    (kappa,) = measure_agreement(ratings, Options(statistics=("cohen_kappa",), groups=("outcome",)))
    assert (kappa.group, kappa.observed, kappa.n_items) == ("outcome", 0.5, 2)


def test_two_filters_leave_the_items_of_two_sides(path: Path) -> None:
    ratings, first, second = sides_from_audit(path, "case:case-0", "tag:other")
    everything = ratings_from_audit(path)
    # one case holds the three items; the tag `other` is on the second and the third
    assert ratings.n_items == everything.n_items == 3
    assert (first.tolist(), second.tolist()) == ([True, True, True], [False, True, True])
    with pytest.raises(InputError, match=r"nobody has reviewed an item that 'case:case-3' leaves"):
        sides_from_audit(path, "case:case-0", "case:case-3")


def test_an_unknown_annotator_is_named_with_those_there_are(path: Path) -> None:
    with pytest.raises(InputError, match=r"nobody called 'foo' has reviewed.*There are: ana, ben"):
        ratings_from_audit(path, annotators=["ana", "foo"])
    with pytest.raises(InputError, match=r"Did you mean ana\?"):
        ratings_from_audit(path, annotators=["anna"])


def test_a_file_that_nobody_reviewed_says_so(tmp_path: Path) -> None:
    with pytest.raises(AuditFileError, match="nobody has reviewed anything"):
        ratings_from_audit(make_audit(tmp_path / "audit.db"))
