"""What can be foreseen of which kind: a table of kinds. Those that are plug-ins
(``groups.core.kinds``) are imported if the kind exists."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Final

from console.foresight import classic, consumer
from console.foresight.foresight import Protocol, Scene, Software
from groups.core.assignors.types import Racks
from groups.core.kinds import CLASSIC, CONSUMER, PLUG_INS
from groups.core.rows import Durable

SceneOf = Callable[[Durable, Mapping[str, int], Racks, Software], Scene]


def _scene(kind: str) -> SceneOf:
    scene: SceneOf = import_module(f"console.foresight.{kind}").scene
    return scene


SCENES: Final[Mapping[str, SceneOf]] = {
    CLASSIC: classic.scene,
    CONSUMER: consumer.scene,
    **{kind: _scene(kind) for kind in PLUG_INS},
}
"""By kind: the rows as what can be asked about. Partition counts are by topic name, racks by topic
id; the software is that of all members."""

PROTOCOLS: Final[Mapping[str, Protocol]] = {
    CLASSIC: classic.PROTOCOL,
    CONSUMER: consumer.PROTOCOL,
}
"""Between these, members of a group can change (KIP-848, *Online Upgrade*)."""
