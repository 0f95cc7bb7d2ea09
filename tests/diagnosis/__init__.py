"""Tests of the search for faults."""
