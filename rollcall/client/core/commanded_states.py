"""The states of a member that the coordinator commands (the draft of 2012), as a table.

The words are those of ``consumer_states`` wherever a state is the same one. What is done on the
way is not here (``commanded``).
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final


class State(Enum):
    """Where a member stands; the value says it in words."""

    UNSUBSCRIBE = "registered nowhere"
    REGISTERING = "offers its threads (RegisterConsumer)"
    STABLE = "works on what it was told to, and asks for commands (PollCommands)"
    OBEYING = "stops or starts, the application is being told; it goes on asking meanwhile"
    ACKNOWLEDGING = "says that it is done (AcknowledgeCommand)"
    UNSUBSCRIBING = "gives up everything and leaves"
    FENCED = "the group goes on without it: everything is lost, the application is being told"
    FATAL = "refused for good, until there is a new subscription"


class Input(Enum):
    """What moves a member; the value says it in words."""

    SUBSCRIBED = "the application subscribes, or subscribes anew"
    REGISTERED = "the coordinator knows what this member offers"
    COMMANDED = "there is a command to do"
    DONE = "the application has been told of all"
    SAID = "the coordinator knows that it is done"
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
    S.ACKNOWLEDGING: {**_ANY_TIME, I.SUBSCRIBED: S.ACKNOWLEDGING, I.SAID: S.STABLE},
    S.UNSUBSCRIBING: {
        I.SUBSCRIBED: S.UNSUBSCRIBING,
        I.UNSUBSCRIBED: S.UNSUBSCRIBING,
        I.FENCED: S.UNSUBSCRIBING,
        I.LEFT: S.UNSUBSCRIBE,
    },
    S.FENCED: {
        I.SUBSCRIBED: S.FENCED,
        I.LOSS_TOLD: S.REGISTERING,
        I.UNSUBSCRIBED: S.UNSUBSCRIBING,
    },
    S.FATAL: {I.SUBSCRIBED: S.REGISTERING, I.UNSUBSCRIBED: S.UNSUBSCRIBE},
}
"""Anything that is not here cannot happen; the machine ends in an assertion if it does."""
