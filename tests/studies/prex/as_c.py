"""Write C* programs as C++ functions that print their variables: what both languages mean alike can be compared."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.studies.prex.cstar.printing import print_expression
from auditor.studies.prex.cstar.syntax_tree import Assign, Break, Continue, Declare, Halt, If, Program, Statement, While


def as_functions(programs: Sequence[Program]) -> str:
    """Return one C++ program that prints a line for each C* program: `name=value` of what is in scope at its end."""
    functions = [
        f"static void program_{number}() {{\n{''.join(_block(program.statements, [], at_top=True))}}}\n"
        for number, program in enumerate(programs)
    ]
    calls = "".join(f"program_{number}();\n" for number in range(len(programs)))
    return f"#include <cstdio>\n{''.join(functions)}int main() {{\n{calls}}}\n"


def _block(statements: tuple[Statement, ...], around: Sequence[str], *, at_top: bool = False) -> list[str]:
    """Return the lines of a block, in which the names of `around` are visible."""
    visible = list(around)
    lines: list[str] = []
    for statement in statements:
        match statement:
            case Declare(name):
                visible.append(name)
                lines.append(f"int {name} = 0;\n")
            case Assign(name, value):
                lines.append(f"{name} = {print_expression(value)};\n")
            case If(condition, then, otherwise):
                lines += [f"if ({print_expression(condition)}) {{\n", *_block(then, visible), "} else {\n"]
                lines += [*_block(otherwise, visible), "}\n"]
            case While(condition, body):
                lines += [f"while ({print_expression(condition)}) {{\n", *_block(body, visible), "}\n"]
            case Break():
                lines.append("break;\n")
            case Continue():
                lines.append("continue;\n")
            case Halt():
                lines.append(f"{{ {_report(visible)} return; }}\n")
    return [*lines, _report(visible), "\n"] if at_top else lines


def _report(names: Sequence[str]) -> str:
    """Return the statement that prints the values of variables."""
    places = " ".join(f"{name}=%d" for name in names)
    return f'std::printf("{places}\\n"{"".join(f", {name}" for name in names)});'
