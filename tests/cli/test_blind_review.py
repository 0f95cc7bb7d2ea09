"""Blind review and second passes at the command line: what is refused, and agreement with oneself."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.audit.again import parse_again
from auditor.audit.review import MarkReviewed, QueueWish, ToggleTag, open_session
from auditor.cli.main import main
from tests.builders import make_audit


@pytest.fixture
def audit(tmp_path: Path) -> Path:
    """Return an audit that ana reviewed twice: of 16 items 12 alike."""
    path = make_audit(tmp_path / "audit.db")
    for again in (None, parse_again("100%", at_once=True)):
        session = open_session(path, "ana", QueueWish(again=again))
        for index in range(len(session)):
            item = session.item(index).response_id
            first, second = item % 2 == 0, (item % 2 == 0) != (item > 12)
            if second if again else first:
                session.submit(item, ToggleTag("copying"))
            session.submit(item, MarkReviewed())
        session.close()
    return path


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--blind"], "a review needs a terminal"),
        (["--blind", "--order", "computed"], "a blind review goes in random order: computed tells something"),
        (["--blind", "--where", "tag:copying"], "a blind review cannot be filtered by tag"),
        (["--blind", "--where", "tag:"], "a value is missing after :"),
        (["--again", "none"], "--again none: this is no share and no number of items"),
        (["--again", "5%", "--now"], "a review needs a terminal"),
        (["--again", "5%", "--now", "--take", "2"], "--take does not go with --again"),
        (["--now"], "--now concerns --again"),
        (["--annotator", "ana#2"], "'ana#2' is the name of a later pass of 'ana'"),
    ],
)
def test_what_cannot_begin_says_why(
    audit: Path, capsys: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    assert main(["review", str(audit), "--annotator", "ana", *options]) == 2
    out, err = capsys.readouterr()
    assert out == "" and words in err and err.count("\n") == 1


def test_agreement_with_oneself_is_asked_for_by_name(audit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agreement", str(audit), "--annotators", "ana,ana#2", "--tag", "copying"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "ana and ana#2 are two passes of one person" in out
    assert "copying" in out and "0.50" in out  # 12 of 16 alike, half of them copying in each pass


def test_without_names_a_second_pass_is_nobody(audit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agreement", str(audit)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith("Agreement needs two annotators, and only ana has reviewed anything.")
    assert "two passes of one person" not in out and "kappa" not in out
    assert main(["agreement", str(audit), "--json"]) == 0
    assert "ana#2" not in capsys.readouterr().out


def test_the_history_of_both_passes_replays(audit: Path) -> None:
    assert main(["verify", str(audit)]) == 0
