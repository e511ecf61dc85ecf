"""Kafka's error codes that only handlers return, not the rules of a group."""

from enum import IntEnum


class WireCode(IntEnum):
    """Numbers and names are Apache Kafka's; each has the case in which Rollcall returns it."""

    LEADER_NOT_AVAILABLE = 5
    """The catalogue could not be read: every client asks again."""

    REQUEST_TIMED_OUT = 7
    """The change of a topic may have been made or not: the client should check."""

    UNSUPPORTED_SASL_MECHANISM = 33
    """KIP-43: the listener does not support the mechanism."""

    ILLEGAL_SASL_STATE = 34
    """KIP-43: the listener has no authentication, or the request is not allowed now."""

    SASL_AUTHENTICATION_FAILED = 58
    """KIP-152: authentication failed; the connection is closed."""

    RESOURCE_NOT_FOUND = 91
    """KIP-554: there is no such user, or it does not have this mechanism."""

    DUPLICATE_RESOURCE = 92
    """KIP-554: a request names the same user twice."""

    UNACCEPTABLE_CREDENTIAL = 93
    """KIP-554: the credential is invalid."""

    MISMATCHED_ENDPOINT_TYPE = 114
    """KIP-919: the request was for controllers, and this is a broker."""

    UNSUPPORTED_ENDPOINT_TYPE = 115
    """KIP-919: the request was for neither brokers nor controllers."""
