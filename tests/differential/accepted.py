"""The differences that are known and meant: one table, each row with its reason.

A test is as narrow as can be; whatever is not here counts. The document that explains a row at
length is named where there is one.
"""

from tests.differential.plays import HELD, Accepted, Judge, Play, Step
from tests.differential.talking import Answer

NUMBER_AT = {"join": 1, "subscribe": 1, "cjoin": 2, "poll": 2}
"""Where the number stands in the answers of steps that may find a group that began anew."""


def _own_static_join(play: Play, step: Step, theirs: Answer, ours: Answer) -> bool:
    return (
        step[0] in ("join", "odd")
        and theirs[0] == "UNRELEASED_INSTANCE_ID"
        and ours[0] == "NONE"
        and (step[0] == "odd" or not step[4])
    )


def _number_goes_on(play: Play, step: Step, theirs: Answer, ours: Answer) -> bool:
    """The same but for the number, which restarted there."""
    at = NUMBER_AT.get(step[0])
    if at is None or len(theirs) <= at or len(theirs) != len(ours):
        return False
    rest = [(a, b) for k, (a, b) in enumerate(zip(theirs, ours, strict=True)) if k != at]
    there, here = theirs[at], ours[at]
    if any(a != b for a, b in rest) or not isinstance(there, int) or not isinstance(here, int):
        return False
    if not 0 < there <= 2 or here <= there:
        return False
    play.ours.shift += here - there
    return True


def _who_leads(play: Play, step: Step, theirs: Answer, ours: Answer) -> bool:
    told = [a for a in (theirs, ours) if len(a) > 5 and a[:2] == ("join", "NONE")]
    if len(told) < 2:
        return False
    return bool(theirs[2:5] == ours[2:5]) and {theirs[5], ours[5]} == {"self", "other"}


def _only_what_is_held(play: Play, step: Step, theirs: Answer, ours: Answer) -> bool:
    """After a downgrade: the same but for who has which partitions."""
    if not play.is_downgraded:
        return False
    told = ("describe", "cdescribe", "join", "subscribe", "ack", "beat", "full")
    return step[0] in told and bool(theirs[:2] == ours[:2])


def _live_transaction(play: Play, step: Step, theirs: Answer, ours: Answer) -> bool:
    """After a claim that both refused: there the owner is fenced, or what waits is gone."""
    if not play.was_refused:
        return False
    fenced = {"INVALID_PRODUCER_EPOCH", "PRODUCER_FENCED"}
    if step[0] == "end":
        fenced.add("INVALID_TXN_STATE")  # what was aborted cannot be committed
    lost = bool(fenced & set(map(str, theirs))) and not fenced & set(map(str, ours))
    raised = step[0] in ("init", "claim") and theirs[:2] == ours[:2] and theirs[2] > ours[2]
    return lost or raised or step[0] == "fetch"


def _fenced_twice(play: Play, step: Step, theirs: Answer, ours: Answer) -> bool:
    is_end = step[0] in ("init", "claim", "end") and theirs[0] == ours[0] == "NONE"
    if not is_end or theirs[1] is None or theirs[1] != ours[1] or theirs[2] != ours[2] + 1:
        return False
    play.ours.shift -= 1
    return True


def _fenced_and_told(play: Play, step: Step, theirs: Answer, ours: Answer) -> bool:
    """There a fenced producer that ends a transaction gets the epoch of its successor, or how
    that one's transaction ended."""
    told = theirs[0] in ("NONE", "INVALID_TXN_STATE")
    return step[0] == "end" and told and ours[0] == "PRODUCER_FENCED"


def _verified_together(play: Play, step: Step, theirs: Answer, ours: Answer) -> bool:
    """Two words for an offset outside of a transaction, by the version of another's request."""
    words = {"INVALID_TXN_STATE", "TRANSACTION_ABORTABLE"}
    return step[0] == "put" and {*theirs, *ours} == words


def _their_fault(play: Play, step: Step, theirs: Answer, ours: Answer) -> bool:
    words = ("UNKNOWN_SERVER_ERROR", "'error_code': -1")
    there, here = ([word in repr(answer) for word in words] for answer in (theirs, ours))
    return any(there) and not any(here)


def _nobody_waits(play: Play, step: Step, theirs: Answer, ours: Answer) -> bool:
    """There a join waits for an id that was handed out to another, and a group that has
    no members left is not empty."""
    members = play.ours.members.values()
    if not any(m.was_handed_out or m.left_an_id for m in members):
        return False
    is_join = step[0] in ("cjoin", "poll", "csync") and theirs == HELD
    return is_join or not any(m.is_in for m in members)


