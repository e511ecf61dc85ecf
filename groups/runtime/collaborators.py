"""What the runtime calls, and what limits it: made before it, and never replaced.

The parts that stand behind it are made after the runtime, of which they are given the groups; a
node's calls reach them by ``Node``.
"""

import sys
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from groups.core.assignors.task import AssignmentTask
from groups.core.events import RowsVerb, Ticket
from groups.core.group import Millis
from groups.core.replies import Reply


class NotRead(Exception):
    """The rows of an operation cannot be read now, or it has ended."""


def _unanswered(_ticket: Ticket, _reply: Reply) -> None:
    """There are no connections."""


def _nobody(_operation_id: int) -> None:
    """No operation is known elsewhere."""


def no_connections(_group_id: str, _consumer_ids: Iterable[str]) -> None:
    """There are none to close."""


def _no_answer(_group_id: str, _question: AssignmentTask) -> None:
    """Nothing is computed; the group asks again."""


def _uncounted(_group_id: str) -> None:
    """Offsets are not counted."""


async def _nothing_read(_group_id: str, _verb: RowsVerb) -> RowsVerb:
    raise NotRead("there is no database")


@dataclass(frozen=True, slots=True, kw_only=True)
class Collaborators:
    """``answer`` sends a reply to a ticket, or drops it if the connection is closed. ``undecided``
    is called with the id of an operation whose event was refused before a decision, ``hang_up``
    with a group and the consumers whose connections must be closed. ``question`` computes target
    assignments that a step requested (``groups.topics.assignor_worker``). ``grown`` is called with
    a group when more than ``written_max`` rows were written for it since the last call
    (``groups.reporting.offset_totals``). ``read_rows`` adds rows to an operation that needs them
    (``groups.operations.rows_read``), or raises ``NotRead``. ``groups_max``: the limit of groups in
    all slots together. ``restart_grace_ms``: what members get after an outage.
    """

    answer: Callable[[Ticket, Reply], None] = _unanswered
    undecided: Callable[[int], None] = _nobody
    hang_up: Callable[[str, Iterable[str]], None] = no_connections
    question: Callable[[str, AssignmentTask], None] = _no_answer
    grown: Callable[[str], None] = _uncounted
    read_rows: Callable[[str, RowsVerb], Awaitable[RowsVerb]] = _nothing_read
    groups_max: int = sys.maxsize
    written_max: int = sys.maxsize
    restart_grace_ms: Millis = 0
