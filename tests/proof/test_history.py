"""The checker against histories written by hand: what it must say, and where it must be silent.

Whether it finds what goes wrong in whole lives, the saboteurs show; here are the narrow places.
"""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

import pytest

from proof.history import Record, check

Part = tuple[str, int]
ONE, TWO = ("t", 1), ("t", 2)
NOT_COORDINATOR, INVALID_REQUEST = 16, 42


class Writer:
    """Writes one consumer group's history; every line is a millisecond later than the last."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self._at: Iterator[int] = count(1)
        self._calls: Iterator[int] = count(1)
        self._revision = 0

    def write(self, type_: str, **fields: Any) -> None:
        """One record."""
        self.records.append({"at": float(next(self._at)), "type": type_, **fields})

    def happened(self, at: float) -> None:
        """The last record is of this instant."""
        self.records[-1] = {**self.records[-1], "at": at}

    def row(self, generation: int, *members: str, kind: str = "consumer") -> None:
        """The group's row, with its members."""
        self._revision += 1
        self.write(
            "row", table="group", group="g", kind=kind, generation=generation,
            revision=self._revision, state="Stable", members=dict.fromkeys(members),
        )  # fmt: skip

    def delete(self) -> None:
        """The group's row goes."""
        self._revision = 0
        self.write("row", table="deleted", group="g")

    def send(self, api: str, member: str, epoch: int, **told: Any) -> int:
        """A request; its number."""
        call = next(self._calls)
        self.write(
            "invoke", process=member, call=call, api=api, group="g", member=member,
            instance=None, generation=epoch, session_ms=4_000, **told,
        )  # fmt: skip
        return call

    def beat(
        self,
        member: str,
        epoch: int,
        *,
        owned: Sequence[Part] | None = None,
        becomes: int,
        given: Sequence[Part] | None = None,
    ) -> None:
        """A heartbeat that is answered well."""
        call = self.send("ConsumerGroupHeartbeat", member, epoch, owned=owned)
        self.write("ok", process=member, call=call, member=member, generation=becomes, owned=given)

    def commit(self, member: str, epoch: int, part: Part, offset: int) -> None:
        """A commit that is acknowledged, with its row."""
        call = self.send("OffsetCommit", member, epoch, offsets=[[*part, offset]])
        self.write(
            "row", table="offset", group="g", topic=part[0], partition=part[1], offset=offset
        )
        self.write("ok", process=member, call=call)

    def verdict(self) -> list[str]:
        """What the checker says of it all."""
        return [violation.invariant for violation in check(self.records)]


@pytest.fixture
def two_parts() -> Writer:
    """A member that was given two partitions in epoch 1, and is in epoch 2 with both."""
    writer = Writer()
    writer.row(1, "a")
    writer.beat("a", 0, owned=[], becomes=1, given=[ONE, TWO])
    writer.row(2, "a", "b")
    writer.beat("a", 1, becomes=2)
    return writer


def test_an_older_epoch_is_valid_for_partitions_held_throughout(two_parts: Writer) -> None:
    two_parts.commit("a", 1, ONE, 7)

    assert two_parts.verdict() == []


def test_a_partition_is_owned_until_the_coordinator_knows_of_its_revocation(
    two_parts: Writer,
) -> None:
    """It has been told to revoke the second one, and has not acknowledged it yet."""
    two_parts.beat("a", 2, becomes=2, given=[ONE])
    two_parts.commit("a", 1, TWO, 7)

    assert two_parts.verdict() == []


def test_an_older_epoch_is_stale_for_revoked_partitions(two_parts: Writer) -> None:
    two_parts.beat("a", 2, becomes=2, given=[ONE])
    two_parts.beat("a", 2, owned=[ONE], becomes=2)
    two_parts.commit("a", 1, TWO, 7)

    assert two_parts.verdict() == ["I4"]


def test_the_previous_epoch_repeats_a_lost_response_and_older_ones_are_stale(
    two_parts: Writer,
) -> None:
    two_parts.beat("a", 1, owned=[ONE, TWO], becomes=2)
    assert two_parts.verdict() == []

    two_parts.row(3, "a", "b")
    two_parts.beat("a", 2, becomes=3)
    two_parts.beat("a", 1, owned=[ONE, TWO], becomes=3)
    assert two_parts.verdict() == ["I4"]


def test_a_partition_is_not_assigned_while_another_member_works_on_it(two_parts: Writer) -> None:
    two_parts.beat("b", 0, owned=[], becomes=2, given=[TWO])

    assert two_parts.verdict() == ["I1"]


def test_a_refused_commit_is_not_written_later(two_parts: Writer) -> None:
    call = two_parts.send("OffsetCommit", "a", 1, offsets=[["t", 1, 7]])
    two_parts.write("fail", process="a", call=call, code=113)
    two_parts.write("row", table="offset", group="g", topic="t", partition=1, offset=7)

    assert two_parts.verdict() == ["I4"]


