"""The trace of the request that this thread answers, for code that knows nothing of OpenTelemetry.

Without traces there is none: every function then does nothing.
"""

from typing import Protocol

OPERATION_ID = "rollcall.operation.id"
"""The attribute that spans of the web and of nodes have in common."""


class Current(Protocol):
    """What is traced now."""

    def traceparent(self) -> str | None:
        """The current span as W3C's header ``traceparent``; None where nothing is traced."""

    def note(self, name: str, value: str | int) -> None:
        """Give the current span an attribute."""


class Nothing:
    """Nothing is traced."""

    def traceparent(self) -> str | None:
        """There is no span."""
        return None

    def note(self, name: str, value: str | int) -> None:
        """Nobody reads it."""


_current: Current = Nothing()


def use(current: Current) -> None:
    """From now on, in this process."""
    global _current
    _current = current


def traceparent() -> str | None:
    """See ``Current``."""
    return _current.traceparent()


def note(name: str, value: str | int) -> None:
    """See ``Current``."""
    _current.note(name, value)
