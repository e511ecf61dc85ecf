"""A member of the consumer protocol uses the epoch that it received last, and begins with 0."""

from groups.core.consumer.group import ConsumerGroup
from rollcall.client.core.consumer import ConsumerMachine
from tests.client_library.test_deadlines import EVERYTHING, SESSION_MS, pair, world_of
from tests.client_library.world import Player, World


def epoch_of(world: World, player: Player) -> int:
    """What the group's row says of the member."""
    member_id = player.machine.standing.member_id
    [row] = [row for row in world.group.durable.members.values() if row.member_id == member_id]
    found: int = row.details["epoch"]
    return found


def test_a_member_sends_the_epoch_that_it_received() -> None:
    world = world_of(ConsumerGroup)
    anna, ben = pair(world, ConsumerMachine, ConsumerMachine)
    assert anna.machine.standing.epoch == epoch_of(world, anna) > 0
    assert ben.machine.standing.epoch == epoch_of(world, ben) > 0


def test_a_fenced_member_rejoins_with_epoch_zero() -> None:
    """It was cut off for longer than its session, and gave everything up by itself."""
    world = world_of(ConsumerGroup)
    anna, ben = pair(world, ConsumerMachine, ConsumerMachine)
    before = anna.machine.standing.epoch

    world.sleep(2 * SESSION_MS, honest=True, but="anna", blocked=EVERYTHING)
    assert anna.machine.standing.epoch == 0
    assert not anna.owned and len(ben.owned) == 4

    world.sleep(60_000, honest=True)
    assert anna.machine.standing.epoch == epoch_of(world, anna) > before
    assert len(anna.owned) == len(ben.owned) == 2
