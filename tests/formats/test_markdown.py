"""Markdown in which text from data is never markup and always visible, as a real parser reads it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from auditor.formats.markdown import cell, code_block, escaped, table_head, table_line
from auditor.text import visible, visible_line
from tests.hostile import HOSTILE

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
texts = st.text(st.one_of(st.characters(exclude_categories=["Zs"]), st.sampled_from("\\`*_[]<>|&~$#+=-1.) \n!")))


def shown(markdown: str) -> list[str]:
    """Return the texts of the inline parts, after checking that nothing in them is markup."""
    found = []
    for token in PARSER.parse(markdown):
        if token.type == "inline":
            children = token.children or []
            assert {child.type for child in children} <= {"text", "text_special"}
            found.append("".join(child.content for child in children))
    return found


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_shows_as_it_is_in_a_line_and_in_a_cell(text: str) -> None:
    expected = visible_line(text).strip(" ")
    assert "".join(shown(escaped(text))) == expected
    assert shown(f"{table_head(['a', 'b'])}\n{table_line([text, 'x'])}\n") == ["a", "b", expected, "x"]


@given(text=texts)
@example(text="     code")
@example(text="1.")
@example(text="---")
def test_any_text_shows_as_it_is(text: str) -> None:
    assert "".join(shown(escaped(text))) == visible_line(text).strip(" ")
    assert shown(f"{table_head(['a', 'b'])}\n{table_line([text, 'x'])}\n")[2:] == [visible_line(text).strip(" "), "x"]


@given(text=texts)
def test_a_code_block_holds_the_whole_text(text: str) -> None:
    (token,) = PARSER.parse(code_block(text, "python"))
    assert token.type == "fence" and token.info == "python"
    assert token.content == visible(text.removesuffix("\n")) + "\n"


def test_values_that_are_no_text_stand_as_they_are() -> None:
    assert [cell(value) for value in (None, True, -5, 0.25)] == ["", "true", "-5", "0.25"]


def test_a_language_that_is_no_plain_word_is_left_out() -> None:
    assert code_block("x", "py`\n# title").startswith("```\n")
