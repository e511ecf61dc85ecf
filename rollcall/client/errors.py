"""What can go wrong for an application that uses the library; each is raised by one place."""

from collections.abc import Callable, Mapping

from rollcall.client.core.codes import name_of
from rollcall.client.core.events import TopicPartition


class MemberError(Exception):
    """Any of these."""


class Refused(MemberError):
    """The coordinator will not have this member; ``code`` is Kafka's number.

    A new subscription lets it try again.
    """

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{name_of(code)}: {reason}")
        self.code = code


class Ended(MemberError):
    """The member has ended by itself, since something went wrong in this program: an assignor
    fails again and again, or a task of the member's was cancelled. ``__cause__`` is what; or it is
    ``AuthenticationFailed``."""


def ended(cause: BaseException) -> Ended:
    """The failure of a member that this ended."""
    if isinstance(cause, Ended):
        return cause
    failure = Ended(f"the member has ended: {cause!r}")
    failure.__cause__ = cause
    return failure


class AuthenticationFailed(Ended):
    """A node does not let this client in, or is not who it should be; the text is the server's own
    sentence where it has one. ``code`` is Kafka's number; 0: the connection's TLS failed.

    The member has ended, and does not try again: a wrong password is no better the next time, and
    the node would lock its user out.
    """

    def __init__(self, reason: str, code: int = 0) -> None:
        super().__init__(reason)
        self.code = code


class Closed(MemberError):
    """The member was closed or abandoned, or was made by another process."""


class CommitRefused(MemberError):
    """Some offsets were not committed; ``codes`` are Kafka's numbers, by partition."""

    def __init__(
        self, codes: Mapping[TopicPartition, int], name: Callable[[int], str] = name_of
    ) -> None:
        names = {f"{p.topic}-{p.partition}: {name(code)}" for p, code in codes.items()}
        super().__init__(", ".join(sorted(names)))
        self.codes = dict(codes)


class NotAssigned(MemberError):
    """The partition is not this member's, or not any more."""


class Unfenced(MemberError):
    """There is no token: it would be as good as that of the member's successor."""


class Unavailable(MemberError):
    """Nobody who could answer was reached in time."""


class UnknownProtocol(MemberError, ValueError):
    """There is no such protocol."""
