"""What several requests of one member come to when one step decides them all."""

from groups.core import events
from groups.core.errors import ErrorCode
from groups.core.replies import ConsumerBeaten
from tests.core_consumer.talk import Talk


def _heartbeat(request: int, epoch: int) -> events.ConsumerHeartbeat:
    joins = epoch == 0
    return events.ConsumerHeartbeat(
        ticket=events.Ticket(1, request), member_id="b", member_epoch=epoch, instance_id=None,
        rack_id=None, client_id="app", client_host="/127.0.0.1",
        rebalance_timeout_ms=30_000 if joins else -1,
        subscribed_topic_names=("foo",) if joins else None, server_assignor=None,
        owned={} if joins else None, topics={"foo": ("id-foo", 1)}, looked_up=frozenset({"foo"}),
    )  # fmt: skip


def test_a_member_that_joins_and_leaves_in_one_step_is_gone_and_the_others_stay() -> None:
    talk = Talk({"foo": 1})
    talk.join("a")
    told = talk.step(_heartbeat(91, 0), _heartbeat(92, -1)).answers
    assert [type(answer.reply) for answer in told] == [ConsumerBeaten, ConsumerBeaten]
    assert [answer.reply.error for answer in told] == [ErrorCode.NONE, ErrorCode.NONE]
    assert list(talk.group.durable.members) == ["a"]
