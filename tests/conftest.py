"""Fixtures that many tests share: where the shared data is, and the texts that broke other tools."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# Programs that tests start would otherwise compile all of their modules each time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# On a busy machine a slow example says nothing about the code.
settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of shared reference data; skip when AUDITOR_SHARED is unset, fail when it names nothing."""
    name = os.environ.get("AUDITOR_SHARED")
    if not name:
        pytest.skip("AUDITOR_SHARED is not set: the shared data is not at hand")
    folder = Path(name).resolve()
    if not (folder / "data").is_dir():
        pytest.fail(f"AUDITOR_SHARED is set to {name}, but there is no data folder in it")
    return folder


@pytest.fixture(autouse=True)
def nobody_s_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test see what the person at this machine has set."""
    monkeypatch.setenv("XDG_CONFIG_HOME", "/nonexistent")
    for name in {*os.environ} - {"AUDITOR_SHARED", "AUDITOR_DEBUG"}:
        if name.startswith(("AUDITOR_", "TEXTUAL_", "SSH_")) or name == "NO_COLOR":
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def core_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an audit file of one problem of CoRE with several implementations; tests work on copies."""
    from tests.tui.core_audit import core_audit

    return core_audit(tmp_path_factory.mktemp("core"))


@pytest.fixture(scope="session")
def probe_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an audit file of probes of every kind, which people judge too; tests that write work on copies."""
    from auditor.audit.subjects import add_subjects
    from tests.probed import probe_audit

    path = probe_audit(tmp_path_factory.mktemp("probes"))
    add_subjects(path)
    return path
