"""Gold: advice. Each rule is a function from what happened to its evidence; ``RULES`` lists them.

A rule finds something that happened again and again to the same group or client, and names the
rebalances that it caused. A rebalance that nobody's setting caused (a coordinator's own restart, an
operator's act) is in no rule.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import reduce
from typing import Final, NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from groups.core.facts import Departure
from groups.core.journal import Trigger
from pipeline.datasets.advice import Advice
from pipeline.datasets.dataset import PERIOD
from pipeline.datasets.deploys import Deploys
from pipeline.datasets.lives import Lives, Ownership
from pipeline.datasets.rebalances import Rebalances
from pipeline.steps.names import client, small
from pipeline.steps.periods import ALL, LENGTHS, SLICE, by_period, by_slice, of_slices
from pipeline.steps.stability import SOON_MS, away_ms, returned

OFTEN: Final = 3
"""Seen less often it may be chance."""

MEDIUM, HIGH = 5, 20
"""From how much evidence on the confidence is called so."""

LOOP: Final = 5
"""A client that lived so often for less than a minute crashes, or is started again and again."""

SLOW_MS: Final = 1_000
"""A rebalance that stops partitions for less, or waits so for its leader, is no matter."""

SLOW_MEMBER_MS: Final = 6_000
"""Stock members learn of a rebalance by their next heartbeat, after up to three seconds in the
classic protocol, five in the consumer protocol: one that takes longer is slow."""

OCCASION_S: Final = 300
"""What happens within so much of each other, as when a group starts or is deployed, may have one
cause, and is seen once."""

MARGIN: Final = 1.5
"""The proposed session timeout, as a multiple of the longest pause that was seen."""

GROWTHS_AN_HOUR: Final = 5

BACK_MS: Final = 600_000
"""What-if knows a deploy by clients that are back within so much, under the same name."""

COOPERATIVE: Final = "cooperative-sticky"
"""The assignor of the classic protocol whose members keep what they keep."""

NAMED: Final = 5
"""So many entries and lives are named as evidence."""


class Facts(NamedTuple):
    """What rules look at: ends of lives, rebalances, lives and intervals of ownership, each once;
    and deploys, each once for each of its periods. ``at``: the run's moment."""

    ends: DataFrame
    rebalances: DataFrame
    deploys: DataFrame
    lives: DataFrame
    intervals: DataFrame
    at: datetime

    def ended(self, which: Column) -> DataFrame:
        """These ends, each once for each of its periods."""
        return by_period(self.ends.filter(which), "left_at", self.at)

    def completed(self, rebalances: DataFrame) -> DataFrame:
        """These rebalances, each once for each of its periods."""
        return by_period(rebalances, "completed_at", self.at)


class Rule(NamedTuple):
    """``evidence`` gives PERIOD, group_id, subject, finding, change, evidence, and lives, what_if
    and saves where it has them (partitions x milliseconds, where these are not all of what moved);
    ``triggers``: the causes of the rebalances that it explains, of the same group."""

    name: str
    triggers: Sequence[Trigger]
    evidence: Callable[[Facts], DataFrame]


def advice(
    lives: Lives, rebalances: Rebalances, ownership: Ownership, deploys: Deploys, at: datetime
) -> Advice:
    """All rules' findings, with the cost of the rebalances that they explain."""
    ends = lives.frame.filter("left_at IS NOT NULL")
    facts = Facts(
        ends.withColumn("client", client()),
        rebalances.frame,
        deploys.frame,
        lives.frame,
        ownership.frame,
        at,
    )
    found = reduce(DataFrame.unionByName, (_evidence(rule, facts) for rule in RULES))
    costs = _costs(rebalances.frame, at)
    confidence = (
        f.when(f.col("evidence") >= HIGH, "high")
        .when(f.col("evidence") >= MEDIUM, "medium")
        .otherwise("low")
    )
    rows = (
        found.join(small(costs), [PERIOD, "group_id", "rule"], "left")
        .withColumn("cost_ms", f.coalesce("cost_ms", f.lit(0)))
        .withColumn("saves_partition_ms", f.coalesce("saves", "moved_ms", f.lit(0)))
        .withColumn("worst_journal_id", f.get("worst", f.lit(0)))
        .withColumn("entries", f.coalesce(f.array_join("worst", ","), f.lit("")))
        .withColumn("confidence", confidence)
    )
    return Advice(rows.select(*Advice.names()))


