"""Colours of program text: they cover the text exactly or are left out, and lexing never takes long."""

from __future__ import annotations

import pytest

from auditor.tui import highlighting
from auditor.tui.highlighting import Highlighter, load_lexer
from auditor.tui.wrapping import shown_lines
from tests.hostile import HOSTILE

LANGUAGES = ("python", "cpp", "c", "java", "javascript", "rust", "go", "cstar")
PROGRAM = 'def f(x):\n    """Doc,\n    two lines."""\n    return x + 1  # one more\n'


def roles(lines: list[str], language: str) -> list[list[tuple[str, str]]]:
    """Return (text, role) of every span of every line."""
    highlighter = Highlighter(lines, load_lexer(language))
    while not highlighter.lex_to(len(lines) - 1):
        pass
    return [
        [(line[span.start : span.end], span.role) for span in highlighter.spans_of(number) if span.role]
        for number, line in enumerate(lines)
    ]


def test_tokens_have_roles_also_across_lines() -> None:
    shown = roles(shown_lines(PROGRAM), "python")
    assert ("def", "keyword") in shown[0]
    assert ("f", "definition") in shown[0]
    assert shown[2] == [('    two lines."""', "string")]
    assert ("1", "number") in shown[3]
    assert ("# one more", "comment") in shown[3]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_colours_something(language: str) -> None:
    lines = ["int return = 12; // x", "if 3"]
    assert any(roles(lines, language))


@pytest.mark.parametrize("language", [*LANGUAGES, "cobol", "", "../x"])
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_spans_lie_within_their_lines_and_do_not_overlap(text: str, language: str) -> None:
    lines = shown_lines(text)
    highlighter = Highlighter(lines, load_lexer(language))
    highlighter.lex_to(len(lines) - 1)
    for number, line in enumerate(lines):
        at = 0
        for span in highlighter.spans_of(number):
            assert at == span.start < span.end <= len(line)
            at = span.end


def test_an_unknown_language_is_plain() -> None:
    assert roles(["if x:"], "brainfuck") == [[]]


def test_tokens_that_do_not_rebuild_the_text_leave_it_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    from pygments.lexers.python import PythonLexer
    from pygments.token import Token

    monkeypatch.setattr(PythonLexer, "get_tokens_unprocessed", lambda self, text: iter([(0, Token.Keyword, "else")]))
    assert roles(["if x:"], "python") == [[]]


def test_only_the_lines_that_are_asked_for_are_lexed() -> None:
    lines = shown_lines(PROGRAM * 1000)
    highlighter = Highlighter(lines, load_lexer("python"))
    assert highlighter.lex_to(3)
    assert len(highlighter._spans) < 20


def test_text_beyond_the_caps_is_plain() -> None:
    assert roles(["x = 1 " * highlighting.MAX_CHARACTERS], "python") == [[]]
    assert roles(["if " * highlighting.MAX_LINE], "python") == [[]]


def test_lexing_goes_on_in_slices_and_stops_at_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(highlighting, "BUDGET_SECONDS", 0.05)
    lines = ["x = [1, 2, 3] + f(y)  # no"] * 7_000
    highlighter = Highlighter(lines, load_lexer("python"))
    assert not highlighter.lex_to(6_999)
    while not highlighter.lex_to(6_999):
        pass
    assert highlighter.spans_of(0)
    assert not highlighter.spans_of(6_999)
