"""The rows of K: (name, condition, rewriting, words), Rule 1 first.

The cell k holds what is left to compute, its parts joined by ↷; the cell state maps names to values; · is nothing.
Operands and conditions are evaluated before their operation or statement, from left to right, without a rule of their
own. An ellipsis is what else a cell holds.
"""

from __future__ import annotations

Row = tuple[str, str, str, str]

INTRODUCTION = (
    "A configuration has two cells: k holds what is left to compute, its parts joined by ↷, and state gives each "
    "declared variable its value. A rule rewrites what is on the left of ⇒ into what is on its right, where its "
    "condition holds; … is what else a cell holds, and · is nothing. Operands, assigned values and conditions of an "
    "`if` are evaluated first, from left to right, all of them. Letters: X a name; I and J integers; T true or false; "
    "B a condition; S a statement or what is left of a loop; P statements; ρ the whole state. The program is over "
    "when k is empty; at `ERROR` it has violated the rule that led there."
)
"""How to read the rules, for those who are shown them."""


def _operation(name: str, symbol: str, result: str, words: str, condition: str = "") -> Row:
    return name, condition, f"⟨k⟩ I1 `{symbol}` I2 ⇒ {result} … ⟨/k⟩", words


def _comparison(symbol: str, sign: str, meaning: str) -> Row:
    words = f"`{symbol}` between two values says whether the left one is {meaning} the right one."
    return _operation(meaning, symbol, f"I1 {sign} I2", words)


def _by_zero(name: str, symbol: str) -> Row:
    words = f"`{symbol}` with a right value of zero is an error, and the program ends there."
    return name, "I2 = 0", f"⟨k⟩ I1 `{symbol}` I2 … ⟨/k⟩ ⇒ ⟨k⟩ `ERROR` ⟨/k⟩", words


