"""Hypothesis on a machine that others use too: how long an example takes says nothing."""

from hypothesis import settings

settings.register_profile("shared-machine", deadline=None)
settings.load_profile("shared-machine")
