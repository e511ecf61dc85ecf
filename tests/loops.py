"""An event loop that ends though a test has left something open.

uvloop warns of an open transport while it closes it. Where warnings are errors it stays open
instead, and the loop waits until the peer closes it: ten minutes, at one of our own servers.
"""

import asyncio
import warnings

import pytest
import uvloop


class Loop(uvloop.Loop):
    """Tells what was left open when all of it is closed."""

    def close(self) -> None:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            super().close()
        for warning in told:
            warnings.warn(warning.message, warning.category, stacklevel=2)


class Policy(uvloop.EventLoopPolicy):  # type: ignore[misc]
    """``protocol.server`` sets uvloop's own."""

    def _loop_factory(self) -> Loop:
        return Loop()


@pytest.hookimpl
def pytest_collection_finish() -> None:
    """All modules are imported by now, that one too."""
    asyncio.set_event_loop_policy(Policy())
