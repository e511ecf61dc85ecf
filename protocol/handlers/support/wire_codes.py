"""Kafka's error codes that no rule of a group gives: handlers alone answer with them."""

from enum import IntEnum


class WireCode(IntEnum):
    """Numbers and names are Apache Kafka's; each says when Rollcall answers with it."""

    LEADER_NOT_AVAILABLE = 5
    """Every client asks again: the catalogue could not be read."""

    REQUEST_TIMED_OUT = 7
    """A change of a topic may have been made or not: the client should look."""

    UNSUPPORTED_SASL_MECHANISM = 33
    """KIP-43: the mechanism is none of this listener's."""

    ILLEGAL_SASL_STATE = 34
    """KIP-43: nobody authenticates here, or not now."""

    SASL_AUTHENTICATION_FAILED = 58
    """KIP-152: the client is not who it says; the connection is closed."""

    RESOURCE_NOT_FOUND = 91
    """KIP-554: there is no such user, or not with this mechanism."""

    DUPLICATE_RESOURCE = 92
    """KIP-554: a request names the same user twice."""

    UNACCEPTABLE_CREDENTIAL = 93
    """KIP-554: there can be no such credential."""

    MISMATCHED_ENDPOINT_TYPE = 114
    """KIP-919: controllers were asked for, and this is a broker."""

    UNSUPPORTED_ENDPOINT_TYPE = 115
    """KIP-919: neither brokers nor controllers were asked for."""
