"""The reasons that clients give (KIP-800) in groups of the consumer protocol: an entry has them
apart from the rules' own, through a change of owner, until the rebalance has ended."""

from dataclasses import asdict, replace
from typing import Any

from console.queries.journal_text import sentence
from groups.core.authors import Author
from groups.core.events import LeaveGroup, Leaver
from groups.core.group import JournalEntry
from groups.models import Journal
from tests.core.consumer.talk import Talk

SAID = "the consumer is being closed by a deploy"


def read(entry: JournalEntry) -> str:
    """The entry as people read it."""
    return sentence(
        Journal(**asdict(replace(entry, offsets=None, why=None), dict_factory=_columns))
    )


def _columns(items: list[tuple[str, Any]]) -> dict[str, Any]:
    return {key: value for key, value in items if key not in ("offsets", "why")}


def test_the_reason_of_a_leaving_member_is_kept_until_the_rebalance_ends() -> None:
    talk = Talk({"foo": 2})
    stays, goes = talk.join("a"), talk.join("b")
    talk.converge(stays, goes)
    talk.step(LeaveGroup(ticket=None, members=(Leaver("b", None, SAID),)))
    started = talk.journal[-1]
    talk.reload()
    talk.converge(stays)
    completed = talk.journal[-1]

    for entry, kind in ((started, "rebalance-started"), (completed, "rebalance-completed")):
        assert (entry.kind, entry.reason, entry.client_reason) == (kind, "a member left", SAID)
        assert f"left: '{SAID}'" in read(entry)

    talk.converge(stays, talk.join("c"))
    assert talk.journal[-1].kind == "rebalance-completed"
    assert talk.journal[-1].client_reason == ""


def test_of_several_leaving_members_the_first_is_quoted() -> None:
    talk = Talk({"foo": 2})
    talk.converge(talk.join("a"), talk.join("b"))
    leavers = (
        Leaver("nobody", None, "not in the group"),
        Leaver("b", None, SAID),
        Leaver("a", None),
    )
    talk.step(LeaveGroup(ticket=None, members=leavers))
    assert talk.journal[-1].client_reason == SAID
    assert read(talk.journal[-1]).endswith(f" 2 members left, the first app: '{SAID}'.")


def test_members_removed_by_others_keep_their_own_reasons() -> None:
    talk = Talk({"foo": 2})
    talk.converge(talk.join("a"), talk.join("b"))
    admin = Author("", "adminclient", "/10.0.0.9", "ann")
    leavers = (Leaver("b", None, SAID), Leaver("a", None, "the host is gone"))
    talk.step(LeaveGroup(ticket=None, members=leavers, author=admin))
    said = {e.member_id: e.client_reason for e in talk.journal if e.kind == "member-expelled"}
    assert said == {"b": SAID, "a": "the host is gone"}


def test_a_postponed_rebalance_starts_without_a_client_reason() -> None:
    talk = Talk({"foo": 2})
    stays, goes = talk.join("a"), talk.join("b")
    talk.converge(stays, goes)
    talk.guard(frozen=True)
    talk.step(LeaveGroup(ticket=None, members=(Leaver("b", None, SAID),)))
    assert (talk.journal[-1].kind, talk.journal[-1].client_reason) == ("rebalance-put-off", SAID)
    talk.guard()
    talk.converge(stays)
    assert talk.journal[-1].client_reason == ""
    assert "because it had been put off" in read(talk.journal[-1])
