"""Makes records like those of PrEx's and PLSemanticsBench's result files, of programs of our own."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from auditor.studies.prex.cstar.error_kinds import VIOLATED, PlantedError
from auditor.studies.prex.cstar.notation import STANDARD, SWAPPED, UNSEEN
from auditor.studies.prex.cstar.respelling import respell
from auditor.studies.prex.cstar.rules import Formalism

HEAD = "int a;\nint b;\nint ans;\n"
PROGRAMS: dict[str, str] = {
    "None": HEAD + "a = 3045;\nb = 1078;\nans = (a + b);\n",
    "break_outside_loop": HEAD + "a = 3045;\nb = 1078;\nbreak;\nans = (a + b);\n",
    "continue_outside_loop": HEAD + "continue;\na = 3045;\nb = 1078;\nans = (a + b);\n",
    "divide_by_zero": HEAD + "a = (3045 / 0);\nb = 1078;\nans = (a + b);\n",
    "modulo_zero": HEAD + "ans = 0;\na = (3045 % ans);\nb = 1078;\nans = (a + b);\n",
    "var_use_before_declare": HEAD + "a = 3045;\nb = 1078;\nans = (y + b);\n",
}
"""The shapes of the paper's Figure 4."""
_NOTATIONS = {"Standard": STANDARD, "KeywordSwap": SWAPPED, "KeywordObf": UNSEEN}


def record(error: str, formalism: str = "SOS", shift: str = "Standard", **more: Any) -> dict[str, Any]:
    """Return a record of the dataset; `more` replaces or adds fields."""
    home = Formalism.S if formalism == "SOS" else Formalism.K
    setup = "uk" if shift == "Standard" else "mk"
    program = PROGRAMS[error]
    rule = "None" if error == "None" else f"Rule {VIOLATED[PlantedError(error)][home]}"
    return {
        "id": f"pcp-{setup}-{formalism}-{shift}-sum.imp",
        "program": program,
        "src-filename": "sum.imp",
        "semantics-type": formalism,
        "language": "IMP",
        "mutated-program": respell(program, STANDARD, _NOTATIONS[shift]),
        "mutated": shift != "Standard",
        "mutation-pattern": shift,
        "semantic-error-type": error,
        "semantic-error-rule": rule,
        "ans": "##success##" if error == "None" else "##error##",
        "dataset-source": "human_written",
    } | more


def right_reply(fields: dict[str, Any]) -> str:
    """Return the reply that is right."""
    rule = fields["semantic-error-rule"]
    return f"<ans>{fields['ans']}</ans>" + ("" if rule == "None" else f"<rule>{rule}</rule>")


def write_lines(path: Path, records: list[dict[str, Any]] | list[Any]) -> Path:
    """Write records a line each, or lines as they are; gzipped where the name says so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in records)
    data = lines.encode()
    path.write_bytes(gzip.compress(data) if path.name.endswith(".gz") else data)
    return path
