"""The words of a classic group: its states, their transitions, and what starts a rebalance.

Tables only. Docs and tests are checked against them (docs/rebalances.md); the rules in this folder
make only these transitions.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from groups.core.journal import Trigger

EMPTY: Final = "Empty"
PREPARING: Final = "PreparingRebalance"
COMPLETING: Final = "CompletingRebalance"
STABLE: Final = "Stable"
DEAD: Final = "Dead"

TRANSITIONS: Final[Mapping[str, frozenset[str]]] = {
    EMPTY: frozenset({PREPARING, DEAD}),
    PREPARING: frozenset({COMPLETING, EMPTY, DEAD}),
    COMPLETING: frozenset({STABLE, PREPARING, DEAD}),
    STABLE: frozenset({PREPARING, DEAD}),
    DEAD: frozenset(),
}
"""The states that may follow each state. Dead is the absence of the row."""

RECOVERIES: Final[Mapping[str, frozenset[str]]] = {
    PREPARING: frozenset({STABLE, COMPLETING, EMPTY}),
}
"""Additional transitions on a change of owner: a join phase that only parked requests had started
returns to the state before it, since the requests are gone."""

UNASSIGNED: Final = "unassigned"
"""A detail of the group's row: there was a generation without an assignment."""


class Start(NamedTuple):
    """The states in which a trigger starts a rebalance, and its meaning."""

    states: frozenset[str]
    meaning: str


_WITH_MEMBERS: Final = frozenset({COMPLETING, STABLE})

REBALANCES: Final[Mapping[str, Start]] = {
    Trigger.MEMBER_JOINED: Start(
        _WITH_MEMBERS | {EMPTY}, "JoinGroup of a member that the group does not have yet"
    ),
    Trigger.LEADER_REJOINED: Start(
        frozenset({STABLE}), "JoinGroup of the leader, even with the same protocols"
    ),
    Trigger.METADATA_CHANGED: Start(
        _WITH_MEMBERS, "JoinGroup of a known member whose protocols or metadata differ"
    ),
    Trigger.MEMBER_REPLACED: Start(
        _WITH_MEMBERS,
        "JoinGroup of a static member that came back with no member id; in Stable only when"
        " another protocol would be selected",
    ),
    Trigger.MEMBER_LEFT: Start(_WITH_MEMBERS, "LeaveGroup, by the member or by an administrator"),
    Trigger.SESSION_EXPIRED: Start(_WITH_MEMBERS, "a member sent nothing for its session timeout"),
    Trigger.SYNC_EXPIRED: Start(
        _WITH_MEMBERS, "a member joined but sent no SyncGroup within the rebalance timeout"
    ),
    Trigger.OPERATOR: Start(_WITH_MEMBERS, "an operator forced it, or evicted a member"),
    Trigger.MEMBER_REFUSED: Start(
        _WITH_MEMBERS, "JoinGroup of a known member for which there is no room any more"
    ),
    Trigger.GROUP_OVERSIZED: Start(
        _WITH_MEMBERS, "a new owner loaded more members than group.max.size allows"
    ),
}
"""All cases in which a rebalance starts. In PreparingRebalance none starts a second one; there the
same events only advance or end the join phase."""
