"""A report says what the audit file holds, the same bytes each time, and hostile texts do nothing in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.audit.demo import make_demo
from auditor.audit.grade import grade_file
from auditor.audit.report.make import make_report
from auditor.audit.report.subject import ReportOptions
from auditor.audit.report.write import write_report
from auditor.cli.main import main
from auditor.documents.document import Document, Section, Table, plain
from auditor.errors import InputError
from tests.audit.hostile_run import hostile_audit
from tests.builders import make_audit
from tests.documents.reading_pages import Page

FAST = ReportOptions(replicates=200)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "demo.db"
    make_demo(path, "exact-output")
    return path


def page_of(document: Document, folder: Path, name: str = "report.html") -> Page:
    write_report(document, folder / name, force=True)
    return Page((folder / name).read_text(encoding="utf-8"))


def tables(section: Section) -> list[Table]:
    """Return the tables of a section and of all sections in it."""
    found: list[Table] = []
    for block in section.blocks:
        found += tables(block) if isinstance(block, Section) else [block] if isinstance(block, Table) else []
    return found


def part(document: Document, ident: str) -> Section:
    return next(section for section in document.sections if section.id == ident)


def test_the_report_of_the_sample_has_its_numbers(demo: Path, tmp_path: Path) -> None:
    document = make_report(demo, FAST)
    page = page_of(document, tmp_path)
    assert not page.badly_nested
    assert "1,224 responses of 9 settings, 19 of them without a reply" in page.shown
    assert "636 of 1,205 completed responses are right (52.8" in page.shown
    (completed, planned) = tables(part(document, "accuracy"))[:2]
    assert completed.rows[0][:2] == ["simulated/careful", ("100.0", "[89.8\u2013100.0] n=34")]
    assert planned.rows[2][:2] == ["simulated/stops-early", ("82.4", "[66.5\u201391.7] n=34")]


def test_the_same_file_and_options_give_the_same_bytes(demo: Path, tmp_path: Path) -> None:
    written = []
    for name in ("one.html", "two.html"):
        assert main(["report", str(demo), "-o", str(tmp_path / name), "--replicates", "200", "--quiet"]) == 0
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]


def test_the_taxonomy_shows_program_difference_and_note(demo: Path, tmp_path: Path) -> None:
    page = page_of(make_report(demo, FAST), tmp_path)
    assert "Smallest program that people agree on" in page.shown and "Note of example-ana" in page.shown
    assert any(place == "mark" for place, _ in page.texts)


def test_hostile_texts_stay_texts_in_a_report(tmp_path: Path) -> None:
    path = hostile_audit(tmp_path)
    grade_file(path)
    page = page_of(make_report(path, FAST), tmp_path)
    assert not page.badly_nested and not page.open
    assert len(page.named("script")) == 1 and "alert" not in "".join(
        text for place, text in page.texts if place == "script"
    )


def test_a_file_without_reviews_has_a_report_that_says_so(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "a.db", replies={(0, "output", "model-a"): "right", (1, "output", "model-a"): None})
    document = make_report(path, ReportOptions(replicates=200, title="Mine", date="2026-01-02"))
    assert document.title == "Mine" and document.date == "2026-01-02"
    assert all(section.id != "taxonomy" for section in document.sections)
    page = page_of(document, tmp_path)
    assert "Nobody has reviewed anything" in page.shown and "1 of 15 completed responses are right (6.7" in page.shown


def test_what_cannot_be_reported_is_refused_before_anything_is_written(
    demo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, told in (
        (["-o", str(tmp_path / "report.pdf")], "written as .html"),
        (["-o", str(tmp_path / "report.html"), "--date", "tomorrow"], "is no day"),
        (["-o", str(tmp_path / "report.html"), "--where", "arm:nowhere"], "no response"),
        (["-o", str(tmp_path / "no" / "report.html")], "no folder"),
    ):
        assert main(["report", str(demo), "--replicates", "100", *arguments]) == 2
        assert told in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputError, match="written as"):
        write_report(Document("t", "s", []), tmp_path / "x.pdf")


def test_the_summary_speaks_in_sentences(demo: Path) -> None:
    summary = part(make_report(demo, FAST), "summary")
    sentences = [plain(words) for block in summary.blocks for words in getattr(block, "items", ())]
    assert all(sentence.endswith(".") for sentence in sentences) and len(sentences) >= 3