def test_a_failed_step_is_a_defect_although_it_was_caught(two_parts: Writer) -> None:
    call = two_parts.send("OffsetCommit", "a", 2, offsets=[["t", 1, 7]])
    two_parts.write("fail", process="a", call=call, code=-1)

    assert two_parts.verdict() == ["I8"]


def test_a_request_given_up_for_another_coordinator_is_no_violation_but_a_timeout_is(
    two_parts: Writer,
) -> None:
    left = two_parts.send("ConsumerGroupHeartbeat", "a", 2, owned=None)
    two_parts.write("info", process="a", call=left, why="left")
    assert two_parts.verdict() == []

    waits = two_parts.send("ConsumerGroupHeartbeat", "a", 2, owned=None)
    two_parts.write("info", process="a", call=waits, why="timeout")
    assert two_parts.verdict() == ["I7"]


def test_a_start_command_requires_that_the_others_have_stopped(two_parts: Writer) -> None:
    """A commanded consumer works on until it says that it stopped, or its leave runs out."""
    call = two_parts.send("PollCommands", "b", -1)
    two_parts.write("ok", process="b", call=call, generation=2, owned=[list(ONE)])
    assert two_parts.verdict() == ["I1"]


def test_partitions_acknowledged_as_stopped_may_be_started(two_parts: Writer) -> None:
    two_parts.send("AcknowledgeCommand", "a", 2, owned=[])
    call = two_parts.send("PollCommands", "b", -1)
    two_parts.write("ok", process="b", call=call, generation=2, owned=[list(ONE)])

    assert two_parts.verdict() == []


class Producing:
    """One transaction of two offsets, over groups of a ``Writer``."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.told = {"producer": "t", "caller": "p", "transaction": 1}

    def ask(self, api: str, **facts: Any) -> int:
        """A request of the producer's; its number."""
        return self.writer.send(api, "", -1, **{**self.told, **facts})

    def put(self) -> None:
        """Both offsets are in the transaction."""
        call = self.ask("TxnOffsetCommit", offsets=[[*ONE, 7], [*TWO, 7]])
        self.writer.write("ok", process="p", call=call)

    def row(self, part: Part, offset: int) -> None:
        """An offset counts."""
        topic, partition = part
        self.writer.write(
            "row", table="offset", group="g", topic=topic, partition=partition, offset=offset
        )

    def end(self, *, commit: bool = True) -> None:
        """The transaction has ended."""
        call = self.ask("EndTxn", commit=commit)
        self.writer.write("ok", process="p", call=call, identity=[1, 0])


@pytest.fixture
def producing(two_parts: Writer) -> Producing:
    """A producer whose two offsets wait for the end of its transaction."""
    producing = Producing(two_parts)
    producing.put()
    return producing


def test_offsets_do_not_count_before_the_end_of_their_transaction(producing: Producing) -> None:
    producing.row(ONE, 7)

    assert producing.writer.verdict() == ["I9"]


def test_a_transaction_ends_as_a_whole(producing: Producing) -> None:
    producing.end()

    assert producing.writer.verdict() == ["I9", "I9"]


def test_offsets_of_a_transaction_become_visible_together(producing: Producing) -> None:
    producing.ask("EndTxn", commit=True)
    producing.row(ONE, 7)
    producing.row(TWO, 7)

    assert producing.writer.verdict() == ["I9"]


def test_an_aborted_transaction_never_counts(producing: Producing) -> None:
    producing.end(commit=False)
    producing.row(ONE, 7)

    assert producing.writer.verdict() == ["I5", "I9"]


def test_a_later_commit_is_not_overwritten(producing: Producing) -> None:
    producing.writer.commit("a", 2, ONE, 8)
    producing.ask("EndTxn", commit=True)
    producing.row(ONE, 7)

    assert producing.writer.verdict() == ["I9"]


def test_a_fenced_producer_ends_no_transaction(producing: Producing) -> None:
    for name, epoch in (("p", 0), ("q", 1)):
        call = producing.ask("InitProducerId", caller=name)
        producing.writer.write("ok", process=name, call=call, identity=[1, epoch])
    producing.end(commit=False)

    assert producing.writer.verdict() == ["I9"]


def test_an_offset_keeps_its_metadata(two_parts: Writer) -> None:
    call = two_parts.send("OffsetCommit", "a", 2, offsets=[[*ONE, 7]], notes=[5])
    two_parts.write("row", table="offset", group="g", topic="t", partition=1, offset=7)
    two_parts.write("ok", process="a", call=call)
    call = two_parts.send("OffsetFetch", "a", 2)
    two_parts.write("ok", process="a", call=call, offsets=[[*ONE, 7]], notes=[6])

    assert two_parts.verdict() == ["I5"]


