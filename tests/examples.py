"""Hypothesis judges no example by the time that it takes: that says how busy the machine is, and
nothing about the example. Settings of a test begin with these, since this is read ahead of it.
"""

import os

from hypothesis import HealthCheck, settings

USUAL = 100

settings.register_profile(
    "busy",
    max_examples=min(USUAL, int(os.environ.get("ROLLCALL_TEST_EXAMPLES", USUAL))),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("busy")
