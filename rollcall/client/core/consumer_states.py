"""The states of a member of the consumer protocol, as a table (KIP-848).

The states and their meaning are those of the member state machine in Kafka's consumer;
docs/client.md has this table, and a test compares both. Every transition of the machine is looked
up here. The actions are in ``consumer``.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final


class State(Enum):
    """The member's state; the value is its description."""

    UNSUBSCRIBE = "subscribed to nothing, in no group"
    JOINING = "sends a join, with epoch 0"
    STABLE = "has its assignment; sends heartbeats only"
    RECONCILE_ASSIGNMENT = "revokes and adds partitions; callbacks run"
    ACK_ASSIGNMENT = "sends the next heartbeat at once, with the partitions that it owns"
    UNSUBSCRIBING = "revokes everything and leaves"
    FENCED = "removed from the group: all partitions are lost; callbacks run"
    FATAL = "refused; only a new subscription leaves this state"


class Input(Enum):
    """Events that change the state; the value is their description."""

    SUBSCRIBED = "the application subscribes, or changes its subscription"
    WELCOMED = "a response without an assignment, or with the current one"
    ASSIGNED = "a response with another assignment"
    RECONCILED = "all callbacks have returned"
    SENT = "the heartbeat was sent"
    FENCED = "unknown or fenced, or no response for a session"
    LOSS_REPORTED = "the callback of the loss has returned"
    REFUSED = "an error that cannot be retried"
    UNSUBSCRIBED = "the application unsubscribes or closes"
    LEFT = "the leave was answered, or timed out"


S, I = State, Input  # noqa: E741 - the table is read by its columns

_ANY_TIME: Final[Mapping[Input, State]] = {
    I.FENCED: S.FENCED,
    I.REFUSED: S.FATAL,
    I.UNSUBSCRIBED: S.UNSUBSCRIBING,
}

TRANSITIONS: Final[Mapping[State, Mapping[Input, State]]] = {
    S.UNSUBSCRIBE: {I.SUBSCRIBED: S.JOINING, I.UNSUBSCRIBED: S.UNSUBSCRIBE},
    S.JOINING: {
        I.SUBSCRIBED: S.JOINING,
        I.WELCOMED: S.STABLE,
        I.ASSIGNED: S.RECONCILE_ASSIGNMENT,
        **_ANY_TIME,
    },
    S.STABLE: {
        I.SUBSCRIBED: S.STABLE,
        I.WELCOMED: S.STABLE,
        I.ASSIGNED: S.RECONCILE_ASSIGNMENT,
        I.SENT: S.STABLE,
        **_ANY_TIME,
    },
    S.RECONCILE_ASSIGNMENT: {
        I.SUBSCRIBED: S.RECONCILE_ASSIGNMENT,
        I.WELCOMED: S.RECONCILE_ASSIGNMENT,
        I.ASSIGNED: S.RECONCILE_ASSIGNMENT,
        I.RECONCILED: S.ACK_ASSIGNMENT,
        I.SENT: S.RECONCILE_ASSIGNMENT,
        **_ANY_TIME,
    },
    S.ACK_ASSIGNMENT: {
        I.SUBSCRIBED: S.ACK_ASSIGNMENT,
        I.WELCOMED: S.ACK_ASSIGNMENT,
        I.ASSIGNED: S.RECONCILE_ASSIGNMENT,
        I.SENT: S.STABLE,
        **_ANY_TIME,
    },
    S.UNSUBSCRIBING: {
        I.SUBSCRIBED: S.UNSUBSCRIBING,
        I.UNSUBSCRIBED: S.UNSUBSCRIBING,
        I.FENCED: S.UNSUBSCRIBING,
        I.LEFT: S.UNSUBSCRIBE,
    },
    S.FENCED: {
        I.SUBSCRIBED: S.FENCED,
        I.LOSS_REPORTED: S.JOINING,
        I.UNSUBSCRIBED: S.UNSUBSCRIBING,
    },
    S.FATAL: {I.SUBSCRIBED: S.JOINING, I.UNSUBSCRIBED: S.UNSUBSCRIBE},
}
"""All possible transitions; any other is a failed assertion."""
