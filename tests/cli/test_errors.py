"""Whatever goes wrong: one sentence on stderr, the right exit code, never a traceback, and nothing lost."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import pytest

from auditor.cli.main import COMMANDS, OTHER_NAMES, cli, main
from tests.builders import make_audit
from tests.runs import response, task, write_run

Run = Callable[..., str]


@pytest.fixture
def audit(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "a.db")


@pytest.fixture
def fails(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command that must fail with 2, print nothing and say one line; return it."""

    def call(*arguments: object) -> str:
        assert main([str(argument) for argument in arguments]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("auditor: ") and err.endswith("\n") and err.count("\n") == 1
        assert "Traceback" not in err and "should not have happened" not in err
        return err.removeprefix("auditor: ").strip()

    return call


READERS = [
    ("grade",),
    ("accuracy",),
    ("transitions", "--from", "arm:a", "--to", "arm:b"),
    ("info",),
    ("verify",),
    ("agreement",),
    ("tags", "list"),
]


def with_file(command: tuple[str, ...], file: Path) -> list[object]:
    words = 2 if command[0] == "tags" else 1
    return [*command[:words], file, *command[words:]]


@pytest.mark.parametrize("command", READERS, ids=lambda command: " ".join(command[:2]))
def test_files_that_are_no_audit_files(fails: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    text, other, newer = tmp_path / "text.db", tmp_path / "other.db", make_audit(tmp_path / "newer.db")
    text.write_text("nothing like a database, but long enough to be one " * 20)
    for path, sql in ((other, "CREATE TABLE mine (x)"), (newer, "PRAGMA user_version = 99")):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(sql)
    (tmp_path / "empty.db").touch()
    (tmp_path / "short.db").write_text("x")
    for name, words in {
        "missing.db": "there is no audit file",
        "empty.db": "is empty, so it is no audit file. Make one with: auditor import",
        "short.db": "is not an audit file (no SQLite database)",
        ".": "is a folder, not an audit file",
        "text.db": "is not an audit file (no SQLite database)",
        "other.db": "is a SQLite database, but not an audit file",
        "newer.db": "was written by a newer auditor",
    }.items():
        assert words in fails(*with_file(command, tmp_path / name))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense"], "there is no command 'nonsense'"),
        (["imprt", "a.db"], "Did you mean import?"),
        (["import"], "Missing argument 'FILE'. See: auditor import --help"),
        (["import", "a.db"], "Missing argument 'PATH...'"),
        (["grade", "--nonsense"], "No such option"),
        (["transitions", "a.db"], "Missing option '--from'"),
        (["accuracy", "a.db", "--replicates", "1"], "--replicates"),
        (["accuracy", "a.db", "--confidence", "x"], "--confidence"),
        (["accuracy", "a.db", "--confidence", "nan"], "'nan' is not a number"),
        (["tags", "next", "a.db", "--annotator", "ana", "--minutes", "nan"], "'nan' is not a number"),
        (["tags", "next", "a.db", "--annotator", "ana", "--overlap", "9" * 20], "is not in the range"),
        (["review", "a.db", "--annotator", "ana", "--overlap", "9" * 20], "is not in the range"),
        (["--nonsense"], "No such option"),
    ],
    ids=str,
)
def test_wrong_calls(fails: Run, arguments: list[str], words: str) -> None:
    assert words in fails(*arguments)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["accuracy", "--where", "("], "in the filter"),
        (["accuracy", "--where", "nonsense:1"], "there is no dimension 'nonsense'"),
        (["accuracy", "--where", "status:wrnog"], "Did you mean status:wrong?"),
        (["accuracy", "--rows", "nonsense"], "there is no dimension 'nonsense'"),
        (["accuracy", "--cols", "tag"], "several values"),
        (["grade", "--policy", "nonsense"], "there is no policy 'nonsense'. Known: bytes"),
        (["grade", "--compare", "nonsense"], "there is no policy 'nonsense'"),
        (["grade", "--unsafe"], "Give --execute with it"),
        (["grade", "--execute", "--compare", "bytes"], "it runs nothing"),
        (["transitions", "--from", "arm:output", "--to", "arm:output"], "same filter"),
        (["import", "missing.json"], "there is no file or folder missing.json"),
    ],
    ids=str,
)
def test_what_an_audit_file_has_no_answer_to(fails: Run, audit: Path, arguments: list[str], words: str) -> None:
    before = audit.read_bytes()
    assert words in fails(arguments[0], audit, *arguments[1:])
    assert audit.read_bytes() == before


def test_a_file_without_responses_is_no_empty_table(fails: Run, tmp_path: Path) -> None:
    assert main(["import", str(tmp_path / "a.db"), str(write_run(tmp_path / "run", [task()]))]) == 0
    for command in READERS[:3]:
        assert main([str(word) for word in with_file(command, tmp_path / "a.db")]) == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "a review needs a terminal"),
        (["--where", "arm:outptu"], "Did you mean arm:output?"),
        (["--where", "("], "in the filter"),
        (["--codebook", "nonsense"], "nonsense"),
        (["--order", "nonsense"], "there is no order 'nonsense'"),
        (["--per", "arm"], "--per makes groups for --take"),
    ],
    ids=str,
)
def test_a_review_says_what_else_is_wrong_before_it_asks_for_a_terminal(
    fails: Run, audit: Path, options: list[str], words: str
) -> None:
    before = audit.read_bytes()
    assert words in fails("review", audit, "--annotator", "ana", *options)
    assert audit.read_bytes() == before


