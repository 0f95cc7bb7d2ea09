r"""LaTeX tables for a paper that loads booktabs: text from data shows as it is and is never taken for a command.

For pdfLaTeX, XeLaTeX and LuaLaTeX; characters beyond ASCII are written as they are, which all three read.
"""

from __future__ import annotations

from collections.abc import Sequence

from auditor.text import visible_line

_SPECIAL = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\char34}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    "−": "$-$",
    "×": r"$\times$",
    "θ": r"$\theta$",
    "₂": r"\textsubscript{2}",
}
_TABLE = str.maketrans(_SPECIAL)


def escaped(text: str) -> str:
    """Return one line of text such that no part of it acts as a command; what does not show becomes visible."""
    return visible_line(text).translate(_TABLE)


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1) -> str:
    """Return a table environment: the title as caption, the first `names` columns to the left, the others right."""
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escaped(title)}}}",
        rf"\begin{{tabular}}{{{'l' * names}{'r' * (len(columns) - names)}}}",
        r"\toprule",
        _row(columns),
        r"\midrule",
        *map(_row, rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def comment(text: str) -> str:
    """Return a line that LaTeX passes over."""
    return f"% {visible_line(text)}\n"


def _row(values: Sequence[str]) -> str:
    # A bracket at the start of a row would be taken for an option of the line break before it.
    shown = [f"{{{escaped(value)}}}" if value.startswith("[") else escaped(value) for value in values]
    return f"{' & '.join(shown)} \\\\"
