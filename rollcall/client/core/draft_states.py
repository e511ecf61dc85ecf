"""The states of a member of the 0.9 draft, as a table.

The words are those of ``classic_states`` where states are equal; docs/client.md has the design's
own beside them. The actions are in ``draft``.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final


class State(Enum):
    """The member's state; the value is its description."""

    UNSUBSCRIBE = "subscribed to nothing, in no group"
    PREPARING = "has stopped working: commits; callbacks run"
    JOINING = "waits for the next generation and its partitions (JoinGroup); no heartbeat meanwhile"
    RECONCILE_ASSIGNMENT = "adds its partitions; callbacks run"
    STABLE = "has its assignment; sends heartbeats only, if necessary to another coordinator"
    UNSUBSCRIBING = "revokes everything and leaves"
    FENCED = "removed from the group: all partitions are lost; callbacks run"
    FATAL = "refused; only a new subscription leaves this state"


class Input(Enum):
    """Events that change the state; the value is their description."""

    SUBSCRIBED = "the application subscribes, or changes its subscription"
    PREPARED = "work has stopped, and the topics are known"
    JOINED = "JoinGroup was answered with the next generation and this member's partitions"
    RECONCILED = "all callbacks have returned"
    REBALANCE = "IllegalGeneration: the group rebalances; or the subscription has changed"
    FENCED = "an unknown consumer, or no response for a session"
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
    S.UNSUBSCRIBE: {I.SUBSCRIBED: S.PREPARING, I.UNSUBSCRIBED: S.UNSUBSCRIBE},
    S.PREPARING: {
        **_ANY_TIME,
        I.SUBSCRIBED: S.PREPARING,
        I.REBALANCE: S.PREPARING,
        I.PREPARED: S.JOINING,
    },
    S.JOINING: {
        **_ANY_TIME,
        I.SUBSCRIBED: S.JOINING,
        I.REBALANCE: S.JOINING,
        I.JOINED: S.RECONCILE_ASSIGNMENT,
    },
    S.RECONCILE_ASSIGNMENT: {
        **_ANY_TIME,
        I.SUBSCRIBED: S.RECONCILE_ASSIGNMENT,
        I.REBALANCE: S.RECONCILE_ASSIGNMENT,
        I.RECONCILED: S.STABLE,
    },
    S.STABLE: {**_ANY_TIME, I.SUBSCRIBED: S.STABLE, I.REBALANCE: S.PREPARING},
    S.UNSUBSCRIBING: {
        I.SUBSCRIBED: S.UNSUBSCRIBING,
        I.UNSUBSCRIBED: S.UNSUBSCRIBING,
        I.REBALANCE: S.UNSUBSCRIBING,
        I.FENCED: S.UNSUBSCRIBING,
        I.LEFT: S.UNSUBSCRIBE,
    },
    S.FENCED: {
        I.SUBSCRIBED: S.FENCED,
        I.LOSS_REPORTED: S.PREPARING,
        I.UNSUBSCRIBED: S.UNSUBSCRIBING,
    },
    S.FATAL: {I.SUBSCRIBED: S.PREPARING, I.UNSUBSCRIBED: S.UNSUBSCRIBE},
}
"""All possible transitions; any other is a failed assertion."""
