"""The system calls that a program under audit may not make: a seccomp filter, written as the kernel reads it."""

from __future__ import annotations

import ctypes
import errno
import functools
import platform
import struct

from auditor.execution.inside.linux import PR_SET_SECCOMP, prctl

_ARCHITECTURE = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""The kernel's name of the processor, and the column of the tables below."""
_REFUSED = (
    # mounts and namespaces
    (165, 40), (166, 39), (155, 41), (161, 51), (272, 97), (308, 268), (428, 428), (429, 429), (430, 430),
    (431, 431), (432, 432), (433, 433), (442, 442), (304, 265), (303, 264),
    # other processes' memory and files: ptrace, process_vm_*, kcmp, pidfd_getfd
    (101, 117), (310, 270), (311, 271), (312, 272), (438, 438),
    # keys, bpf, perf, userfaultfd, io_uring
    (250, 219), (248, 217), (249, 218), (321, 280), (298, 241), (323, 282), (425, 425), (426, 426), (427, 427),
    # memory that no limit counts and that may outlive its maker: shmget, semget, msgget, mq_open, memfd_*
    (29, 194), (64, 190), (68, 186), (240, 180), (319, 279), (447, 447),
    # the machine: modules, kexec, swap, clocks, names, accounting, ports
    (246, 104), (320, 294), (175, 105), (313, 273), (176, 106), (167, 224), (168, 225), (169, 142), (163, 89),
    (179, 60), (103, 116), (164, 170), (227, 112), (170, 161), (171, 162), (172, -1), (173, -1), (154, -1),
)  # fmt: skip
_CLONE, _CLONE3, _SOCKET, _PRLIMIT = (56, 220), (435, 435), (41, 198), (302, 261)
_FORKS = ((57, -1), (58, -1))
_X32 = 0x40000000
_NEW_NAMESPACE = 0x7E020000
"""All CLONE_NEW flags that clone knows."""
_THREAD = 0x00010000
_AF_UNIX = 1
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER_AT, _PROCESSOR_AT, _ARGUMENT_AT = 0, 4, 16


def _instruction(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("<HBBI", code, yes, no, value)


def _refuse(number: int, why: int) -> bytes:
    """Refuse one call with an error, and go on with the next instruction for all others."""
    return _instruction(_EQUAL, number, 0, 1) + _instruction(_RETURN, _ERRNO | why)


def _only_with(number: int, argument: int, why: int) -> bytes:
    """Allow one call with one first argument alone."""
    asking = _instruction(_LOAD, _ARGUMENT_AT)
    asking += _instruction(_EQUAL, argument, 1, 0) + _instruction(_RETURN, _ERRNO | why)
    asking += _instruction(_RETURN, _ALLOW)
    return _instruction(_EQUAL, number, 0, len(asking) // 8) + asking


@functools.cache
def filter_program(machine: str, forks: bool) -> bytes | None:
    """Return the filter for a processor, or None where its system calls are not known here.

    Without `forks`, threads can be started and processes cannot.
    """
    if machine not in _ARCHITECTURE:
        return None
    name, column = _ARCHITECTURE[machine]
    code = _instruction(_LOAD, _PROCESSOR_AT) + _instruction(_EQUAL, name, 1, 0) + _instruction(_RETURN, _KILL)
    code += _instruction(_LOAD, _NUMBER_AT)
    if machine == "x86_64":
        code += _instruction(_AT_LEAST, _X32, 0, 1) + _instruction(_RETURN, _ERRNO | errno.ENOSYS)
    for numbers in _REFUSED:
        if numbers[column] >= 0:
            code += _refuse(numbers[column], errno.EPERM)
    code += _refuse(_CLONE3[column], errno.ENOSYS)  # its flags are out of a filter's sight; libraries then use clone
    for numbers in _FORKS:
        if not forks and numbers[column] >= 0:
            code += _refuse(numbers[column], errno.EAGAIN)
    cloning = _instruction(_LOAD, _ARGUMENT_AT)
    cloning += _instruction(_ANY_BIT, _NEW_NAMESPACE, 0, 1) + _instruction(_RETURN, _ERRNO | errno.EPERM)
    if not forks:
        cloning += _instruction(_ANY_BIT, _THREAD, 1, 0) + _instruction(_RETURN, _ERRNO | errno.EAGAIN)
    cloning += _instruction(_RETURN, _ALLOW)
    code += _instruction(_EQUAL, _CLONE[column], 0, len(cloning) // 8) + cloning
    code += _only_with(_SOCKET[column], _AF_UNIX, errno.EACCES)
    code += _only_with(_PRLIMIT[column], 0, errno.EPERM)  # the limits of the caller itself
    return code + _instruction(_RETURN, _ALLOW)


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def install(forks: bool) -> bool:
    """Put the filter on this process and all it starts, for good; False where that is not possible.

    The process must have given up gaining privileges before (PR_SET_NO_NEW_PRIVS).
    """
    code = filter_program(platform.machine(), forks)
    if code is None:
        return False
    program = _Filter(len(code) // 8, code)
    try:
        prctl(PR_SET_SECCOMP, 2, ctypes.cast(ctypes.pointer(program), ctypes.c_void_p))
    except OSError:
        return False
    return True
