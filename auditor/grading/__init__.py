"""Grading by texts alone: policies, envelopes and computed failure modes. Values in, values out.

Nothing is imported here: a review needs the values that a policy compares, and not the rest, before its first item.
"""
