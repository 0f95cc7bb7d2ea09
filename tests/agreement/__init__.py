"""Tests of auditor.agreement."""
