"""Tests of the PrEx study."""
