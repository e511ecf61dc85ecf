"""Mutants that survive and may: each with the reason."""

from typing import NamedTuple


class Accepted(NamedTuple):
    """The changed lines as a report gives them, without their place."""

    path: str
    function: str
    before: str
    after: str
    reason: str


FAST, INIT = "protocol/fast_paths/heartbeat_fast_path.py", "FastPath.__init__"
HOLD, COMMIT = "protocol/fast_paths/heartbeat_hold.py", "protocol/fast_paths/commit_fast_path.py"
IS_SET_FIRST = "``answer`` sets it before anything reads it; the line tells mypy its type"
TOO_SHORT = "no request is as short as that: the decoder refuses it, and it goes to the queue"
NO_VERSION = "no message has a version below 0: since then is since ever"
ONLY_ASSERTED = "what is worked out here is asserted, and read by nothing else"
BY_MEMBER = "``find`` goes by what each member is told; these two stand for nobody"
MIXED_VIEW = "return MixedView({}, ErrorCode.UNKNOWN_MEMBER_ID, theirs, index.instances, codes)"
USER_DATA = (
    "return len(assignment) >= at + _COUNT.size and _COUNT.unpack_from(assignment, at)[{}] > 0"
)
NO_SUCH_TOPIC = "a topic that is not there has no partition to give, be it 0 or -1 of them"
ONE_EVENT = "only a consumer group with members is given more than one at a time"
ASKED_BEFORE = "whoever calls it has looked for -1 itself"
GIVEN_A_PLACE = "a newcomer is given its place when the round ends"
ITEM_BY_ITEM = "else each text is looked at by itself, which gives the same and takes longer"
ALL_OF_ONE_KIND = "what a consumer has not acknowledged is all stop-fetcher or all start-fetcher"
FURTHER_BOUND = "it is searched between bounds, and finds the same between wider ones"
NOTHING_BACK = "what was missed puts a beginning off and never brings it forward (``forgiven``)"
OF_ONE = "it is a tuple of one"
NO_COMMAND_YET = "no command has the id 0, so that -1 and 0 are both the id of none"
KEY_ALONE = "that the key is there says it; nobody asks for its value"
ABOUT_ENOUGH = "one difference more or less is as good a bound"
SETTLED_ALREADY = "a refusal changes nothing, and what is settled again stays as it is"
NOBODY_S_INSTANCE = "who has an instance id is its holder, and nobody holds none"
WAITS_IN_ANY_CASE = "it has just sent commands, and the next step waits until they are acknowledged"
NOTHING_MOVES = "where nothing moved in one pass nothing moves in the next"
NO_SWAP_YET = "before the first swap there is no view, and nothing that could be said again"
MORE_THAN_FEW = "one row more or less is as good a bound: either way reads the same"
MEMORY_ALONE = "it lets go of memory, and of nothing else"
NOBODY_S_NUMBER = "it is any number that Kafka has not; what goes over the wire is another"
SIGN_ALONE = "only its sign counts"
ALL_ALIKE = "all begin with the same number, and only which is the greatest counts"
FAR_AWAY = "the bound was reached many attempts ago"
SAME_TEXT = "either way makes the same text; one byte more or less is as good a bound"
PRODUCERS = "found = [(_producer(row[{}]), row[7]) async for row in in_slices(cursor)]"
SAME_DEADLINES = "the group is the same, and its deadlines are found again as they are"
PLAN_ALONE = "how PostgreSQL plans a statement changes the time that it takes, and no row"
LONG_PAST = "no clock shows less than 0: either time is past"
READ_ELSEWHERE = (
    "it sets ``is_overdue``, which only ``time_out`` reads, and that of the row which it locks"
)
BYTE_MORE = "the queue gives the same answer; one byte more or less is as good a bound"
SHORTEST_PAUSE = "whether a pause of exactly the shortest time is one is as good either way"
LOOP_S = "a loop's clock has shown more than a second before any connection is there"
NO_REQUEST_YET = "until a commit replaces it, only the end of its connection closes it"
BIT_ABOVE = "no frame of that length has the bit above its highest"
CLOSED_IS_NONE = (
    "it is one that was found unusable, and closed: it is found so again, and replaced the same way"
)
LAST_MOMENT = (
    "a lease that is renewed in the very millisecond of its end has cost no session anything"
)

