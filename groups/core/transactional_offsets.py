"""Pending transactional offsets during one step.

Decides which of them still count, and which were superseded by a plain commit. Only those of this
step: those of earlier steps are rows, which the store marks by the same rules
(``groups.store.transactional_offsets``).
"""

from collections.abc import Iterable

from groups.core.events import OffsetWrite, PendingWrite, TxnOffsetCommit

Pending = dict[tuple[int, str, int], PendingWrite]
"""By producer id, topic and partition; in the order in which they were written."""


def add(pending: Pending, event: TxnOffsetCommit) -> None:
    """Add the transaction's offsets; if it commits a partition twice, the last one counts."""
    for write in event.offsets:
        at = (event.producer_id, write.topic, write.partition)
        pending.pop(at, None)  # the order is that of the last writes
        pending[at] = PendingWrite(event.producer_id, event.producer_epoch, write)


def supersede(pending: Pending, writes: Iterable[OffsetWrite]) -> None:
    """Plain commits came after these: they count whatever the result of the transaction."""
    partitions = {(write.topic, write.partition) for write in writes}
    for at, waiting in pending.items():
        if at[1:] in partitions:
            pending[at] = waiting._replace(is_superseded=True)


def forget(pending: Pending, partition: tuple[str, int]) -> None:
    """The partition's offsets are deleted, including pending ones: otherwise the end of their
    transaction would restore them."""
    for at in [at for at in pending if at[1:] == partition]:
        del pending[at]