def test_promises_of_a_deleted_group_end(two_parts: Writer) -> None:
    """A new group of that name restarts its generation and owners."""
    two_parts.delete()
    two_parts.row(1, "b")
    two_parts.beat("b", 0, owned=[], becomes=1, given=[ONE, TWO])

    assert two_parts.verdict() == []


def read(writer: Writer, offset: int) -> None:
    """An OffsetFetch of the first partition that is answered."""
    call = writer.send("OffsetFetch", "a", 2)
    writer.write("ok", process="a", call=call, offsets=[[*ONE, offset]])


def test_data_missing_on_a_replica_are_gone_and_may_not_be_read(two_parts: Writer) -> None:
    two_parts.commit("a", 2, ONE, 7)
    two_parts.commit("a", 2, ONE, 8)
    two_parts.write("row", table="back", group="g", offsets=[[*ONE, 7]])
    read(two_parts, 7)
    assert two_parts.verdict() == []

    read(two_parts, 8)
    assert two_parts.verdict() == ["I5"]


def test_an_unreported_loss_is_detected(two_parts: Writer) -> None:
    two_parts.commit("a", 2, ONE, 7)
    two_parts.commit("a", 2, ONE, 8)
    read(two_parts, 7)

    assert two_parts.verdict() == ["I5"]


def test_no_number_of_a_lost_timeline_is_assigned_again(two_parts: Writer) -> None:
    """Epochs are raised above all of it; here the replica continues where it is."""
    two_parts.write("row", table="back", group="g", offsets=[])
    two_parts.write(
        "row", table="group", group="g", kind="consumer", generation=2, revision=2,
        state="Stable", members={"a": None, "c": None},
    )  # fmt: skip

    assert two_parts.verdict() == ["I2", "I2"]


def unheard(late: Sequence[tuple[float, float]] = ()) -> list[str]:
    """What the checker says when a member with a session of 4 s asked each second, had no answer
    after the first, and was removed; the recorder stood still in the spans ``late``."""
    writer = Writer()
    writer.row(1, "a")
    writer.beat("a", 0, owned=[], becomes=1, given=[ONE])
    for second in range(1, 7):
        writer.send("ConsumerGroupHeartbeat", "a", 1)
        writer.happened(second * 1_000.0)
    writer.write("row", table="removed", group="g", member="a", trigger="session-expired")
    writer.happened(6_500.0)
    for since, until in late:
        writer.write("late", since=since, until=until)
        writer.happened(since)
    writer.records.sort(key=lambda record: record["at"])
    return writer.verdict()


def test_a_member_that_kept_heartbeating_is_not_removed() -> None:
    assert unheard() == ["I6"]


def test_delays_of_the_recorder_are_not_blamed_on_a_coordinator() -> None:
    """Not by one long stop, nor by several; but short ones excuse nothing, nor old ones."""
    assert unheard([(3_000.0, 4_500.0)]) == []
    assert unheard([(1_500.0, 2_100.0), (4_000.0, 4_600.0)]) == []
    assert unheard([(4_000.0, 4_600.0)]) == ["I6"]
    assert unheard([(2.0, 450.0), (4_000.0, 4_600.0)]) == ["I6"]


def overslept(
    refused: int | None = None,
    code: int = 15,
    kind: str = "consumer",
    api: str = "ConsumerGroupHeartbeat",
) -> list[str]:
    """What the checker says when a member with a session of 4 s slept until 5.5 s, then asked each
    second, and was removed after 30.5 s. ``refused``: the second whose request gets this error."""
    writer = Writer()
    writer.row(1, "a", kind=kind)
    call = writer.send(api, "a", 1)
    writer.write("ok", process="a", call=call, member="a", generation=1, owned=None)
    writer.write("fault", process="a", since=1_000.0, until=5_500.0)
    writer.happened(1_000.0)
    for second in range(6, 31):
        call = writer.send(api, "a", 1)
        writer.happened(second * 1_000.0)
        if second == refused:
            writer.write("fail", process="a", call=call, code=code)
            writer.happened(second * 1_000.0 + 1)
    writer.records.append({**REMOVED, "at": 30_500.0})
    return writer.verdict()


def test_a_session_that_was_overslept_may_be_noticed_much_later() -> None:
    """PostgreSQL was away meanwhile, and no node read a request. Whoever was answered, be it with
    an error, was heard after it had slept."""
    assert overslept() == []
    assert overslept(refused=21) == ["I6"]


