"""A document as one HTML page that needs nothing else: it asks for nothing, and what is text stays text."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from auditor.documents.document import (
    Block,
    Bullets,
    Cell,
    Code,
    Document,
    Facts,
    Figure,
    Folded,
    Link,
    Listing,
    Paragraph,
    Section,
    Table,
    Words,
    table_of,
)
from auditor.documents.drawing import DARK, STYLE
from auditor.documents.markup import escaped
from auditor.documents.svg import NARROW, svg_picture
from auditor.text import counted

_DARK = (
    f"color-scheme:dark;{DARK};--raised:#1c1f25;--link:#8db8f2;--focus:#f2b35e;--bad:#f28fa6;--marked:#54400f;"
    "--gone:#57262c;--warn:#2e2614;--warn-edge:#d9a441"
)
_PERCENT = re.compile(r"(?<=\d) %")
_SHORT = 40
"""Characters up to which the name of a row stays on one line."""
_FOLD_ROWS = 40
"""Rows of a table from which on the page keeps it behind a summary."""


def html_page(document: Document) -> Iterator[str]:
    """Return the lines of the page."""
    style, script = _style(), _read("page.js")
    policy = (
        f"default-src 'none'; style-src 'sha256-{_digest(style)}'; script-src 'sha256-{_digest(script)}';"
        " base-uri 'none'; form-action 'none'"
    )
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="referrer" content="no-referrer">'
    yield f"<title>{escaped(document.title)}</title>\n<style>{style}</style>\n</head>\n<body>"
    yield '<a class="skip" href="#content">Skip to the report</a>\n<div class="sheet">'
    yield f'<header class="top"><div>\n<h1>{escaped(document.title)}</h1>'
    yield f'<p class="sub">{escaped(document.subtitle)}</p>'
    made = " · ".join(filter(None, (document.made_with, document.date)))
    yield f'<p class="made">{escaped(made)}</p></div>'
    yield '<button id="theme" type="button" hidden>Colours</button>\n</header>'
    yield '<nav aria-labelledby="nav-title"><div>\n<h2 id="nav-title">Contents</h2>'
    yield f"{_contents(document.sections, 2)}\n</div></nav>\n"
    yield '<main id="content" tabindex="-1">'
    for section in document.sections:
        yield from _section(section, 2)
    yield f"</main>\n</div>\n<script>{script}</script>\n</body>\n</html>"


@cache
def _style() -> str:
    return _read("page.css").replace("/*dark*/", _DARK) + STYLE


@cache
def _read(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _contents(sections: Iterable[Section], depth: int) -> str:
    """List sections and, down to a depth, those inside them."""
    items = []
    for section in sections:
        inner = [block for block in section.blocks if isinstance(block, Section)]
        below = _contents(inner, depth - 1) if inner and depth > 1 else ""
        items.append(f'<li><a href="#{section.id}">{escaped(section.title)}</a>{below}</li>')
    return f"<ol>{''.join(items)}</ol>"


def _section(section: Section, level: int) -> Iterator[str]:
    yield f'<section id="{section.id}" aria-labelledby="{section.id}-h">'
    yield f'<h{level} id="{section.id}-h">{escaped(section.title)}</h{level}>'
    for block in section.blocks:
        if isinstance(block, Section):
            yield from _section(block, min(level + 1, 6))
        else:
            yield from _block(block)
    yield "</section>"


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph(words, kind):
            classes = "" if kind == "text" else f' class="{kind}"'
            yield f"<p{classes}>{_words(words)}</p>"
        case Bullets(items):
            yield "<ul>" + "".join(f"<li>{_words(item)}</li>" for item in items) + "</ul>"
        case Facts(rows):
            yield (
                "<dl>"
                + "\n".join(f"<dt>{escaped(name)}</dt><dd>{_words(words)}</dd>" for name, words in rows)
                + "</dl>"
            )
        case Table():
            yield from _folded_table(block)
        case Listing():
            yield from _listing(block)
        case Figure():
            yield from _figure(block)
        case Folded(summary, blocks):
            yield f"<details><summary>{escaped(summary)}</summary>"
            for inner in blocks:
                yield from _block(inner)
            yield "</details>"


def _words(words: Words) -> str:
    if isinstance(words, str):
        return _prose(words)
    return "".join(map(_piece, words))


def _piece(piece: str | Code | Link) -> str:
    match piece:
        case Code(text):
            return f"<code>{escaped(text)}</code>"
        case Link(text, section):
            return f'<a href="#{section}">{escaped(text)}</a>'
        case _:
            return _prose(piece)


def _prose(text: str) -> str:
    """Return a sentence in which no line ends between a number and its percent sign."""
    return _PERCENT.sub("&#160;%", escaped(text))


def _folded_table(table: Table) -> Iterator[str]:
    if len(table.rows) <= _FOLD_ROWS:
        yield from _table(table)
        return
    yield f"<details><summary>{escaped(table.caption)} ({counted(len(table.rows), 'row')})</summary>"
    yield from _table(table)
    yield "</details>"


def _table(table: Table) -> Iterator[str]:
    # A table that is wider than the page is scrolled in itself, which the keyboard can do where it has the focus.
    yield f'<div class="scroll" role="group" tabindex="0" aria-label="{escaped(table.caption)}"><table>'
    yield f"<caption>{escaped(table.caption)}</caption>\n<thead><tr>"
    for column in table.columns:
        yield f'<th scope="col"{_kind(column.number)}>{_head(column.name)}</th>'
    yield "</tr></thead>\n<tbody>"
    for row in table.rows:
        yield "".join(_cells(row, [column.number for column in table.columns]))
    yield "</tbody></table></div>"
    for note in table.notes:
        yield f'<p class="under">{_words(note)}</p>'


def _head(name: str) -> str:
    """Return the name of a column, which may go on in a new line where its words are joined."""
    return escaped(name).replace("_", "_<wbr>")


def _cells(row: Sequence[Cell | str], numbers: Sequence[bool]) -> Iterator[str]:
    yield "<tr>"
    for at, (cell, number) in enumerate(zip(row, numbers, strict=True)):
        text, detail = cell if isinstance(cell, Cell) else (cell, "")
        tag, scope = ("th", ' scope="row"') if at == 0 else ("td", "")
        below = f'<span class="d">{_prose(detail)}</span>' if detail else ""
        kind = _kind(number, text)
        if at == 0 and not number and len(text) <= _SHORT:
            kind = ' class="t w"' if kind else ' class="t"'  # one line, and on a phone a few wide ones
        yield f"<{tag}{scope}{kind}>{escaped(text)}{below}</{tag}>"
    yield "</tr>"


def _kind(number: bool, text: str = "") -> str:
    if number:
        return ' class="n"'
    return ' class="w"' if len(text) > 24 else ""


def _figure(figure: Figure) -> Iterator[str]:
    yield f'<figure id="{figure.id}">\n<figcaption>{escaped(figure.plot.title)}</figcaption>'
    yield svg_picture(figure.plot, f"{figure.id}-b", kind="broad")
    yield svg_picture(figure.plot, f"{figure.id}-s", NARROW, kind="slim")
    for note in figure.notes:
        yield f'<p class="under">{_words(note)}</p>'
    if not figure.below:
        yield "<details><summary>The numbers as a table</summary>"
        yield from _table(figure.folded or table_of(figure.plot))
        yield "</details>"
    yield "</figure>"


def _listing(listing: Listing) -> Iterator[str]:
    yield f'<p class="label">{escaped(listing.label)}</p>'
    wraps = ' class="p"' if listing.numbered else "" if listing.language else ' class="r"'
    name = escaped(listing.label)
    yield f'<pre tabindex="0" role="group" aria-label="{name}"{wraps}><code dir="ltr">{_code(listing)}</code></pre>'
    if listing.length is not None:
        yield f'<p class="cut">Cut: {len(listing.text):,} of {listing.length:,} characters are shown.</p>'


def _code(listing: Listing) -> str:
    text = listing.text
    if listing.numbered:
        lines = text.removesuffix("\n").split("\n")
        return "".join(
            f'<span class="l{" at" * (at == listing.line)}">{escaped(line)}\n</span>'
            for at, line in enumerate(lines, 1)
        )
    shown = [
        (span, ' class="g"' if listing.removed else "", "lacking" if listing.removed else "differs")
        for span in listing.marks
    ]
    shown += [(span, ' class="s"', "another spelling of the same value") for span in listing.spelled]
    found, at = [], 0
    for (start, end), kind, said in sorted(shown):
        found.append(escaped(text[at:start]))
        found.append(f'<mark{kind} title="{said}">{_marked(text[start:end])}</mark>')
        at = end
    return "".join([*found, escaped(text[at:])])


def _marked(text: str) -> str:
    """Return what is marked, with the ends of lines to be seen: one of them may be all that differs."""
    return escaped(text).replace("\n", "↵\n")