ACCEPTED: tuple[Accepted, ...] = (
    Accepted(
        "groups/cluster/lease.py",
        "Lease._connect",
        "self._connection = None",
        "pass",
        CLOSED_IS_NONE,
    ),
    Accepted(
        "groups/cluster/lease_loop.py",
        "LeaseLoop.run",
        "if slept or clock() >= until:",
        "if slept or clock() > until:",
        LAST_MOMENT,
    ),
    Accepted(
        "groups/runtime/repeated_commits.py",
        "RepeatedCommits._take_several",
        "self._coordinator.release(entry, is_same=True)",
        "self._coordinator.release(entry, is_same=False)",
        SAME_DEADLINES,
    ),
    Accepted(
        "protocol/fast_paths/short_frames.py",
        "request_in",
        "if not _VERSION.size <= len(frame) <= FRAME_BYTES_MAX:",
        "if not _VERSION.size <= len(frame) < FRAME_BYTES_MAX:",
        BYTE_MORE,
    ),
    Accepted(
        HOLD,
        "Hold.takes_new",
        "return now - arrived_at >= HOLD_S_MIN and self._takes(correlation_id, now)",
        "return now - arrived_at > HOLD_S_MIN and self._takes(correlation_id, now)",
        SHORTEST_PAUSE,
    ),
    Accepted(
        HOLD,
        "Hold.forget",
        "self.correlation_id, self.waited_until = None, 0.0",
        "self.correlation_id, self.waited_until = None, 1.0",
        LOOP_S,
    ),
    Accepted(
        COMMIT,
        "CommitFastPath.__init__",
        "self._ticket = Ticket(number, 0)",
        "self._ticket = Ticket(number, 1)",
        NO_REQUEST_YET,
    ),
    Accepted(
        COMMIT,
        "_mask",
        'return int.from_bytes(both, "big") ^ ((1 << 8 * len(both)) - 1)',
        'return int.from_bytes(both, "big") ^ (( 2 << 8 * len(both)) - 1)',
        BIT_ABOVE,
    ),
    Accepted(
        "protocol/fast_paths/short_frames.py",
        "request_in",
        "if not _VERSION.size <= len(frame) <= FRAME_BYTES_MAX:",
        "if not _VERSION.size < len(frame) <= FRAME_BYTES_MAX:",
        TOO_SHORT,
    ),
    Accepted(FAST, INIT, "self._version = 0", "pass", IS_SET_FIRST),
    Accepted(FAST, INIT, 'self._member = ""', "pass", IS_SET_FIRST),
    Accepted(FAST, INIT, 'self._before = b""', "pass", IS_SET_FIRST),
    Accepted(FAST, INIT, 'self._after = b""', "pass", IS_SET_FIRST),
    *(
        Accepted(FAST, INIT, "self._generation = -1", f"self._generation = {other}", IS_SET_FIRST)
        for other in ("1", "- 0", "- 2")
    ),
    Accepted(
        FAST,
        "FastPath.answer",
        "self._swaps = -1",
        "self._swaps = - 0",
        NO_SWAP_YET,
    ),
    *(
        Accepted(FAST, INIT, "self._swaps = -1", f"self._swaps = {other}", NO_SWAP_YET)
        for other in ("- 0", "- 2")
    ),
    Accepted("rollcall/wire/declare.py", "wire", "since: int = 0,", "since: int = -1,", NO_VERSION),
    Accepted(
        "groups/core/commands.py",
        "send",
        "last = row.commands[-1].command_id if row.commands else 0",
        "last = row.commands[- 0].command_id if row.commands else 0",
        ONLY_ASSERTED,
    ),
    Accepted(
        "groups/core/commands.py",
        "send",
        "last = row.commands[-1].command_id if row.commands else 0",
        "last = row.commands[-1].command_id if row.commands else -1",
        ONLY_ASSERTED,
    ),
    Accepted(
        "groups/store/offsets.py",
        "committed",
        'few = {**parameters, "most": FEW_ROWS + 1}',
        'few = {**parameters, "most": FEW_ROWS + 2}',
        MORE_THAN_FEW,
    ),
    Accepted(
        "groups/store/offsets.py",
        "committed",
        "if len(found) <= FEW_ROWS:",
        "if len(found) < FEW_ROWS:",
        MORE_THAN_FEW,
    ),
    Accepted(
        "rollcall/wire/codec.py",
        "FrameBuffer.only",
        "if 0 < size <= self.limit and _length(data)[0] == size and not self.held:",
        "if 0 < size <= self.limit and _length(data)[ -1] == size and not self.held:",
        OF_ONE,
    ),
    Accepted("groups/store/offsets.py", "committed", "del found", "pass", MEMORY_ALONE),
    Accepted(
        "groups/store/apply.py",
        "text_in_pieces",
        "if size <= AT_ONCE_MAX:",
        "if size < AT_ONCE_MAX:",
        SAME_TEXT,
    ),
    *(
        Accepted(
            "groups/runtime/transactions.py",
            f"Transactions.{function}",
            PRODUCERS.format(":7"),
            PRODUCERS.format(": 8"),
            READ_ELSEWHERE,
        )
        for function in ("listed", "described")
    ),
    Accepted(
        "groups/runtime/transactions.py",
        "Transactions.admit",
        "found = _producer(row[:7]) if row else None",
        "found = _producer(row[: 8]) if row else None",
        READ_ELSEWHERE,
    ),
    *(
        Accepted(file, function, "return self._due[0]", "return self._due[ -1]", OF_ONE)
        for file, function in (
            ("groups/core/step.py", "RowsGroup.due"),
            ("groups/core/consumer/group.py", "ConsumerGroup.due"),
        )
    ),
    Accepted(
        "groups/core/step.py",
        "RowsGroup.due",
        "self._due = (self._next(self._earliest[0]),)",
        "self._due = (self._next(self._earliest[ -1]),)",
        OF_ONE,
    ),
    *(
        Accepted(
            "groups/core/step.py",
            "stands",
            "return due is not None and (due[0] is None or due[0] > now)",
            changed,
            OF_ONE,
        )
        for changed in (
            "return due is not None and (due[ -1] is None or due[0] > now)",
            "return due is not None and (due[0] is None or due[ -1] > now)",
        )
    ),
    Accepted(
        "groups/core/commanded/guards.py",
        "put_off",
        "work.set_details(queued={**queued, PUT_OFF: True})",
        "work.set_details(queued={**queued, PUT_OFF: False})",
        KEY_ALONE,
    ),
    Accepted(
        "rollcall/client/core/backoff.py",
        "Backoff.next",
        "wait: float = min(self.most, self.first * 2 ** min(self.attempts, 20))",
        "wait: float = min(self.most, self.first * 2 ** min(self.attempts, 19))",
        FAR_AWAY,
    ),
    Accepted(
        "rollcall/client/core/backoff.py",
        "Backoff.next",
        "wait: float = min(self.most, self.first * 2 ** min(self.attempts, 20))",
        "wait: float = min(self.most, self.first * 2 ** min(self.attempts, 21))",
        FAR_AWAY,
    ),
    *(
        Accepted(
            "groups/core/consumer/classic_heartbeats.py",
            "view",
            MIXED_VIEW.format("-2"),
            MIXED_VIEW.format(other),
            BY_MEMBER,
        )
        for other in ("2", "- 1", "- 3")
    ),
    Accepted(
        "groups/core/draft/strategies.py",
        "assign_ranges",
        "quota, more = divmod(counts.get(topic, 0), len(consumers))",
        "quota, more = divmod(counts.get(topic, -1), len(consumers))",
        NO_SUCH_TOPIC,
    ),
    Accepted(
        "groups/core/commanded/assignment.py",
        "deal",
        "quota, more = divmod(counts.get(topic, 0), len(lined_up))",
        "quota, more = divmod(counts.get(topic, -1), len(lined_up))",
        NO_SUCH_TOPIC,
    ),
    Accepted(
        "groups/core/conversion/step.py",
        "_decide_as",
        "event = events[0]",
        "event = events[ -1]",
        ONE_EVENT,
    ),
    Accepted(
        "groups/core/commanded/acknowledging.py",
        "was_sent",
        "return 0 < command_id <= int(row.details.get(LAST_COMMAND, 0))",
        "return 0 < command_id <= int(row.details.get(LAST_COMMAND, -1))",
        NO_COMMAND_YET,
    ),
    Accepted(
        "groups/core/step.py",
        "absent_row",
        "return GroupRow(group_id, kind, EMPTY, rules.generations_after, details={ABSENT: True})",
        "return GroupRow(group_id, kind, EMPTY, rules.generations_after, details={ABSENT: False})",
        KEY_ALONE,
    ),
    Accepted(
        "groups/core/subscription.py",
        "_Reader._slice",
        "if length < 0 or end > len(self.metadata):",
        "if length < -1 or end > len(self.metadata):",
        ASKED_BEFORE,
    ),
    *(
        Accepted(
            "groups/core/draft/join.py",
            "_hold_newcomer",
            "newcomers.append(Join(_row(event, 0), event.ticket, work.now, event.client))",
            f"newcomers.append(Join(_row(event, {place}), event.ticket, work.now, event.client))",
            GIVEN_A_PLACE,
        )
        for place in (1, -1)
    ),
    *(
        Accepted(
            "groups/postgres/array_literals.py",
            "texts",
            """if "\\\\" in joined or joined.count('"') != 2 * (len(column) - 1):""",
            f"""if "\\\\" in joined or joined.count('"') != {changed}:""",
            ITEM_BY_ITEM,
        )
        for changed in (
            "1 * (len(column) - 1)",
            "3 * (len(column) - 1)",
            "2 * (len(column) + 1)",
            "2 * (len(column) - 0)",
            "2 * (len(column) - 2)",
        )
    ),
    Accepted(
        "groups/core/commanded/leave.py",
        "give_up",
        "option, first = late[0].commands[0].option, late[0]",
        "option, first = late[0].commands[ -1].option, late[0]",
        ALL_OF_ONE_KIND,
    ),
    *(
        Accepted(
            "groups/core/assignors/quotas.py",
            "_level",
            "low, high = 0, max(loads) + free + 1",
            changed,
            FURTHER_BOUND,
        )
        for changed in (
            "low, high = -1, max(loads) + free + 1",
            "low, high = 0, max(loads) + free + 2",
        )
    ),
    *(
        Accepted(
            f"groups/core/{kind}/group.py",
            f"{kind.capitalize()}Group.rearm",
            "def rearm(self, now: Millis, missed: Millis = 0) -> Self:",
            "def rearm(self, now: Millis, missed: Millis = -1) -> Self:",
            NOTHING_BACK,
        )
        for kind in ("classic", "consumer", "draft", "commanded")
    ),
    Accepted(
        "groups/core/commanded/rebalance.py",
        "queue",
        "work.set_details(forced=True)",
        "work.set_details(forced=False)",
        KEY_ALONE,
    ),
    Accepted(
        "groups/core/values.py",
        "SharedDict.copy",
        "if len(over) > OVER_MAX and len(over) > isqrt(len(self._base)):",
        "if len(over) >= OVER_MAX and len(over) > isqrt(len(self._base)):",
        ABOUT_ENOUGH,
    ),
    Accepted(
        "groups/core/values.py",
        "SharedDict.copy",
        "if len(over) > OVER_MAX and len(over) > isqrt(len(self._base)):",
        "if len(over) > OVER_MAX and len(over) >= isqrt(len(self._base)):",
        ABOUT_ENOUGH,
    ),
    Accepted(
        "groups/core/commanded/rebalance.py",
        "_begin",
        "return True",
        "return False",
        WAITS_IN_ANY_CASE,
    ),
    Accepted(
        "groups/core/assignment.py",
        "has_user_data",
        USER_DATA.format("0"),
        USER_DATA.format(" -1"),
        OF_ONE,
    ),
    Accepted(
        "groups/core/assignors/heterogeneous.py",
        "assign_unlike",
        "break",
        "continue",
        NOTHING_MOVES,
    ),
    *(
        Accepted(
            "groups/core/errors.py",
            "ErrorCode",
            "COMMITTING_PARTITIONS_NOT_ASSIGNED = -1027",
            f"COMMITTING_PARTITIONS_NOT_ASSIGNED = {number}",
            NOBODY_S_NUMBER,
        )
        for number in ("- 1026", "- 1028", "1027")
    ),
    *(
        Accepted(
            "groups/core/errors.py",
            "ErrorCode",
            "UNKNOWN_PARTITION_ASSIGNMENT_STRATEGY = -1024",
            f"UNKNOWN_PARTITION_ASSIGNMENT_STRATEGY = {number}",
            NOBODY_S_NUMBER,
        )
        for number in ("- 1023", "- 1025", "1024")
    ),
    *(
        Accepted(
            "groups/core/configs/group.py",
            "GroupConfig._check_bounds",
            "for bound, sign in ((self.least, 1), (self.most, -1)):",
            f"for bound, sign in ({signs}):",
            SIGN_ALONE,
        )
        for signs in ("(self.least, 2), (self.most, -1)", "(self.least, 1), (self.most, - 2)")
    ),
    *(
        Accepted(
            "groups/core/consumer/votes.py",
            "vote",
            "votes = dict.fromkeys(offered, 0)",
            f"votes = dict.fromkeys(offered, {number})",
            ALL_ALIKE,
        )
        for number in ("1", " -1")
    ),
    Accepted("groups/core/step.py", "decide", "return False", "return True", SETTLED_ALREADY),
    Accepted(
        "groups/core/consumer/heartbeat.py",
        "check_size",
        "if member is None and instance_id is not None:",
        "if member is None or instance_id is not None:",
        NOBODY_S_INSTANCE,
    ),
    Accepted(
        "groups/store/offsets.py",
        "unstable",
        "cursor = await connection.execute(query, parameters, prepare=False)",
        "cursor = await connection.execute(query, parameters, prepare=True)",
        PLAN_ALONE,
    ),
    Accepted(
        "rollcall/client/core/requests.py",
        "PendingRequests.succeeded",
        "self.not_before = 0",
        "self.not_before = -1",
        LONG_PAST,
    ),
)

_REASONS = {entry[:4]: entry.reason for entry in ACCEPTED}


def reason(path: str, function: str, before: str, after: str) -> str:
    """Why this one may survive; "" where it may not."""
    return _REASONS.get((path, function, before, after), "")