def _evidence(rule: Rule, facts: Facts) -> DataFrame:
    return _complete(rule.evidence(facts)).withColumn("rule", f.lit(rule.name))


def _costs(rebalances: DataFrame, at: datetime) -> DataFrame:
    """By period, group and rule, what the rebalances cost that the rule's causes began; by slice
    and trigger first, so that all rules read them once."""
    by_cost = f.struct((-f.col("without_owner_ms")).alias("sooner"), "journal_id")
    moved = f.col("without_owner_ms") * f.col("partitions_moved")
    slices = by_slice(rebalances, "completed_at", at).groupBy(SLICE, "group_id", "trigger")
    summed = slices.agg(
        f.sum("without_owner_ms").alias("cost_ms"),
        f.sum(moved).alias("moved_ms"),
        _first(f.collect_list(by_cost)).alias("worst"),
    )
    rules = f.array_compact(
        f.array(*(f.when(_began_by(rule.triggers), f.lit(rule.name)) for rule in RULES))
    )
    of_rules = of_slices(summed.withColumn("rule", f.explode(rules)))
    return of_rules.groupBy(PERIOD, "group_id", "rule").agg(
        f.sum("cost_ms").alias("cost_ms"),
        f.sum("moved_ms").alias("moved_ms"),
        _first(f.flatten(f.collect_list("worst")))["journal_id"].alias("worst"),
    )


def _first(values: Column) -> Column:
    """The least few of an array."""
    return f.slice(f.sort_array(values), 1, NAMED)


def _complete(evidence: DataFrame) -> DataFrame:
    """With what a rule has no word on."""
    nothing = {"lives": f.lit(""), "what_if": f.lit(""), "saves": f.lit(None).cast("bigint")}
    missing = nothing.keys() - {*evidence.columns}
    return evidence.withColumns({name: nothing[name] for name in sorted(missing)})


def _lives() -> Column:
    """The numbers of the newest lives of a group of rows."""
    newest = f.slice(f.sort_array(f.collect_list("life"), asc=False), 1, NAMED)
    return f.array_join(newest, ",").alias("lives")


def _kind() -> Column:
    """The protocol of the newest of a group of lives."""
    return f.max_by("kind", f.struct("joined_at", "life")).alias("kind")


def _by_kind(classic: Column, consumer: Column) -> Column:
    """How a setting is changed: in the consumer protocol clients refuse a session timeout of their
    own."""
    return f.when(f.col("kind") == "consumer", consumer).otherwise(classic)


def _assignor() -> Column:
    """The first assignor that the newest member of a group of lives named."""
    known = f.max_by("protocols", f.struct("joined_at", "life"))
    return f.get(known, f.lit(0)).alias("assignor")


def session_timeout(facts: Facts) -> DataFrame:
    """Members that expired and were not dead."""
    slow = facts.ended(returned()).withColumn("away", away_ms())
    found = _often(
        slow.groupBy(PERIOD, "group_id", f.col("client").alias("subject")).agg(
            f.count("*").alias("evidence"),
            f.max("away").alias("longest"),
            f.max("session_timeout_ms").alias("timeout"),
            _kind(),
            _lives(),
        )
    )
    proposed = f.ceil(f.col("longest") * MARGIN / 1_000) * 1_000
    return found.select(
        *SHARED,
        "lives",
        _sentence(
            "expired %d times with a session timeout of %.1f s and was back within another: it"
            " paused for at most %.1f s",
            "evidence", f.col("timeout") / 1_000, f.col("longest") / 1_000,
        ).alias("finding"),
        _by_kind(
            f.format_string("session.timeout.ms=%d", proposed),
            f.format_string(
                "consumer.session.timeout.ms=%d for the group (rollcall group configure), as far as"
                " group.consumer.max.session.timeout.ms allows it: members cannot set their own",
                proposed,
            ),
        ).alias("change"),
        f.format_string("--session-timeout-ms %d", proposed).alias("what_if"),
    )  # fmt: skip


