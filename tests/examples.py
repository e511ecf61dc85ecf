"""Hypothesis judges no example by the time that it takes: that says how busy the machine is, and
nothing about the example. Settings of a test begin with these, since this is read ahead of it.
"""

import os

from hypothesis import HealthCheck, settings

USUAL = 100


def at_most(usual: int) -> int:
    """So many examples, or fewer where the run has few of all."""
    return min(usual, int(os.environ.get("ROLLCALL_TEST_EXAMPLES", usual)))


settings.register_profile(
    "busy",
    max_examples=at_most(USUAL),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("busy")