ROWS: tuple[Row, ...] = (
    (
        "read",
        "",
        "⟨k⟩ X ⇒ I … ⟨/k⟩ ⟨state⟩ … X ↦ I … ⟨/state⟩",
        "A variable that has a value is evaluated to that value.",
    ),
    (
        "read of an undeclared variable",
        "X ∉ keys(ρ)",
        "⟨k⟩ X … ⟨/k⟩ ⟨state⟩ ρ ⟨/state⟩ ⇒ ⟨k⟩ `ERROR` ⟨/k⟩ ⟨state⟩ ρ ⟨/state⟩",
        "Reading a variable that has no value is an error, and the program ends there.",
    ),
    _operation("sum", "+", "I1 + I2", "The `+` of two values is their sum."),
    _operation("difference", "-", "I1 − I2", "The `-` of two values is their difference."),
    _operation("product", "*", "I1 × I2", "The `*` of two values is their product."),
    _operation(
        "quotient",
        "/",
        "I1 ÷ I2",
        "The `/` of two values is their quotient without its fraction, when the right one is not zero.",
        "I2 ≠ 0",
    ),
    _by_zero("quotient by zero", "/"),
    _operation(
        "remainder",
        "%",
        "I1 mod I2",
        "The `%` of two values is the remainder of their division, with the sign of the left one, when the right one is"
        " not zero.",
        "I2 ≠ 0",
    ),
    _by_zero("remainder by zero", "%"),
    ("positive sign", "", "⟨k⟩ `+` I ⇒ I … ⟨/k⟩", "A value with the sign `+` is that value."),
    ("negative sign", "", "⟨k⟩ `-` I ⇒ −I … ⟨/k⟩", "A value with the sign `-` is its opposite."),
    _comparison("<", "<", "less than"),
    _comparison("<=", "≤", "at most"),
    _comparison(">", ">", "greater than"),
    _comparison(">=", "≥", "at least"),
    _comparison("==", "=", "equal to"),
    _comparison("!=", "≠", "different from"),
    ("negation", "", "⟨k⟩ `!` T ⇒ ¬T … ⟨/k⟩", "`!` turns true into false and false into true."),
    (
        "conjunction",
        "",
        "⟨k⟩ T1 `&&` T2 ⇒ T1 ∧ T2 … ⟨/k⟩",
        "`&&` is true when both operands are; both have been evaluated by then.",
    ),
    (
        "disjunction",
        "",
        "⟨k⟩ T1 `||` T2 ⇒ T1 ∨ T2 … ⟨/k⟩",
        "`||` is true when at least one operand is; both have been evaluated by then.",
    ),
    (
        "assignment",
        "",
        "⟨k⟩ X `=` I ⇒ · … ⟨/k⟩ ⟨state⟩ … X ↦ (J ⇒ I) … ⟨/state⟩",
        "A declared variable takes the value that is assigned to it. There is no rule for one that was not declared.",
    ),
    (
        "conditional: true",
        "",
        "⟨k⟩ `if` (true) {P1} `else` {P2} ⇒ P1 … ⟨/k⟩",
        "An `if` whose condition is true becomes its first block.",
    ),
    (
        "conditional: false",
        "",
        "⟨k⟩ `if` (false) {P1} `else` {P2} ⇒ P2 … ⟨/k⟩",
        "An `if` whose condition is false becomes its `else` block.",
    ),
    (
        "loop: begin",
        "",
        "⟨k⟩ `while` (B) {P} ⇒ `LOOP` (B) {P} ↷ breakMarker … ⟨/k⟩",
        "A `while` becomes a `LOOP` with a marker behind it, to which a `break` goes.",
    ),
    (
        "loop: turn",
        "",
        "⟨k⟩ `LOOP` (B) {P} ⇒ `if` (B) {P ↷ continueMarker ↷ `LOOP` (B) {P}} `else` {·} … ⟨/k⟩",
        "A `LOOP` becomes a conditional: its body, a marker to which `continue` goes and the `LOOP`; or nothing.",
    ),
    ("halt", "", "⟨k⟩ `halt` ↷ … ⟨/k⟩ ⇒ ⟨k⟩ · ⟨/k⟩", "`halt` ends the program without an error."),
    (
        "loop: end",
        "",
        "⟨k⟩ breakMarker ⇒ · … ⟨/k⟩",
        "A loop that is over passes its `break` marker.",
    ),
    (
        "loop: next turn",
        "",
        "⟨k⟩ continueMarker ⇒ · … ⟨/k⟩",
        "A body that is over passes its `continue` marker, and the `LOOP` goes on.",
    ),
    (
        "continue: next turn",
        "",
        "⟨k⟩ `continue` ↷ continueMarker ⇒ · … ⟨/k⟩",
        "A `continue` ends at the nearest `continue` marker, and the `LOOP` goes on.",
    ),
    (
        "continue: skip",
        "S is no marker",
        "⟨k⟩ `continue` ↷ S ⇒ `continue` … ⟨/k⟩",
        "A `continue` passes over what is not a marker.",
    ),
    (
        "continue outside a loop",
        "",
        "⟨k⟩ `continue` ⟨/k⟩ ⇒ ⟨k⟩ `ERROR` ⟨/k⟩",
        "A `continue` that has met no marker by the end of the program is an error.",
    ),
    (
        "continue: out of a loop",
        "",
        "⟨k⟩ `continue` ↷ breakMarker ⇒ `continue` … ⟨/k⟩",
        "A `continue` passes a `break` marker. In a program this does not happen: its own marker comes first.",
    ),
    (
        "break: skip",
        "S is no breakMarker",
        "⟨k⟩ `break` ↷ S ⇒ `break` … ⟨/k⟩",
        "A `break` passes over what is not a `break` marker.",
    ),
    (
        "break outside a loop",
        "",
        "⟨k⟩ `break` ⟨/k⟩ ⇒ ⟨k⟩ `ERROR` ⟨/k⟩",
        "A `break` that has met no marker by the end of the program is an error.",
    ),
    (
        "break: leave",
        "",
        "⟨k⟩ `break` ↷ breakMarker ⇒ · … ⟨/k⟩",
        "A `break` ends at the nearest `break` marker, and the loop is over.",
    ),
    (
        "declaration",
        "X ∉ keys(ρ)",
        "⟨k⟩ int X ⇒ · … ⟨/k⟩ ⟨state⟩ ρ ⇒ ρ[X ↦ 0] ⟨/state⟩",
        "A declaration gives a new variable the value 0. There is no rule for a variable that is there already.",
    ),
)
