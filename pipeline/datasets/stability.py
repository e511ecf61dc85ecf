"""Gold: who comes and goes, and how near members come to their session timeout."""

from pipeline.datasets.dataset import PERIOD, Column, Report


class Stability(Report):
    """Members that come and go, by group and client."""

    NAME = "stability"
    TITLE = "Stability"
    QUESTION = "Which members come and go, and how do they end?"
    ORDER = "ended"
    TOTALS = ("begun", "ended", "expired", "restarts")
    KEY = (PERIOD, "group_id", "client_id")
    COLUMNS = (
        Column(PERIOD, "string", "the period"),
        Column("group_id", "string", "the group"),
        Column("client_id", "string", "the client id"),
        Column("begun", "bigint", "lives that began"),
        Column("ended", "bigint", "lives that ended"),
        Column("left", "bigint", "of these, that left by themselves"),
        Column("expired", "bigint", "that were silent for a session"),
        Column("not_acknowledged", "bigint", "that did not join, sync or revoke in time"),
        Column("other_ends", "bigint", "that were replaced, evicted, refused, or are unknown"),
        Column("restarts", "bigint", "ends after which the same client was back within a minute"),
        Column("short_lives", "bigint", "lives that ended within a minute"),
        Column("median_life_ms", "bigint", "half of the lives that ended were at most so long"),
        Column("hosts", "bigint", "addresses from which they came"),
    )


class Silence(Report):
    """How near members came to their session timeout, and who expired: by group, session timeout
    and client library."""

    NAME = "silence"
    TITLE = "Silence"
    QUESTION = "How near do members come to their session timeout? Were those that expired dead?"
    ORDER = "longest_silent_ms"
    TOTALS = ("near", "expired", "returned")
    KEY = (PERIOD, "group_id", "session_timeout_ms", "software")
    COLUMNS = (
        Column(PERIOD, "string", "the period"),
        Column("group_id", "string", "the group"),
        Column("session_timeout_ms", "int", "the session timeout"),
        Column("software", "string", "the client library with its version"),
        Column("members", "bigint", "members that were looked at while they lived"),
        Column("p99_silent_ms", "bigint", "99 % of their hours had no longer silence than this"),
        Column("longest_silent_ms", "bigint", "the longest silence of a member"),
        Column("near", "bigint", "looks at which more than three quarters of a session were over"),
        Column("lives", "bigint", "lives that ended"),
        Column("expired", "bigint", "of these, that were silent for a session"),
        Column(
            "returned",
            "bigint",
            "expired members whose client was back within another session: they were not dead",
        ),
        Column("p50_away_ms", "bigint", "half of those were away at most so long"),
        Column("p99_away_ms", "bigint", "99 % of those were away at most so long"),
        Column("longest_away_ms", "bigint", "from the last sign of life to the return, at most"),
    )
