"""The rows of S: (name, premise, conclusion, words), Rule 1 first.

A configuration ⟨P, σ, χ⟩ is what is left of the program, the values of the variables and the stack of the loops that
run. A transition of a part that leaves σ and χ as they are names only the part: e → e'. ε is nothing left, ⊥ no value,
L · χ a stack with the loop L on top.
"""

from __future__ import annotations

Row = tuple[str, str, str, str]

INTRODUCTION = (
    "A configuration ⟨P, σ, χ⟩ is what is left of the program, the state and the control stack. σ gives each declared "
    "variable its value and ⊥ to every other name; σ[x ↦ v] is σ with the value v for x. χ holds the loops that run, "
    "L · χ has the loop L on top, and ε is empty; ε ; P is P. A rule says that below its bar follows from what is "
    "above it. Where a part of a program makes a step without changing σ and χ, only the part is written: e → e'. "
    "Letters: x a name; a arithmetic, b a condition; v an integer; t true or false; s a statement; P statements. The "
    "program is over at ⟨ε, σ, χ⟩ and at ⟨HALT, σ, χ⟩; at ⟨`ERROR`, σ, χ⟩ it has violated the rule that led there."
)
"""How to read the rules, for those who are shown them."""


def _arithmetic(symbol: str, name: str) -> list[Row]:
    """Return the three rules of an operation that is defined for all values."""
    return [
        *_operands(symbol, name, "a"),
        (
            f"{name}: value",
            f"v3 = v1 {symbol} v2",
            f"v1 `{symbol}` v2 → v3",
            f"The `{symbol}` of two values is their {name}.",
        ),
    ]


def _dividing(symbol: str, name: str, result: str, meaning: str) -> list[Row]:
    """Return the four rules of an operation that is not defined for zero."""
    return [
        *_operands(symbol, name, "a"),
        (
            f"{name}: value",
            f"v2 ≠ 0, v3 = {result}",
            f"v1 `{symbol}` v2 → v3",
            f"The `{symbol}` of two values is {meaning}, when the right one is not zero.",
        ),
        (
            f"{name} by zero",
            "v2 = 0",
            f"⟨v1 `{symbol}` v2, σ, χ⟩ → ⟨`ERROR`, σ, χ⟩",
            f"`{symbol}` with a right value of zero is an error, and the program ends there.",
        ),
    ]


def _sign(symbol: str, name: str, result: str, meaning: str) -> list[Row]:
    return [
        (
            f"{name}: operand",
            "a → a'",
            f"(`{symbol}` a) → (`{symbol}` a')",
            f"The operand of a `{symbol}` sign makes a step.",
        ),
        (
            f"{name}: value",
            f"v2 = {result}",
            f"(`{symbol}` v1) → v2",
            f"A value with the sign `{symbol}` is {meaning}.",
        ),
    ]


def _comparison(symbol: str, relation: str, opposite: str, meaning: str) -> list[Row]:
    return [
        *_operands(symbol, meaning, "a"),
        (
            f"{meaning}: true",
            f"v1 {relation} v2",
            f"v1 `{symbol}` v2 → true",
            f"`{symbol}` between two values is true when the left one is {meaning} the right one.",
        ),
        (
            f"{meaning}: false",
            f"v1 {opposite} v2",
            f"v1 `{symbol}` v2 → false",
            f"`{symbol}` between two values is false when the left one is not {meaning} the right one.",
        ),
    ]


def _connective(symbol: str, name: str, true_when: str, false_when: str, meaning: str) -> list[Row]:
    return [
        *_operands(symbol, name, "b"),
        (
            f"{name}: true",
            true_when,
            f"t1 `{symbol}` t2 → true",
            f"`{symbol}` is true when {meaning}; both operands have been evaluated by then.",
        ),
        (
            f"{name}: false",
            false_when,
            f"t1 `{symbol}` t2 → false",
            f"`{symbol}` is false when it is not so that {meaning}; both operands have been evaluated by then.",
        ),
    ]


def _operands(symbol: str, name: str, kind: str) -> list[Row]:
    """Return the two rules by which the operands make their steps: the left one first, then the right one."""
    value = "v" if kind == "a" else "t"
    return [
        (
            f"{name}: left operand",
            f"{kind}1 → {kind}1'",
            f"{kind}1 `{symbol}` {kind}2 → {kind}1' `{symbol}` {kind}2",
            f"The left operand of `{symbol}` makes a step.",
        ),
        (
            f"{name}: right operand",
            f"{kind}2 → {kind}2'",
            f"{value}1 `{symbol}` {kind}2 → {value}1 `{symbol}` {kind}2'",
            f"The right operand of `{symbol}` makes a step once the left one is a value.",
        ),
    ]


