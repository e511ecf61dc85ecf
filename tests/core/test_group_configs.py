"""What a group may have of its own: names, bounds, and what follows for its rules."""

from dataclasses import replace

import pytest

from groups.core.configs import group, topic
from groups.core.configs.entries import BrokerConfig, Change, ConfigOperation, ConfigType, Source
from groups.core.errors import ErrorCode, Refuse
from groups.core.group import Guards, Rules

LIMITS = {
    "group.consumer.session.timeout.ms": 45_000,
    "group.consumer.min.session.timeout.ms": 40_000,
    "group.consumer.max.session.timeout.ms": 60_000,
    "group.consumer.heartbeat.interval.ms": 5_000,
    "group.consumer.min.heartbeat.interval.ms": 4_000,
    "group.consumer.max.heartbeat.interval.ms": 50_000,
    "group.consumer.assignment.interval.ms": 200,
    "group.consumer.min.assignment.interval.ms": 100,
    "group.consumer.max.assignment.interval.ms": 15_000,
    "group.consumer.assignment.timeout.ms": 5_000,
    "group.consumer.min.assignment.timeout.ms": 1_000,
    "group.consumer.max.assignment.timeout.ms": 60_000,
    "group.consumer.assignor.offload.enable": 1,
    "group.max.size": 100,
}
BROKER = {n: BrokerConfig(n, ConfigType.INT, str(v), "45000", "") for n, v in LIMITS.items()}


def put(name: str, value: str | None) -> Change:
    return Change(name, ConfigOperation.SET, value)


def refusal(*changes: Change) -> ErrorCode:
    with pytest.raises(Refuse) as caught:
        group.changed({}, changes, BROKER)
    return caught.value.code


GOOD_AND_BAD: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    group.SESSION_TIMEOUT: (("40000", "60000", " 50000 "), ("39999", "60001", "x", "")),
    group.HEARTBEAT_INTERVAL: (("4000", "44999"), ("3999", "50001", "5.5")),
    group.ASSIGNMENT_INTERVAL: (("100", "15000"), ("99", "15001", "x")),
    group.ASSIGNMENT_TIMEOUT: (("1000", "60000"), ("999", "60001", "x")),
    group.ASSIGNOR_OFFLOAD: (("true", "False"), ("yes", "")),
    group.REBALANCE_MIN_INTERVAL: (("0", "3600000"), ("-1", "3600001")),
    group.FREEZE: (("true", "FALSE"), ("yes", "1", "")),
    group.MEMBERS_MAX: (("1", "100"), ("0", "101")),
    group.COMMITS_PER_SECOND_MAX: (("0", "1000000"), ("-1", "1000001")),
}


@pytest.mark.parametrize("name", group.BY_NAME)
def test_a_value_is_taken_within_its_bounds_only(name: str) -> None:
    good, bad = GOOD_AND_BAD[name]
    for value in good:
        kept = group.changed({}, [put(name, value)], BROKER)
        assert kept == {name: value.strip().lower()}
    for value in bad:
        assert refusal(put(name, value)) is ErrorCode.INVALID_CONFIG


def test_a_session_must_exceed_the_effective_heartbeat_interval() -> None:
    interval = put(group.HEARTBEAT_INTERVAL, "45000")

    assert refusal(interval) is ErrorCode.INVALID_CONFIG
    both = [interval, put(group.SESSION_TIMEOUT, "45001")]
    assert len(group.changed({}, both, BROKER)) == 2


def test_a_groups_values_are_validated_and_not_the_installations() -> None:
    name = "group.consumer.heartbeat.interval.ms"
    broker = {**BROKER, name: replace(BROKER[name], value="50000")}
    frozen = put(group.FREEZE, "true")
    assert group.changed({}, [frozen], broker) == {group.FREEZE: "true"}
    session = put(group.SESSION_TIMEOUT, "50000")
    with pytest.raises(Refuse):
        group.changed({}, [frozen, session], broker)


