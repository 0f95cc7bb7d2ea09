"""Programs that try to do harm, each with the endings that show it was contained."""

from __future__ import annotations

from typing import NamedTuple

from auditor.execution.outcome import Ending


class Hostile(NamedTuple):
    """A program and what may come of it."""

    name: str
    source: str
    endings: frozenset[Ending]
    forks: bool = False


def _hostile(name: str, source: str, *endings: Ending, forks: bool = False) -> Hostile:
    return Hostile(name, source, frozenset(endings), forks)


FORGING = """\
import json, os, struct
def write(header, *blobs):
    text = json.dumps({**header, "blobs": [len(blob) for blob in blobs]}).encode()
    for number in range(3, 2000):
        try:
            os.write(number, struct.pack("<I", len(text)) + text + b"".join(blobs))
        except OSError:
            pass
"""
"""The start of a program that finds the channel on which a program's process tells of itself, and writes to it."""
E = Ending
HOSTILE = (
    _hostile("fork bomb", "import os\nwhile True:\n    os.fork()", E.TASKS),
    _hostile("fork bomb where forks are allowed", "import os\nwhile True:\n    os.fork()", E.TASKS, forks=True),
    _hostile(
        "fork bomb that catches errors",
        "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass",
        E.WALL_TIME,
        E.CPU_TIME,
        forks=True,
    ),
    _hostile("memory bomb", "x = []\nwhile True:\n    x.append(bytearray(10 ** 7))", E.MEMORY),
    _hostile("endless output", "while True:\n    print('x' * 1000)", E.OUTPUT),
    _hostile("endless errors", "import os\nwhile True:\n    os.write(2, b'x' * 1000)", E.OUTPUT),
    _hostile(
        "home directory", "import os\nprint(os.listdir(os.path.expanduser('~root')))\nopen('/etc/passwd')", E.EXCEPTION
    ),
    _hostile("network", "import socket\nsocket.create_connection(('127.0.0.1', 22), timeout=1)", E.EXCEPTION),
    _hostile("network by its number", "import socket\nsocket.socket(socket.AF_INET6, socket.SOCK_DGRAM)", E.EXCEPTION),
    _hostile("writes to the system", "open('/usr/lib/evil', 'w')", E.EXCEPTION),
    _hostile("writes to the root", "open('/evil', 'w')", E.EXCEPTION),
    _hostile("writes through a link", "import os\nos.symlink('/usr', 'u')\nopen('u/evil', 'w')", E.EXCEPTION),
    _hostile("reads through a link", "import os\nos.symlink('/etc/shadow', 's')\nopen('s').read()", E.EXCEPTION),
    _hostile(
        "a file without end",
        "with open('f', 'wb') as f:\n    while True:\n        f.write(b'x' * 10 ** 6)",
        E.FILE_SIZE,
    ),
    _hostile(
        "files without end",
        "n = 0\nwhile True:\n    n += 1\n    open(f'f{n}', 'wb').write(b'x' * 10 ** 6)",
        E.FILE_SIZE,
        E.EXCEPTION,
    ),
    _hostile("deep recursion", "def f(n):\n    return f(n + 1)\nf(0)", E.EXCEPTION),
    _hostile(
        "recursion into the stack's end",
        "import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(x):\n    return max((x,), key=f)\nf(0)",
        E.SIGNAL,
        E.EXCEPTION,
        E.MEMORY,
    ),
    _hostile("os._exit", "import os\nprint('lost')\nos._exit(0)", E.EXIT_STATUS),
    _hostile("kills itself", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", E.SIGNAL),
    _hostile(
        "kills everybody", "import os, signal\nos.kill(-1, signal.SIGKILL)", E.SIGNAL, E.EXCEPTION, E.SANDBOX_FAILED
    ),
    _hostile("kills its first process", "import os\nos.kill(1, 9)\nraise SystemExit(3)", E.EXIT_STATUS, E.EXCEPTION),
    _hostile(
        "sleeps and ignores signals",
        "import signal, time\nfor n in (1, 2, 3, 15):\n    signal.signal(n, signal.SIG_IGN)\ntime.sleep(1000)",
        E.WALL_TIME,
    ),
    _hostile(
        "burns time and ignores its end",
        "import signal\nsignal.signal(24, signal.SIG_IGN)\nwhile True:\n    pass",
        E.CPU_TIME,
        E.WALL_TIME,
    ),
    _hostile(
        "threads",
        "import threading, time\nwhile True:\n    threading.Thread(target=time.sleep, args=(99,)).start()",
        E.TASKS,
        E.WALL_TIME,
    ),
    _hostile(
        "print of its own",
        "import builtins\nbuiltins.print = None\nimport sys\nsys.stdout = sys.stderr = 1",
        E.FINISHED,
        E.EXIT_STATUS,
    ),
    _hostile("closes everything", "import os\nos.closerange(0, 5000)", E.EXIT_STATUS),
    _hostile(
        "writes to every descriptor",
        "import os\nfor n in range(3, 1100):\n    try:\n        os.write(n, b'x' * 9)\n    except OSError:\n        n",
        E.FINISHED,
        E.EXIT_STATUS,
    ),
    _hostile(
        "floods the result",
        "import os\nwhile True:\n    for n in range(3, 1100):\n"
        "        try:\n            os.write(n, b'x' * 10 ** 6)\n        except OSError:\n            pass",
        E.RESULT,
        E.WALL_TIME,
        E.CPU_TIME,
    ),
    _hostile(
        "leaves a daemon",
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n"
        "    if os.fork() == 0:\n        time.sleep(1000)\n    os._exit(0)",
        E.FINISHED,
        forks=True,
    ),
    _hostile("starts a shell", "import subprocess\nsubprocess.run(['/bin/sh', '-c', 'sleep 1000 &'])", E.TASKS),
    _hostile(
        "new user namespace",
        "import ctypes\nif ctypes.CDLL(None).unshare(0x10000000):\n    raise PermissionError",
        E.EXCEPTION,
    ),
    _hostile(
        "memory that no limit counts",
        "import ctypes\nlibc = ctypes.CDLL(None)\n"
        "if libc.shmget(0, 1 << 28, 0o1600) < 0 and libc.memfd_create(b'x', 0) < 0:\n    raise PermissionError",
        E.EXCEPTION,
    ),
    _hostile(
        "lowers the limits of others", "import resource\nresource.prlimit(1, resource.RLIMIT_CPU, (1, 1))", E.EXCEPTION
    ),
    _hostile("raises its limits", "import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))", E.EXCEPTION),
    _hostile(
        "mounts",
        "import ctypes\nif ctypes.CDLL(None).mount(b'x', b'/tmp', b'tmpfs', 0, 0):\n    raise PermissionError",
        E.EXCEPTION,
    ),
    _hostile(
        "exit hook that never ends",
        "import atexit\n@atexit.register\ndef wait():\n    while True:\n        pass",
        E.CPU_TIME,
        E.WALL_TIME,
    ),
    _hostile("hook of its own that fails", "import sys\nsys.excepthook = 7\n1 / 0", E.EXCEPTION),
    _hostile(
        "an exception that cannot be written",
        "class E(Exception):\n    def __str__(self):\n        raise E\nraise E",
        E.EXCEPTION,
    ),
    _hostile(
        "a pipe with a hostile name", "import os\nos.mkfifo('\\x1b[2J')\nos.mkdir('d')\nos.chmod('d', 0)", E.FINISHED
    ),
)
