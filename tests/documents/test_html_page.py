"""A page shows every text as it is, can do nothing, asks for nothing, and can be read without seeing it."""

from __future__ import annotations

import base64
import hashlib
import re
from itertools import pairwise

from auditor.documents.document import (
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Document,
    Facts,
    Figure,
    Folded,
    Link,
    Listing,
    Paragraph,
    Section,
    Table,
)
from auditor.documents.html_page import html_page
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
    RadarPlot,
    RadarShape,
    Series,
    TrendPlot,
    TrendPoint,
)
from auditor.model import Span
from auditor.text import visible, visible_line
from tests.documents.reading_pages import Page
from tests.hostile import HOSTILE

UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def plots_of(text: str) -> list[Plot]:
    """Return a plot of each kind in which a text is every label."""
    axis = Axis(text)
    intervals = IntervalGroup(text, (IntervalRow(text, Point(0.5, 0.2, 0.9), 1, text), IntervalRow(text, Point(None))))
    points = (TrendPoint(0, Point(0.2, 0.1, 0.4), 10), TrendPoint(1, Point(0.4), 5))
    return [
        IntervalPlot(text, axis, (intervals,)),
        BarPlot(text, (text, "b"), (BarRow(text, (3, 1)), BarRow("x", (0, 0)))),
        TrendPlot(text, text, (text, "2..3"), axis, (Series(text, points),)),
        RadarPlot(text, axis, (text, "b", "c"), (RadarShape(text, (0.1, 0.5, None)),)),
        HeatPlot(text, axis, text, text, (text, "b"), (HeatRow(text, (0.1, None)),)),
    ]


def document_of(text: str) -> Document:
    """Return a document in which a text stands wherever a text can."""
    table = Table(text, [Column(text, False), Column("n")], [[text, Cell(text, text)]], [(text, Code(text))])
    blocks: list[Block | Section] = [
        Paragraph((text, Code(text), Link(text, "inner")), "lead"),
        Bullets([text, (text,)]),
        Facts([(text, text)]),
        table,
        Folded(text, [Paragraph(text, "warning")]),
        Listing(text, text, text, 5_000_000, [Span(0, 1)], True),
        Listing(text, f"first\n{text}", "python", line=2),
        Section("inner", text, [Figure(f"fig-{at}", plot, [text]) for at, plot in enumerate(plots_of(text))]),
    ]
    return Document(text, text, [Section("outer", text, blocks)], text, text)


def page_of(document: Document) -> tuple[str, Page]:
    text = "\n".join(html_page(document))
    return text, Page(text)


def test_hostile_texts_stay_texts_everywhere_on_the_page() -> None:
    _, plain = page_of(document_of("word"))
    elements = {tag for tag, _ in plain.elements} | {"wbr"}
    for name, text in HOSTILE.items():
        source, page = page_of(document_of(text))
        assert not page.badly_nested and not page.open, name
        assert {tag for tag, _ in page.elements} | {"wbr"} == elements, name
        assert len(page.named("script")) == len(page.named("style")) == 1, name
        assert visible(text).strip() in page.shown and visible_line(text).strip() in page.shown, name
        assert not UNSEEN.search(source), name
        source.encode()


