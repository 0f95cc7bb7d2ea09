"""The grammar of C* as a text for readers, people and models, in either syntax and any notation.

`grammar` holds the same for the parser. Symbols that a notation spells stand in backquotes.
"""

from __future__ import annotations

from auditor.studies.prex.cstar.notation import STANDARD, Notation
from auditor.studies.prex.cstar.rules import respelled
from auditor.studies.prex.cstar.syntax_kind import Syntax

_HEAD = """
program     ::= statements
"""
_STRICT = """
statements  ::= (statement ';')*
statement   ::= 'int' name
              | name '`=`' arithmetic
              | '`if`' '(' condition ')' '{' statements '}' '`else`' '{' statements '}'
              | '`while`' '(' condition ')' '{' statements '}'
              | '`break`' | '`continue`' | '`halt`'
arithmetic  ::= name | literal
              | '(' sign arithmetic ')'
              | '(' arithmetic sign arithmetic ')'
condition   ::= truth | '(' truth ')'
              | '(' arithmetic relation arithmetic ')'
              | '(' '`!`' condition ')'
              | '(' condition connective condition ')'
sign        ::= '`+`' | '`-`' | '`*`' | '`/`' | '`%`'
"""
_LIBERAL = """
statements  ::= (statement | ';')*
statement   ::= 'int' name (',' name)*
              | name '`=`' sum
              | '`if`' '(' condition ')' '{' statements '}' ('`else`' '{' statements '}')?
              | '`while`' '(' condition ')' '{' statements '}'
              | '`break`' | '`continue`' | '`halt`'
sum         ::= term | sum additive term
term        ::= factor | term other factor
factor      ::= atom | additive factor
atom        ::= name | literal | '(' sum ')' | '(' other factor ')'
condition   ::= simple | condition connective simple
simple      ::= truth | '(' condition ')' | sum relation sum | '`!`' simple
additive    ::= '`+`' | '`-`'
other       ::= '`*`' | '`/`' | '`%`'
"""
_TAIL = """
truth       ::= 'true' | 'false'
relation    ::= '`<`' | '`<=`' | '`>`' | '`>=`' | '`==`' | '`!=`'
connective  ::= '`&&`' | '`||`'
name        ::= letter (letter | digit)*
literal     ::= digit+
"""


def grammar_text(syntax: Syntax = Syntax.STRICT, notation: Notation = STANDARD) -> str:
    """Return the grammar in EBNF, a newline behind each line."""
    middle = _STRICT if syntax is Syntax.STRICT else _LIBERAL
    return respelled(f"{_HEAD.lstrip()}{middle.lstrip()}{_TAIL.lstrip()}", notation)
