"""One import: read both ends, plan, and do it if that is wanted."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rollcall.client import security
from rollcall.importing.cluster import Cluster
from rollcall.importing.plan import Step, Wanted, plan
from rollcall.importing.reading import read
from rollcall.importing.writing import execute


@dataclass(frozen=True, slots=True)
class End:
    """Where one end is. ``options``: TLS and SASL, by the names of the member library."""

    bootstrap: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def cluster(self) -> Cluster:
        """Raises ``ValueError`` for addresses and options that are none."""
        options, others = security.taken(self.options)
        if others:
            raise ValueError(f"{', '.join(others)}: no option of TLS or SASL (docs/client.md)")
        return Cluster(self.bootstrap, security.of(options))


async def move(kafka: End, rollcall: End, wanted: Wanted, *, is_dry: bool) -> list[Step]:
    """The steps: as planned, or as they went. Raises ``ValueError``, and ``Unavailable`` where an
    end does not answer: a repeated import does what is left."""
    async with kafka.cluster() as source, rollcall.cluster() as target:
        there = await read(source, wanted.has_group)
        here = await read(target, there.groups.__contains__)
        steps = plan(there, here, wanted)
        return steps if is_dry else [step async for step in execute(target, steps)]
