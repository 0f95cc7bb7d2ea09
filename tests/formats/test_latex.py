"""LaTeX tables: whatever the text, no part of it is a command, and a reader gets it back."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from auditor.formats import latex
from auditor.text import visible_line
from tests.hostile import HOSTILE

COMMANDS = {
    "\\textbackslash{}": "\\",
    "\\textasciitilde{}": "~",
    "\\textasciicircum{}": "^",
    "\\textless{}": "<",
    "\\textgreater{}": ">",
    "\\textbar{}": "|",
    "{\\char34}": '"',
    "\\textasciigrave{}": "`",
    "\\textquotesingle{}": "'",
    "$-$": "−",
    "$\\times$": "×",
    "$\\theta$": "θ",
    "\\textsubscript{2}": "₂",
    **{f"\\{sign}": sign for sign in "&%$#_{}"},
}
TOKEN = re.compile("|".join(map(re.escape, sorted(COMMANDS, key=len, reverse=True))) + "|[^\\\\&%$#_{}~^<>|\"`']")


def read(text: str) -> str:
    """Read escaped text as LaTeX would; fails where anything else acts."""
    found, at = [], 0
    while at < len(text):
        token = TOKEN.match(text, at)
        assert token is not None, text[at : at + 20]
        found.append(COMMANDS.get(token.group(), token.group()))
        at = token.end()
    return "".join(found)


@given(
    st.one_of(st.text(), st.text("\\{}$&#^_~%\"`'<>|[]−θ ab", max_size=20), st.sampled_from(sorted(HOSTILE.values())))
)
def test_escaped_text_reads_as_what_it_was(text: str) -> None:
    assert read(latex.escaped(text[:2_000])) == visible_line(text[:2_000])


def test_a_table_has_rules_and_aligned_columns() -> None:
    text = latex.table("A & B", ("name", "x", "y"), [["[a]", "1%", "−2"]])
    assert text.splitlines() == [
        "\\begin{table}",
        "\\centering",
        "\\caption{A \\& B}",
        "\\begin{tabular}{lrr}",
        "\\toprule",
        "name & x & y \\\\",
        "\\midrule",
        "{[a]} & 1\\% & $-$2 \\\\",
        "\\bottomrule",
        "\\end{tabular}",
        "\\end{table}",
    ]
    assert latex.comment("one\ntwo") == "% one␊two\n"
