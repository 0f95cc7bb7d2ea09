r"""A document as LaTeX to be read in with \input: tables with booktabs, no preamble, texts from data as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

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
from auditor.formats import latex
from auditor.formats.latex import comment

_HEADINGS = ("section", "subsection", "subsubsection", "paragraph")
_NEEDS = (
    "Needs fontenc with T1, booktabs and textcomp. pdfLaTeX writes the code points of characters that it has no letters"
    " for, other programs what their font has. Very wide tables want a landscape page."
)
_DEFINED = (
    r"\providecommand{\auditorchar}[1]{\ifdefined\Uchar\char" '"#1' r"\relax\else\textless{}U+#1\textgreater{}\fi}"
)
_UNKNOWN = re.compile(
    "[^\x00-\x7f\u00a1-\u0125\u0128-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u0165\u0168-\u017e\u03b8\u2013\u2014\u2018-\u201a"
    "\u201c-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u2082\u20ac\u2122\u2190-\u2193\u2212]"
)
"""What pdfLaTeX stops at, with letters in T1, the signs of textcomp and those that are written as commands."""
_CONTROLS = (
    "nul soh stx etx eot enq ack bel bs ht lf vt ff cr so si dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us"
)
_NAMES = {0x2400 + at: name for at, name in enumerate(_CONTROLS.split())} | {0x2421: "del"}
_SMALL, _SMALLEST = 60, 85
"""Characters of a table's rows from which it is set smaller."""


def escaped(text: str) -> str:
    """Return one line of text as LaTeX; what it might have no letter for is told by name or code point."""
    return _UNKNOWN.sub(_told, latex.escaped(text))


def _told(match: re.Match[str]) -> str:
    code = ord(match.group())
    return rf"\textless{{}}{_NAMES[code]}\textgreater{{}}" if code in _NAMES else rf"\auditorchar{{{code:04X}}}"


def latex_text(document: Document) -> Iterator[str]:
    """Return the lines of the document."""
    yield comment(f"{document.title}. {' · '.join(filter(None, (document.made_with, document.date)))}").rstrip("\n")
    yield comment(_NEEDS).rstrip("\n")
    yield _DEFINED
    for section in document.sections:
        yield from _section(section, 0)


def _section(section: Section, level: int) -> Iterator[str]:
    yield f"\n\\{_HEADINGS[min(level, 3)]}{{{escaped(section.title)}}}"
    for block in section.blocks:
        if isinstance(block, Section):
            yield from _section(block, level + 1)
        else:
            yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph(words, _):
            yield f"\n{_words(words)}"
        case Bullets(items):
            if items:
                yield from ("\\begin{itemize}", *(f"\\item {{}}{_words(item)}" for item in items), "\\end{itemize}")
        case Facts(rows):
            if rows:
                lines = (f"\\item[{{{escaped(name)}}}] {_words(words)}" for name, words in rows)
                yield from ("\\begin{description}", *lines, "\\end{description}")
        case Table():
            yield from _table(block)
        case Listing():
            yield from _listing(block)
        case Figure():
            # The numbers of a plot; where a table below has them, they are not written twice.
            if not block.below:
                yield from _table(block.folded or table_of(block.plot))
            yield from (f"\n{_words(note)}" for note in block.notes)
        case Folded(_, blocks):
            for inner in blocks:
                yield from _block(inner)


def _words(words: Words) -> str:
    if isinstance(words, str):
        return escaped(words)
    return "".join(map(_piece, words))


def _piece(piece: str | Code | Link) -> str:
    match piece:
        case Code(text):
            return f"\\texttt{{{escaped(text)}}}"
        case Link(text, _):
            return escaped(text)
        case _:
            return escaped(piece)


def _table(table: Table) -> Iterator[str]:
    shape = "".join("r" if column.number else "l" for column in table.columns)
    yield from ("", "\\begin{table}[htbp]", "\\centering", f"\\caption{{{escaped(table.caption)}}}{_size(table)}")
    yield from (f"\\begin{{tabular}}{{{shape}}}", "\\toprule", _row([column.name for column in table.columns]))
    yield from ("\\midrule", *map(_row, table.rows), "\\bottomrule", "\\end{tabular}")
    yield from (f"\\par\\smallskip{{\\footnotesize {_words(note)}\\par}}" for note in table.notes)
    yield "\\end{table}"


def _size(table: Table) -> str:
    """Return the command for the letters that let the widest rows of a table fit on a page, about."""
    rows = [[column.name for column in table.columns], *table.rows]
    width = sum(max(map(_length, column)) + 1 for column in zip(*rows, strict=True))
    return (
        r"\scriptsize\setlength{\tabcolsep}{3pt}" if width > _SMALLEST else r"\footnotesize" if width > _SMALL else ""
    )


def _length(cell: Cell | str) -> int:
    return len(cell) if isinstance(cell, str) else len(cell.text) + 1 + len(cell.detail)


def _row(row: Sequence[Cell | str]) -> str:
    return f"{' & '.join(map(_cell, row))} \\\\"


def _cell(cell: Cell | str) -> str:
    # In braces, a bracket at the start of a row is no option of the line break before it.
    text, detail = (cell.text, cell.beside) if isinstance(cell, Cell) else (cell, "")
    below = f" {{\\footnotesize {escaped(detail)}}}" if detail else ""
    return f"{{{escaped(text)}}}{below}"


def _listing(listing: Listing) -> Iterator[str]:
    yield f"\n\\noindent\\textit{{{escaped(listing.label)}}}"
    yield "\\begin{flushleft}\\ttfamily\\footnotesize"
    # An empty box begins each line: blanks at its start stay, and no bracket is taken for an option.
    for line in listing.text.split("\n"):
        yield "\\mbox{}" + escaped(line).replace(" ", "\\ ") + "\\\\"
    yield "\\end{flushleft}"
    if listing.length is not None:
        yield f"Cut: {len(listing.text):,} of {listing.length:,} characters are shown."
