"""Who requested a change, as the journal has it.

A client is named by its principal, which its listener has authenticated, and by its client id and
address, which are not checked; a person by the login name, a program of ours by its purpose.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

AuthorDetails = Mapping[str, str]
"""An author in an entry's details."""


ANONYMOUS: Final = "User:ANONYMOUS"
"""Kafka's principal of an unauthenticated client."""


class Author(NamedTuple):
    """The author of a commit, for the history of offsets; the member id is "" without a member. The
    principal has Kafka's form: ``User:ann``."""

    member_id: str
    client_id: str
    client_host: str
    principal: str = ANONYMOUS

    def details(self) -> AuthorDetails:
        """The form in the journal."""
        return {
            "principal": self.principal,
            "client_id": self.client_id,
            "client_host": self.client_host,
        }


class Client(NamedTuple):
    """What a member's connection says of its client: the software's name and version in ApiVersions
    (KIP-511; "": it named none), the principal, and the version of the request with which the
    member joined."""

    software_name: str = ""
    software_version: str = ""
    principal: str = ANONYMOUS
    api_version: int | None = None


UNKNOWN_CLIENT: Final = Client()
"""The default: nothing is known."""


def principal_of(user: str) -> str:
    """The principal of a user of the web."""
    return f"User:{user}"


def user(name: str) -> AuthorDetails:
    """A user who is logged in, or the owner of a token."""
    return {"user": name}


NO_AUTHOR: Final[AuthorDetails] = {}
"""The default: a program that names no author."""

IMPORT: Final[AuthorDetails] = {"program": "the import of topics"}
