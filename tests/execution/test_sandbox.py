"""What programs give, and how each way of ending is named."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from auditor.execution import protection
from auditor.execution.compilers import compiler_arguments
from auditor.execution.outcome import Ending
from auditor.execution.program import Limits, Program, Run
from auditor.execution.protection import RefusedError, protection_by, strongest_protection
from auditor.execution.sandbox import Sandbox, run
from auditor.execution.wall import WALLS, Wall
from tests.execution.test_hostile_programs import processes_named

needs_compiler = pytest.mark.skipif(compiler_arguments() is None, reason="neither g++ nor clang++ is installed")


def python(sandbox: Sandbox, source: str, stdin: bytes = b"", **limits: float | bool) -> Run:
    return sandbox.run(Program.python(source), stdin=stdin, limits=Limits(**limits))  # type: ignore[arg-type]


def test_a_program_reads_its_input_and_writes_both_streams(sandbox: Sandbox) -> None:
    source = "import sys\nprint(input()[::-1], sys.stdin.read())\nprint('é', file=sys.stderr)"
    done = python(sandbox, source, "añb\nrest\n".encode())
    assert (done.outcome.finished, done.stdout, done.stderr) == (True, "bña rest\n\n".encode(), "é\n".encode())
    assert done.seconds > 0 and done.cpu_seconds > 0 and done.peak_memory > 1 << 20


def test_input_and_output_are_bytes_and_may_be_large(sandbox: Sandbox) -> None:
    data = bytes(range(256)) * 8_000
    source = "import sys\nsys.stdout.buffer.write(sys.stdin.buffer.read())"
    assert python(sandbox, source, data).stdout == data


@pytest.mark.parametrize(
    ("source", "ending", "sentence"),
    [
        ("pass", Ending.FINISHED, "finished"),
        ("raise SystemExit", Ending.FINISHED, "finished"),
        ("raise SystemExit(3)", Ending.EXIT_STATUS, "ended with status 3"),
        ("raise SystemExit(10 ** 30)", Ending.EXIT_STATUS, "ended with status 255"),
        ("import sys\nsys.exit('no')", Ending.EXIT_STATUS, "ended with status 1"),
        ("exit(4)", Ending.EXIT_STATUS, "ended with status 4"),
        ("def f():\n  return {}['k']\nf()", Ending.EXCEPTION, "ended with KeyError in line 2: 'k'"),
        (
            "x = 1\nif x\n  pass",
            Ending.EXCEPTION,
            "ended with SyntaxError in line 2: expected ':' (program.py, line 2)",
        ),
        ("import os\nos.abort()", Ending.SIGNAL, "killed by SIGABRT"),
        ("bytearray(1 << 40)", Ending.MEMORY, "ran into the memory limit in line 1"),
        ("print('x' * 10 ** 7)", Ending.OUTPUT, "stopped at the limit of output"),
        ("import time\ntime.sleep(99)", Ending.WALL_TIME, "stopped at the time limit"),
        ("raise KeyboardInterrupt", Ending.EXCEPTION, "ended with KeyboardInterrupt in line 1"),
        ("raise BlockingIOError(11, 'busy')", Ending.TASKS, "ran into the limit of processes and threads in line 1"),
    ],
)
def test_every_end_has_a_name(sandbox: Sandbox, source: str, ending: Ending, sentence: str) -> None:
    wall = 0.3 if ending is Ending.WALL_TIME else 30.0
    done = python(sandbox, source, wall=wall, memory=512 << 20, output=1 << 20)
    assert done.outcome.ending is ending
    assert done.outcome.sentence.startswith(sentence)


def test_processor_time_is_limited_apart_from_the_clock(sandbox: Sandbox) -> None:
    done = python(sandbox, "while True:\n    pass", wall=60, cpu=0.1)
    assert done.outcome.ending is Ending.CPU_TIME


@pytest.mark.parametrize(
    "source",
    [
        "def f(n):\n    try:\n        return f(n + 1)\n    except RecursionError:\n        return n\nprint(f(0))",
        "class A:\n    def __del__(self):\n        print('gone')\na = A()\ndef f(): return a",
        "import atexit\natexit.register(print, 'bye')\nprint('hi')",
        "import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.05), print('late'))).start()",
        "print(__name__, __file__, __import__('sys').argv, sorted(globals()))",
        "print(hash('a'), {'b', 'a', 'c'}, len(str(10 ** 4000)))",
        "print([m for m in __import__('sys').modules if 'audit' in m])",
        "import sys\nprint(sys.stdout.encoding, sys.stdin.encoding, sys.getdefaultencoding(), sys.stdin.isatty())",
        "import sys\nprint('out')\nprint('err', file=sys.stderr)\n1 / 0",
        "import random\nrandom.seed(7)\nprint(random.random(), [random.randrange(9) for _ in range(9)])",
        "import dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int\nprint(P(3), P(3) == P(3))",
        "import pickle\nclass Q: pass\nprint(type(pickle.loads(pickle.dumps(Q()))).__module__)",
    ],
)
def test_the_quick_way_gives_what_a_new_interpreter_gives(sandbox: Sandbox, source: str) -> None:
    quick = sandbox.run(Program.python(source))
    fresh = sandbox.run(Program.python(source, fresh=True))
    if "__file__" in source:
        # A new interpreter also leaves two names there that a program has no use for.
        clean = fresh.stdout.replace(b"'__annotations__', ", b"").replace(b"'__cached__', ", b"")
        assert quick.stdout.replace(b"'__cached__', ", b"").replace(b"/box/", b"") == clean.replace(b"/box/", b"")
    else:
        assert quick.stdout == fresh.stdout
    assert quick.stderr.replace(b"/box/", b"") == fresh.stderr.replace(b"/box/", b"")
    assert (quick.outcome.ending, quick.outcome.line) == (fresh.outcome.ending, fresh.outcome.line)
    assert quick.outcome.exception == fresh.outcome.exception


def test_random_numbers_differ_from_run_to_run_as_they_do_outside(sandbox: Sandbox) -> None:
    source = "import random\nprint(random.random())"
    assert python(sandbox, source).stdout != python(sandbox, source).stdout


def test_the_hash_seed_is_ours_to_choose() -> None:
    try:
        with Sandbox(hash_seed=1) as one, Sandbox(hash_seed=2) as two:
            outputs = [python(box, "print(hash('a'))").stdout for box in (one, one, two)]
    except RefusedError as error:
        pytest.skip(str(error))
    assert outputs[0] == outputs[1] != outputs[2]


def test_many_large_answers_and_questions_do_not_wait_for_each_other(sandbox: Sandbox) -> None:
    source = b"import sys\ntext = sys.stdin.read()\nprint(text[:9], 'x' * 400_000)"
    inputs = [b"%d" % number + b"y" * (number % 3 * 30_000) for number in range(24)]
    done = list(sandbox.run_many((source, text) for text in inputs))
    assert [run.stdout[:9] for run in done] == [(text[:9] + b" " + b"x" * 9)[:9] for text in inputs]
    assert {run.outcome.ending for run in done} == {Ending.FINISHED}


def test_a_program_finds_nothing_of_the_one_before(sandbox: Sandbox) -> None:
    python(sandbox, "open('left', 'w').write('x')\nimport builtins\nbuiltins.left = 1")
    done = python(sandbox, "import os\nprint(os.listdir('.'))\nprint(left)")
    assert (done.stdout, done.outcome.exception) == (b"['program.py']\n", "NameError")


def test_the_environment_is_empty_and_the_user_is_nobody(sandbox: Sandbox) -> None:
    source = "import os\nprint(dict(os.environ), os.getuid() != 0, os.getcwd(), sorted(os.listdir('/dev')))"
    expected = b"{} True /box ['full', 'null', 'random', 'urandom', 'zero']\n"
    assert python(sandbox, source).stdout == expected
    assert sandbox.run(Program.python("import os\nprint(sorted(os.environ))", fresh=True)).stdout.startswith(b"['")


@needs_compiler
def test_cpp_is_compiled_and_run_inside(sandbox: Sandbox) -> None:
    source = "#include <iostream>\nint main() { long a; std::cin >> a; std::cout << a * 2; return a == 3; }"
    done = sandbox.run(Program.cpp(source), stdin=b"21")
    assert (done.outcome.finished, done.stdout) == (True, b"42")
    assert sandbox.run(Program.cpp(source), stdin=b"3").outcome.sentence == "ended with status 1"


@needs_compiler
@pytest.mark.parametrize(
    ("body", "ending", "sentence"),
    [
        ("return 0", Ending.COMPILE_ERROR, "does not compile: program.cpp:2:"),
        ('throw std::runtime_error("bad");', Ending.EXCEPTION, "ended with std::runtime_error: bad"),
        ("std::vector<long> v(1L << 40); return v[5];", Ending.MEMORY, "ran into the memory limit"),
        ("volatile int* p = nullptr; return *p;", Ending.SIGNAL, "killed by SIGSEGV"),
        ('return system("ls /") == 0 ? 0 : 7;', Ending.EXIT_STATUS, "ended with status 7"),
    ],
)
def test_every_end_of_a_cpp_program_has_a_name(sandbox: Sandbox, body: str, ending: Ending, sentence: str) -> None:
    includes = (
        "#include <vector>\n"
        if "vector" in body
        else "#include <stdexcept>\n"
        if "throw" in body
        else "#include <cstdlib>\n"
    )
    done = sandbox.run(Program.cpp(f"{includes}int main() {{ {body} }}"), limits=Limits(memory=256 << 20))
    assert done.outcome.ending is ending
    assert done.outcome.sentence.startswith(sentence)


@needs_compiler
def test_a_compiler_is_confined_too(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("int secret;")
    done = sandbox.run(Program.cpp(f'#include "{tmp_path}/secret"\nint main() {{}}'))
    assert done.outcome.ending is Ending.COMPILE_ERROR
    assert "No such file" in done.outcome.message


@pytest.mark.parametrize("wall", WALLS)
def test_each_wall_that_can_be_built_protects_completely(wall: Wall) -> None:
    found = protection_by(wall)
    if not found.complete and found.why_not:
        pytest.skip(found.sentence)
    assert found.sentence == (
        f"Programs run behind a wall made by {wall}: protected are "
        "your files, the network, other processes, memory and rare system calls."
    )


def test_without_a_wall_nothing_runs_unless_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protection, "WALLS", ())
    with pytest.raises(RefusedError, match="nothing here keeps them from files"):
        run(Program.python("print(1)"))
    assert "not protected: your files" in strongest_protection(unsafe=True).sentence
    with Sandbox(unsafe=True) as box:
        assert box.protection.wall == "none"
        done = python(box, "import os\nprint(os.listdir('.'))\nopen('f', 'w').write(os.getcwd())\nos.mkdir('d', 0)")
        assert (done.outcome.finished, done.stdout) == (True, b"['program.py']\n")
        assert python(box, "import time\ntime.sleep(99)", wall=0.3).outcome.ending is Ending.WALL_TIME
        left = python(box, "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(99)", forks=True)
        assert left.outcome.finished
        folder = python(box, "import os\nprint(os.path.dirname(os.getcwd()))").stdout.decode().strip()
        assert os.listdir(folder) == []
    assert not os.path.exists(folder)


_KILLED = """
import os, sys
from auditor.execution.program import Program
from auditor.execution.sandbox import Sandbox
with Sandbox(readable=(sys.argv[1],)) as sandbox:
    sandbox.run(Program.python("print(1)"))
    print("ready", flush=True)
    sandbox.run(Program.python("import time\\ntime.sleep(1000)", fresh=sys.argv[2] == "fresh"))
