"""The replay of one group: its clients under some rules, and what that cost. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, NamedTuple

from groups.core.facts import Departure
from groups.core.group import Rules
from groups.core.journal import Trigger
from pipeline.what_if import assignment
from pipeline.what_if.clients import Client, clients_of
from pipeline.what_if.figures import Figures, Span, figures
from pipeline.what_if.members import member
from pipeline.what_if.reactions import Reactions
from pipeline.what_if.recording import Millis, Recording
from pipeline.what_if.world import Catalogue, World

OUTSIDE: Final[Mapping[str, frozenset[str]]] = {
    "classic": frozenset(
        (
            Trigger.OPERATOR,
            Trigger.OWNER_CHANGED,
            Trigger.METADATA_CHANGED,
            Trigger.LEADER_REJOINED,
        )
    ),
    "consumer": frozenset(
        (Trigger.OPERATOR, Trigger.SUBSCRIPTION_CHANGED, Trigger.ASSIGNOR_CHANGED)
    ),
}
"""By kind of group, the causes that no client's coming or going explains, nor a topic that grows: a
replay begins a rebalance then."""

COOPERATIVE: Final = frozenset((Trigger.OPERATOR, Trigger.OWNER_CHANGED))
"""The same where members join again by themselves, to give partitions up."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to replay: the clients, the rules, when no rebalance may begin, the new heartbeat
    interval as a multiple of the recorded one, and whether all reactions are drawn."""

    clients: Sequence[Client]
    rules: Rules
    freezes: Sequence[Span] = ()
    pace: float = 1.0
    are_drawn: bool = False


class Replayed(NamedTuple):
    """What the rules made of a plan: a recording of it, its figures by the hour, and how many
    events they decided."""

    recording: Recording
    hours: Mapping[int, Figures]
    events: int


def recorded_hours(recording: Recording) -> Mapping[int, Figures]:
    """What was recorded, by the hour."""
    clients, owners = clients_of(recording)
    return figures(recording, owners, _runs_until(clients))


def replay(recording: Recording, plan: Plan, seed: int = 0) -> Replayed:
    """Let the clients of the plan live again."""
    clients = plan.clients
    begin = min((run.start for client in clients for run in client.runs), default=recording.begin)
    kind = "consumer" if any(c.life.kind == "consumer" for c in clients) else "classic"
    world = World(recording.group_id, kind, plan.rules, begin, Catalogue(recording), seed)
    reactions = Reactions(recording, Random(seed), plan.pace, are_drawn=plan.are_drawn)
    names = {client.name: client for client in clients}
    members = {name: member(world, client, reactions) for name, client in names.items()}
    for moment in outside(recording):
        world.at(moment, world.force)
    for moment in world.catalogue.growths():
        world.at(moment, world.refresh)
    for since, until in plan.freezes:
        world.at(since, lambda: world.freeze(frozen=True))
        world.at(until, lambda: world.freeze(frozen=False))
    world.run(recording.end)
    made = world.ledger.recording(recording.begin, recording.end)
    of_id = {m: name for name, one in members.items() for m in one.had}
    owners = {life.life: of_id.get(life.member_id, life.member_id) for life in made.lives}
    hours = figures(made, owners, _runs_until(clients), world.stalls)
    return Replayed(made, hours, world.events)


def _runs_until(clients: Iterable[Client]) -> Millis:
    return max((until for client in clients for _, until in client.spans), default=0)


def outside(recording: Recording) -> Iterable[Millis]:
    """When rebalances began for another reason than the clients' lives."""
    evicted = {
        life.left for life in recording.lives if life.departure == Departure.EVICTED and life.left
    }
    wanted = OUTSIDE["consumer" if "consumer" in recording.kinds else "classic"]
    if any(life.protocols[:1] == (assignment.COOPERATIVE,) for life in recording.lives):
        wanted = COOPERATIVE
    for rebalance in recording.rebalances:
        for trigger, at in rebalance.causes:
            if trigger in wanted and at not in evicted:
                yield at
