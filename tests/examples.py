"""Hypothesis judges no example by the time that it takes: that says how busy the machine is, and
nothing about the example. Settings of a test begin with these, since this is read ahead of it.
"""

from hypothesis import HealthCheck, settings

settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")
