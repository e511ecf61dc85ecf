"""What happens when: an endless, seeded sequence of entrances and exits for one group.

Same seed, same story. It knows no clock, no member and no connection: a beat says how long to
wait before it, and another member waits.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from random import Random

from demo.cast import NAMES, Scene, Troupe


class Act(Enum):
    """What a member does; the value is how the demo says it."""

    JOIN = "joins"
    RETURN = "comes back"
    LEAVE = "leaves"
    CRASH = "dies without a word"


@dataclass(frozen=True, slots=True)
class Beat:
    """One act of one member, so many seconds after the beat before it."""

    pause_s: float
    act: Act
    name: str
    scene: Scene | None = None


OPENING_S = (0.0, 0.6)
QUIET_S = 300.0
"""Between two scenes of a group, as a rule. Each costs two to four rebalances, and a group that
completes sixty within an hour needs attention: the demo shows a fleet that is well. With ten groups
something happens every few seconds."""

FIRST_S = (5.0, 60.0)
SPREAD = (0.8, 1.2)

ABSENCE_S = (4.0, 9.0)
QUICK_S = (0.3, 0.8)
LONGER_THAN_SESSION = (1.4, 2.0)


def play(
    troupe: Troupe, seed: int, pace: float, session_s: float, quiet_s: float = QUIET_S
) -> Iterator[Beat]:
    """Everybody comes; then one scene after another, each as often as the others.

    ``pace`` stretches the pauses, ``quiet_s`` is that between two scenes; how long a session lasts
    is the group's own business.
    """
    rng = Random(f"{seed}/{troupe.name}")
    names = NAMES[: troupe.size]
    for name in names:
        yield Beat(pace * rng.uniform(*OPENING_S), Act.JOIN, name)
    quiet = pace * rng.uniform(*FIRST_S)
    while True:
        for scene in rng.sample(troupe.scenes, len(troupe.scenes)):
            gone = _absence(scene, rng, pace, session_s)
            out, back = _acts(scene)
            name = NAMES[troupe.size] if scene is Scene.GROW else rng.choice(names)
            yield Beat(quiet, out, name, scene)
            yield Beat(gone, back, name, scene)
            quiet = pace * quiet_s * rng.uniform(*SPREAD)


def _acts(scene: Scene) -> tuple[Act, Act]:
    return {
        Scene.LEAVE: (Act.LEAVE, Act.RETURN),
        Scene.CRASH: (Act.CRASH, Act.RETURN),
        Scene.RESTART: (Act.CRASH, Act.RETURN),
        Scene.GROW: (Act.JOIN, Act.LEAVE),
    }[scene]


def _absence(scene: Scene, rng: Random, pace: float, session_s: float) -> float:
    """How long until the second half of a scene."""
    if scene is Scene.CRASH:
        return session_s * rng.uniform(*LONGER_THAN_SESSION)
    return pace * rng.uniform(*(QUICK_S if scene is Scene.RESTART else ABSENCE_S))
