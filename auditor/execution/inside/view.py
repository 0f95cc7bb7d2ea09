"""The wall made of Linux namespaces: a file tree with little in it, read-only, and no network or process in sight."""

from __future__ import annotations

import os
from collections.abc import Sequence

from auditor.execution.inside import linux

DEVICES = ("null", "zero", "full", "random", "urandom")
LINKED_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
"""Folders of the root that many systems have as links into /usr."""
JOB_FOLDER = "/box"
"""Where a program runs; an own empty folder for each."""
_UNNAMED_USER = 1_900_000_000
"""From here on, user ids that nobody has."""
_NOBODY = 65534
_INSIDE_ID = 1000
_ALL_NAMESPACES = (
    linux.CLONE_NEWUSER | linux.CLONE_NEWNS | linux.CLONE_NEWPID | linux.CLONE_NEWNET
    | linux.CLONE_NEWIPC | linux.CLONE_NEWUTS | linux.CLONE_NEWCGROUP
)  # fmt: skip


def _bind(source: str, target: str) -> None:
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w"):
            pass
    linux.mount(source, target, flags=linux.MS_BIND | linux.MS_REC)


def _build(readable: Sequence[str]) -> None:
    """Make a root of these folders alone, and go there."""
    linux.mount("none", "/", flags=linux.MS_REC | linux.MS_PRIVATE)
    linux.mount("tmpfs", "/tmp", "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, "mode=755")
    os.makedirs("/tmp/old")
    linux.pivot_root("/tmp", "/tmp/old")
    os.chdir("/")
    os.makedirs("/new")
    linux.mount("tmpfs", "/new", "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, "mode=755,size=1m")
    for name in LINKED_FOLDERS:
        if os.path.islink(f"/old/{name}"):
            os.symlink(os.readlink(f"/old/{name}"), f"/new/{name}")
    for place in readable:
        _bind(f"/old{place}", f"/new{place}")
        linux.make_read_only(f"/new{place}", recursive=True)
    for name in DEVICES:
        _bind(f"/old/dev/{name}", f"/new/dev/{name}")
    os.makedirs(f"/new{JOB_FOLDER}")
    linux.unmount("/old")
    os.chdir("/new")
    linux.pivot_root(".", ".")
    linux.unmount(".")
    os.chdir("/")


def _become_nobody() -> None:
    """Go from root to a user id that nobody has, so that limits per user hold and nothing belongs to it."""
    os.setgroups([])
    for number in (_UNNAMED_USER + os.getpid() % 100_000, _NOBODY):
        try:
            os.setresgid(number, number, number)
            os.setresuid(number, number, number)
        except OSError:
            continue  # a container may know few user ids
        break
    linux.prctl(linux.PR_SET_DUMPABLE, 1)  # else the kernel lets root alone write what maps the user ids


def _map_user(process: int, user: int, group: int) -> None:
    """Let the one user of a new user namespace be an ordinary one."""
    for name, text in (
        ("setgroups", "deny"),
        ("gid_map", f"{_INSIDE_ID} {group} 1"),
        ("uid_map", f"{_INSIDE_ID} {user} 1"),
    ):
        try:
            file = os.open(name, os.O_WRONLY, dir_fd=process)
        except FileNotFoundError:
            continue  # kernels before 3.19 have no setgroups
        try:
            os.write(file, text.encode())
        finally:
            os.close(file)


def _enter_user_namespace(process: int, flags: int) -> None:
    user, group = os.geteuid(), os.getegid()
    linux.unshare(flags)
    _map_user(process, user, group)


def enter(readable: Sequence[str], walled: bool) -> None:
    """Go behind the wall, for good; with `walled` something else has built it and only the user is left to change.

    Afterwards the children of this process are in a process namespace of their own, except with `walled`. Raises
    OSError where the system refuses a step.
    """
    process = os.open("/proc/self", os.O_RDONLY | os.O_DIRECTORY)
    try:
        root = os.geteuid() == 0
        if root and not walled:
            linux.unshare(linux.CLONE_NEWNS)
            _build(readable)
        if root:
            _become_nobody()
        _enter_user_namespace(process, linux.CLONE_NEWUSER | linux.CLONE_NEWNS if walled else _ALL_NAMESPACES)
        if not root and not walled:
            _build(readable)
        if not walled:
            linux.make_read_only("/", recursive=False)
        linux.forbid_new_capabilities()
    finally:
        os.close(process)
