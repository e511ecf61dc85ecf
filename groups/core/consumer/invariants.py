"""Invariants of a consumer group.

``check`` runs after every step, in production too, and costs nothing if nothing durable changed.
``Index`` asserts that no partition has two holders. A violation is a defect in Rollcall, never of a
member.
"""

from collections.abc import Sequence

from groups.core.consumer.states import EMPTY
from groups.core.group import Answer
from groups.core.rows import Durable
from groups.core.step import ABSENT


def check(before: Durable, after: Durable, answers: Sequence[Answer]) -> None:
    """Compare the rows before and after one step."""
    tickets = [answer.ticket for answer in answers]
    assert len(tickets) == len(set(tickets)), "a ticket was answered twice"
    if after is before or ABSENT in after.group.details:
        return
    group = after.group
    assert group.generation >= before.group.generation, "the group epoch fell"
    assert group.details["target_epoch"] <= group.generation, "a target of the future"
    waits = group.details.get("put_off") is not None
    assert not waits or group.details["target_epoch"] < group.generation, "nothing to put off"
    assert (group.state == EMPTY) is (not after.members), "the state is not the members'"