def _emptied_once_more(play: Play, step: Step, theirs: Answer, ours: Answer) -> bool:
    """Here the group was empty, and that was a generation; there it waited for a handed-out id."""
    at = NUMBER_AT.get(step[0])
    if not play.emptied_for_pending or at is None or len(theirs) != len(ours):
        return False
    rest = [(a, b) for k, (a, b) in enumerate(zip(theirs, ours, strict=True)) if k != at]
    return all(a == b for a, b in rest) and bool(ours[at] == theirs[at] + 1)


def _pending_left(play: Play, step: Step, theirs: Answer, ours: Answer) -> bool:
    """There all members have to join again after a client left that never was a member."""
    return play.pending_left


def _refused_makes_none(play: Play, step: Step, theirs: Answer, ours: Answer) -> bool:
    """There a group is found that never had a member, or that has no offsets."""
    if step[0] == "delete_offsets":
        return bool(ours[0] == "GROUP_ID_NOT_FOUND") and set(theirs[1]) == {"NONE"}
    nowhere = ("GROUP_ID_NOT_FOUND", "ILLEGAL_GENERATION", "Dead")
    if step[0] == "clist":
        return bool(theirs == [("", "Empty", "classic")]) and ours == []
    asks = step[0] in ("describe", "cdescribe", "cdelete", "ccommit")
    return asks and any(word in ours for word in nowhere)


TABLE = (
    Accepted(
        "own-static-join",
        ("consumer",),
        "an epoch-0 heartbeat of a live static member under its own id is the same program, whose"
        " first answer was lost: it is welcome",
        _own_static_join,
    ),
    Accepted(
        "number-goes-on",
        ("mixed", "consumer", "classic"),
        "generations and epochs go on where a group changes its protocol, so that none is given"
        " out twice (docs/decisions/0015-migration.md); there they begin at 1 again",
        _number_goes_on,
        goes_on=True,
    ),
    Accepted(
        "only-what-is-held",
        ("mixed",),
        "a downgrade gives out only what is held (docs/decisions/0015-migration.md); there the"
        " target counts as given, and is held back from whoever comes next",
        _only_what_is_held,
    ),
    Accepted(
        "who-leads",
        ("classic", "mixed", "crossed"),
        "which member leads is nobody's promise: there it is the first of a hash map",
        _who_leads,
    ),
    Accepted(
        "nobody-waits",
        ("classic", "mixed"),
        "a group whose last member has left, or that has no members yet and no delay, does not wait"
        " for whoever was handed an id, and another for two seconds (transcripts CJ-12, CJ-14);"
        " there the next member does, for a session",
        _nobody_waits,
    ),
    Accepted(
        "emptied-once-more",
        ("classic", "mixed"),
        "the same (docs/decisions/0003-quiet-window.md), told by the number that whoever comes next"
        " is given",
        _emptied_once_more,
    ),
    Accepted(
        "pending-left",
        ("classic", "mixed"),
        "who was handed an id and leaves before it joined disturbs nobody (transcript CJ-14); there"
        " the group rebalances",
        _pending_left,
    ),
    Accepted(
        "refused-makes-none",
        ("classic", "mixed", "transactions"),
        "a classic join without a member id that is refused, or a commit of which nothing can be"
        " stored, leaves nothing behind; there an empty group, until the next sweep",
        _refused_makes_none,
    ),
    Accepted(
        "live-transaction",
        ("transactions",),
        "a stale claim that is refused changes nothing"
        " (docs/decisions/0031-a-fenced-producer-ends-nothing.md);"
        " there it aborts the live transaction",
        _live_transaction,
    ),
    Accepted(
        "fenced-twice",
        ("transactions",),
        "one fencing raises the epoch once; there twice, for the abort and for the newcomer",
        _fenced_twice,
        goes_on=True,
    ),
    Accepted(
        "fenced-and-told",
        ("transactions",),
        "EndTxn v5 of a producer that was fenced by InitProducerId is refused"
        " (docs/decisions/0031-a-fenced-producer-ends-nothing.md); there it counts as asked again",
        _fenced_and_told,
    ),
    Accepted(
        "verified-together",
        ("transactions",),
        "there offsets that come at once are verified together, and all are answered in the words"
        " of the first one's version (docs/decisions/0031-a-fenced-producer-ends-nothing.md)",
        _verified_together,
    ),
    Accepted(
        "their-fault",
        ("consumer", "classic", "mixed", "administration", "crossed"),
        "a request that was not foreseen there is UNKNOWN_SERVER_ERROR; here it is told what is"
        " wrong",
        _their_fault,
    ),
)


def judge_of(kind: str) -> Judge:
    """Whether a difference in a scenario of this kind is accepted."""
    rows = [row for row in TABLE if kind in row.kinds]

    def judge(play: Play, step: Step, theirs: Answer, ours: Answer) -> Accepted | None:
        for row in rows:
            try:
                if row.is_this(play, step, theirs, ours):
                    return row
            except (TypeError, IndexError, KeyError):  # answers of another shape
                continue
        return None

    return judge
