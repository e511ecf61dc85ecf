"""``python -m proof fleet`` in small: every group is served by one node throughout, without a
rebalance, whatever happens to the nodes."""

from proof.simulation.fleet import ACTS, SLOTS, living, play

NODES, GROUPS = 5, 300


def test_groups_keep_their_generations_through_restarts_and_the_loss_of_a_zone() -> None:
    with living(1, NODES, GROUPS) as fleet:
        lines = list(play(fleet))
        assert [line.split("  ")[0].strip() for line in lines] == list(ACTS)
        assert fleet.served() == GROUPS
        assert fleet.rebalances() == 0
        assert len(fleet.owners()) == SLOTS
        assert fleet.is_shared()
