"""What of a task can be run here: a program with its input, or a function that is called with it."""

from __future__ import annotations

import ast
import warnings

from auditor.audit.cstar_run import cstar_job
from auditor.audit.not_runnable import NotRunnable
from auditor.execution.program import Language
from auditor.execution.workers import Job
from auditor.grading.cstar_rules import CSTAR_LANGUAGES
from auditor.grading.evaluated import EXPRESSION_LIMIT
from auditor.grading.literals import read_expression
from auditor.model import TEXT_TARGETS, Task
from auditor.text import to_bytes, visible_line

_LANGUAGES: dict[str, Language] = {"python": "python", "python3": "python", "cpp": "c++", "c++": "c++"}
_NAMED_BY = ("entry_point", "function_name")
"""Under which keys data sets name the function that is called."""
_CALLED = "f"
"""The function that is called where a program has several and nothing names one."""
_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
_LONGEST_SOURCE = 1_000_000
"""Characters of a source that is taken apart."""


def job_of(task: Task) -> Job | NotRunnable:
    """Return what running a task is, or why it is not run.

    A Python program that only gives things names, or whose data set names its function, is called with the input as its
    arguments (an `input` task with its reference input); every other one gets the input on its standard input. A C*
    task is run under the semantics of its arm.
    """
    if task.language.lower() in CSTAR_LANGUAGES:
        return cstar_job(task)
    language = _LANGUAGES.get(task.language.lower())
    if task.target not in TEXT_TARGETS:
        return NotRunnable(f"a {visible_line(task.target, 40)} is not what a program writes")
    if language is None:
        return NotRunnable(f"{visible_line(task.language, 40)} does not run here")
    if task.oracle is None or not task.source.strip():
        return NotRunnable("the case text and its oracle are not in the file")
    given: object = task.input if task.target != "input" else task.extra.get("reference_input")
    if not isinstance(given, str):
        return NotRunnable("there is no reference input")
    source = to_bytes(task.source)
    function = called_function(task)
    if function is not None:
        call = _call(function, given)
        if call is None:
            return NotRunnable(f"the input is not the arguments of a call of {visible_line(function, 40)}")
        return Job(language, source, b"", call)
    if task.target == "input":
        return NotRunnable("no function of the program is known to be the one to call")
    return Job(language, source, to_bytes(given))


def called_function(task: Task) -> str | None:
    """Return the name of the function that a Python task's calls are of; None where none is known to be."""
    if _LANGUAGES.get(task.language.lower()) != "python" or len(task.source) > _LONGEST_SOURCE:
        return None
    with warnings.catch_warnings():
        # Odd escapes in a program are no concern of the reader.
        warnings.simplefilter("ignore")
        try:
            program = ast.parse(task.source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    defined = {node.name for node in program.body if isinstance(node, ast.FunctionDef)}
    for key in _NAMED_BY:
        name = task.extra.get(key)
        if isinstance(name, str) and name in defined:
            return name
    if not all(_only_defines(statement) for statement in program.body):
        return None
    return _CALLED if _CALLED in defined else min(defined) if len(defined) == 1 else None


def _only_defines(statement: ast.stmt) -> bool:
    """Say whether a statement gives something a name or is a docstring, so that a program of such does nothing else."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    return isinstance(statement, _DEFINES)


def _call(name: str, given: str) -> str | None:
    """Return the call that an input is or is the arguments of; None where it is neither."""
    if len(given) > EXPRESSION_LIMIT:
        return None
    if _calls(given, name):
        return given.strip()
    call = f"{name}({given}\n)"
    return call if _calls(call, name) else None


def _calls(text: str, name: str) -> bool:
    tree = read_expression(text)
    called = tree.func if isinstance(tree, ast.Call) else None
    return isinstance(called, ast.Name) and called.id == name