def test_the_page_may_only_do_what_its_own_hashes_allow() -> None:
    source, page = page_of(document_of("</style></script><script>alert(1)</script><img src=x onerror=alert(1)>"))
    (policy,) = [meta["content"] for meta in page.named("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None and policy.startswith("default-src 'none';")
    for tag in ("style", "script"):
        (inner,) = re.findall(f"<{tag}>(.*?)</{tag}>", source, re.DOTALL)
        assert f"{tag}-src 'sha256-{base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()}'" in policy
    for tag, attributes in page.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form", "audio", "video"), tag
        assert not {name for name in attributes if name.startswith("on") or name in ("src", "style", "srcset")}, tag
        assert (attributes.get("href") or "#").startswith("#")
    assert "url(" not in source and "@import" not in source


def test_the_page_can_be_walked_without_seeing_it() -> None:
    _, page = page_of(document_of("word"))
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(set(ids)) == len(ids)
    assert [len(page.named(tag)) for tag in ("h1", "main", "nav", "header")] == [1, 1, 1, 1]
    assert page.elements[[tag for tag, _ in page.elements].index("a")][1] == {"class": "skip", "href": "#content"}
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    for link in page.named("a"):
        assert (link["href"] or "").removeprefix("#") in ids
    assert all(cell.get("scope") in ("col", "row") for cell in page.named("th"))
    assert len(page.named("caption")) == len(page.named("table"))
    for picture in page.named("svg"):
        named = (picture["aria-labelledby"] or "").split()
        assert picture["role"] == "img" and len(named) == 2 and set(named) <= set(ids)
    # Every plot is there for a page, for a phone, and as a table.
    assert len(page.named("svg")) == 2 * len(page.named("figure")) == 10
    groups = [attributes for _, attributes in page.elements if attributes.get("role") == "group"]
    assert len(groups) == len(page.named("table")) + len(page.named("pre"))
    assert all(group["tabindex"] == "0" and group["aria-label"] for group in groups)


def test_what_is_cut_says_of_how_much() -> None:
    _, page = page_of(Document("t", "s", [Section("a", "A", [Listing("Reply", "x" * 40, length=5_000_000)])]))
    assert "40 of 5,000,000 characters are shown" in page.shown


def test_marked_characters_are_marked_exactly() -> None:
    listing = Listing("Oracle", "a<b>c\r", marks=[Span(1, 4), Span(5, 6)])
    _, page = page_of(Document("t", "s", [Section("a", "A", [listing])]))
    assert [text for place, text in page.texts if place == "mark"] == ["<b>", "␍"]
    assert [text for place, text in page.texts if place == "code"] == ["a", "c"]


def test_a_program_has_a_line_a_row_and_one_that_is_pointed_at() -> None:
    listing = Listing("Program", "a = 1\n\n<b>\n", "python", numbered=True, line=3)
    _, page = page_of(Document("t", "s", [Section("a", "A", [listing])]))
    rows = [attributes["class"] for attributes in page.named("span")]
    assert rows == ["l", "l", "l at"]
    assert "".join(text for place, text in page.texts if place == "span") == "a = 1\n\n<b>\n"


def test_what_is_only_spelled_differently_is_marked_as_no_difference() -> None:
    listing = Listing("Oracle", "[1, 2]\n", marks=[Span(4, 5)], spelled=[Span(6, 7)], removed=True)
    _, page = page_of(Document("t", "s", [Section("a", "A", [listing])]))
    marks = [(attributes["class"], attributes["title"]) for attributes in page.named("mark")]
    assert marks == [("g", "lacking"), ("s", "another spelling of the same value")]
    assert page.texts_of("mark") == ["2", "↵\n"]


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, WCAG 2.2."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_texts_and_marks_stand_out_from_their_ground_in_both_themes() -> None:
    source, _ = page_of(document_of("word"))
    (style,) = re.findall("<style>(.*?)</style>", source, re.DOTALL)
    light = dict(re.findall(r"--([\w-]+):(#\w+)", style[: style.index("}")]))
    (dark_rules,) = re.findall(r"data-theme=dark\]\{(.*?)\}", style)
    dark = light | dict(re.findall(r"--([\w-]+):(#\w+)", dark_rules))
    texts = [("ink", "page"), ("soft", "page"), ("link", "page"), ("ink", "raised"), ("soft", "raised")]
    texts += [("ink", ground) for ground in ("marked", "gone", "warn")]
    texts += [pair for at in range(8) for pair in (("on", f"s{at}"), (f"s{at}", "page"))]
    for theme in (light, dark):
        assert all(contrast(theme[one], theme[other]) >= 4.5 for one, other in texts)
        assert contrast(theme["focus"], theme["page"]) >= 3
    assert light["page"] != dark["page"]
