"""Tests of auditor.analysis."""
