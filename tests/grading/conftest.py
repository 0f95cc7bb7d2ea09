"""Hypothesis without a deadline: on a busy machine a slow example says nothing about grading."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")