@pytest.mark.parametrize(("words", "listed"), [([], COMMANDS), (["tags"], ["list", "put", "import"])], ids=str)
def test_no_command_at_all_shows_the_help(
    capsys: pytest.CaptureFixture[str], words: list[str], listed: Iterable[str]
) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("Usage: auditor")
    assert all(f"\n  {name} " in err for name in listed)


def test_hints_name_the_file_at_hand(
    fails: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["import", "my audit.db", str(write_run(tmp_path / "run", [task()], [response()]))]) == 0
    capsys.readouterr()
    run = "auditor grade 'my audit.db'"
    assert main(["accuracy", "my audit.db"]) == 0
    assert f"Run: {run}\n" in capsys.readouterr().out
    assert fails("agreement", "my audit.db").endswith("auditor review 'my audit.db' --annotator NAME")
    assert fails("review", "my audit.db", "--annotator", "a").endswith(f"Grade them with: {run}")


def test_a_locked_file_says_who_to_wait_for(fails: Run, audit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.store.file.BUSY_SECONDS", 0.05)
    monkeypatch.setattr("auditor.store.file.open_file.__kwdefaults__", {"create": False, "busy_seconds": 0.05})
    with closing(sqlite3.connect(audit, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert "another process is writing. Try again when it is done." in fails("grade", audit)


# --- in a process of its own ---------------------------------------------------------------------------------------


def listen_to_interrupts() -> None:
    """Undo what a parent such as nohup leaves to its children: an ignored SIGINT stays ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(*arguments: object, **more: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "auditor", *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, **more)  # type: ignore[call-overload,no-any-return]


def large_run(folder: Path, count: int = 60_000) -> Path:
    run = write_run(folder / "run", [task(f"c{n}") for n in range(50)])
    with (run / "responses.jsonl").open("w") as file:
        file.writelines(json.dumps(response(f"c{n % 50}", setting=f"m{n // 50}")) + "\n" for n in range(count))
    return run


def test_a_disk_that_is_full_keeps_the_file_whole(tmp_path: Path) -> None:
    run, file = large_run(tmp_path), tmp_path / "a.db"

    def allow_a_megabyte() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    process = start("import", file, run, preexec_fn=allow_a_megabyte)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert err.startswith("auditor: ") and err.count("\n") == 1 and "Is the disk full" in err
    if file.exists():
        with closing(sqlite3.connect(file)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert main(["import", str(file), str(run), "--quiet"]) == 0
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT count(*) FROM responses").fetchone() == (60_000,)


def test_an_interrupted_import_exits_with_130_and_goes_on(tmp_path: Path) -> None:
    # On a busy machine the import can be done before this process is awake again: then a larger one is tried.
    for count in (150_000, 400_000, 1_000_000):
        run, file = large_run(tmp_path / str(count), count), tmp_path / f"{count}.db"
        process = start("import", file, run, preexec_fn=listen_to_interrupts)
        wal = file.with_name(f"{count}.db-wal")
        while process.poll() is None and not (wal.exists() and wal.stat().st_size > 1 << 19):
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
        if process.returncode != 0:
            break
    assert (process.returncode, err.strip()) == (130, "auditor: interrupted. The same command goes on from there.")
    assert out == ""
    again = start("import", file, run, "--json")
    out, err = again.communicate(timeout=120)
    counts = json.loads(out)["responses"]
    assert (again.returncode, err) == (0, "")
    assert counts["new"] + counts["unchanged"] == count and counts["new"] > 0


@pytest.mark.parametrize("options", [[], ["--json"]], ids=str)
def test_a_reader_that_goes_away_is_no_error(audit: Path, options: list[str]) -> None:
    process = start("info", audit, *options)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    err = process.stderr.read()
    assert (process.wait(), err) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "code"), [(["info"], 0), (["info", "--json"], 0), (["--help"], 0), (["info", "none.db"], 2)], ids=str
)
@pytest.mark.parametrize("closed_streams", ["0<&-", ">&-", "2>&-", ">&- 2>&-", "0<&- >&- 2>&-"])
def test_a_closed_stream_changes_no_exit_code(
    audit: Path, arguments: list[str], code: int, closed_streams: str
) -> None:
    given = [*arguments, str(audit)] if arguments in (["info"], ["info", "--json"]) else arguments
    command = f'exec "$@" {closed_streams}'
    done = subprocess.run(
        ["sh", "-c", command, "sh", sys.executable, "-m", "auditor", *given],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert "Error" not in done.stderr and "should not have happened" not in done.stderr
    assert bool(done.stdout) == (code == 0 and ">&-" not in closed_streams.replace("2>&-", ""))


_SLOW_EXPORT = """
import sys, time
from pathlib import Path
import click
from auditor.cli import main
from auditor.formats.whole_file import whole_file

@click.command()
def slow():
    with whole_file(Path("r.jsonl")) as file:
        print("begun", flush=True)
        time.sleep(60)

main.COMMANDS["slow"] = ("__main__:slow", "")
sys.argv[1:] = ["slow"]
main.run()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_is_told_to_end_leaves_no_half_written_file(tmp_path: Path, number: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _SLOW_EXPORT], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    assert len(list(tmp_path.iterdir())) == 1
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (128 + number, "auditor: Ended by a signal.\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("options", [[], ["--json"]], ids=str)
def test_a_full_output_device_is_one_sentence(audit: Path, options: list[str]) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "auditor", "info", str(audit), *options]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "auditor: No space left on device.\n"


@contextmanager
def nobody() -> Iterator[None]:
    """Have no special rights for a while: root may write anywhere."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture
def closed() -> Iterator[Path]:
    """Return a folder that everybody may read and nobody may write into."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        make_audit(folder / "a.db")
        (folder / "a.db").chmod(0o444)
        write_run(folder / "run", [task()], [response()])
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o755)


def test_what_may_not_be_written_is_one_sentence(
    fails: Run, closed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Once with all rights, so that every module is loaded before they are given up.
    assert main(["import", str(tmp_path / "a.db"), str(closed / "run"), "--quiet"]) == 0
    assert main(["grade", str(tmp_path / "a.db"), "--quiet"]) == 0
    capsys.readouterr()
    with nobody():
        assert "cannot be written" in fails("import", closed / "new.db", closed / "run")
        assert "cannot be written" in fails("grade", closed / "a.db")


def test_a_file_in_a_folder_that_may_not_be_written_can_be_read(
    closed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(os.listdir(closed))
    for _ in range(2):
        assert main(["accuracy", str(closed / "a.db"), "--json"]) == 0
        with nobody():
            assert main(["accuracy", str(closed / "a.db"), "--json"]) == 0
            assert main(["info", str(closed / "a.db"), "--json"]) == 0
    assert sorted(os.listdir(closed)) == before
    assert capsys.readouterr().err == ""


def test_a_file_name_of_raw_bytes_can_be_an_audit_file(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [task()], [response()])
    name = os.fsdecode(os.fsencode(tmp_path) + b"/a\xff?#%20.db")
    assert main(["import", name, str(run), "--quiet"]) == 0
    assert main(["grade", name, "--quiet"]) == 0
    assert os.path.exists(name)


def test_an_interrupt_while_the_program_is_being_loaded_is_quiet(tmp_path: Path) -> None:
    """The first tenth of a second goes into imports, before the command can take a signal."""
    (tmp_path / "interrupted.py").write_text(
        "import sys\n"
        "class Interrupts:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'click':\n"
        "            exec('raise KeyboardInterrupt')\n"
        "sys.meta_path.insert(0, Interrupts())\n"
        "from auditor.__main__ import run\n"
        "run()\n"
    )
    done = subprocess.run([sys.executable, "-m", "interrupted"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "auditor: Interrupted.\n")


def test_an_interrupt_within_evaluated_code_exits_with_130_too(tmp_path: Path) -> None:
    (tmp_path / "stopped.py").write_text(
        "import sys\nfrom auditor.cli import main as command\n"
        "def stop(**given):\n    exec('raise KeyboardInterrupt')\n"
        "command.main(['nothing'])  # loads what says something\n"
        "command.cli.main = stop\nsys.exit(command.main([]))\n"
    )
    found = subprocess.run([sys.executable, "-m", "stopped"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr.splitlines()[-1]) == (130, "auditor: Interrupted.")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["accuracy", "a.db", "--by", "setting"],
            "No such option '--by'. Here it is --rows and --cols. See: auditor acc",
        ),
        (["associate", "a.db", "--rows", "setting"], "Here it is --by."),
        (["regress", "a.db", "--by", "arm"], "Here it is --factors."),
        (["regress", "a.db", "--annotators", "ana,ben"], "Here it is --annotator, once for each."),
        (["agreement", "a.db", "--annotator", "ana"], "with --annotators, separated by commas"),
        (["plot", "accuracy", "my audit.db"], "The file comes first: auditor plot 'my audit.db' accuracy."),
        (["export", "a.db", "tags", "-o", "x.csv"], "What to write comes first: auditor export tags a.db."),
    ],
)
def test_what_another_command_calls_otherwise_is_told(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert told in capsys.readouterr().err


def test_every_option_that_is_told_instead_is_there() -> None:
    context = click.Context(cli)
    for (name, wrong), meant in OTHER_NAMES.items():
        command = cli.get_command(context, name)
        assert command is not None
        there = {option for one in command.params for option in one.opts}
        assert wrong not in there and set(re.findall(r"--[a-z]+", meant)) <= there, name