def test_a_refusal_does_not_bring_back_a_consumer_of_the_draft_that_overslept() -> None:
    """Only a join does, once another consumer was told of the rebalance (Slow consumers, 4)."""
    assert overslept(21, code=NOT_COORDINATOR, kind="draft", api="Heartbeat") == []
    assert overslept(21, code=INVALID_REQUEST, kind="draft", api="Heartbeat") == ["I6"]


def heartbeats_to_suspended(*, connected: float, until: float, breaks: bool = False) -> list[str]:
    """What the checker says when a member with a session of 4 s sent its heartbeats, but for the
    first, over a connection to a node that was suspended from 0.5 s on, and was removed after 6.5
    s. ``breaks``: each of these connections breaks after half a second."""
    writer = Writer()
    writer.row(1, "a")
    writer.beat("a", 0, owned=[], becomes=1, given=[ONE])
    writer.write("suspended", node=1, since=500.0, until=until)
    writer.happened(500.0)
    for second in range(1, 7):
        call = writer.send("ConsumerGroupHeartbeat", "a", 1, node=1, connected=connected)
        writer.happened(second * 1_000.0)
        if breaks:
            writer.write("info", process="a", call=call, why="closed")
            writer.happened(second * 1_000.0 + 500)
    writer.records.append({**REMOVED, "at": 6_500.0})
    return writer.verdict()


REMOVED: Record = {
    "type": "row", "table": "removed", "group": "g", "member": "a", "trigger": "session-expired",
}  # fmt: skip


def test_requests_unread_by_a_suspended_node_are_not_signs_of_life() -> None:
    """Still suspended; or it resumes, but nothing is left for it to read."""
    assert heartbeats_to_suspended(connected=10.0, until=7_000.0) == []
    assert heartbeats_to_suspended(connected=10.0, until=6_510.0, breaks=True) == []


def test_a_resumed_node_must_read_waiting_requests() -> None:
    assert heartbeats_to_suspended(connected=10.0, until=6_400.0) == ["I6"]


def test_a_client_redirected_to_a_suspended_node_was_not_silent() -> None:
    assert heartbeats_to_suspended(connected=900.0, until=7_000.0) == ["I6"]


@pytest.mark.parametrize(("asked", "verdict"), [(1, []), (2, ["I6"])])
def test_requests_to_suspended_nodes_only_are_not_signs_of_life(
    asked: int, verdict: Sequence[str]
) -> None:
    writer = Writer()
    writer.row(1, "a")
    writer.beat("a", 0, owned=[], becomes=1, given=[ONE])
    writer.write("suspended", node=1, since=500.0, until=7_000.0)
    for second in range(1, 7):
        writer.write("seek", group="g", member="a", node=asked)
        writer.happened(second * 1_000.0)
    writer.records.append({**REMOVED, "at": 6_500.0})

    assert writer.verdict() == verdict


def test_another_process_with_the_node_id_is_not_suspended() -> None:
    writer = Writer()
    writer.row(1, "a")
    writer.beat("a", 0, owned=[], becomes=1, given=[ONE])
    writer.write("suspended", node=1, since=500.0, until=7_000.0)
    writer.write("started", node=1)
    for second in range(1, 7):
        writer.write("seek", group="g", member="a", node=1)
        writer.happened(second * 1_000.0)
    writer.records.append({**REMOVED, "at": 6_500.0})

    assert writer.verdict() == ["I6"]


@pytest.mark.parametrize(("returns", "verdict"), [(False, []), (True, ["I6"])])
def test_a_member_that_left_may_be_removed_whatever_it_still_sends(
    returns: bool, verdict: Sequence[str]
) -> None:
    """A thread of it may still acknowledge; but who registers again is a member again."""
    writer = Writer()
    writer.row(1, "a")
    writer.send("LeaveGroup", "a", 1, owned=[])
    if returns:
        writer.send("RegisterConsumer", "a", -1, owned=[])
    for _ in range(4):
        done = writer.send("AcknowledgeCommand", "a", 1, owned=[])
        writer.write("ok", process="a", call=done)
    writer.records.append({**REMOVED, "at": 500.0})

    assert writer.verdict() == verdict


def unknown(*, asked_before: bool) -> list[str]:
    """What the checker says when a member that was removed and came back is told that it is none,
    in the reply to a heartbeat that it sent before or after it came back."""
    writer = Writer()
    writer.row(1, "a", "b")
    writer.row(2, "b")
    if asked_before:
        call = writer.send("Heartbeat", "a", 1)
    writer.row(3, "a", "b")
    if not asked_before:
        call = writer.send("Heartbeat", "a", 1)
    writer.write("fail", process="a", call=call, code=25)
    return writer.verdict()


def test_a_reply_may_arrive_after_the_member_has_come_back() -> None:
    assert unknown(asked_before=True) == []
    assert unknown(asked_before=False) == ["I10"]