def test_changes_are_applied_all_or_none() -> None:
    good, bad = put(group.FREEZE, "true"), put(group.MEMBERS_MAX, "0")

    assert refusal(good, bad) is ErrorCode.INVALID_CONFIG


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ((put("bogus", "1"),), ErrorCode.INVALID_CONFIG),
        ((put(group.SESSION_TIMEOUT, "46_000"),), ErrorCode.INVALID_CONFIG),
        ((put(group.FREEZE, None),), ErrorCode.INVALID_REQUEST),
        ((put(group.FREEZE, "true"),) * 2, ErrorCode.INVALID_REQUEST),
        ((Change(group.FREEZE, ConfigOperation.APPEND, "true"),), ErrorCode.INVALID_CONFIG),
        ((Change(group.FREEZE, 9, "true"),), ErrorCode.INVALID_REQUEST),
    ],
)
def test_an_invalid_setting_is_refused(changes: tuple[Change, ...], code: ErrorCode) -> None:
    assert refusal(*changes) is code


def test_deleting_a_value_restores_the_nodes() -> None:
    values = {group.SESSION_TIMEOUT: "50000"}
    gone = [
        Change(group.SESSION_TIMEOUT, ConfigOperation.DELETE, None),
        Change("bogus", ConfigOperation.DELETE, None),
    ]

    assert group.changed(values, gone, BROKER) == {}


def test_synonyms_are_listed_by_precedence() -> None:
    name = "group.consumer.session.timeout.ms"
    broker = {**BROKER, name: BrokerConfig(name, ConfigType.INT, "44000", "45000", "")}
    values = {group.SESSION_TIMEOUT: "50000"}

    entry = next(e for e in group.entries(values, broker) if e.name == group.SESSION_TIMEOUT)

    assert (entry.value, entry.source) == ("50000", Source.GROUP)
    assert [(s.name, s.value, s.source) for s in entry.synonyms] == [
        (group.SESSION_TIMEOUT, "50000", Source.GROUP),
        (name, "44000", Source.STATIC_BROKER),
        (name, "45000", Source.DEFAULT),
    ]


def test_rules_follow_from_the_values_and_never_exceed_the_nodes() -> None:
    node = Rules(group_max_size=50, group_consumer_max_size=20)
    values = {
        group.SESSION_TIMEOUT: "50000",
        group.HEARTBEAT_INTERVAL: "10000",
        group.REBALANCE_MIN_INTERVAL: "30000",
        group.FREEZE: "true",
        group.MEMBERS_MAX: "30",
        "of.a.newer.version": "x",
    }

    rules = group.rules_of(values, node)

    assert (rules.group_max_size, rules.group_consumer_max_size) == (30, 20)
    assert rules.group_consumer_session_timeout_ms == 50_000
    assert rules.group_consumer_heartbeat_interval_ms == 10_000
    assert rules.guards == Guards(rebalance_min_interval_ms=30_000, frozen=True)
    assert group.rules_of({}, node) == node


def test_topic_descriptions_match_accepted_values() -> None:
    entries = {entry.name: entry for entry in topic.entries()}
    assert entries["retention.ms"].value == "604800000"
    assert all(entry.is_read_only and entry.value is not None for entry in entries.values())


def checked(changes: list[Change]) -> None:
    """In the handler's order."""
    topic.check_names(changes)
    topic.check(changes)


def test_a_topic_accepts_only_its_fixed_values() -> None:
    topic.check([put("retention.ms", "604800000"), Change("segment.ms", 1, None)])
    for change, code in (
        (put("retention.ms", "5"), ErrorCode.INVALID_REQUEST),
        (Change("cleanup.policy", ConfigOperation.APPEND, "compact"), ErrorCode.INVALID_REQUEST),
        (put("bogus", "5"), ErrorCode.INVALID_CONFIG),
    ):
        with pytest.raises(Refuse) as caught:
            checked([change])
        assert caught.value.code is code
