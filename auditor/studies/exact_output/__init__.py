"""Exact output and checkpoint state: four tasks of a program, two inputs and a loop, admitted by execution."""
