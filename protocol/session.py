"""Who is at the other end of a connection, and by which door it came."""

from dataclasses import dataclass

PLAINTEXT = "PLAINTEXT"
"""The listener that a node has unless it is told of others."""

ANONYMOUS = "User:ANONYMOUS"
"""Kafka's principal of a client that nothing is known of."""


@dataclass(slots=True)
class Session:
    """What a connection knows of its client: the listener's name, and the principal."""

    listener: str = PLAINTEXT
    principal: str = ANONYMOUS
