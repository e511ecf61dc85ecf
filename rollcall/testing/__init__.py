"""Tests of workers without a server: ``Coordinator`` decides by the coordinator's own rules, in
memory.

    with Coordinator({"orders": 6}) as coordinator:
        member = Member(coordinator.bootstrap, "packers", ["orders"])

docs/client.md, *Tests without a server*. In a checkout the rules are ``groups.core``; the wheel has
a copy of them as ``rollcall.testing.rules`` (``hatch_build.py``)."""

from rollcall.testing.coordinator import Coordinator

__all__ = ["Coordinator"]
