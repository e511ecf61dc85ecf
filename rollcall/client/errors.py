"""The library's exceptions for applications; each is raised in one place."""

from collections.abc import Callable, Mapping

from rollcall.client.core.codes import name_of
from rollcall.client.core.events import TopicPartition


class MemberError(Exception):
    """The base class."""


class Refused(MemberError):
    """The coordinator refuses this member; ``code`` is Kafka's number.

    A new subscription lets it try again.
    """

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{name_of(code)}: {reason}")
        self.code = code


class Ended(MemberError):
    """The member has ended by itself, because of an error in this program: an assignor fails
    repeatedly, or a task of the member was cancelled. ``__cause__`` is the error; or it is
    ``AuthenticationFailed``."""


def ended(cause: BaseException) -> Ended:
    """The failure of a member that ended because of this error."""
    if isinstance(cause, Ended):
        return cause
    failure = Ended(f"the member has ended: {cause!r}")
    failure.__cause__ = cause
    return failure


class AuthenticationFailed(Ended):
    """Authentication failed, or the node's identity could not be verified; the text is the server's
    message if it has one. ``code`` is Kafka's number; 0: TLS failed.

    The member has ended, and does not try again: a wrong password stays wrong, and the node would
    lock the user out.
    """

    def __init__(self, reason: str, code: int = 0) -> None:
        super().__init__(reason)
        self.code = code


class Closed(MemberError):
    """The member was closed or abandoned, or belongs to another process."""


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
    """There is no token: it would not differ from that of the member's successor."""


class Unavailable(MemberError):
    """No node answered in time."""


class UnknownProtocol(MemberError, ValueError):
    """There is no such protocol."""
