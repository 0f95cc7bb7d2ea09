"""Files that are complete or not there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from auditor.errors import InputError
from auditor.formats.whole_file import whole_file


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    with whole_file(tmp_path / "x.csv") as file:
        file.write(b"a")
        assert "x.csv" not in names(tmp_path)
    assert names(tmp_path) == ["x.csv"] and (tmp_path / "x.csv").read_bytes() == b"a"


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_file_that_fails_leaves_the_old_one(tmp_path: Path, error: type[BaseException]) -> None:
    (tmp_path / "x.csv").write_text("old")
    with pytest.raises(error), whole_file(tmp_path / "x.csv", force=True) as file:
        file.write(b"half")
        raise error
    assert names(tmp_path) == ["x.csv"] and (tmp_path / "x.csv").read_text() == "old"


def test_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="writing it failed"), whole_file(tmp_path / "x.csv"):
        raise OSError(28, "No space left on device")
    assert names(tmp_path) == []


def test_a_file_that_another_process_made_meanwhile_is_kept(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="exists already"), whole_file(tmp_path / "x.csv"):
        (tmp_path / "x.csv").write_text("theirs")
    assert (tmp_path / "x.csv").read_text() == "theirs" and names(tmp_path) == ["x.csv"]


def test_a_link_keeps_pointing_to_the_file_that_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "x.csv").symlink_to("real.csv")
    with whole_file(tmp_path / "x.csv", force=True) as file:
        file.write(b"new")
    assert (tmp_path / "x.csv").is_symlink() and (tmp_path / "real.csv").read_bytes() == b"new"


def test_a_very_long_name_can_be_written(tmp_path: Path) -> None:
    name = "ü" * 120 + ".csv"
    with whole_file(tmp_path / name) as file:
        file.write(b"a")
    assert names(tmp_path) == [name]


def test_a_device_or_pipe_is_never_replaced_by_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for target in (pipe, Path(os.devnull)):
        with pytest.raises(InputError, match="a device or a pipe, not a file"), whole_file(target, force=True):
            pytest.fail("nothing is written")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