ROWS: tuple[Row, ...] = (
    ("read", "σ(x) = v", "⟨x, σ, χ⟩ → v", "A variable that has a value is evaluated to that value."),
    (
        "read of an undeclared variable",
        "σ(x) = ⊥",
        "⟨x, σ, χ⟩ → ⟨`ERROR`, σ, χ⟩",
        "Reading a variable that has no value is an error, and the program ends there.",
    ),
    ("declaration", "", "⟨int x, σ, χ⟩ → ⟨ε, σ[x ↦ 0], χ⟩", "A declaration gives its variable the value 0, always."),
    (
        "assignment: value",
        "a → a'",
        "⟨x `=` a, σ, χ⟩ → ⟨x `=` a', σ, χ⟩",
        "The right side of an assignment makes a step.",
    ),
    (
        "assignment",
        "σ(x) ≠ ⊥",
        "⟨x `=` v, σ, χ⟩ → ⟨ε, σ[x ↦ v], χ⟩",
        "A declared variable takes the value that is assigned to it.",
    ),
    (
        "assignment to an undeclared variable",
        "σ(x) = ⊥",
        "⟨x `=` v, σ, χ⟩ → ⟨`ERROR`, σ, χ⟩",
        "Assigning to a variable that was not declared is an error, and the program ends there.",
    ),
    *_arithmetic("+", "sum"),
    *_arithmetic("-", "difference"),
    *_arithmetic("*", "product"),
    *_dividing("/", "quotient", "trunc(v1 / v2)", "their quotient without its fraction"),
    *_dividing(
        "%", "remainder", "v1 − v2 × trunc(v1 / v2)", "the remainder of their division, with the sign of the left one"
    ),
    *_sign("-", "negative sign", "−v1", "its opposite"),
    *_sign("+", "positive sign", "v1", "that value"),
    *_comparison("<", "<", "≥", "less than"),
    *_comparison("<=", "≤", ">", "at most"),
    *_comparison(">", ">", "≤", "greater than"),
    *_comparison(">=", "≥", "<", "at least"),
    *_comparison("==", "=", "≠", "equal to"),
    *_comparison("!=", "≠", "=", "different from"),
    *_connective("&&", "conjunction", "t1 ∧ t2", "¬(t1 ∧ t2)", "both operands are true"),
    *_connective("||", "disjunction", "t1 ∨ t2", "¬(t1 ∨ t2)", "at least one operand is true"),
    ("negation: operand", "b → b'", "(`!` b) → (`!` b')", "The operand of `!` makes a step."),
    ("negation of false", "", "(`!` false) → true", "`!` of false is true."),
    ("negation of true", "", "(`!` true) → false", "`!` of true is false."),
    (
        "sequence",
        "⟨s, σ, χ⟩ → ⟨s', σ', χ'⟩",
        "⟨s ; P, σ, χ⟩ → ⟨s' ; P, σ', χ'⟩",
        "The first statement of a program makes a step, and the others wait.",
    ),
    (
        "conditional: condition",
        "b → b'",
        "⟨`if` (b) {P1} `else` {P2}, σ, χ⟩ → ⟨`if` (b') {P1} `else` {P2}, σ, χ⟩",
        "The condition of an `if` makes a step.",
    ),
    (
        "conditional: true",
        "",
        "⟨`if` (true) {P1} `else` {P2}, σ, χ⟩ → ⟨P1, σ, χ⟩",
        "An `if` whose condition is true becomes its first block.",
    ),
    (
        "conditional: false",
        "",
        "⟨`if` (false) {P1} `else` {P2}, σ, χ⟩ → ⟨P2, σ, χ⟩",
        "An `if` whose condition is false becomes its `else` block.",
    ),
    (
        "loop: begin",
        "L = `LOOP` (b) {P}",
        "⟨`while` (b) {P}, σ, χ⟩ → ⟨L, σ, L · χ⟩",
        "A `while` becomes a `LOOP`, which is put on top of the control stack.",
    ),
    (
        "loop: condition",
        "b → b'",
        "⟨`LOOP` (b) {P}, σ, χ⟩ → ⟨`LOOP` (b') {P}, σ, χ⟩",
        "The condition of a `LOOP` makes a step.",
    ),
    (
        "loop: end",
        "",
        "⟨`LOOP` (false) {P}, σ, L · χ⟩ → ⟨ε, σ, χ⟩",
        "A `LOOP` whose condition is false is over, and the control stack loses its top.",
    ),
    (
        "loop: turn",
        "",
        "⟨`LOOP` (true) {P}, σ, χ⟩ → ⟨P ; `LE`, σ, χ⟩",
        "A `LOOP` whose condition is true becomes its body with `LE`, the mark of the loop's end, behind it.",
    ),
    (
        "break: skip",
        "χ ≠ ε, s ≠ `LE`",
        "⟨`break` ; s ; P, σ, χ⟩ → ⟨`break` ; P, σ, χ⟩",
        "Within a loop `break` passes over the statements up to the end of the loop's body.",
    ),
    (
        "break: leave",
        "",
        "⟨`break` ; `LE` ; P, σ, L · χ⟩ → ⟨P, σ, χ⟩",
        "A `break` at `LE` leaves the loop, and the control stack loses its top.",
    ),
    (
        "break outside a loop",
        "χ = ε",
        "⟨`break` ; P, σ, χ⟩ → ⟨`ERROR`, σ, χ⟩",
        "A `break` while no loop runs is an error, and the program ends there.",
    ),
    (
        "continue: skip",
        "χ ≠ ε, s ≠ `LE`",
        "⟨`continue` ; s ; P, σ, χ⟩ → ⟨`continue` ; P, σ, χ⟩",
        "Within a loop `continue` passes over the statements up to the end of the loop's body.",
    ),
    (
        "continue: next turn",
        "",
        "⟨`continue` ; `LE` ; P, σ, L · χ⟩ → ⟨L ; P, σ, L · χ⟩",
        "A `continue` at `LE` goes on with the `LOOP` on top of the control stack.",
    ),
    (
        "continue outside a loop",
        "χ = ε",
        "⟨`continue` ; P, σ, χ⟩ → ⟨`ERROR`, σ, χ⟩",
        "A `continue` while no loop runs is an error, and the program ends there.",
    ),
    (
        "loop: next turn",
        "",
        "⟨`LE`, σ, L · χ⟩ → ⟨L, σ, L · χ⟩",
        "At `LE` the program goes on with the `LOOP` on top of the control stack.",
    ),
    ("halt", "", "⟨`halt` ; P, σ, χ⟩ → ⟨HALT, σ, χ⟩", "`halt` ends the program without an error."),
)
