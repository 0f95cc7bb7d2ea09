"""Prompts: grammar, all rules and the program in one notation, and the answer's form in words that the grader reads."""

from __future__ import annotations

import re

import pytest

from auditor.grading.question import Question
from auditor.grading.tagged import ANS_TAGS
from auditor.studies.prex.cstar.notation import NOTATIONS, STANDARD, SWAPPED, UNSEEN, Notation
from auditor.studies.prex.cstar.parsing import parse
from auditor.studies.prex.cstar.rules import Formalism
from auditor.studies.prex.prompts import PROGRAM_PLACE, Strategy, executability_prompt, final_state_prompt


@pytest.mark.parametrize("formalism", Formalism)
@pytest.mark.parametrize("notation", NOTATIONS.values(), ids=lambda one: one.key)
def test_a_prompt_holds_grammar_rules_and_program_in_its_notation(formalism: Formalism, notation: Notation) -> None:
    source = f"int n;\nn {notation.spell('=')} 4;\n"
    for make in (executability_prompt, final_state_prompt):
        prompt = make(formalism, notation)
        assert prompt.user.count(PROGRAM_PLACE) == 1
        text = prompt.about(source).user
        assert f"<program>\n{source}</program>" in text
        for number in range(1, formalism.numbers.rules + 1):
            assert re.search(rf"^Rule {number}$", text, re.MULTILINE)
        assert f"'{notation.spell('while')}' '(' condition ')'" in text
        parse(text.partition("<program>\n")[2].partition("</program>")[0], notation)


def test_a_prompt_in_unseen_symbols_shows_none_of_those_of_c() -> None:
    text = executability_prompt(Formalism.S, UNSEEN).user
    for symbol in ("while", "break", "continue", "&&", "||", "!=", "=="):
        assert not re.search(rf"'{re.escape(symbol)}'", text)
    swapped = executability_prompt(Formalism.S, SWAPPED).user
    assert swapped != executability_prompt(Formalism.S, STANDARD).user
    assert len(swapped) == len(executability_prompt(Formalism.S, STANDARD).user)


def test_the_answers_that_a_prompt_asks_for_are_read_as_such() -> None:
    question = Question(target="verdict", oracle={"verdict": "success"}, input="")
    direct = executability_prompt(Formalism.S).user
    reasons = executability_prompt(Formalism.S, STANDARD, Strategy.CHAIN_OF_THOUGHT).user
    assert direct.endswith("Write nothing but the answer.\n")
    assert "<reason>" not in direct
    assert "<reason>" in reasons
    for answer in ("<ans>##success##</ans>", "<ans>##error##</ans><rule>N</rule>"):
        assert answer in direct
        read = ANS_TAGS.read("<reason>Rule 9, then 18.</reason>\n" + answer.replace("N", "19"), question)
        assert read.valid
        assert read.prediction == (
            '{"verdict":"success"}' if "succ" in answer else '{"verdict":"error","rule":"Rule 19"}'
        )


def test_a_final_state_prompt_asks_for_every_variable() -> None:
    text = final_state_prompt(Formalism.K, STANDARD, Strategy.CHAIN_OF_THOUGHT).about("int i;\n").user
    assert "<answer><i>4</i><n>0</n></answer>" in text
    assert "##timeout##" in text
    assert "<ans>" not in text