"""


@pytest.mark.parametrize(
    ("number", "how"), [(signal.SIGKILL, "quick"), (signal.SIGKILL, "fresh"), (signal.SIGINT, "quick")]
)
def test_nothing_outlives_a_caller_that_is_killed(
    sandbox: Sandbox, tmp_path: Path, number: signal.Signals, how: str
) -> None:
    caller = subprocess.Popen(
        [sys.executable, "-c", _KILLED, str(tmp_path), how],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert caller.stdout is not None
    assert caller.stdout.readline() == b"ready\n"
    assert len(processes_named(str(tmp_path))) > 1
    os.killpg(caller.pid, number)
    _, errors = caller.communicate(timeout=30)
    for _ in range(2000):
        if not processes_named(str(tmp_path)):
            break
    assert processes_named(str(tmp_path)) == []
    if number == signal.SIGINT:
        assert errors.count(b"Traceback") == 1  # the caller's own


def test_a_sandbox_that_was_lost_says_so_and_starts_anew(tmp_path: Path, sandbox: Sandbox) -> None:
    with Sandbox(readable=(str(tmp_path),)) as own:
        python(own, "")
        for process in processes_named(str(tmp_path)):
            os.kill(int(process), signal.SIGKILL)
        assert python(own, "print(1)").outcome.ending is Ending.SANDBOX_FAILED
        assert python(own, "print(1)").stdout == b"1\n"


def test_further_folders_can_be_made_readable(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "lent.py").write_text("value = 42")
    tmp_path.chmod(0o755)  # programs of root run as nobody
    source = f"import sys\nsys.path.append({str(tmp_path)!r})\nimport lent\nprint(lent.value)\nopen(lent.__file__, 'a')"
    with Sandbox(readable=(str(tmp_path),)) as own:
        done = python(own, source)
    assert done.stdout == b"42\n"
    assert done.outcome.exception in ("OSError", "PermissionError")
    assert python(sandbox, source).outcome.exception == "ModuleNotFoundError"


def test_importing_the_sandbox_imports_nothing_heavy() -> None:
    code = "import sys, auditor.execution.sandbox\nprint(*sorted({m.partition('.')[0] for m in sys.modules}))"
    names = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "textual", "rich", "click", "sqlite3", "asyncio"} & set(names)


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_bubblewrap_comes_first_where_it_works(sandbox: Sandbox) -> None:
    assert sandbox.protection.wall == ("bubblewrap" if protection_by("bubblewrap").complete else "namespaces")
