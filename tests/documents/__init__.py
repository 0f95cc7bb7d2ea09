"""Tests of documents and their writers."""
