"""Which node shall own which slot: the same answer from the same rows, whoever asks.

Judgement only, no clock and no rows. Everybody keeps what is theirs as far as it is their
share, so that as few slots as possible move (docs/architecture.md, *Slots*).
"""

from collections.abc import Collection, Iterator, Mapping


def plan(owners: Mapping[int, int | None], live: Collection[int]) -> Mapping[int, int]:
    """The node that shall own each slot.

    ``owners`` maps every slot to its owner by the rows, None where it has none; ``live`` are the
    nodes that may own slots. Shares differ by one at most, and those who have most already get
    the larger ones. Empty where nobody lives.
    """
    if not live:
        return {}
    held = {node: [s for s in sorted(owners) if owners[s] == node] for node in sorted(live)}
    shares = dict(_shares(held, len(owners)))
    kept = {slot: node for node, slots in held.items() for slot in slots[: shares[node]]}
    homeless = iter([slot for slot in sorted(owners) if slot not in kept])
    for node, slots in held.items():
        for _ in range(shares[node] - len(slots)):
            kept[next(homeless)] = node
    return kept


def _shares(held: Mapping[int, Collection[int]], slots: int) -> Iterator[tuple[int, int]]:
    """How many slots each node shall have, those who hold most first."""
    least, more = divmod(slots, len(held))
    for rank, node in enumerate(sorted(held, key=lambda node: (-len(held[node]), node))):
        yield node, least + (rank < more)
