"""An audit file of C* items: each notation, both semantics, programs that are none, prompts, and hostile texts."""

from __future__ import annotations

from pathlib import Path

from auditor.studies.prex.cstar.notation import STANDARD, Notation, notation_called
from auditor.studies.prex.cstar.respelling import respell
from auditor.studies.prex.cstar.rules import Formalism
from auditor.studies.prex.prompts import Strategy, executability_prompt
from tests.hostile import HOSTILE
from tests.tui.conftest import audit_of

DIVIDES = """int i;
int n;
int ans;
n = 2;
while ((i < 5))
{
    i = (i + 1);
    if ((n == 0))
    {
        ans = (i / n);
    }
    else
    {
        n = (n - 1);
    };
};
"""
"""Line 10 divides by zero in the third turn of the loop."""
VALID = "int ans;\nans = 3;\n"
NESTED = """int i;
int j;
while (i < 3)
{
    j = 0;
    while (true)
    {
        j = j + i;
        if (j >= i)
        {
            break;
        };
    };
    i = i + 1;
};
"""
STUCK = "ans = 3;\n"
BROKEN = "int ans;\nans = = 3;\n"
FOREIGN = "Is `a - b` a well-known thing? Run this:\n\n{program}\n"

_SHIFTS = {"Standard": "standard", "KeywordSwap": "swap", "KeywordObf": "obf", "KeywordObf/one-token": "obf-token"}


def cstar_task(case: str, arm: str, source: str, rule: int | None, **others: object) -> dict[str, object]:
    """Return a task about a program, given in standard symbols, under the semantics and the shift of its arm."""
    semantics, _, shift = arm.partition("/")
    notation = notation_called(_SHIFTS[shift])
    oracle = {"verdict": "success"} if rule is None else {"verdict": "error", "rule": f"Rule {rule}"}
    facets = {"semantics": semantics, "shift": shift.partition("/")[0], "notation": notation.key}
    task = {"study": "rules", "case": case, "arm": arm, "language": "cstar", "input": "", "target": "verdict"}
    return task | {"source": respell(source, STANDARD, notation), "oracle": oracle, "facets": facets} | others


def prompt_in(notation: Notation, source: str) -> dict[str, str]:
    """Return one of our own prompts about a program in standard symbols."""
    prompt = executability_prompt(Formalism.S, notation, Strategy.CHAIN_OF_THOUGHT)
    return dict(prompt.about(respell(source, STANDARD, notation))._asdict())


def cstar_reply(task: dict[str, object], rule: int | str | None) -> dict[str, object]:
    """Return a reply to a task that cites a rule, or says success."""
    answer = "<ans>##success##</ans>" if rule is None else f"<ans>##error##</ans><rule>{rule}</rule>"
    return {key: task[key] for key in ("study", "case", "arm")} | {
        "setting": "model-a",
        "sample": 0,
        "response": answer,
    }


def cstar_audit(folder: Path) -> Path:
    """Make the audit file."""
    swap, obf = notation_called("swap"), notation_called("obf")
    foreign = {"user": FOREIGN.format(program=respell(DIVIDES, STANDARD, swap).rstrip("\n"))}
    asked = [
        (cstar_task("divides", "S/Standard", DIVIDES, 19), 20),
        (cstar_task("divides", "S/KeywordSwap", DIVIDES, 19, prompt=foreign), 7),
        (cstar_task("divides", "S/KeywordObf", DIVIDES, 19, prompt=prompt_in(obf, DIVIDES)), 23),
        (cstar_task("divides", "S/KeywordObf/one-token", DIVIDES, 19), 99),
        (cstar_task("divides", "K/KeywordObf", DIVIDES, 7), None),
        (cstar_task("valid", "S/Standard", VALID, None), None),
        (cstar_task("nested", "S/Standard", NESTED, None), 73),
        (cstar_task("nested", "K/Standard", NESTED, None), 34),
        (cstar_task("stuck", "K/Standard", STUCK, 2), 2),
        (cstar_task("broken", "S/Standard", BROKEN, 2), "none at all"),
        (cstar_task("unknown", "S/Standard", VALID, None) | {"facets": {"shift": "KeywordShuffle"}}, 3),
        (cstar_task("nowhere", "S/Standard", VALID, None) | {"arm": "plain", "facets": {}}, 3),
    ]
    return audit_of(folder, [task for task, _ in asked], [cstar_reply(task, rule) for task, rule in asked])


def hostile_cstar_audit(folder: Path) -> Path:
    """Make an audit file with every hostile text as a program, as names of case and arm, and as what is cited."""
    asked: list[tuple[dict[str, object], str]] = []
    for number, text in enumerate(HOSTILE.values()):
        hostile = {"source": text or "int a;", "case": f"{number} {text}", "arm": f"S/{text}"}
        asked.append((cstar_task("hostile", "S/KeywordSwap", VALID, 2) | hostile, text or "none"))
    return audit_of(folder, [task for task, _ in asked], [cstar_reply(task, rule) for task, rule in asked])
