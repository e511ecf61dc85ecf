"""What may be done to a group, and what had been said about it before."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, NamedTuple

import httpx

from proof.foresight.scene import Owned, Scene

LEAVE_S: Final = 10.0


class Outcome(NamedTuple):
    """One act: what was predicted, and what was seen. ``accuracy`` as it was said."""

    sort: str
    act: str
    accuracy: str
    predicted: int
    seen: int
    shares_differ: bool

    @property
    def is_right(self) -> bool:
        """Exact predictions are met exactly; of estimated ones only how even it becomes is said."""
        if self.accuracy == "exact":
            return self.predicted == self.seen and not self.shares_differ
        return self.accuracy == "estimated" and not self.shares_differ


Told = Mapping[str, Any]


async def _rebalance(scene: Scene) -> Told:
    asked = await scene.get("/foresight")
    return {**asked, **(await scene.operate("/rebalances"))}


async def _more(scene: Scene) -> Told:
    told: Told = await scene.get("/foresight", more=1)
    await scene.enter()
    return told


async def _leave(scene: Scene) -> Told:
    told, member = await _of_one(scene)
    await member.close(LEAVE_S)
    return told


async def _crash(scene: Scene) -> Told:
    told, member = await _of_one(scene)
    member.abandon()
    return told


async def _evict(scene: Scene) -> Told:
    """A member that has just died; its session may end before it is evicted."""
    told, member = await _of_one(scene)
    member.abandon()
    try:
        return {**told, **(await scene.operate(f"/members/{member.member_id}", "DELETE"))}
    except httpx.HTTPStatusError as error:
        if error.response.status_code != httpx.codes.NOT_FOUND:
            raise
        return told


async def _of_one(scene: Scene) -> tuple[Told, Any]:
    member = scene.rng.choice(scene.members)
    told: Told = await scene.get("/foresight", gone=member.member_id)
    scene.members.remove(member)
    scene.drained.discard(str(member.member_id))
    return told, member


async def _drain(scene: Scene) -> Told:
    name = scene.rng.choice([str(m.member_id) for m in scene.members])
    is_drained = name in scene.drained
    (scene.drained.discard if is_drained else scene.drained.add)(name)
    return await scene.operate(f"/members/{name}/{'undrain' if is_drained else 'drain'}")


async def _grow(scene: Scene) -> Told:
    more = scene.rng.randrange(1, 4)
    told: Told = await scene.get("/foresight", partitions=more, grown=scene.name)
    scene.partitions += more
    grown = {"partitions": scene.partitions}
    await scene.ask("PATCH", f"topics/{scene.name}", json=grown)
    return told


Act = Callable[[Scene], Awaitable[Told]]

ACTS: Final[Mapping[str, Act]] = {
    "rebalance": _rebalance,
    "more": _more,
    "leave": _leave,
    "crash": _crash,
    "evict": _evict,
    "drain": _drain,
    "grow": _grow,
}
MEMBERS: Final = (2, 6)
"""A group has at least and at most so many."""


def possible(scene: Scene) -> list[str]:
    """The acts that make sense now."""
    fewest, most = MEMBERS
    n, left = len(scene.members), len(scene.members) - len(scene.drained)
    return [
        name
        for name in ACTS
        if not (name in ("leave", "crash", "evict") and (n <= fewest or left <= 1))
        and not (name == "more" and n >= most)
        and not (name in ("drain", "grow") and scene.is_classic)
        and not (name == "drain" and left <= 1)
    ]


async def happen(scene: Scene, name: str) -> Outcome:
    """Do it, and compare what was said with what is there when the group has settled."""
    before = await scene.settled()
    told = await ACTS[name](scene)
    # What moves partitions has a generation of its own, which may still be to come.
    after = await scene.settled(newer_than=scene.generation if told.get("moved") else None)
    seen = sum(len(parts - before.get(who, frozenset())) for who, parts in after.items())
    predicted = int(told.get("moved", -1))
    return Outcome(
        scene.sort, name, str(told.get("accuracy")), predicted, seen, _differs(told, after)
    )


def _differs(told: Told, after: Owned) -> bool:
    """Whether members own other numbers of partitions than was said."""
    shares = told.get("shares")
    if shares is None:
        return False
    said = sorted(share["after"] for share in shares)
    there = sorted(len(parts) for parts in after.values())
    return [n for n in said if n] != [n for n in there if n]
