"""Who asked for a change, as the journal names them.

A client of the wire by its principal, which its listener has authenticated, and by its client id
and address, which nobody has checked; a person by the name under which they are logged in, a
program of our own by what it does.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

Told = Mapping[str, str]
"""As an entry's details hold an author."""


ANONYMOUS: Final = "User:ANONYMOUS"
"""Kafka's principal of a client that nothing is known of."""


class Author(NamedTuple):
    """Who commits, for the history of offsets; the member id is "" where it is no member. The
    principal has Kafka's form: ``User:ann``."""

    member_id: str
    client_id: str
    client_host: str
    principal: str = ANONYMOUS

    def told(self) -> Told:
        """For the journal."""
        return {
            "principal": self.principal,
            "client_id": self.client_id,
            "client_host": self.client_host,
        }


def principal_of(user: str) -> str:
    """Somebody who is logged in to the web, as a principal."""
    return f"User:{user}"


def user(name: str) -> Told:
    """Somebody who is logged in, or the owner of a token."""
    return {"user": name}


NOBODY: Final[Told] = {}
"""Nobody in particular: a program that says nothing of itself."""

IMPORT: Final[Told] = {"program": "the import of topics"}
