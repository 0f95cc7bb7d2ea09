"""`auditor cstar`: the page's walk, what is printed, exit codes, and sentences for what cannot be done."""

from __future__ import annotations

import io
import json
import re
import shlex
from pathlib import Path

import pytest

from auditor.cli.main import main
from auditor.studies.prex.cstar.notation import SYMBOLS
from tests.hostile import HOSTILE

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "cstar.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (program,) = re.findall(r"`sqrt\.imp`:\n\n```\n(.*?)```", PAGE, re.DOTALL)
    Path("sqrt.imp").write_text(program)
    Path("divides.imp").write_text("int a;\nint b;\na = 3 / b;\n")


def test_the_walk_of_the_page_runs_as_printed(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"<!-- walk -->\n\n((?:    .*\n)+)", PAGE)
    for line in block.splitlines():
        assert main(shlex.split(line)[1:]) == 0, line
        told = capsys.readouterr()
        assert told.out or "written" in told.err
    assert len(list(Path("fuzzed").iterdir())) == 3


def test_a_run_says_verdict_rule_place_and_state(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cstar", "run", "divides.imp"]) == 0
    out = capsys.readouterr().out
    assert "Under S the program violates Rule 19 (division by zero) at line 3, column 5, after 4 steps." in out
    assert "Verdict: error." in out
    assert main(["cstar", "run", "sqrt.imp", "--formalism", "k", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["verdict"], told["rule"], told["ending"]) == ("success", None, "complete")
    assert told["state"] == {"i": 4, "ans": 3, "n": 10}


def test_a_trace_lists_rules_places_and_changes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cstar", "run", "divides.imp", "--trace", "--json"]) == 0
    steps = json.loads(capsys.readouterr().out)["trace"]
    assert [(step["rule"], step["through"]) for step in steps] == [
        (3, [63]),
        (3, [63]),
        (1, [63, 4, 17]),
        (19, [63, 4]),
    ]
    assert steps[0]["change"] == {"name": "a", "old": None, "new": 0}
    assert steps[3]["place"] == {"line": 3, "column": 5, "end_line": 3, "end_column": 10}
    assert main(["cstar", "run", "divides.imp", "--trace", "--limit", "2"]) == 0
    told = capsys.readouterr()
    assert "quotient by zero" not in told.out
    assert "These are the first 2 of 4 steps" in told.err


@pytest.mark.parametrize(
    ("source", "options", "part"),
    [
        ("while (true) { }", ["--steps", "1"], "is not over yet at line 1, column 1"),
        ("x = 1;", ["--formalism", "K"], "is stuck: no rule applies to an assignment to x, which is not declared,"),
        ("int x; x = 9; while (true) { x = x * x; }", [], "reaches a value of more than 600 digits"),
    ],
)
def test_a_run_without_a_verdict_exits_with_one(
    source: str, options: list[str], part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("p.imp").write_text(source)
    assert main(["cstar", "run", "p.imp", *options]) == 1
    out = capsys.readouterr().out
    assert part in out
    assert "Verdict" not in out


def test_what_is_respelled_comes_back_and_runs_alike(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    original = Path("sqrt.imp").read_text()
    for arguments, notation in (
        (["swap"], "swap"),
        (["obfuscate"], "obf"),
        (["obfuscate", "--alphabet", "tokens"], "obf-token"),
    ):
        assert main(["cstar", arguments[0], "sqrt.imp", *arguments[1:]]) == 0
        changed = capsys.readouterr().out
        Path("changed.imp").write_text(changed, encoding="utf-8")
        assert main(["cstar", "run", "changed.imp", "--notation", notation, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["state"]["ans"] == 3
        back = [*arguments, "--back"] if arguments[0] == "obfuscate" else arguments
        assert main(["cstar", back[0], "changed.imp", *back[1:]]) == 0
        assert capsys.readouterr().out == original
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"int a; a = 2;")))
    assert main(["cstar", "print", "-", "--as", "obf-token"]) == 0
    assert capsys.readouterr().out == "int a;\na € 2;\n"


def test_check_tells_of_every_file_and_exits_with_one_when_one_is_no_program(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["cstar", "check", "sqrt.imp", "divides.imp"]) == 0
    assert "sqrt.imp: a program of 10 lines, 8 statements, nested to depth 1." in capsys.readouterr().out
    assert main(["cstar", "check", "--strict", "divides.imp", "nowhere.imp", "--json"]) == 1
    wrong, missing = json.loads(capsys.readouterr().out)["programs"]
    assert (wrong["line"], wrong["column"], wrong["found"], wrong["expected"]) == (3, 7, "/", ["';'"])
    assert missing["error"] == "there is no file nowhere.imp."


def test_rules_are_listed_and_printed_in_full_in_any_notation(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cstar", "rules", "S"]) == 0
    out = capsys.readouterr().out
    assert len(out.splitlines()) == 80
    assert "v2 = 0 ⟹ ⟨v1 / v2, σ, χ⟩ → ⟨ERROR, σ, χ⟩" in out
    assert main(["cstar", "rules", "k", "7", "--notation", "obf-token"]) == 0
    assert "⟨k⟩ I1 ■ I2 … ⟨/k⟩ ⇒ ⟨k⟩ □ ⟨/k⟩\n  requires I2 = 0\n" in capsys.readouterr().out
    assert main(["cstar", "rules", "K", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [rule["number"] for rule in told["rules"] if rule["error"]] == [2, 7, 9, 31, 34]


def test_a_planted_error_is_told_with_its_rules(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["cstar", "plant", "sqrt.imp", "--error", "modulo_zero", "--seed", "text"]
    assert main(arguments) == 0
    told = capsys.readouterr()
    assert "violates Rule 23 of S and Rule 9 of K." in told.err
    assert main([*arguments, "--json"]) == 0
    planted = json.loads(capsys.readouterr().out)
    assert planted["program"] == told.out
    assert {one["rule"] for one in planted["executions"].values()} == {"Rule 23", "Rule 9"}


REFUSED = [
    (["run", "nowhere.imp"], "there is no file nowhere.imp."),
    (["run", "."], "is a folder, not a program."),
    (["run", "bytes.imp"], "bytes.imp, line 2: this is not UTF-8."),
    (["run", "bad.imp"], "bad.imp, line 2, column 4: expected a value, but the program ends."),
    (["swap", "bad.imp"], "bad.imp, line 2, column 4: expected a value"),
    (["obfuscate", "sqrt.imp", "--back"], "sqrt.imp, line 4, column 3: the character = is no part of C*"),
    (["plant", "divides.imp", "--error", "divide_by_zero"], "errors are planted in valid programs only."),
    (["rules", "K", "37"], "K has no Rule 37. Its rules are 1 to 36."),
    (["fuzz", "--count", "2"], "several programs need a place to go to. Give -o FOLDER."),
    (["fuzz", "-o", "there", "--seed", "x"], "programs in a folder are numbered."),
    (["fuzz", "-o", ".", "--seed", "3", "--lines", "9"], "fuzz_3.imp is there already."),
    (["run", "sqrt.imp", "--steps", "0"], "0 is not in the range"),
]


@pytest.mark.parametrize(("arguments", "sentence"), REFUSED, ids=lambda value: str(value)[:30])
def test_what_cannot_be_done_is_said_in_a_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("bytes.imp").write_bytes(b"int a;\na = \xff;")
    Path("bad.imp").write_text("int a;\na = ")
    Path("fuzz_3.imp").write_text("")
    assert main(["cstar", *arguments]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert sentence in told.err


def test_the_symbols_of_every_notation_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cstar", "symbols"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["kind", "standard", "swap", "obf", "obf-token"]
    assert ["arithmetic", "+", "-", "𐕐", "★"] in lines and ["keyword", "while", "while", "𐕕", "₪"] in lines
    assert main(["cstar", "symbols", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["symbols"]
    assert sorted(one["standard"] for one in told) == sorted(SYMBOLS)
    assert told[0] == {"kind": "assignment", "standard": "=", "swap": "=", "obf": "𐕂", "obf-token": "€"}


def test_a_byte_order_mark_is_no_part_of_a_program(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    Path("mark.imp").write_bytes(b"\xef\xbb\xbfint a;\r\na = 1;\r\n")
    assert main(["cstar", "check", "mark.imp"]) == 0
    capsysbinary.readouterr()
    assert main(["cstar", "print", "mark.imp"]) == 0
    assert capsysbinary.readouterr().out == b"int a;\na = 1;\n"


def test_hostile_programs_are_refused_without_reaching_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    for number, text in enumerate(HOSTILE.values()):
        Path(f"h{number}.imp").write_bytes(text.encode("utf-8", "surrogatepass"))
        for arguments in (["check"], ["run"]):
            main(["cstar", *arguments, f"h{number}.imp"])
            told = capsys.readouterr()
            assert "\x1b" not in told.out + told.err
            assert "should not have happened" not in told.err
