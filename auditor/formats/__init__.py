"""Readers and writers, a module per file format: a path in, a stream of records out. No database, no screen."""

from __future__ import annotations

from auditor.formats.registry import formats, recognise

__all__ = ["formats", "recognise"]
