r"""A document as LaTeX to be read in with \input: tables with booktabs, no preamble, texts from data as they are."""

from __future__ import annotations

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
from auditor.formats.latex import comment, escaped

_HEADINGS = ("section", "subsection", "subsubsection", "paragraph")


def latex_text(document: Document) -> Iterator[str]:
    """Return the lines of the document."""
    yield comment(f"{document.title}. {' · '.join(filter(None, (document.made_with, document.date)))}").rstrip("\n")
    yield comment("Needs booktabs and textcomp; wide tables may want graphicx or a landscape page.").rstrip("\n")
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
    yield from ("", "\\begin{table}", "\\centering", f"\\caption{{{escaped(table.caption)}}}")
    yield from (f"\\begin{{tabular}}{{{shape}}}", "\\toprule", _row([column.name for column in table.columns]))
    yield from ("\\midrule", *map(_row, table.rows), "\\bottomrule", "\\end{tabular}")
    yield from (f"\\par\\smallskip{{\\footnotesize {_words(note)}\\par}}" for note in table.notes)
    yield "\\end{table}"


def _row(row: Sequence[Cell | str]) -> str:
    return f"{' & '.join(map(_cell, row))} \\\\"


def _cell(cell: Cell | str) -> str:
    # In braces, a bracket at the start of a row is no option of the line break before it.
    text, detail = cell if isinstance(cell, Cell) else (cell, "")
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
