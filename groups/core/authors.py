"""Who asked for a change, as the journal names them.

A client of the wire by its client id and address (nobody has checked either), a person by the name
under which they are logged in, a program of our own by what it does.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

Told = Mapping[str, str]
"""As an entry's details hold an author."""


class Author(NamedTuple):
    """Who commits, for the history of offsets; the member id is "" where it is no member."""

    member_id: str
    client_id: str
    client_host: str

    def told(self) -> Told:
        """For the journal."""
        return {"client_id": self.client_id, "client_host": self.client_host}


def user(name: str) -> Told:
    """Somebody who is logged in, or the owner of a token."""
    return {"user": name}


NOBODY: Final[Told] = {}
"""Nobody in particular: a program that says nothing of itself."""

IMPORT: Final[Told] = {"program": "the import of topics"}
