"""Documents in Markdown, LaTeX and characters: the same contents, and no text from data acts as markup."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len

from auditor.documents.characters import plot_lines
from auditor.documents.document import Bullets, Cell, Column, Document, Facts, Listing, Paragraph, Section, Table
from auditor.documents.latex_text import latex_text
from auditor.documents.markdown_text import code_span, markdown_text
from auditor.documents.plots import Axis, BarPlot, BarRow, IntervalGroup, IntervalPlot, IntervalRow, Plot, Point
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
