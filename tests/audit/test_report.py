"""A report says what the audit file holds, the same bytes each time, and hostile texts do nothing in it."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from auditor.agreement.coefficient import Coefficient
from auditor.audit.demo import make_demo
from auditor.audit.grade import grade_file
from auditor.audit.report.doubtful import doubt_blocks, told_once
from auditor.audit.report.exemplar import quoted
from auditor.audit.report.make import PARTS, make_report
from auditor.audit.report.subject import ReportOptions, signed
from auditor.audit.report.transitions import Pairing, pairing_sentence
from auditor.audit.report.write import write_report
from auditor.audit.transitions import Transitions
from auditor.cli.main import main
from auditor.codebook import find_codebook
from auditor.documents.document import Bullets, Code, Document, Figure, Folded, Section, Table, plain
from auditor.documents.html_page import html_page
from auditor.documents.plots import BarPlot, HeatPlot, IntervalPlot, RadarPlot, TrendPlot
from auditor.errors import InputError
from auditor.store.annotators import ensure_annotator
from auditor.store.codebook_revisions import ensure_codebook
from auditor.store.file import now, open_file, transaction
from auditor.store.history import Actor, act, uuid7
from auditor.store.reviews import PutTags
from tests.audit.hostile_run import hostile_audit
from tests.builders import make_audit
from tests.documents.browser import check_opened
from tests.documents.reading_pages import Page
from tests.hostile import HOSTILE

FAST = ReportOptions(replicates=100)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "demo.db"
    make_demo(path, "exact-output")
    return path


@pytest.fixture(scope="module")
def report(demo: Path) -> Document:
    return make_report(demo, FAST)


def sample(name: str, factory: pytest.TempPathFactory) -> Document:
    path = factory.mktemp("report") / f"{name}.db"
    make_demo(path, name)
    return make_report(path, ReportOptions(replicates=100))


def test_how_far_a_report_is_only_grows_and_names_the_part(demo: Path) -> None:
    told: list[tuple[str, float]] = []
    make_report(demo, FAST, lambda label, done, total: told.append((label, done / total)))
    shares = [share for _, share in told]
    assert shares == sorted(shares) and shares[0] == 0 and max(shares) < 1
    labels = list(dict.fromkeys(label.split(":")[0] for label, _ in told))
    assert labels == ["method", *PARTS, "limits"] and "transitions: by setting" in dict(told)


@pytest.fixture(scope="module")
def prex(tmp_path_factory: pytest.TempPathFactory) -> Document:
    return sample("prex", tmp_path_factory)


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Document:
    return sample("core", tmp_path_factory)


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


def test_the_report_of_the_sample_has_its_numbers(report: Document, tmp_path: Path) -> None:
    page = page_of(report, tmp_path)
    assert not page.badly_nested
    assert "9 settings gave 1,224 responses, 19 of them without a reply" in page.shown
    assert "636 of 1,205 completed responses are right (52.8" in page.shown
    (completed, planned) = tables(part(report, "accuracy"))[:2]
    assert completed.rows[0][:2] == ["simulated/careful", ("100.0", "[89.8\u2013100.0] n=34")]
    assert planned.rows[2][:2] == ["simulated/stops-early", ("82.4", "[66.5\u201391.7] n=34")]


def test_reports_of_sample_runs_open_in_a_browser(
    report: Document, prex: Document, core: Document, tmp_path: Path
) -> None:
    for document in (report, prex, core):
        page_of(document, tmp_path)
        check_opened(tmp_path / "report.html", document.title)


def test_the_same_file_and_options_give_the_same_bytes(report: Document, tmp_path: Path) -> None:
    path = make_audit(tmp_path / "a.db", replies={(0, "output", "model-a"): "right"})
    for form in ("html", "md", "tex"):
        written = []
        for name in ("one", "two"):
            target = tmp_path / f"{name}.{form}"
            assert main(["report", str(path), "-o", str(target), "--replicates", "100", "--quiet"]) == 0
            written.append(target.read_bytes())
        assert written[0] == written[1]
    # Whatever order sets and threads bring into what was measured.
    assert list(html_page(report)) == list(html_page(report))


def test_the_taxonomy_shows_program_difference_and_note(report: Document, tmp_path: Path) -> None:
    page = page_of(report, tmp_path)
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


def test_the_summary_speaks_in_sentences(report: Document) -> None:
    summary = part(report, "summary")
    found, sure = (part for part in summary.blocks if isinstance(part, Section))
    sentences = [plain(words) for section in (found, sure) for words in getattr(section.blocks[0], "items", ())]
    assert all(sentence.endswith(".") for sentence in sentences) and len(sentences) >= 6
    said = " ".join(sentences)
    # A difference says which way it goes, and what is told first is what people or the computer say went wrong.
    assert "Accuracy falls by 22.56 points [" in said and "91 right answers turn wrong" in said
    assert "most often wrong_value (221, 38.8 %)" in said and "kappa" in said


@pytest.mark.parametrize(
    ("ends", "says"),
    [((1.0, 9.0), ["falls by 5.00 points [1.00, 9.00]"]), ((-1.0, 9.0), ["[−1.00, 9.00]", "may be chance: 0 lies"])],
)
def test_a_difference_that_may_be_chance_is_said_to_be_one(ends: tuple[float, float], says: list[str]) -> None:
    found = Transitions(20, 9, 2, 1, 9, 8, 0, 5.0, *ends, 100, 1, "numpy", 0.95, None, 0, 0)
    said = plain(pairing_sentence(Pairing("short → long", found)))
    assert all(words in said for words in says) and ("chance" in said) == (ends[0] < 0)
    # The same when it goes up: the ends are those of what is said.
    other = replace(found, difference=-5.0, ci_low=-ends[1], ci_high=-ends[0])
    assert plain(pairing_sentence(Pairing("short → long", other))) == said.replace("falls", "rises")


def figures(section: Section) -> list[Figure]:
    """Return the figures of a section and of all sections in it."""
    found: list[Figure] = []
    for block in section.blocks:
        found += figures(block) if isinstance(block, Section) else [block] if isinstance(block, Figure) else []
    return found


def test_transitions_count_what_the_command_counts(report: Document) -> None:
    section = part(report, "transitions")
    (table,) = [table for table in tables(section) if "arms" in table.caption]
    assert table.rows[0][:2] == ["short-trace-final → long-trace-final", "297"]
    assert [cell[0] for cell in table.rows[0][3:8]] == ["125", "91", "24", "57", "+22.56"]
    assert len(table.rows) == 6
    bars = figures(section)[0].plot
    assert isinstance(bars, BarPlot) and bars.rows[0].counts == (125, 91, 24, 57)


def test_errors_by_a_measure_are_those_of_the_bins(report: Document) -> None:
    plots = [figure.plot for figure in figures(part(report, "measures"))]
    assert [plot.title for plot in plots][:2] == ["Error by trace_length", "Error by peak_state"]
    for plot in plots:
        assert isinstance(plot, TrendPlot)
        points = [point for series in plot.series for point in series.points]
        assert sum(point.size or 0 for point in points) == 1205
        assert round(sum((point.point.value or 0) * (point.size or 0) for point in points)) == 1205 - 636


def test_computed_modes_are_counted_over_wrong_responses_and_said_to_be_computed(report: Document) -> None:
    section = part(report, "modes")
    by_setting, by_arm = (figure.plot for figure in figures(section))
    for plot in (by_setting, by_arm):
        assert isinstance(plot, BarPlot) and sum(sum(row.counts) for row in plot.rows) == 1205 - 636
    assert section.title == "Failure modes (computed)"


def test_agreement_has_the_numbers_of_the_command(
    demo: Path, report: Document, capsys: pytest.CaptureFixture[str]
) -> None:
    section = part(report, "agreement")
    assert main(["agreement", str(demo), "--json", "--replicates", "100", "--seed", str(FAST.seed)]) == 0
    found = json.loads(capsys.readouterr().out)["coefficients"]
    kappa = {one["tag"]: one for one in found if one["statistic"] == "cohen_kappa"}
    (by_tag,) = [table for table in tables(section) if "tag by tag" in table.caption]
    shown = {row[0]: row[1] for row in by_tag.rows}
    assert shown["arithmetic"][0] == f"{kappa['arithmetic']['value']:.3f}"
    assert "oracle disputed" not in shown and any("oracle disputed" in plain(note) for note in by_tag.notes)
    reasons = [
        item for one in section.blocks for block in getattr(one, "blocks", ()) for item in getattr(block, "items", ())
    ]
    assert any("Undefined: both annotators left out the tag on every item" in plain(reason) for reason in reasons)
    (judged,) = [table for table in tables(section) if table.caption == "computed modes against example-ana"]
    assert judged.rows[0][:4] == ["truncated", "7", "1", "0"]


def test_of_more_than_three_people_all_together_have_numbers_tag_by_tag(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "four.db"
    replies = {(case, "output", "model-a"): "wrong" for case in range(6)}
    make_audit(path, cases=6, replies=replies, settings=("model-a",), arms=("output",))
    with closing(open_file(path)) as connection, transaction(connection):
        book = ensure_codebook(connection, find_codebook("execution"))
        for place, name in enumerate(("ana", "ben", "cleo", "dan")):
            who = Actor(ensure_annotator(connection, name), book)
            for row in range(1, 7):
                tag = "copying" if (row + place) % 3 else "arithmetic"
                act(connection, who, row, PutTags((tag,)), uuid=uuid7(), at=now())
    section = part(make_report(path, FAST), "agreement")
    (by_tag,) = [table for table in tables(section) if table.caption == "Agreement of all people, tag by tag"]
    shown = {(row[1], row[2]): row[3][0] for row in by_tag.rows}
    how = ["--tag", "copying", "--statistic", "fleiss_kappa", "--json", "--replicates", "100", "--seed", str(FAST.seed)]
    assert main(["agreement", str(path), *how]) == 0
    (fleiss,) = json.loads(capsys.readouterr().out)["coefficients"]
    assert shown["copying", "Fleiss' kappa"] == signed(f"{fleiss['value']:.3f}")
    (figure,) = figures(section)
    assert isinstance(figure.plot, IntervalPlot)
    assert {row.label for group in figure.plot.groups for row in group.rows} == {"copying", "arithmetic"}


def test_items_that_people_differ_on_are_listed_smallest_first(report: Document) -> None:
    section = part(report, "agreement")
    (items,) = [table for table in tables(section) if "differ on" in table.caption]
    lines = [int(str(row[1])) for row in items.rows]
    assert lines == sorted(lines) and len(lines) == 25
    assert all(row[2] != row[3] for row in items.rows)


def test_prex_has_its_radar_and_the_tables_of_its_paper(prex: Document) -> None:
    (figure,) = figures(part(prex, "error-types"))
    assert isinstance(figure.plot, RadarPlot) and len(figure.plot.spokes) == 6 and len(figure.plot.shapes) == 6
    laid_out = part(prex, "papers")
    assert [section.id for section in laid_out.blocks if isinstance(section, Section)] == [
        *("layout-prex-table6", "layout-prex-errors", "layout-prex-modes")
    ]


def test_the_report_is_written_as_markdown_and_latex_too(report: Document, tmp_path: Path) -> None:
    for name in ("report.md", "tables.tex"):
        write_report(report, tmp_path / name)
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "636 of 1,205 completed responses are right" in text and "22.56" in text
        assert "def distance(source, goal):" in text.replace("\\ ", " ").replace("\\_", "_")


def test_plots_are_printed_and_written(demo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fast = ["--replicates", "100"]
    assert main(["plot", str(demo), "modes", *fast]) == 0
    printed = capsys.readouterr().out
    assert "[modes-setting]" in printed and "wrong_value  221" in printed
    assert main(["plot", str(demo), "transitions", "-o", str(tmp_path / "plots"), *fast]) == 0
    assert {path.name for path in (tmp_path / "plots").iterdir()} == {
        *("transitions-arms.svg", "differences-arms.svg", "transitions-settings.svg")
    }
    for name in ("transitions-arms.svg", "differences-arms.svg"):
        (tmp_path / "plots" / name).unlink()
    assert main(["plot", str(demo), "transitions", "-o", str(tmp_path / "plots"), *fast]) == 2
    assert "transitions-settings.svg: it exists already" in capsys.readouterr().err
    assert len(list((tmp_path / "plots").iterdir())) == 1, "all plots are written or none"
    assert main(["plot", str(demo), "accuracy", "--json", "-o", str(tmp_path / "a.svg"), *fast]) == 0
    (plot,) = json.loads(capsys.readouterr().out)["plots"]
    assert plot["name"] == "accuracy" and len(plot["groups"]) == 9
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").count("prefers-color-scheme") == 1
    for arguments, told in (
        (["nothing"], "There are accuracy"),
        (["error-types"], "nothing in this file to plot for error-types. Other plots: accuracy, core, transitions"),
        (["papers"], "there is no plot 'papers'"),
        (["measures", "--only", "x"], "There are measure-1"),
        (["measures", "-o", str(tmp_path / "m.svg")], "there are 4 plots and one file"),
        (["accuracy", "-o", str(tmp_path / "a.png")], "written as .svg"),
        (["accuracy", "-o", str(tmp_path / "a.svg")], "exists already"),
    ):
        assert main(["plot", str(demo), *arguments, *fast]) == 2
        assert told in capsys.readouterr().err


def test_core_has_its_heat_map_and_its_trend(core: Document) -> None:
    heat_map, exposure = (figure.plot for figure in figures(part(core, "core")))
    assert isinstance(heat_map, HeatPlot) and isinstance(exposure, TrendPlot)
    cells = {
        (row.label, column): v for row in heat_map.rows for column, v in zip(heat_map.columns, row.values, strict=True)
    }
    notes = " ".join(plain(note) for figure in figures(part(core, "core"))[:1] for note in figure.notes)
    assert "I_s is the share of implementations" in notes and "arker" not in notes
    assert cells["loops", "loops"] == 1.0 and cells["loops", "recursive"] == 0.0
    (series,) = exposure.series
    means = [point.point.value or 0 for point in series.points]
    assert means == sorted(means) and means[-1] == 1.0 and series.points[0].size is None
    assert series.points[-1].point[1:] == (None, None)  # all orders give the same: there is no band


def test_programs_that_experts_judge_are_no_answers_of_a_report(tmp_path: Path) -> None:
    path = tmp_path / "core.db"
    make_demo(path, "core")
    assert main(["subjects", str(path)]) == 0
    item = "core-implementations/longest-run%2Ffunctional/implementation/subject/0"
    for who in ("ana", "ben"):
        put = ["tags", "put", str(path), "--annotator", who, "--item", item, "--codebook", "core-implementations"]
        assert main([*put, "--tag", "valid"]) == 0
    document = make_report(path, ReportOptions(replicates=100))
    shown = page_of(document, tmp_path).shown
    assert "8 settings gave 2,849 responses" in shown
    # What is judged is shown with what it is held against, and nobody looks for a prediction in it.
    assert "What is judged beside it" in shown and "No prediction was found" not in shown


def test_more_rates_than_intervals_can_be_drawn_are_a_heat_map(tmp_path: Path) -> None:
    settings = [f"provider/model-{at}" for at in range(40)]
    path = make_audit(tmp_path / "a.db", cases=1, settings=settings, replies={(0, "state", settings[7]): "right"})
    (figure,) = figures(part(make_report(path, FAST), "accuracy"))
    assert isinstance(figure.plot, HeatPlot) and len(figure.plot.rows) == 40
    assert figure.plot.rows[7].values == (0.0, 1.0) and "intervals" in plain(figure.notes[0])


def test_arms_without_a_grade_are_left_out_of_the_accuracy_in_all(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "a.db", cases=2, settings=("m",), replies={(0, "output", "m"): "right"})
    with sqlite3.connect(path) as connection:
        of_arm = "SELECT r.id FROM responses r JOIN tasks t ON t.id = r.task_id WHERE t.arm = 'state'"
        connection.execute(f"DELETE FROM grades WHERE response_id IN ({of_arm})")
    lead = plain(getattr(part(make_report(path, FAST), "summary").blocks[0], "words", ""))
    assert "1 of 2 completed responses are right (50.0 %)" in lead
    assert lead.endswith("Left out: 2 responses to arms of which not all replies are graded.")


def test_a_reason_stands_once_whatever_number_it_names() -> None:
    def coefficient(clusters: int, tag: str) -> Coefficient:
        told = f"Only {clusters} clusters: percentile intervals from fewer than 20 are too narrow on average."
        return Coefficient("cohen_kappa", "pair", ("ana", "ben"), tag, 9, clusters, 0.5, warnings=(told,))

    found = [coefficient(9, "a"), coefficient(14, "b"), coefficient(11, "a")]
    (reason,) = told_once(found)
    assert reason.sentence.startswith("Only 9 to 14 clusters: ") and len(reason.concerned) == 3
    undefined = Coefficient("cohen_kappa", "pair", ("ana", "ben"), "c", 9, 3, None, reason="Nobody used the tag.")
    bullets, folded = doubt_blocks([*found, undefined], {"a": "arithmetic"})
    assert isinstance(bullets, Bullets) and isinstance(folded, Folded)
    assert list(bullets.items) == ["Undefined: nobody used the tag (c)"]
    (table,) = folded.blocks
    assert isinstance(table, Table) and [row[2:] for row in table.rows] == [["kappa", "arithmetic, b"]]


def test_what_evidence_quotes_is_code() -> None:
    assert quoted("has `3`, not `4`.") == ["has ", Code("3"), ", not ", Code("4"), "."]
    assert quoted("an odd ` one") == ["an odd ` one"]


def test_every_reader_of_markdown_sees_a_hostile_report_as_text(tmp_path: Path) -> None:
    path = hostile_audit(tmp_path)
    grade_file(path)
    for name in ("ana", "<b>`x`|</b>"):
        for item in ("study%20[x]/[%2F]/output/NA/0", "study%20[x]/C:\\/output/NA/0"):
            put = ["tags", "put", str(path), "--annotator", name, "--codebook", "execution", "--item", item]
            assert main([*put, "--tag", "copying", "--note", HOSTILE["fence"]]) == 0
    write_report(make_report(path, FAST), tmp_path / "report.md")
    written = (tmp_path / "report.md").read_text(encoding="utf-8")
    page = Page(MarkdownIt("commonmark").enable("table").render(written))
    assert not page.badly_nested and {"script", "b", "img", "a"}.isdisjoint(tag for tag, _ in page.elements)
    assert len(page.named("h1")) == 1 and "<b>`x`|</b>" in page.shown
    for table in re.findall(r"(?m)(?:^\|.*\n){2,}", written):
        assert len({len(re.split(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1
