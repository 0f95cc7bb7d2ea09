"""The rules as data: complete, numbered, and respelled together with the programs."""

from __future__ import annotations

import re

import pytest

from auditor.errors import InputError
from auditor.studies.prex.cstar.ebnf import grammar_text
from auditor.studies.prex.cstar.notation import NOTATIONS, SINGLE_TOKEN, STANDARD, SWAPPED, SYMBOLS, UNSEEN
from auditor.studies.prex.cstar.rules import Formalism, rule, rules_of, semantics_text
from auditor.studies.prex.cstar.syntax_kind import Syntax


@pytest.mark.parametrize(("formalism", "count"), [(Formalism.S, 78), (Formalism.K, 36)])
def test_every_rule_has_its_number_and_all_its_texts(formalism: Formalism, count: int) -> None:
    rules = rules_of(formalism)
    assert [one.number for one in rules] == list(range(1, count + 1))
    assert all(one.name and one.conclusion and one.text.endswith(".") and one.group for one in rules)
    assert len({one.name for one in rules}) == count
    assert len({one.formal_line() for one in rules}) == count


@pytest.mark.parametrize(
    ("formalism", "errors"),
    [
        (
            Formalism.S,
            {2: "use before declaration", 6: "use before declaration", 19: "division by zero", 23: "modulo by zero"}
            | {73: "break outside a loop", 76: "continue outside a loop"},
        ),
        (
            Formalism.K,
            {2: "use before declaration", 7: "division by zero", 9: "modulo by zero", 31: "continue outside a loop"}
            | {34: "break outside a loop"},
        ),
    ],
)
def test_the_rules_that_state_an_error_write_it_and_no_other_does(formalism: Formalism, errors: dict[int, str]) -> None:
    assert {one.number: one.error for one in rules_of(formalism) if one.error} == errors
    assert {one.number for one in rules_of(formalism) if "`ERROR`" in one.conclusion} == set(errors)


def test_a_swapped_rule_keeps_its_number_and_its_arithmetic() -> None:
    sum_rule = rule(Formalism.S, 9)
    assert sum_rule.formal_line() == "v3 = v1 + v2 ⟹ v1 + v2 → v3"
    assert sum_rule.formal_line(SWAPPED) == "v3 = v1 + v2 ⟹ v1 - v2 → v3"
    assert sum_rule.formal_line(UNSEEN) == "v3 = v1 + v2 ⟹ v1 𐕐 v2 → v3"
    assert rule(Formalism.K, 7).formal(SINGLE_TOKEN) == "⟨k⟩ I1 ■ I2 … ⟨/k⟩ ⇒ ⟨k⟩ □ ⟨/k⟩\n  requires I2 = 0"
    assert rule(Formalism.S, 19).formal().splitlines()[1] == "─" * len("⟨v1 / v2, σ, χ⟩ → ⟨ERROR, σ, χ⟩")


@pytest.mark.parametrize("notation", NOTATIONS.values(), ids=lambda one: one.key)
def test_every_notation_spells_every_symbol_once(notation: object) -> None:
    from auditor.studies.prex.cstar.notation import Notation

    assert isinstance(notation, Notation)
    assert set(notation.spellings) == set(SYMBOLS)
    assert [notation.meaning(notation.spell(symbol)) for symbol in SYMBOLS] == list(SYMBOLS)
    texts = [one.formal(notation) + one.words(notation) for formalism in Formalism for one in rules_of(formalism)]
    assert not any("`" in text for text in texts)


def test_what_is_in_a_notation_and_what_is_not() -> None:
    assert STANDARD.spell("%") == SWAPPED.spell("%") == "%"
    assert [SWAPPED.spell(symbol) for symbol in ("+", "/", "<", ">=", "!=", "||", "=", "!", "while")] == [
        *("-", "*", ">", "<=", "==", "&&", "=", "!", "while")
    ]
    assert SWAPPED.meaning("★") is None


def test_a_rule_that_does_not_exist_is_refused_with_the_range() -> None:
    with pytest.raises(InputError, match=r"K has no Rule 37\. Its rules are 1 to 36\."):
        rule(Formalism.K, 37)


def test_the_whole_semantics_are_a_text_with_every_rule_and_how_to_read_it() -> None:
    text = semantics_text(Formalism.S, SINGLE_TOKEN)
    assert text.count("\nRule ") == 78
    assert "at ⟨□, σ, χ⟩ it has violated" in text
    assert "Rule 72\n⟨✓ ; ▶ ; P, σ, L · χ⟩ → ⟨P, σ, χ⟩\nA ✓ at ▶ leaves the loop" in text
    assert semantics_text(Formalism.K).count("\nRule ") == 36


@pytest.mark.parametrize("syntax", Syntax)
def test_the_grammar_as_a_text_has_what_the_parser_has(syntax: Syntax) -> None:
    text = grammar_text(syntax, UNSEEN)
    defined = [line.partition(" ")[0] for line in text.splitlines() if "::=" in line]
    used = set(re.findall(r"[a-z]+", re.sub(r"'[^']*'", "", text)))
    assert set(defined) | {"letter", "digit"} == used
    quoted = set(re.findall(r"'([^']*)'", text))
    punctuation = {"(", ")", "{", "}", ";", "int", "true", "false"} | ({","} if syntax is Syntax.LIBERAL else set())
    internal = {UNSEEN.spell(symbol) for symbol in ("LOOP", "LE", "ERROR")}
    assert quoted == set(UNSEEN.spellings.values()) - internal | punctuation
