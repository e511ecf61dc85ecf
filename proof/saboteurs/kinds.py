"""Saboteurs of what only some groups have, and of the timeout for a database that hangs.

Drafts, commands, transactions, many members, odd values.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from groups.core import transactions
from groups.core.commanded import group as commanded_group
from groups.core.commanded import offsets as commanded_offsets
from groups.core.commanded import rebalance as commanded_rounds
from groups.core.commanded import states as commanded_states
from groups.core.commanded.live import Live
from groups.core.draft import group as draft_group
from groups.core.draft import join_phase as draft_rounds
from groups.core.draft import offsets as draft_offsets
from groups.core.transactions import Claim, PendingOffsets
from groups.core.values import OVER_MAX, SharedDict
from groups.postgres import connections
from groups.runtime.batch_writer import BatchWriter
from proof.saboteurs.breaking import (
    LATE,
    MEMBERS,
    ROWS,
    Saboteur,
    around,
    nothing,
    put,
    several,
)
from proof.simulation import desk, seams, transaction_rows
from proof.simulation.classic_client import ClassicClient
from proof.simulation.commanded_client import CommandedClient
from proof.simulation.consumer_client import ConsumerClient
from proof.simulation.draft_client import DraftClient
from proof.simulation.population import PLAIN, Population

DRAFT: Final = Population(protocols=(DraftClient,))
COMMANDED: Final = Population(protocols=(CommandedClient,))
PRODUCERS: Final = replace(PLAIN, producers=3)
BIG: Final = Population(protocols=(ConsumerClient,), is_big=True)
ODD: Final = Population(protocols=(ClassicClient,), is_odd=True)

PRODUCING: Final = ("producer-crash", "producer-double", "producer-pause", "database-slow")

IMPATIENCE_MS: Final = 2_500
NOTE_KEPT: Final = 1_000
FOR_EVER_S: Final = 1e9


def _same_generation(original: Any) -> Callable[..., Any]:
    """The round ends normally, except that the generation stays the same."""

    def next_generation(work: Any, held: Any, left: Any) -> None:
        before = work.row.generation
        original(work, held, left)
        work.set_row(generation=max(before, 1))

    return next_generation


def _not_waiting(work: Any) -> bool:
    """Start once the first consumer has stopped, although others have not."""
    rows = list(work.members.values())
    if rows and all(row.commands for row in rows):
        return False
    for row in rows:
        work.put(replace(row, commands=()))
    return commanded_rounds._start(work)


def _earlier(original: Any) -> Callable[..., Any]:
    def deadline(self: Live, row: Any) -> int:
        return int(original(self, row)) - IMPATIENCE_MS

    return deadline


def _anybody(original: Any) -> Callable[..., Any]:
    """Replace the epoch in a request by the producer's own."""

    def decided(before: Any, claim: Claim, *rest: Any, **named: Any) -> Any:
        own = claim if before is None else Claim(before.producer_id, before.epoch)
        return original(before, own, *rest, **named)

    return decided


def _ended_well(original: Any) -> Callable[..., Any]:
    def ended(owner: Any, commit: bool) -> Any:
        return replace(original(owner, commit), pending=PendingOffsets.APPLY)

    return ended


def _but_the_last(original: Any) -> Callable[..., Any]:
    def own(db: Any, given: Any) -> Any:
        return original(db, given)[:1]

    return own


async def _none_waits(*_: Any) -> set[str]:
    return set()


def _forgetful(self: SharedDict[Any, Any]) -> SharedDict[Any, Any]:
    """The merged dictionary lacks the latest changes."""
    after: SharedDict[Any, Any] = SharedDict(self._base if len(self._over) > OVER_MAX else self)
    after.touched = set()
    return after


async def _nobody_to_blame(*_: Any) -> tuple[str, ...]:
    return ()


def _cut(original: Any) -> Callable[..., Any]:
    def stored(writes: Any) -> Any:
        kept = original(writes)
        return kept and tuple(w._replace(metadata=w.metadata[:NOTE_KEPT]) for w in kept)

    return stored


SABOTEURS: Final[Mapping[str, Saboteur]] = {
    "draft-any-generation": Saboteur(
        "commits to a group of the draft are not checked against consumer and generation",
        put(draft_offsets, "_check", nothing),
        LATE,
        DRAFT,
    ),
    "draft-same-generation": Saboteur(
        "a round of the draft deals anew and does not raise the generation",
        several(
            around(draft_rounds, "_next_generation", _same_generation),
            put(draft_group, "check_change", nothing),
        ),
        MEMBERS,
        DRAFT,
    ),
    "commanded-not-waiting": Saboteur(
        "start-fetcher is sent while some have not acknowledged stop-fetcher",
        several(
            put(
                commanded_rounds,
                "STEPS",
                {**commanded_rounds.STEPS, commanded_states.PREPARING: _not_waiting},
            ),
            put(commanded_group, "check_change", nothing),
        ),
        MEMBERS,
        COMMANDED,
    ),
    "commanded-impatient": Saboteur(
        "sessions of commanded consumers end before their time",
        around(Live, "deadline", _earlier),
        MEMBERS,
        COMMANDED,
    ),
    "commanded-any-generation": Saboteur(
        "commits of commanded consumers are not checked against consumer and generation",
        put(commanded_offsets, "_check", nothing),
        LATE,
        COMMANDED,
    ),
    "producers-not-fenced": Saboteur(
        "the epoch of a producer is not compared",
        several(
            around(transactions, "begin", _anybody),
            around(transactions, "check_commit", _anybody),
            around(transactions, "end", _anybody),
        ),
        PRODUCING,
        PRODUCERS,
    ),
    "aborts-apply": Saboteur(
        "the offsets of an aborted transaction count",
        around(transactions, "_ended", _ended_well),
        PRODUCING,
        PRODUCERS,
    ),
    "transactions-in-parts": Saboteur(
        "the end of a transaction applies one of its offsets only",
        around(transaction_rows, "_own", _but_the_last),
        PRODUCING,
        PRODUCERS,
    ),
    "waiting-forgotten": Saboteur(
        "a new owner does not know that offsets wait, and a plain commit does not overtake them",
        put(seams, "_with_pending", _none_waits),
        ("node-crash", "node-drain", *PRODUCING),
        PRODUCERS,
    ),
    "copies-lose-changes": Saboteur(
        "the members of a group of more than a few dozen lose what changed last",
        put(SharedDict, "copy", _forgetful),
        MEMBERS,
        BIG,
    ),
    "nobody-to-blame": Saboteur(
        "who brings a value that no row can hold is not turned away",
        put(BatchWriter, "_culprits", _nobody_to_blame),
        ("client-odd", "client-crash", "operator-rebalance"),
        ODD,
    ),
    "notes-cut": Saboteur(
        "long notes of committed offsets are cut off",
        around(desk, "_stored", _cut),
        ROWS,
        ODD,
    ),
    "no-deadline": Saboteur(
        "an answer of PostgreSQL is waited for for ever",
        put(connections, "_patience_s", lambda over: FOR_EVER_S),
        ("database-hangs", "client-crash", "operator-rebalance"),
    ),
}