def static_membership(facts: Facts) -> DataFrame:
    """Dynamic members that restart: each restart is two rebalances."""
    restarts = facts.ended(
        (f.col("departure") == Departure.LEFT.value)
        & (f.col("back_ms") < SOON_MS)
        & f.col("instance_id").isNull()
    )
    counted = restarts.groupBy(PERIOD, "group_id").agg(
        f.count("*").alias("evidence"),
        f.max("back_ms").alias("longest"),
        _kind(),
        _lives(),
        _occasions("left_at"),
    )
    timeout = _by_kind(
        f.lit("session.timeout.ms"), f.lit("the group's consumer.session.timeout.ms")
    )
    return _again(counted.withColumn("subject", f.col("group_id"))).select(
        *SHARED,
        "lives",
        _sentence(
            "members left and were back within %.1f s, %d times",
            f.col("longest") / 1_000, "evidence",
        ).alias("finding"),
        f.format_string(
            "group.instance.id=<a name that a member keeps>, %s above %d",
            timeout,
            f.greatest("longest", f.lit(SOON_MS // 2)),
        ).alias("change"),
        f.lit("--static-ids").alias("what_if"),
    )  # fmt: skip


def crash_loop(facts: Facts) -> DataFrame:
    """A client that is started again and again."""
    short = facts.ended(
        (f.col("lived_ms") < SOON_MS)
        & f.col("departure").isin(Departure.EXPIRED.value, Departure.LEFT.value)
    )
    counted = short.groupBy(PERIOD, "group_id", f.col("client").alias("subject")).agg(
        f.count("*").alias("evidence"), f.max("lived_ms").alias("longest"), _lives()
    )
    return counted.filter(f.col("evidence") >= LOOP).select(
        *SHARED,
        "lives",
        _sentence(
            "joined and ended %d times, after at most %.1f s each",
            "evidence", f.col("longest") / 1_000,
        ).alias("finding"),
        f.lit("look at why this client ends: its log, its memory, its supervisor").alias("change"),
    )  # fmt: skip


def no_acknowledgement(facts: Facts) -> DataFrame:
    """A member that does not join, sync or revoke in time."""
    late = facts.ended(f.col("departure") == Departure.NOT_ACKNOWLEDGED.value)
    counted = late.groupBy(PERIOD, "group_id", f.col("client").alias("subject")).agg(
        f.count("*").alias("evidence"), _lives()
    )
    return _often(counted).select(
        *SHARED,
        "lives",
        _sentence("did not join, sync or give up partitions in time, %d times", "evidence").alias(
            "finding"
        ),
        f.lit(
            "look at what this client does between polls and when partitions are revoked;"
            " max.poll.interval.ms is the time that it has"
        ).alias("change"),
    )


def slow_member(facts: Facts) -> DataFrame:
    """The member for which most of a group's rebalances wait."""
    slices = by_slice(facts.rebalances, "completed_at", facts.at).groupBy(SLICE, "group_id")
    counts = of_slices(slices.count()).groupBy(PERIOD, "group_id")
    all_of = counts.agg(f.sum("count").alias("all"))
    slow = facts.completed(facts.rebalances.filter(f.col("slowest_ms") >= SLOW_MEMBER_MS))
    counted = slow.groupBy(PERIOD, "group_id", f.col("slowest_member").alias("subject")).agg(
        f.count("*").alias("evidence"),
        f.sum("slowest_ms").alias("waited"),
        _occasions("completed_at"),
    )
    again = all_of.join(small(_again(counted)), [PERIOD, "group_id"])
    most = again.filter("2 * evidence > all")
    return most.select(
        *SHARED,
        _sentence(
            "%d of %d rebalances waited for this member, %.1f s in all",
            "evidence", "all", f.col("waited") / 1_000,
        ).alias("finding"),
        f.lit(
            "look at this member: it rejoins late, since it works long between polls or its host"
            " is busy"
        ).alias("change"),
    )  # fmt: skip


def slow_leader(facts: Facts) -> DataFrame:
    """A group whose leader computes its assignment for long."""
    slow = facts.completed(facts.rebalances.filter(f.col("sync_ms") >= SLOW_MS))
    counted = slow.groupBy(PERIOD, "group_id").agg(
        f.count("*").alias("evidence"),
        f.sum("sync_ms").alias("waited"),
        _occasions("completed_at"),
    )
    return _again(counted.withColumn("subject", f.col("group_id"))).select(
        *SHARED,
        _sentence(
            "%d rebalances waited for the leader's assignment, %.1f s in all",
            "evidence", f.col("waited") / 1_000,
        ).alias("finding"),
        f.lit("group.protocol=consumer: the coordinator assigns, without a leader").alias("change"),
        f.lit("--protocol consumer").alias("what_if"),
    )  # fmt: skip


def topic_growth(facts: Facts) -> DataFrame:
    """Topics that grow in many small steps. Cooperative members change their metadata whenever they
    give partitions up; those of other assignors when a pattern matches another topic."""
    is_growth = f.col("trigger") == Trigger.TOPICS_CHANGED.value
    is_pattern = _began_by(GROWTH) & (f.col("assignor") != COOPERATIVE)
    assignor = facts.lives.groupBy("group_id").agg(_assignor())
    changed = facts.rebalances.filter(_began_by(GROWTH))
    grown = changed.join(small(assignor), "group_id", "left").filter(is_growth | is_pattern)
    hourly = facts.completed(grown).groupBy(
        PERIOD, "group_id", f.date_trunc("hour", "completed_at").alias("h")
    )
    busy = hourly.count().filter(f.col("count") >= GROWTHS_AN_HOUR)
    counted = busy.groupBy(PERIOD, "group_id").agg(f.sum("count").alias("evidence"))
    return counted.withColumn("subject", f.col("group_id")).select(
        *SHARED,
        _sentence("rebalanced %d times because topics changed", "evidence").alias("finding"),
        f.lit("add the partitions of a topic in one step").alias("change"),
    )


def eager_assignor(facts: Facts) -> DataFrame:
    """A classic group that stops all partitions at each rebalance, although most of them stay."""
    assignor = facts.lives.groupBy("group_id").agg(_assignor())
    owned = facts.intervals.select("group_id", "topic", "partition").distinct()
    partitions = owned.groupBy("group_id").agg(f.count("*").alias("partitions"))
    stayed = f.col("without_owner_ms") * (f.col("partitions") - f.col("partitions_moved"))
    eager = assignor.filter(f.col("assignor") != COOPERATIVE).join(small(partitions), "group_id")
    stopped = (
        facts.rebalances.filter(
            (f.col("kind") == "classic") & (f.col("without_owner_ms") >= SLOW_MS)
        )
        .join(small(eager), "group_id")
        .filter("2 * partitions_moved < partitions")
    )
    counted = (
        facts.completed(stopped)
        .groupBy(PERIOD, "group_id")
        .agg(
            f.count("*").alias("evidence"),
            f.sum(stayed).alias("saves"),
            _occasions("completed_at"),
        )
    )
    return _again(counted.withColumn("subject", f.col("group_id"))).select(
        *SHARED,
        "saves",
        _sentence(
            "stopped all partitions in %d rebalances in which most stayed with their owner, these"
            " for %.1f partition-seconds",
            "evidence", f.col("saves") / 1_000,
        ).alias("finding"),
        f.lit(
            f"partition.assignment.strategy={COOPERATIVE}, or group.protocol=consumer: partitions"
            " that stay are worked on meanwhile"
        ).alias("change"),
        f.lit(f"--assignor {COOPERATIVE}").alias("what_if"),
    )  # fmt: skip


def deploy_at_once(facts: Facts) -> DataFrame:
    """Deploys that restart most members at once, so that nobody is there to take over."""
    at_once = facts.deploys.filter("at_once >= 2 AND 2 * at_once >= members")
    counted = at_once.groupBy(PERIOD, "group_id").agg(
        f.count("*").alias("evidence"), f.max("at_once").alias("most")
    )
    back = facts.ended(
        f.col("departure").isin(Departure.LEFT.value, Departure.REPLACED.value)
        & (f.col("back_ms") <= BACK_MS)
    )
    known = back.groupBy(PERIOD, "group_id").agg(f.count("*").alias("known"))
    counted = counted.join(small(known), [PERIOD, "group_id"], "left")
    return _often(counted.withColumn("subject", f.col("group_id"))).select(
        *SHARED,
        _sentence(
            "was deployed %d times with up to %d members away at once", "evidence", "most"
        ).alias("finding"),
        f.lit("restart one member after the other, the next when the one before is back").alias(
            "change"
        ),
        f.when(f.col("known") >= 2, "--deploy-at-once 1").otherwise("").alias("what_if"),
    )


def idle_members(facts: Facts) -> DataFrame:
    """Living members that the last assignment has given nothing, beside others that work."""
    owned = facts.intervals
    changed = owned.groupBy("group_id").agg(f.max("from_at").alias("assigned_at"))
    owners = owned.filter("until_at IS NULL").select("group_id", "life").distinct()
    working = owners.groupBy("group_id").agg(f.count("*").alias("working"))
    idle = (
        facts.lives.filter("left_at IS NULL")
        .join(small(owners), ["group_id", "life"], "left_anti")
        .join(small(changed), "group_id")
        .filter(f.col("joined_at") < f.col("assigned_at"))
    )
    counted = idle.groupBy("group_id").agg(f.count("*").alias("evidence"), _lives())
    now = f.explode(f.array(f.lit(ALL), *map(f.lit, LENGTHS)))
    named = counted.join(small(working), "group_id").withColumn(PERIOD, now)
    return _often(named.withColumn("subject", f.col("group_id"))).select(
        *SHARED,
        "lives",
        _sentence("has %d members that own nothing, beside %d that work", "evidence", "working")
        .alias("finding"),
        f.format_string("%d members fewer, or more partitions", "evidence").alias("change"),
        f.format_string("--members -%d", "evidence").alias("what_if"),
    )  # fmt: skip


SHARED: Final = (PERIOD, "group_id", "subject", "evidence")

COMING_AND_GOING: Final = (Trigger.MEMBER_JOINED, Trigger.MEMBER_LEFT, Trigger.SESSION_EXPIRED)
LATE: Final = (
    Trigger.NOT_ACKNOWLEDGED,
    Trigger.REBALANCE_TIMEOUT,
    Trigger.JOIN_TIMED_OUT,
    Trigger.SYNC_EXPIRED,
)
GROWTH: Final = (Trigger.TOPICS_CHANGED, Trigger.METADATA_CHANGED)

RULES: Final[Sequence[Rule]] = (
    Rule("session-timeout", (Trigger.SESSION_EXPIRED,), session_timeout),
    Rule("static-membership", (Trigger.MEMBER_LEFT, Trigger.MEMBER_JOINED), static_membership),
    Rule("crash-loop", COMING_AND_GOING, crash_loop),
    Rule("no-acknowledgement", LATE, no_acknowledgement),
    Rule("slow-member", COMING_AND_GOING, slow_member),
    Rule("slow-leader", COMING_AND_GOING, slow_leader),
    Rule("topic-growth", GROWTH, topic_growth),
    Rule("eager-assignor", COMING_AND_GOING, eager_assignor),
    Rule("deploy-at-once", COMING_AND_GOING, deploy_at_once),
    Rule("idle-members", (), idle_members),
)


def _began_by(triggers: Sequence[Trigger]) -> Column:
    return f.col("trigger").isin(*(trigger.value for trigger in triggers))


def _often(counted: DataFrame) -> DataFrame:
    return counted.filter(f.col("evidence") >= OFTEN)


def _occasions(at: str) -> Column:
    """On how many occasions it happened; one that lasts over a border counts as two."""
    return f.count_distinct(f.floor(f.unix_seconds(at) / OCCASION_S)).alias("occasions")


def _again(counted: DataFrame) -> DataFrame:
    """What happened on several occasions."""
    return counted.filter(f.col("occasions") >= OFTEN)


def _sentence(form: str, *values: Column | str) -> Column:
    return f.format_string(form, *(f.col(v) if isinstance(v, str) else v for v in values))
