"""The paper's Figure 4 and Table 9: the shapes of its programs give the verdicts and rules that it states."""

from __future__ import annotations

import pytest

from auditor.grading.verdict_modes import verdict_findings
from auditor.grading.verdicts import RuleVerdict
from auditor.studies.prex.cstar.machine import run
from auditor.studies.prex.cstar.notation import NOTATIONS, STANDARD
from auditor.studies.prex.cstar.parsing import parse
from auditor.studies.prex.cstar.printing import print_program
from auditor.studies.prex.cstar.rules import Formalism
from auditor.studies.prex.cstar.syntax_kind import Syntax

HEAD = "int a;\nint b;\nint ans;\n"
FIGURE_4 = {
    "valid": (HEAD + "a = 3045;\nb = 1078;\nans = (a + b);\n", None, None),
    "break": (HEAD + "a = 3045;\nb = 1078;\nbreak;\nans = (a + b);\n", 73, 34),
    "continue": (HEAD + "continue;\na = 3045;\nb = 1078;\nans = (a + b);\n", 76, 31),
    "divide": (HEAD + "a = (3045 / 0);\nb = 1078;\nans = (a + b);\n", 19, 7),
    "modulo": (HEAD + "ans = 0;\na = (3045 % ans);\nb = 1078;\nans = (a + b);\n", 23, 9),
    "undeclared": (HEAD + "a = 3045;\nb = 1078;\nans = (y + b);\n", 2, 2),
}


@pytest.mark.parametrize("notation", NOTATIONS.values(), ids=lambda one: one.key)
@pytest.mark.parametrize("name", FIGURE_4)
def test_figure_4_under_both_semantics_and_every_notation(name: str, notation: object) -> None:
    from auditor.studies.prex.cstar.notation import Notation

    assert isinstance(notation, Notation)
    source, *rules = FIGURE_4[name]
    assert print_program(parse(source, STANDARD, Syntax.STRICT)) == source
    program = parse(print_program(parse(source), notation), notation, Syntax.STRICT)
    for formalism, rule in zip(Formalism, rules, strict=True):
        execution = run(program, formalism)
        assert (execution.verdict, execution.rule) == ("success" if rule is None else "error", rule)
    if name == "valid":
        assert dict(run(program, Formalism.S).state) == {"a": 3045, "b": 1078, "ans": 4123}


TABLE_9 = [
    ("int ans;\nint a;\ncontinue;\na = 156;\nans = (a * a);\n", 76, 73, ["same family"]),
    ("int ans;\nint a;\nans = 0;\na = (156 % ans);\nans = (a * a);\n", 23, 24, ["adjacent number", "same family"]),
]


@pytest.mark.parametrize(("source", "rule", "cited", "modes"), TABLE_9)
def test_table_9_has_the_stated_rules_and_failure_modes(source: str, rule: int, cited: int, modes: list[str]) -> None:
    execution = run(parse(source, STANDARD, Syntax.STRICT), Formalism.S)
    assert (execution.verdict, execution.rule) == ("error", rule)
    findings = verdict_findings(RuleVerdict("error", rule), RuleVerdict("error", cited), "", "")
    assert {finding.mode for finding in findings} == {"wrong_rule"}
    assert [finding.detail for finding in findings] == modes


FIGURE_1 = """\
int i;
int ans;
int n;
i = 1;
n = 10;
while ((i * i) <= n)
{{
{planted}    i = ({step} + 1);
    ans = (ans + 1);
}};
"""


def test_figure_1_is_valid_and_its_twin_divides_by_zero_in_the_loop() -> None:
    valid = FIGURE_1.format(planted="", step="i")
    assert print_program(parse(valid)) == valid
    invalid = parse(FIGURE_1.format(planted="    n = 0;\n", step="(i / n)"))
    for formalism, rule in ((Formalism.S, 19), (Formalism.K, 7)):
        assert dict(run(parse(valid), formalism).state) == {"i": 4, "ans": 3, "n": 10}
        execution = run(invalid, formalism)
        assert (execution.rule, execution.place and execution.place.line) == (rule, 9)
