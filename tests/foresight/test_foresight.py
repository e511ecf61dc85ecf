"""What is foreseen is what the rules do then: a group of the consumer protocol, by chance."""

from random import Random

import pytest

from console.foresight.foresight import Accuracy, Change, Gone, foresee
from console.foresight.kinds import SCENES
from tests.core.consumer.talk import Client, Talk


def _shares(talk: Talk, clients: list[Client]) -> dict[str, int]:
    return {c.member_id: sum(map(len, talk.assigned(c).values())) for c in clients}


@pytest.mark.parametrize("seed", range(40))
def test_a_member_that_leaves_moves_what_was_foreseen(seed: int) -> None:
    chance = Random(seed)
    topics = {"foo": chance.randrange(1, 12), "bar": chance.randrange(1, 5)}
    talk = Talk(topics)
    wants = (("foo",), ("foo", "bar"), ("bar",))
    assignor = chance.choice(("uniform", "range"))
    clients = [
        talk.join(f"m{n}", *chance.choice(wants), assignor=assignor)
        for n in range(chance.randrange(2, 6))
    ]
    talk.converge(*clients)
    scene = SCENES["consumer"](talk.group.durable, topics, {}, frozenset())
    gone = chance.choice(clients)
    held = {c.member_id: talk.group.members[c.member_id].target for c in clients}
    said = foresee(scene, Change(gone=frozenset([gone.member_id]), how=Gone.SILENT))

    assert talk.beat(gone, member_epoch=-1).member_epoch == -1
    staying = [client for client in clients if client is not gone]
    talk.converge(*staying)

    there = {c.member_id: talk.group.members[c.member_id].target for c in staying}
    assert said.accuracy == Accuracy.EXACT
    assert said.freed == len(held[gone.member_id])
    assert said.moved == sum(len(there[m] - held[m]) for m in there)
    after = {share.member_id: share.after for share in said.shares if share.member_id in there}
    assert after == _shares(talk, staying)
    assert said.unowned == 0
