"""A document as Markdown, for reading: plots in characters, texts from data as code or escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from auditor.documents.characters import plot_lines
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
)
from auditor.formats.markdown import code_block, escaped
from auditor.text import visible_line


def markdown_text(document: Document) -> Iterator[str]:
    """Return the lines of the document."""
    yield f"# {escaped(document.title)}\n"
    yield f"{escaped(document.subtitle)}\n"
    yield escaped(" · ".join(filter(None, (document.made_with, document.date)))) + "\n"
    for section in document.sections:
        yield from _section(section, 2)


def _section(section: Section, level: int) -> Iterator[str]:
    yield f"{'#' * min(level, 6)} {escaped(section.title)}\n"
    for block in section.blocks:
        if isinstance(block, Section):
            yield from _section(block, level + 1)
        else:
            yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph(words, kind):
            yield f"{'**Note:** ' if kind == 'warning' else ''}{_words(words)}\n"
        case Bullets(items):
            yield "\n".join(f"* {_words(item)}" for item in items) + "\n"
        case Facts(rows):
            yield "\n".join(f"* **{escaped(name)}:** {_words(words)}" for name, words in rows) + "\n"
        case Table():
            yield from _table(block)
        case Listing():
            yield from _listing(block)
        case Figure():
            lines = [*plot_lines(block.plot)]
            yield code_block("\n".join(line.rstrip() for line in lines)) + "\n"
            yield from (f"{_words(note)}\n" for note in block.notes)
            if block.folded is not None:
                yield from _table(block.folded)
        case Folded(summary, blocks):
            yield f"{escaped(summary)}:\n"
            for inner in blocks:
                yield from _block(inner)


def _words(words: Words) -> str:
    if isinstance(words, str):
        return escaped(words)
    return "".join(map(_piece, words))


def _piece(piece: str | Code | Link) -> str:
    match piece:
        case Code(text):
            return code_span(text)
        case Link(text, _):
            return escaped(text)
        case _:
            # What begins or ends with a blank goes on with the piece beside it.
            return f"{piece[: len(piece) - len(piece.lstrip(' '))]}{escaped(piece)}"


def code_span(text: str) -> str:
    """Return one line of text as code within a sentence, with fences that no run of backticks in it ends."""
    shown = visible_line(text)
    fence = "`"
    while fence in shown:
        fence += "`"
    blank = " " if shown.startswith(("`", " ")) or shown.endswith(("`", " ")) or not shown else ""
    return f"{fence}{blank}{shown}{blank}{fence}"


def _table(table: Table) -> Iterator[str]:
    yield f"**{escaped(table.caption)}**\n"
    heads = " | ".join(escaped(column.name) for column in table.columns)
    rule = " | ".join("---:" if column.number else "---" for column in table.columns)
    lines = [f"| {heads} |", f"| {rule} |", *(_row(row) for row in table.rows)]
    yield "\n".join(lines) + "\n"
    yield from (f"{_words(note)}\n" for note in table.notes)


def _row(row: Sequence[Cell | str]) -> str:
    cells = []
    for cell in row:
        text, detail = (cell.text, cell.beside) if isinstance(cell, Cell) else (cell, "")
        cells.append(escaped(" ".join(filter(None, (text, detail)))))
    return f"| {' | '.join(cells)} |"


def _listing(listing: Listing) -> Iterator[str]:
    yield f"{escaped(listing.label)}:\n"
    yield code_block(listing.text, listing.language) + "\n"
    if listing.length is not None:
        yield f"Cut: {len(listing.text):,} of {listing.length:,} characters are shown.\n"
    changed = [listing.text[start:end] for start, end in listing.marks if end > start]
    if changed:
        said = "The prediction lacks" if listing.removed else "It differs in"
        yield f"{said}: {', '.join(map(code_span, changed[:10]))}{' …' if len(changed) > 10 else ''}\n"
