"""C++ programs with counters in them: what is counted, which variables are seen, and what cannot be taken apart."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator

import pytest

from auditor.execution.compilers import compiler_arguments
from auditor.execution.cpp.scope import names_before
from auditor.execution.cpp.tree import NoParserError, Tree, UnreadableError
from auditor.execution.cpp.watch import Observed, observe, watched
from auditor.execution.outcome import Ending
from auditor.execution.sandbox import Sandbox
from tests.walls import need_cpp, need_wall

KINDS = """\
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>
struct Point { int x; };
int main(int, char**) {
    int n = 7, *pointer = &n;
    bool even = false;
    char letter = '"';
    double real = 0.5;
    std::string text = "a\\"\\\\\\n\\x01\\xc3\\xa9";
    std::vector<std::pair<int, std::string>> pairs = {{1, "x"}, {2, "y"}};
    std::map<int, std::vector<bool>> table = {{-3, {true, false}}};
    std::set<long long> members = {5, 3};
    std::unordered_map<int, int> hashed;
    std::vector<double> reals;
    std::map<double, int> by_real;
    Point point{1};
    int sized[n];
    sized[0] = 3;
    unsigned char grid[2][2] = {{1, 2}, {3, 4}};
    for (int i = 0; i < 3; ++i) {
        n += *pointer > 0 && sized[0] && letter && real > 0 && !text.empty() && pairs.size();
        n -= table.empty() || members.empty();
        even = !even && hashed.empty() && reals.empty() && by_real.empty() && point.x && grid[0][0];
    }
    std::printf("%d %d\\n", n, even);
}
"""
FLOW = """\
#include <cstdio>
int twice(int x) { return 2 * x; }
int main() {
    int total = 0, n;
    while (std::scanf("%d", &n) == 1)
        if (n > 2) total += twice(n);
        else if (n < 0) continue;
        else
            for (int k : {1, 2}) total += k;
    auto add = [&](int x) { do total += x; while (total < 0); };
    for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) switch (i) { case 1: add(j); break; default: total -= 1; }
    std::printf("%d\\n", total);
}
"""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    need_wall()
    need_cpp()
    with Sandbox() as box:
        yield box


def test_values_are_written_as_json_and_what_cannot_be_says_what_it_is(sandbox: Sandbox) -> None:
    found = observe(sandbox, watched(Tree(KINDS)), loop=0, iteration=2)
    assert found.inside is not None and found.after is not None
    texts = {name: value.text for name, value in found.inside.items() if value.text}
    assert texts == {
        "n": "8",
        "even": "true",
        "letter": r'"\""',
        "text": r'"a\"\\\n\u0001é"',
        "pairs": '[[1,"x"],[2,"y"]]',
        "table": '{"-3":[true,false]}',
        "members": "[3,5]",
        "grid": "[[1,2],[3,4]]",
        "i": "1",
    }
    kinds = {name: value.kind for name, value in found.inside.items() if not value.text}
    assert kinds == {
        "pointer": "a pointer",
        "real": "a floating-point number",
        "hashed": "a container without an order",
        "reals": "a floating-point number",
        "by_real": "a map by other keys than numbers and texts",
        "point": "an object that JSON has no value for",
        "sized": "an array of variable length",
    }
    assert found.after["n"].text == "10" and "i" not in found.after
    assert found.run.stdout == b""  # it ended where the loop did


def test_statements_and_conditions_are_counted_and_loops_told(sandbox: Sandbox) -> None:
    program = watched(Tree(FLOW))
    found = observe(sandbox, program, stdin=b"5 1 -2 3")
    assert found.run.stdout == b"18\n" and found.run.outcome.finished
    by_line: dict[int, int] = {}
    for place, count in zip(program.places, found.counts, strict=True):
        by_line[place.line] = by_line.get(place.line, 0) + count
    # Line 5: the loop, 5 tests. Line 6: 4 branches, 4 tests, 2 sums. Line 7: 2 branches, 2 tests, 1 `continue`.
    # Line 9: the loop, 2 elements, 2 sums. Line 10: the declaration, 2 sums, 2 tests, and the `do` twice.
    assert by_line == {2: 2, 4: 1, 5: 6, 6: 10, 7: 5, 9: 5, 10: 7, 11: 22, 12: 1}
    assert found.steps == sum(by_line.values()) == 59
    held = {place.line: held for place, held in zip(program.places, found.truths, strict=True) if held}
    assert held == {5: 4, 6: 2, 7: 1, 11: 4}
    lines = [program.tree.line(loop) for loop in program.loops]
    assert lines == [5, 9, 10, 11, 11]
    assert (found.begins, found.ends, found.firsts) == ((4, 2, 2, 2, 4), (1, 1, 2, 1, 2), (4, 2, 1, 2, 2))


def test_what_is_undefined_ends_the_program(sandbox: Sandbox) -> None:
    source = (
        "#include <vector>\nint main() { int n = 2147483647; std::vector<int> v(3); n += v.size(); return n & v[9]; }\n"
    )
    found = observe(sandbox, watched(Tree(source)))
    assert found.undefined and not found.told


def test_a_program_that_leaves_without_a_word_tells_nothing(sandbox: Sandbox) -> None:
    found = observe(sandbox, watched(Tree("#include <cstdlib>\nint main() { for (;;) std::_Exit(0); }\n")))
    assert found == Observed(found.run) and not found.told
    assert found.run.outcome.ending is Ending.FINISHED


def test_names_are_those_that_can_be_named_at_a_loop() -> None:
    need_cpp()
    source = (
        "int g; static long h[3];\nstruct S { int m; int f(int p, int (*q)(int r)) {\n"
        "  if (int c = p; c) { auto [u, w] = pair(1, 2); while (g) { int inner; } int late; }\n"
        "  auto all = [&, p](int a) { for (;;) {} };\n  auto none = [p](int b) { for (;;) {} };\n"
        "  try {} catch (E& e) { for (int i = 0, *j; ;) for (auto& k : h) { do ; while (1); } } } };\n"
    )
    tree = Tree(source)
    found = [names_before(tree, loop) for loop in tree.loops()]
    shared = {"g", "h"}
    assert found == [
        shared | {"p", "q", "c", "u", "w"},
        shared | {"p", "q", "a"},
        shared | {"b"},
        shared | {"p", "q", "all", "none", "e"},
        shared | {"p", "q", "all", "none", "e", "i", "j"},
        shared | {"p", "q", "all", "none", "e", "i", "j", "k"},
    ]


def test_a_macro_in_place_of_a_loop_is_named_with_its_line() -> None:
    need_cpp()
    with pytest.raises(UnreadableError, match="line 2 is not understood"):
        Tree("#define REP(i, n) for (int i = 0; i < n; i++)\nint main() { REP(i, 3) { } }\n")


def test_without_the_parser_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_cpp", None)
    with pytest.raises(NoParserError, match=r"pip install 'auditor\[cpp\]'"):
        Tree("int main() {}")


def test_compilers_take_further_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name, path: f"/usr/bin/{name}")
    command = compiler_arguments(("-O0",))
    assert command is not None and command.index("-O0") > command.index("-O2")
