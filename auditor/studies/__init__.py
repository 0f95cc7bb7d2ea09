"""Benches: each package builds the tasks of one benchmark, with oracles that come from execution."""
