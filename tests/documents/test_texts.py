"""Documents in Markdown, LaTeX and characters: the same contents, and no text from data acts as markup."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from rich.cells import cell_len

from auditor.documents.characters import plot_lines
from auditor.documents.document import Bullets, Cell, Column, Document, Facts, Listing, Paragraph, Section, Table
from auditor.documents.drawing import fitted, text_width
from auditor.documents.latex_text import latex_text
from auditor.documents.markdown_text import code_span, markdown_text
from auditor.documents.plots import (
    Axis,
    BarPlot,
    BarRow,
    HeatPlot,
    HeatRow,
    IntervalGroup,
    IntervalPlot,
    IntervalRow,
    Plot,
    Point,
    Series,
    TrendPlot,
    TrendPoint,
)
from auditor.documents.svg import svg_file, svg_picture
from auditor.text import visible_line
from tests.documents.reading_pages import Page
from tests.documents.test_html_page import UNSEEN, document_of, plots_of
from tests.hostile import HOSTILE


def of(*blocks: Paragraph | Bullets | Facts | Table | Listing) -> Document:
    return Document("Title", "Sub", [Section("a", "Part", list(blocks))])


@pytest.mark.parametrize("writer", [markdown_text, latex_text])
def test_hostile_texts_are_written_without_what_acts_on_a_reader(writer: object) -> None:
    assert callable(writer)
    for name, text in HOSTILE.items():
        written = "\n".join(writer(document_of(text)))
        assert not UNSEEN.search(written), name
        written.encode()


SIGNS = {"textbackslash", "textasciitilde", "textasciicircum", "textless", "textgreater", "textbar", "char"}
"""Commands that stand for characters."""


def commands(document: Document) -> set[str]:
    lines = [line for line in latex_text(document) if not line.startswith("%")]
    return set(re.findall(r"\\([a-z]+)", "\n".join(lines)))


def test_no_text_is_a_command_of_latex() -> None:
    hostile = "\\input{/etc/passwd} %$&#_^~{} [x] \\end{tabular}|<>\n[second\n\n  third"
    assert commands(document_of(hostile)) - commands(document_of("word " * 20)) <= SIGNS
    written = "\n".join(latex_text(of(Paragraph(hostile), Listing(hostile, hostile))))
    bare = re.sub(r"\\[{}\\]", "", written)
    assert bare.count("{") == bare.count("}")
    # A bracket after a line break would be taken for its option.
    assert not re.search(r"\\\\\s*[\[*]", written)


def test_markdown_shows_numbers_plots_and_what_is_cut() -> None:
    table = Table("Cap", [Column("name", False), Column("n")], [["a|b", Cell("1", "[0, 2]")]], ["Told."])
    written = "\n".join(markdown_text(of(table, Listing("Reply", "``` x", length=5_000_000))))
    assert "| a\\|b | 1 \\[0, 2\\] |" in written and "Told." in written
    assert "````\n``` x\n````" in written and "Cut: 5 of 5,000,000 characters are shown." in written


def test_a_share_beside_a_number_stands_in_parentheses_where_both_are_in_one_line() -> None:
    cells = [Cell("3", "[0, 2]"), Cell("4", "n=9"), Cell("125", "42.1 %"), Cell("5")]
    table = Table("Cap", [Column("n")] * 4, [cells])
    assert "3 \\[0, 2\\] | 4 n=9 | 125 (42.1 %) | 5 |" in "\n".join(markdown_text(of(table)))
    assert "(42.1 \\%)" in "\n".join(latex_text(of(table)))


def test_parts_of_bars_are_summed_only_where_nothing_is_in_two_bars() -> None:
    rows = (BarRow("ana", (3, 1)), BarRow("ben", (1, 0)))
    apart, shared = (BarPlot("t", ("x", "y"), rows, "tag", disjoint=disjoint) for disjoint in (True, False))
    lines, others = ([line.rstrip() for line in plot_lines(plot, 60)] for plot in (apart, shared))
    assert lines[-2:] == ["  a  x  4", "  b  y  1"] and others[-2:] == ["  a  x", "  b  y"]
    assert [line.split()[-2:] for line in lines if "aaa" in line] == [["4", "tags"], ["1", "tag"]]
    assert "4 tags" in svg_file(apart) and "1 tag<" in svg_file(apart)


@pytest.mark.parametrize("text", ["a", "`", "a`b", "``", " x", "a``b`c", ""])
def test_code_in_a_sentence_ends_where_its_fence_does(text: str) -> None:
    span = code_span(text)
    fence = span[: len(span) - len(span.lstrip("`"))]
    inner = span[len(fence) : -len(fence)]
    assert span.endswith(fence) and fence not in inner.strip(" ") and inner.strip(" ") == visible_line(text).strip(" ")


@pytest.mark.parametrize("at", range(5))
def test_every_plot_is_drawn_in_characters_and_as_a_file(at: int) -> None:
    for name, text in HOSTILE.items():
        plot = plots_of(text)[at]
        lines = list(plot_lines(plot, 80))
        assert len(lines) > 3 and not any(UNSEEN.search(line) or "\n" in line for line in lines), name
        page = Page(svg_file(plot))
        assert not page.badly_nested and {tag for tag, _ in page.elements} & {"script", "image", "a", "use"} == set()
        assert visible_line(text) == "".join(page.texts_of("title")), name


def test_marks_stand_where_the_axis_says() -> None:
    row = IntervalRow("x", Point(0.5, 0.0, 1.0))
    plot: Plot = IntervalPlot("t", Axis("share"), (IntervalGroup("", (row,)),))
    (line,) = [line for line in plot_lines(plot, 60) if "├" in line]
    track = line.split()[1]
    assert track[0] == "├" and track[-1] == "┤" and abs(track.index("●") - (len(track) - 1) / 2) <= 1
    assert "50.0 [0.0, 100.0]" in line


def test_bars_are_divided_by_their_counts() -> None:
    plot = BarPlot("t", ("p", "q", "r"), (BarRow("one", (1, 1, 2)), BarRow("none", (0, 0, 0))))
    drawn = next(line for line in plot_lines(plot, 60) if "aa" in line).split()[1]
    assert abs(drawn.count("a") - drawn.count("b")) <= 1 and abs(drawn.count("c") - 2 * drawn.count("a")) <= 1
    picture = Page(svg_picture(plot, "x"))
    widths = [float(box["width"] or 0) for box in picture.named("rect") if box["height"] == "22"]
    assert widths[0] == widths[1] == pytest.approx(widths[2] / 2, abs=0.2) and len(widths) == 3


def test_lines_of_a_plot_are_as_wide_as_asked_where_labels_leave_room() -> None:
    plot = IntervalPlot("t", Axis("x"), (IntervalGroup("g", (IntervalRow("名" * 60, Point(0.5)),)),))
    assert all(cell_len(line) <= 80 for line in plot_lines(plot, 80))


def test_a_count_beside_a_value_leaves_a_line_as_wide_as_asked() -> None:
    row = IntervalRow("short-trace-final and long-trace-final", Point(0.123, 0.011, 0.987), beside="12,345 pairs")
    plot = IntervalPlot("t", Axis("x"), (IntervalGroup("", (row,)),))
    for width in (80, 96, 120, 160):
        lines = list(plot_lines(plot, width))
        assert max(map(cell_len, lines)) == width and any("12,345 pairs" in line for line in lines)


def test_labels_that_are_cut_keep_both_ends_and_marks_whole() -> None:
    name = "provider/" + "very-long-" * 12 + "temp0.7"
    cut = fitted(name, 200)
    assert cut.startswith("provider/") and cut.endswith("temp0.7") and "…" in cut and text_width(cut) <= 200
    assert fitted("short", 200) == "short"
    odd = fitted("\u202e" * 40, 150)
    assert odd.count("<") == odd.count(">") and text_width(odd) <= 150


def test_labels_of_places_stand_inside_the_picture() -> None:
    places = ("1..9", "10..99", "100..99999999999")
    points = tuple(TrendPoint(at, Point(0.5)) for at in range(3))
    plot = TrendPlot("t", "length", places, Axis("x"), (Series("one", points),))
    picture = Page(svg_picture(plot, "x", 340))
    middles = [float(text["x"] or 0) for text in picture.named("text") if text.get("text-anchor") == "middle"]
    for middle, place in zip(middles, places, strict=False):
        half = text_width(place) / 2 - 0.1  # places are written to a tenth of a pixel
        assert middle - half >= 0 and middle + half <= 340


def test_lines_behind_values_leave_the_labels_above_them_free() -> None:
    rows = tuple(IntervalRow(f"a long label of a row, number {at} of some", Point(0.5, 0.2, 0.7)) for at in range(3))
    picture = Page(svg_picture(IntervalPlot("t", Axis("x"), (IntervalGroup("", rows),)), "x", 340))
    labels = [float(text["y"] or 0) for text in picture.named("text") if text.get("x") == "8"]
    assert len(labels) == 3
    for line in picture.named("path"):
        bands = [tuple(map(float, band)) for band in re.findall(r"M[\d.]+ ([\d.]+)V([\d.]+)", line["d"] or "")]
        assert len(bands) == 3 and not any(top < label < bottom for top, bottom in bands for label in labels)


ODD = "".join(map(chr, [*range(0xA1, 0x250), 0x2400, 0x240A, 0x241B, 0x2713, 0x6F22, 0x1053E, 0x1F469]))


def test_latex_tells_letters_that_it_may_not_have_by_name_or_code_point() -> None:
    written = "\n".join(latex_text(of(Paragraph("a\x00b\nc 漢 ħ é → − ŋ"))))
    assert "a\\textless{}nul\\textgreater{}b\\textless{}lf\\textgreater{}c" in written
    assert "\\auditorchar{6F22}" in written and "\\auditorchar{0127}" in written and "é → $-$ ŋ" in written


def test_pdflatex_takes_every_character(tmp_path: Path) -> None:
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("there is no pdflatex here")
    odd = "\n".join([ODD, *HOSTILE.values()])
    document = of(Paragraph(odd), Table(ODD, [Column(odd, False)], [[Cell(odd, odd)]]), Listing("x", odd))
    (tmp_path / "report.tex").write_text("\n".join(latex_text(document)), encoding="utf-8")
    head = "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs,textcomp}\\begin{document}"
    (tmp_path / "main.tex").write_text(head + "\\input{report}\\end{document}", encoding="utf-8")
    order = [program, "-interaction=nonstopmode", "-draftmode", "-halt-on-error", "main.tex"]
    done = subprocess.run(order, cwd=tmp_path, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-1500:]


def test_columns_of_a_heat_map_fit_and_cut_names_keep_both_ends() -> None:
    names = tuple(f"a-long-name-of-an-arm-{at}" for at in range(6))
    plot = HeatPlot(
        "t", Axis("x"), "arm", "settings", names, (HeatRow("provider/" + "m" * 50 + "temp0.7", (0.5,) * 6),)
    )
    for width in (80, 120, 200):
        lines = list(plot_lines(plot, width))
        assert all(cell_len(line) <= width for line in lines)
    assert "provider/" in lines[3] and "temp0.7" in lines[3] and "a-long-name-of-an-arm-5" in lines[2]
