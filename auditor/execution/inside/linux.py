"""The Linux system calls that Python 3.11 does not offer, by ctypes; each raises OSError as `os` does."""

from __future__ import annotations

import ctypes
import functools
import os
import platform

CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 0x2, 0x4, 0x1000, 0x4000, 0x40000
MNT_DETACH = 2
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 4, 22, 24
PR_SET_SECUREBITS, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 28, 36, 38
_SYS_MOUNT_SETATTR = 442
_SYS_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_ATTR_READ_ONLY, _ATTR_NOSUID, _ATTR_NODEV = 0x1, 0x2, 0x4
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_CAPABILITIES = 64
_NO_ROOT_LOCKED = 0x2F
"""Securebits: uid 0 means nothing, keeping capabilities over a change of uid is off, and both are locked."""


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def check(result: int, what: str) -> int:
    """Return the result of a call, or raise OSError with its errno."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def _long(value: int) -> ctypes.c_long:
    return ctypes.c_long(value)


def syscall(what: str, number: int, *arguments: ctypes.c_long | ctypes.c_char_p | ctypes.c_void_p) -> int:
    """Make a system call by its number."""
    return check(_libc().syscall(_long(number), *arguments), what)


def unshare(flags: int) -> None:
    """Leave namespaces for new ones."""
    check(_libc().unshare(ctypes.c_int(flags)), "unshare")


def mount(source: str, target: str, kind: str | None = None, flags: int = 0, options: str = "") -> None:
    """Mount a file system, or bind one place to another."""
    done = _libc().mount(
        source.encode(),
        target.encode(),
        kind.encode() if kind else None,
        ctypes.c_ulong(flags),
        options.encode() or None,
    )
    check(done, f"mount {target}")


def unmount(target: str) -> None:
    """Take a mount away, at once or when nothing uses it any more."""
    check(_libc().umount2(target.encode(), ctypes.c_int(MNT_DETACH)), f"umount {target}")


def pivot_root(new: str, old: str) -> None:
    """Make `new` the root and put the old root at `old`."""
    number = _SYS_PIVOT_ROOT.get(platform.machine())
    if number is None:
        raise OSError(0, "pivot_root is not known on this processor")
    syscall("pivot_root", number, ctypes.c_char_p(new.encode()), ctypes.c_char_p(old.encode()))


class _MountAttributes(ctypes.Structure):
    _fields_ = (
        ("set", ctypes.c_uint64),
        ("clear", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("user", ctypes.c_uint64),
    )


def make_read_only(target: str, recursive: bool) -> None:
    """Make a mount read-only, without set-user-id and devices; with all mounts below it when `recursive`.

    Needs Linux 5.12.
    """
    attributes = _MountAttributes(_ATTR_READ_ONLY | _ATTR_NOSUID | (0 if target == "/dev" else _ATTR_NODEV), 0, 0, 0)
    syscall(
        f"mount_setattr {target}",
        _SYS_MOUNT_SETATTR,
        _long(_AT_FDCWD),
        ctypes.c_char_p(target.encode()),
        _long(_AT_RECURSIVE if recursive else 0),
        ctypes.cast(ctypes.pointer(attributes), ctypes.c_void_p),
        _long(ctypes.sizeof(attributes)),
    )


def prctl(option: int, value: int, pointer: ctypes.c_void_p | None = None) -> None:
    """Set an attribute of the calling process."""
    third = pointer if pointer is not None else ctypes.c_ulong(0)
    nothing = ctypes.c_ulong(0)
    check(_libc().prctl(ctypes.c_int(option), ctypes.c_ulong(value), third, nothing, nothing), f"prctl {option}")


class _CapabilityHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapabilitySets(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def forbid_new_capabilities() -> None:
    """Let no program that is started from here on gain a capability; those that this process has stay."""
    for number in range(_CAPABILITIES):
        try:
            prctl(PR_CAPBSET_DROP, number)
        except OSError:
            break  # beyond the last capability that this kernel knows
    prctl(PR_SET_SECUREBITS, _NO_ROOT_LOCKED)


def drop_capabilities() -> None:
    """Give up every capability that this process has."""
    header, sets = _CapabilityHeader(0x20080522, 0), (_CapabilitySets * 2)()
    check(_libc().capset(ctypes.byref(header), ctypes.byref(sets)), "capset")
