"""The tables of exact output and checkpoint state: the printed ones from the published grid, byte for byte."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit.grade import grade_file
from auditor.audit.layout_writing import written
from auditor.audit.layouts import LaidOut, lay_out
from auditor.audit.load import LoadOptions, load
from auditor.audit.report.make import make_report
from auditor.audit.report.subject import ReportOptions
from auditor.audit.report.write import write_report
from auditor.cli.main import main
from auditor.store.file import open_for_reading
from tests.documents.browser import check_opened, require_browser
from tests.runs import write_paper_grid

PRINTED = {
    "exact-output-table3": """
        gpt-5.6-sol-high 93.0/93.0 77.0/77.0 65.5/65.5 63.5/63.5
        gpt-5.6-sol-off 46.2/46.2 32.9/32.5 7.8/7.5 12.6/11.8
        glm-5.3-high 87.2/87.2 64.5/64.5 36.2/36.2 33.2/33.2
        deepseek-v4-pro-0813-high 91.5/91.5 71.0/71.0 52.8/52.8 39.8/39.8
        deepseek-v4-pro-0813-off 19.2/19.2 14.5/14.5 0.2/0.2 0.5/0.5
        qwen3.8-27b-high 82.0/82.0 44.2/44.2 16.5/16.5 14.5/14.5
        qwen3.8-27b-off 12.2/12.2 13.0/13.0 0.0/0.0 0.0/0.0""",
    "exact-output-table4": """
        deepseek-v4-pro-0813-high 1600 133 63.8% 63.8%
        deepseek-v4-pro-0813-off 1600 154 8.6% 8.6%
        glm-5.3-high 1600 396 55.3% 55.3%
        gpt-5.6-sol-high 1600 18 74.8% 74.8%
        gpt-5.6-sol-off 1553 55 25.2% 24.5%
        qwen3.8-27b-high 1598 429 39.4% 39.3%
        qwen3.8-27b-off 1600 46 6.3% 6.3%""",
    "exact-output-table5": """
        gpt-5.6-sol-high 80.7 75.7 82.5 81.8 5.0
        gpt-5.6-sol-off 29.8 22.5 20.0 15.1 0.0
        glm-5.3-high 60.0 60.0 56.7 61.4 0.0
        deepseek-v4-pro-0813-high 65.9 72.9 83.3 81.8 0.0
        deepseek-v4-pro-0813-off 10.2 5.0 8.3 6.8 0.0
        qwen3.8-27b-high 43.4 44.3 30.0 46.5 0.0
        qwen3.8-27b-off 7.4 4.3 3.3 8.0 0.0
        gpt-5.6-sol-high 80.7 75.7 82.5 81.8 5.0
        gpt-5.6-sol-off 28.6 22.1 20.0 14.8 0.0
        glm-5.3-high 60.0 60.0 56.7 61.4 0.0
        deepseek-v4-pro-0813-high 65.9 72.9 83.3 81.8 0.0
        deepseek-v4-pro-0813-off 10.2 5.0 8.3 6.8 0.0
        qwen3.8-27b-high 43.4 44.3 30.0 45.5 0.0
        qwen3.8-27b-off 7.4 4.3 3.3 8.0 0.0""",
}
"""The rows as they are printed; the paper shortens the names of two settings."""


@pytest.fixture(scope="module")
def grid(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("grid")
    file = folder / "grid.db"
    load(file, [write_paper_grid(shared, folder / "run")], LoadOptions())
    grade_file(file)
    return file


@pytest.fixture
def connection(grid: Path) -> Iterator[sqlite3.Connection]:
    with closing(open_for_reading(grid)) as found:
        yield found


def rows_of(laid_out: LaidOut) -> list[list[str]]:
    return [list(row) for table in laid_out.tables for row in table.rows]


@pytest.mark.parametrize("name", PRINTED)
def test_a_table_is_as_it_is_printed(connection: sqlite3.Connection, name: str) -> None:
    printed = [line.split() for line in PRINTED[name].strip().splitlines()]
    assert rows_of(lay_out(connection, name)) == printed


def test_table_2_counts_cases_sources_and_graded_predictions(connection: sqlite3.Connection) -> None:
    assert [row[:5] for row in rows_of(lay_out(connection, "exact-output-table2"))] == [
        ["lcb_python", "python", "283", "283", "7,881"],
        ["lcb_cpp", "cpp", "35", "35", "978"],
        ["classic", "python", "30", "30", "840"],
        ["codecontests", "cpp", "22", "22", "612"],
        ["networkx", "python", "30", "1", "840"],
        ["Total", "", "400", "371", "11,151"],
    ]


def test_table_7_has_the_printed_decrements_and_the_same_bytes_again(connection: sqlite3.Connection) -> None:
    found = lay_out(connection, "exact-output-table7")
    # The intervals hang on which programs fail, which the grid makes up.
    assert [row[:5] for row in rows_of(found)] == [
        ["All Python", "All seven", "2397", "314", "15.89"],
        ["All Python", "Four high", "1372", "314", "22.81"],
        ["Exclude networkx", "All seven", "2187", "313", "17.33"],
        ["Exclude networkx", "Four high", "1252", "313", "24.84"],
    ]
    changes = [(one["correct_to_wrong"], one["wrong_to_correct"]) for one in found.records]
    assert changes[:2] == [(528, 147), (339, 26)]
    again = lay_out(connection, "exact-output-table7")
    for form in ("md", "tex", "csv"):
        assert written(found, form) == written(again, form)


def test_table_6_is_fitted_on_the_published_rows_and_clusters(connection: sqlite3.Connection) -> None:
    found = lay_out(connection, "exact-output-table6")
    assert [row[:2] for row in rows_of(found)] == [
        ["Trace + peak", "Trace"],
        ["Trace + peak", "Peak state"],
        ["Trace + peak + load", "Trace"],
        ["Trace + peak + load", "Peak state"],
        ["Trace + peak + load", "State load"],
    ]
    # The measures are made up here, so that only what is fitted is the paper's.
    assert {(one["n"], one["clusters"]) for one in found.records} == {(8_721, 313)}
    assert found.notes[0] == "Of (language:python) (study:lcb_python,classic)."


def test_table_8_counts_the_supported_of_the_estimable_series(connection: sqlite3.Connection) -> None:
    found = lay_out(connection, "exact-output-table8", "study:classic,networkx,codecontests mode:high")
    (table,) = found.tables
    assert table.columns[1::2] == ["python supported", "cpp supported"]
    # Of four settings, three answer no input of the routine that networkx is about.
    assert [cell.split(" / ")[1] for row in table.rows for cell in row[1::2]] == ["5", "4"] * 3
    assert len(found.records) == 3 * (8 + 4)


def test_a_table_is_written_in_each_form_and_printed_so_too(
    grid: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    call = ["accuracy", str(grid), "--layout", "exact-output-table4"]
    for form in ("md", "tex", "csv", "json"):
        path = tmp_path / f"table.{form}"
        assert main([*call, "-o", str(path)]) == 0
        capsysbinary.readouterr()
        assert main([*call, "--format", form]) == 0
        assert capsysbinary.readouterr().out == path.read_bytes()
    text = (tmp_path / "table.tex").read_text(encoding="utf-8")
    assert "deepseek-v4-pro-0813-high & 1600 & 133 & 63.8\\% & 63.8\\% \\\\\n" in text
    assert text.count("\\toprule") == text.count("\\bottomrule") == 1
    rows = list(csv.DictReader((tmp_path / "table.csv").read_text(encoding="utf-8").splitlines()))
    assert (rows[3]["setting"], rows[3]["correct"], rows[3]["invalid_envelopes"]) == ("gpt-5.6-sol-high", "1196", "18")
    assert json.loads((tmp_path / "table.json").read_text(encoding="utf-8"))["records"][3]["correct"] == 1196


def test_the_report_of_the_grid_opens_in_a_browser(grid: Path, tmp_path: Path) -> None:
    require_browser()
    write_report(make_report(grid, ReportOptions(replicates=200)), tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "4,361 of 11,151 completed responses are right" in page and "15.89" in page
    check_opened(tmp_path / "report.html", "Audit of grid")
