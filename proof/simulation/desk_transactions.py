"""Transactions at a node's desk: what the protocol's handlers do before and after the rows.

The product's own ``Transactions`` reads and writes them.
"""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from groups.core.errors import ErrorCode, Refuse
from groups.core.events import TxnOffsetCommit
from groups.core.replies import ErrorReply, Reply
from groups.core.transactions import Claim, Producer
from groups.runtime.transactions import Transactions
from proof.simulation.network import Request


class Initialise(NamedTuple):
    """InitProducerId."""

    timeout_ms: int
    claim: Claim | None


class AddGroup(NamedTuple):
    """AddOffsetsToTxn."""

    claim: Claim
    group_id: str


class CommitOffsets(NamedTuple):
    """TxnOffsetCommit, and the event that it becomes."""

    transactional_id: str
    claim: Claim
    event: TxnOffsetCommit
    version: int


class End(NamedTuple):
    """EndTxn."""

    claim: Claim
    commit: bool
    version: int


class Granted(NamedTuple):
    """A success; ``producer`` if the request was about the transactional id itself."""

    producer: Producer | None
    error: ErrorCode = ErrorCode.NONE


Decide = Callable[[TxnOffsetCommit], Awaitable[Reply]]


async def serve(
    transactions: Transactions, request: Request, decide: Decide
) -> Granted | ErrorReply | Reply:
    """Answer one of the four; ``decide`` asks the group."""
    try:
        return await _serve(transactions, request, decide)
    except Refuse as refusal:
        return ErrorReply(refusal.code)


async def _serve(transactions: Transactions, request: Request, decide: Decide) -> Granted | Reply:
    key = request.group_id
    match request.body:
        case Initialise(timeout_ms, claim):
            return Granted(await transactions.initialise(key, timeout_ms, claim))
        case AddGroup(claim, group_id):
            await transactions.add_group(key, claim, group_id)
            return Granted(None)
        case End(claim, commit, version):
            return Granted(await transactions.end(key, claim, commit=commit, version=version))
        case CommitOffsets(transactional_id, claim, event, version):
            await transactions.admit(transactional_id, claim, key, version)
            return await decide(event)
    raise AssertionError(request.api)


REQUESTS = (Initialise, AddGroup, CommitOffsets, End)
