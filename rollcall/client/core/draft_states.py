"""The states of a member of the 0.9 draft, as a table.

The words are those of ``classic_states`` wherever a state is the same one; the design's own stand
beside them in docs/client.md. What is done on the way is not here (``draft``).
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final


class State(Enum):
    """Where a member stands; the value says it in words."""

    UNSUBSCRIBE = "subscribed to nothing, in no group"
    PREPARING = "has stopped working: commits, the application is being told"
    JOINING = "waits for the next generation and its partitions (JoinGroup); no heartbeat meanwhile"
    RECONCILE_ASSIGNMENT = "takes up what it was given, the application is being told"
    STABLE = "has nothing to do but to be heard of, if need be by another coordinator"
    UNSUBSCRIBING = "gives up everything and leaves"
    FENCED = "the group goes on without it: everything is lost, the application is being told"
    FATAL = "refused for good, until there is a new subscription"


class Input(Enum):
    """What moves a member; the value says it in words."""

    SUBSCRIBED = "the application subscribes, or subscribes anew"
    PREPARED = "nothing is worked on any more, and the topics are known"
    JOINED = "the next generation is there, with this member's partitions"
    RECONCILED = "the application has been told of all"
    REBALANCE = "IllegalGeneration: the group rebalances; or this member wants other topics"
    FENCED = "an unknown consumer, or not heard of for a session"
    LOSS_TOLD = "the application knows what was lost"
    REFUSED = "an answer that no retry can change"
    UNSUBSCRIBED = "the application unsubscribes or closes"
    LEFT = "the leave was answered, or will not be"


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
        I.LOSS_TOLD: S.PREPARING,
        I.UNSUBSCRIBED: S.UNSUBSCRIBING,
    },
    S.FATAL: {I.SUBSCRIBED: S.PREPARING, I.UNSUBSCRIBED: S.UNSUBSCRIBE},
}
"""Anything that is not here cannot happen; the machine ends in an assertion if it does."""
