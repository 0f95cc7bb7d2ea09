"""Clusters in an order that does not hang on how a file came about."""

from __future__ import annotations

import sqlite3


def cluster_places(connection: sqlite3.Connection) -> dict[int, int]:
    """Return the place of each cluster, by its row id, among the names of all of them.

    Names are hashes of sources, or keys of problems: the same clusters are in the same order in every file that has
    them, whatever was imported or merged first, so that a seed draws the same ones.
    """
    return {row: place for place, (row,) in enumerate(connection.execute("SELECT id FROM clusters ORDER BY name"))}
