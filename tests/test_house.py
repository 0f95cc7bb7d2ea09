"""The house as a whole: what is imported when, that the wheel is complete, and that help and documents are true."""

from __future__ import annotations

import re
import subprocess
import sys
import venv
from importlib.metadata import entry_points
from pathlib import Path

import click
import pytest

from auditor.cli.main import COMMANDS, cli
from tests.builders import make_audit

ROOT = Path(__file__).resolve().parent.parent
HEAVY = ("textual", "pandas", "scipy", "statsmodels", "numpy", "sqlite_utils", "deepdiff", "pygments", "rich", "lark")


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(arguments, capture_output=True, text=True, cwd=cwd, check=False, stdin=subprocess.DEVNULL)


def modules_after(code: str) -> set[str]:
    """Return the top-level modules that a fresh interpreter holds after running code."""
    done = run(sys.executable, "-c", f"{code}\nimport sys\nprint('\\n' + ' '.join(sys.modules))")
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in done.stdout.splitlines()[-1].split()}


def test_asking_for_the_version_imports_nothing_heavy() -> None:
    loaded = modules_after("from auditor.cli.main import main\nassert main(['--version']) == 0")
    assert loaded & set(HEAVY) == set()


def test_agreement_imports_no_screen_and_no_statistics_package(tmp_path: Path) -> None:
    ratings = tmp_path / "r.csv"
    ratings.write_text("item,annotator,label\n1,a,x\n1,b,x\n2,a,y\n2,b,x\n")
    loaded = modules_after(
        f"from auditor.cli.main import main\nassert main(['agreement', '--ratings', {str(ratings)!r}]) == 0"
    )
    assert loaded & {"textual", "pandas", "scipy", "statsmodels", "sqlite_utils", "deepdiff"} == set()


def test_tables_and_rank_tests_import_no_statistics_package(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "a.db", replies={(0, "output", "model-a"): "right"})
    code = "from auditor.cli.main import main\n" + "".join(
        f"assert main({[*words, '--replicates', '100']!r}) == 0\n"
        for words in (
            ["accuracy", str(path)],
            ["transitions", str(path), "--from", "arm:output", "--to", "arm:state"],
            ["associate", str(path), "--measures", "size", "--by", "arm"],
        )
    )
    assert modules_after(code) & {"textual", "pandas", "scipy", "statsmodels"} == set()


def test_a_review_begins_without_what_runs_programs_and_reads_formats() -> None:
    done = run(sys.executable, "-c", "import auditor.audit.review, auditor.tui.app, sys\nprint(*sys.modules)")
    loaded = done.stdout.split()
    assert "auditor.tui.app" in loaded
    late = ("auditor.execution", "auditor.formats", "auditor.agreement", "auditor.analysis", "auditor.studies", "yaml")
    assert [name for name in loaded if name.startswith(late)] == []


PAINTS = """
import asyncio, sys
from pathlib import Path
from auditor.audit.review import QueueWish, open_session
from auditor.tui.app import ReviewApp

async def paint(session):
    async with ReviewApp(session).run_test(size=(120, 40)) as pilot:
        await pilot.pause()

session = open_session(Path(sys.argv[1]), "lm", QueueWish(where=""))
asyncio.run(paint(session))
session.close()
print(*sys.modules)
"""


def test_an_item_is_painted_without_what_runs_programs(tmp_path: Path) -> None:
    done = run(sys.executable, "-c", PAINTS, str(make_audit(tmp_path / "a.db", cases=2)))
    loaded = done.stdout.split()
    assert "auditor.tui.screens.review" in loaded
    late = ("auditor.execution", "auditor.formats", "auditor.agreement", "auditor.analysis", "auditor.studies")
    assert [name for name in loaded if name.startswith(late)] == []


def test_every_entry_point_leads_somewhere() -> None:
    groups = ("auditor.policies", "auditor.envelopes", "auditor.formats", "auditor.codebooks")
    for group in groups:
        found = entry_points(group=group)
        assert found, group
        for point in found:
            point.load()


def all_commands() -> list[tuple[str, ...]]:
    """Return the words of every command and subcommand."""
    found: list[tuple[str, ...]] = []
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        found.append((name,))
        if isinstance(command, click.Group):
            found += [(name, sub) for sub in command.list_commands(context)]
    return found


@pytest.mark.parametrize("words", all_commands(), ids=" ".join)
def test_every_command_has_help_that_fits_a_terminal(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    from auditor.cli.main import main

    assert main([*words, "--help"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("Usage: auditor")
    assert max(map(len, text.splitlines())) <= 100
    assert len(text.splitlines()) > 5


def test_the_program_names_only_commands_that_exist() -> None:
    known = set(all_commands())
    groups = {words[0] for words in known if len(words) > 1}
    named = re.compile(r"\bauditor ([a-z]+)(?: ([a-z-]+))?(?= (?:FILE|[a-z-]+\.db)\b)")
    for path in sorted((ROOT / "auditor").rglob("*.py")):
        for name, sub in named.findall(path.read_text(encoding="utf-8")):
            words = (name, sub) if name in groups else (name,)
            assert words in known, f"{path.relative_to(ROOT)} names auditor {' '.join(words)}"


def test_the_package_names_no_one_and_no_place() -> None:
    """Paths of a machine have no place in what is published."""
    tracked = run("git", "ls-files", cwd=ROOT).stdout.splitlines()
    if not tracked:
        pytest.skip("not a git checkout")
    pattern = re.compile(r"/(work|root|home)/\w")
    places = [name for name in tracked if (ROOT / name).suffix in {".py", ".md", ".toml", ".yaml", ".sql", ".sh"}]
    assert [name for name in places if pattern.search((ROOT / name).read_text(encoding="utf-8"))] == []


@pytest.mark.slow
def test_the_installed_wheel_alone_runs_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)  # what it names would come before the installed wheel
    built = run(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(tmp_path),
        str(ROOT),
    )
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    home = tmp_path / "venv"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    site = Path(run(str(python), "-c", "import site; print(site.getsitepackages()[0])").stdout.strip())
    # The dependencies of this environment stand in for downloads; the wheel's own modules come first.
    (site / "dependencies.pth").write_text("\n".join(p for p in sys.path if p.endswith("site-packages")) + "\n")
    installed = run(str(python), "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", str(wheel))
    assert installed.returncode == 0, installed.stderr
    empty = tmp_path / "elsewhere"
    empty.mkdir()
    where = run(str(python), "-c", "import auditor; print(auditor.__file__)", cwd=empty)
    assert str(home) in where.stdout
    demo = run(str(home / "bin" / "auditor"), "demo", cwd=empty)
    assert demo.returncode == 0, demo.stderr
    assert "simulated/off-by-one" in demo.stdout
    assert (empty / "auditor-demo.db").exists()
