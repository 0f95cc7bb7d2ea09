"""The errors that reach a person: one sentence each, with what to do about it."""

from __future__ import annotations


class AuditorError(Exception):
    """A problem stated in one sentence, with an optional hint on what to do.

    Raised where the fact is known (file, line, key); the command line prints it and exits with `exit_code`.
    """

    exit_code = 2

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}" if self.hint else self.message


class InputError(AuditorError):
    """A file or value that somebody gave is unusable; `where` names it (`file:line`)."""

    def __init__(self, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(f"{where}: {message}" if where else message, hint)
        self.where = where


class AuditFileError(AuditorError):
    """The audit file cannot be opened, is newer than this program, or is damaged."""


class FileBusyError(AuditFileError):
    """Another process holds the audit file's write lock longer than we may wait."""


class FileGoneError(AuditFileError):
    """The path of an open audit file names another file by now, or none."""


class UnsavedWorkError(AuditFileError):
    """A review ended while some of what the annotator did is not in the audit file."""

    exit_code = 1


class InterruptedWorkError(AuditorError):
    """Somebody interrupted a command; what it did so far stays, and the hint says how to go on."""

    exit_code = 130


class NothingFreeError(AuditorError):
    """Others hold or have reviewed every item that is still open for this person; nothing was changed."""

    exit_code = 1


class PartlyDoneError(AuditorError):
    """A command could not do the whole of its work; what it did so far stays, and the hint says how to go on."""

    exit_code = 1
