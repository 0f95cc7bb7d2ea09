"""What a review would go through, looked up without changing the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.audit.review_queue import QueueWish, check_review
from auditor.errors import AuditorError
from tests.builders import make_audit


def test_the_items_are_counted_and_nothing_is_changed(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "a.db", replies={(0, "output", "model-a"): "right"})
    before = path.read_bytes()
    assert check_review(path, "ana") == 15
    assert check_review(path, "ana", QueueWish(where="arm:output", take=2, per=("setting",))) == 4
    assert path.read_bytes() == before
    assert [other.name for other in tmp_path.iterdir()] == ["a.db"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"where": "status:correct"}, "no response matches 'status:correct', so there is nothing to review."),
        ({"where": "arm:stat"}, "Did you mean arm:state?"),
        ({"per": ("arm",)}, "--per makes groups for --take, which is not given. Add e.g. --take 2."),
        ({"take": 1, "per": ("nonsense",)}, "there is no dimension 'nonsense'"),
        ({"codebook": "nonsense"}, "nonsense"),
        ({"stale": True}, "nothing that ana reviewed under the codebook execution needs another look."),
    ],
    ids=str,
)
def test_what_makes_a_review_unusable_is_said(tmp_path: Path, options: dict[str, object], words: str) -> None:
    path = make_audit(tmp_path / "a.db")
    with pytest.raises(AuditorError) as caught:
        check_review(path, "ana", QueueWish(**options))  # type: ignore[arg-type]  # a table of options
    assert words in str(caught.value)
