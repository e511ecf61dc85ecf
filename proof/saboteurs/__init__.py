"""Deliberate mistakes: each removes one thing that the invariants depend on.

A table from a name to what is broken and how. The simulator and the checker must catch every one
(tests/proof/test_saboteurs.py); one that is not caught is a gap in the proof. Only tests use this
package. Most break the product's own code; those of the guard break its model, since the real one
is SQL.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Final

from proof.saboteurs import drains, kinds, memory, rules, store
from proof.saboteurs.breaking import Saboteur

SABOTEURS: Final[Mapping[str, Saboteur]] = {
    **store.SABOTEURS,
    **memory.SABOTEURS,
    **rules.SABOTEURS,
    **kinds.SABOTEURS,
    **drains.SABOTEURS,
}
"""What each removes, how, and under which faults it shows."""


@contextmanager
def at_work(name: str) -> Iterator[None]:
    """Apply one saboteur until the block ends."""
    with ExitStack() as stack:
        SABOTEURS[name].how(stack)
        yield
