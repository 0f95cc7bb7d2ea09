"""An invalid prediction says so on the review screen, with the reason; a blind review has the mark alone."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit.invalidate import set_validity
from auditor.audit.review import QueueWish, open_session
from auditor.errors import InputError
from tests.builders import make_audit
from tests.hostile import HOSTILE
from tests.tui.driving import press, reviewing, screen_text


@pytest.fixture
def audit(tmp_path: Path) -> Path:
    path = make_audit(tmp_path / "audit.db")
    set_validity(path, "lm", "case:case-0", f"the prompt lacked the input {HOSTILE['clipboard write']}")
    return path


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (160, 50)])
async def test_the_mark_and_its_reason_are_shown(audit: Path, size: tuple[int, int]) -> None:
    with closing(open_session(audit, "ana", QueueWish(where="invalid:yes"))) as session:
        async with reviewing(session, size) as pilot:
            shown = screen_text(pilot)
            assert "INVALID" in shown and "! invalid: the prompt lacked" in shown
            assert "\x1b" not in shown


async def test_a_blind_review_shows_the_mark_alone_before_the_reveal(audit: Path) -> None:
    with closing(open_session(audit, "ana", QueueWish(where="invalid:yes", blind=True))) as session:
        async with reviewing(session, (120, 40)) as pilot:
            assert "INVALID" in screen_text(pilot) and "the prompt lacked" not in screen_text(pilot)
            await press(pilot, "v", "v")
            assert "! invalid: the prompt lacked" in screen_text(pilot)


def test_the_queue_has_no_invalid_item_and_says_why_it_is_empty(audit: Path) -> None:
    with closing(open_session(audit, "ana")) as session:
        assert {session.item(index).key.case for index in range(len(session))} == {"case-1", "case-2", "case-3"}
    with pytest.raises(InputError, match=r"All of the 4 that it would leave are invalid"):
        open_session(audit, "ana", QueueWish(where="case:case-0"))
