"""Offsets that wait for the end of a transaction, while one step decides.

Which of them still count, and which were overtaken by a plain commit. Only this step's own:
those of earlier steps are rows, and the store marks them by the same rules
(``groups.store.transactional_offsets``).
"""

from collections.abc import Iterable

from groups.core.events import OffsetWrite, PendingWrite, TxnOffsetCommit

Pending = dict[tuple[int, str, int], PendingWrite]
"""By producer id, topic and partition."""


def add(pending: Pending, event: TxnOffsetCommit) -> None:
    """The transaction's offsets; one that it commits twice stands as it was told last."""
    for write in event.offsets:
        at = (event.producer_id, write.topic, write.partition)
        pending[at] = PendingWrite(event.producer_id, event.producer_epoch, write)


def supersede(pending: Pending, writes: Iterable[OffsetWrite]) -> None:
    """These were committed later, outside of any transaction: they stand whatever becomes of it."""
    partitions = {(write.topic, write.partition) for write in writes}
    for at, waiting in pending.items():
        if at[1:] in partitions:
            pending[at] = waiting._replace(is_superseded=True)


def forget(pending: Pending, partition: tuple[str, int]) -> None:
    """The partition's offsets are deleted, those that wait included: else the end of their
    transaction would bring them back."""
    for at in [at for at in pending if at[1:] == partition]:
        del pending[at]
