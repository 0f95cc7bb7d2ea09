"""Tests of auditor.compare."""
