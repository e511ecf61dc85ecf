"""The states of a commanded member (the draft of 2012), as a table.

The words are those of ``consumer_states`` where states are equal. The actions are in ``commanded``.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final


class State(Enum):
    """The member's state; the value is its description."""

    UNSUBSCRIBE = "registered nowhere"
    REGISTERING = "offers its threads (RegisterConsumer)"
    STABLE = "works on its partitions, and polls for commands (PollCommands)"
    OBEYING = "stops or starts; callbacks run; it continues to poll"
    ACKNOWLEDGING = "acknowledges the command (AcknowledgeCommand)"
    UNSUBSCRIBING = "revokes everything and leaves"
    FENCED = "removed from the group: all partitions are lost; callbacks run"
    FATAL = "refused; only a new subscription leaves this state"


class Input(Enum):
    """Events that change the state; the value is their description."""

    SUBSCRIBED = "the application subscribes, or changes its subscription"
    REGISTERED = "the registration was answered"
    COMMANDED = "a command arrived"
    DONE = "all callbacks have returned"
    ACKNOWLEDGED = "the acknowledgement was answered"
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
    S.UNSUBSCRIBE: {I.SUBSCRIBED: S.REGISTERING, I.UNSUBSCRIBED: S.UNSUBSCRIBE},
    S.REGISTERING: {**_ANY_TIME, I.SUBSCRIBED: S.REGISTERING, I.REGISTERED: S.STABLE},
    S.STABLE: {
        **_ANY_TIME,
        I.SUBSCRIBED: S.STABLE,
        I.REGISTERED: S.STABLE,
        I.COMMANDED: S.OBEYING,
    },
    S.OBEYING: {
        **_ANY_TIME,
        I.SUBSCRIBED: S.OBEYING,
        I.REGISTERED: S.OBEYING,
        I.DONE: S.ACKNOWLEDGING,
    },
    S.ACKNOWLEDGING: {**_ANY_TIME, I.SUBSCRIBED: S.ACKNOWLEDGING, I.ACKNOWLEDGED: S.STABLE},
    S.UNSUBSCRIBING: {
        I.SUBSCRIBED: S.UNSUBSCRIBING,
        I.UNSUBSCRIBED: S.UNSUBSCRIBING,
        I.FENCED: S.UNSUBSCRIBING,
        I.LEFT: S.UNSUBSCRIBE,
    },
    S.FENCED: {
        I.SUBSCRIBED: S.FENCED,
        I.LOSS_REPORTED: S.REGISTERING,
        I.UNSUBSCRIBED: S.UNSUBSCRIBING,
    },
    S.FATAL: {I.SUBSCRIBED: S.REGISTERING, I.UNSUBSCRIBED: S.UNSUBSCRIBE},
}
"""All possible transitions; any other is a failed assertion."""
