"""Client quotas: what may be asked, which quota counts, and how long who goes beyond pauses.

Sentences and codes are those that Apache Kafka 4.3.1 answered to the same requests.
"""

from collections.abc import Iterable, Mapping
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tests.examples  # noqa: F401
from groups.core.errors import ErrorCode, Refuse
from groups.core.quotas import forms
from groups.core.quotas.entities import Entity, entity, of_client, shown
from groups.core.quotas.forms import Change
from groups.core.quotas.index import KINDS, QuotaIndex, Quotas, levels
from protocol.handlers.support.quota_filters import DEFAULT, EXACT, SPECIFIED, Component, filter_of
from protocol.limits.rates import PAUSE_MS_MAX, Bucket, Rate, Windows

ANN, BOTH = {"user": "ann"}, {"user": "ann", "client-id": "c"}
WINDOWS = Windows(11, 1_000)

REFUSED: tuple[tuple[Mapping[str, str | None], Iterable[tuple[str, float | None]], str], ...] = (
    ({}, [("request_percentage", 1)], "Invalid empty client quota entity"),
    ({"host": "a"}, [], "Unhandled client quota entity type: host"),
    ({"user": ""}, [], "Empty user not supported"),
    (
        {"user": "u", "ip": "1.2.3.4"},
        [],
        "Invalid quota entity combination, IP entity shouldnot be combined with User or ClientId",
    ),
    ({"ip": "no such"}, [], "no such is not a valid IP or resolvable host."),
    (
        {"ip": "1.2.3.4"},
        [("request_percentage", 1)],
        "Invalid configuration key request_percentage",
    ),
    (ANN, [("connection_creation_rate", 1)], "Invalid configuration key connection_creation_rate"),
    (ANN, [("SCRAM-SHA-256", 1)], "Invalid configuration key SCRAM-SHA-256"),
    (ANN, [("request_percentage", 0)], "Quota request_percentage must be greater than 0"),
    (ANN, [("request_percentage", -inf)], "Quota request_percentage must be greater than 0"),
    (ANN, [("producer_byte_rate", 0.5)], "producer_byte_rate cannot be a fractional value."),
    (
        ANN,
        [("producer_byte_rate", inf)],
        "Proposed value for producer_byte_rate is too large for a LONG.",
    ),
    (
        {"ip": None},
        [("connection_creation_rate", 2**31)],
        "Proposed value for connection_creation_rate is too large for an INT.",
    ),
    (
        BOTH,
        [("request_percentage", 1), ("request_percentage", None)],
        "Ignoring duplicate entity ClientQuotaEntity(entries={client-id=c, user=ann})",
    ),
    # Ours alone: Kafka takes these.
    (ANN, [("request_percentage", nan)], "Quota request_percentage must be greater than 0"),
    ({"user": "a\0"}, [], "The user has more than 1024 bytes, or U+0000"),
    ({"client-id": "é" * 513}, [], "The client-id has more than 1024 bytes, or U+0000"),
)


@pytest.mark.parametrize(("parts", "changes", "sentence"), REFUSED)
def test_an_invalid_quota_is_refused_as_by_kafka(
    parts: Mapping[str, str | None], changes: Iterable[tuple[str, float | None]], sentence: str
) -> None:
    with pytest.raises(Refuse) as refused:
        forms.check(entity(parts), [Change(*change) for change in changes])
    assert (refused.value.code, refused.value.detail) == (ErrorCode.INVALID_REQUEST, sentence)


@pytest.mark.parametrize(
    ("parts", "key", "value"),
    [
        (ANN, "request_percentage", inf),
        (ANN, "request_percentage", 1e-9),
        (BOTH, "producer_byte_rate", 1e-9),
        ({"client-id": None}, "producer_byte_rate", 1.0000001),
        ({"user": "<default>"}, "controller_mutation_rate", 0.5),
        ({"ip": "::1"}, "connection_creation_rate", 2**31 - 1),
        (ANN, "nobody knows it", None),
    ],
)
def test_kafkas_valid_quotas_are_accepted(
    parts: Mapping[str, str | None], key: str, value: float | None
) -> None:
    assert forms.check(entity(parts), [Change(key, value)]) == {key: value}


MEANT = {
    of_client("ann"),
    of_client(None),
    of_client("ann", "c"),
    of_client("ann", None),
    of_client(client_id="c"),
    (("ip", "::1"),),
}


@pytest.mark.parametrize(
    ("components", "is_strict", "found"),
    [
        ([], False, MEANT),
        ([], True, set()),
        ([("user", EXACT, "ann")], False, {e for e in MEANT if dict(e).get("user") == "ann"}),
        ([("user", EXACT, "ann")], True, {of_client("ann")}),
        ([("user", DEFAULT, None)], False, {of_client(None)}),
        ([("user", SPECIFIED, None)], True, {of_client("ann"), of_client(None)}),
        (
            [("user", SPECIFIED, None), ("client-id", DEFAULT, None)],
            True,
            {of_client("ann", None)},
        ),
        ([("ip", SPECIFIED, None)], False, {(("ip", "::1"),)}),
        ([("user", EXACT, "")], False, set()),
    ],
)
def test_a_filter_means_what_it_means_in_kafka(
    components: Iterable[tuple[str, int, str | None]], is_strict: bool, found: set[Entity]
) -> None:
    asked = filter_of([Component(*each) for each in components], is_strict=is_strict)
    assert {each for each in MEANT if asked.matches(each)} == found


ONCE = "cannot appear more than once in the filter."


@pytest.mark.parametrize(
    ("components", "code", "sentence"),
    [
        ([("", SPECIFIED, None)], 42, "Invalid empty entity type."),
        ([("zz", SPECIFIED, None)], 35, "Unsupported entity type zz"),
        ([("user", SPECIFIED, None), ("user", DEFAULT, None)], 42, f"Entity type user {ONCE}"),
        (
            [("user", EXACT, None)],
            42,
            "Request specified MATCH_TYPE_EXACT, but set match string to null.",
        ),
        (
            [("user", DEFAULT, "x")],
            42,
            "Request specified MATCH_TYPE_DEFAULT, but also specified a match string.",
        ),
        (
            [("user", SPECIFIED, "x")],
            42,
            "Request specified MATCH_TYPE_SPECIFIED, but also specified a match string.",
        ),
        ([("user", 3, "x")], 42, "Unknown match type 3"),
        (
            [("ip", SPECIFIED, None), ("user", SPECIFIED, None)],
            42,
            "Invalid entity filter component combination. IP filter component should not be used"
            " with user or clientId filter component.",
        ),
    ],
)
def test_an_invalid_filter_is_refused_as_by_kafka(
    components: Iterable[tuple[str, int, str | None]], code: int, sentence: str
) -> None:
    with pytest.raises(Refuse) as refused:
        filter_of([Component(*each) for each in components], is_strict=False)
    assert (refused.value.code, refused.value.detail) == (code, sentence)


def test_the_most_specific_quota_counts() -> None:
    """With each in turn taken away, the next."""
    every = {found: number for number, (found, _) in enumerate(levels("ann", "c"), 1)}
    order = list(every)
    for at, (kind, (_, scope)) in enumerate(zip(KINDS, levels("ann", "c"), strict=True)):
        left = {e: {"request_percentage": float(every[e])} for e in order[at:]}
        (quota,) = QuotaIndex(left).of("ann", "c").values()
        assert quota == (at + 1, scope, kind)


def test_each_key_is_resolved_separately_and_no_bound_is_none() -> None:
    index = QuotaIndex(
        {
            of_client("ann"): {"request_percentage": inf, "producer_byte_rate": 7.0},
            of_client(None): {"request_percentage": 1.0, "controller_mutation_rate": 2.0},
        }
    )
    assert {k: q.bound for k, q in index.of("ann", "c").items()} == {
        "producer_byte_rate": 7.0,
        "controller_mutation_rate": 2.0,
    }
    assert {k: q.scope for k, q in index.of("ben", "c").items()} == {
        "request_percentage": ("ben", ""),
        "controller_mutation_rate": ("ben", ""),
    }


def test_a_client_without_an_id_has_the_default() -> None:
    index = QuotaIndex({of_client(client_id=None): {"request_percentage": 5.0}})
    assert index.of("ann", "")["request_percentage"].bound == 5.0


def test_an_address_has_its_own_quota_or_the_default() -> None:
    index = QuotaIndex(
        {
            (("ip", None),): {"connection_creation_rate": 5.0},
            (("ip", "::1"),): {"connection_creation_rate": 7.0},
        }
    )
    assert [index.connections(each) for each in ("::1", "10.0.0.1")] == [7.0, 5.0]
    assert not index.of_clients and index.of_addresses


@pytest.mark.parametrize(
    ("told", "peer"),
    [
        ("0:0:0:0:0:0:0:1", "::1"),  # as Java writes it
        ("2001:DB8::A", "2001:db8::a"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("10.0.0.1", "::ffff:10.0.0.1"),
        ("fe80::1", "fe80::1%eth0"),
    ],
)
def test_an_address_is_normalised(told: str, peer: str) -> None:
    """Of two quotas that mean the same one the lower counts."""
    asked: Quotas = {(("ip", None),): {"connection_creation_rate": 5.0}}
    index = QuotaIndex({**asked, (("ip", told),): {"connection_creation_rate": 7.0}})
    assert index.connections(peer) == 7.0
    index = QuotaIndex({**index.quotas, (("ip", peer),): {"connection_creation_rate": 3.0}})
    assert index.connections(peer) == 3.0


def test_a_rate_is_that_of_the_last_windows() -> None:
    """10 s and the running one: 100 a second may be 1,000 at once, and are not 1,100."""
    rate = Rate(WINDOWS)
    rate.add(1_000, 0)
    assert rate.pause_ms(100, 0) == 0
    rate.add(100, 0)
    assert rate.pause_ms(100, 0) == 1_000
    assert rate.pause_ms(100, 999) == 1
    assert rate.pause_ms(100, 1_000) == 1_000  # as Kafka has it: a window ended, another began
    rate.add(1_000, 5_000)
    assert rate.pause_ms(100, 10_999) > 0
    assert rate.pause_ms(100, 11_000) == 0  # what was counted at 0 is forgotten


def test_a_bucket_goes_into_debt_once() -> None:
    bucket = Bucket(WINDOWS)
    bucket.take(111, 10, 0)
    assert bucket.pause_ms(10, 0) == 100
    assert bucket.pause_ms(10, 99) == 1
    assert bucket.pause_ms(10, 100) == 0
    assert bucket.pause_ms(10, 100_000) == 0
    bucket.take(1, 1e-300, 100_000)
    assert bucket.pause_ms(1e-300, 100) == PAUSE_MS_MAX


amounts = st.lists(st.tuples(st.integers(0, 3_000), st.floats(0, 1e6)), max_size=30)
bounds = st.floats(min_value=1e-300, max_value=1e300)


@given(amounts, bounds)
def test_no_throttle_is_negative_or_endless_and_idle_clients_are_forgotten(
    used: list[tuple[int, float]], bound: float
) -> None:
    rate, now, pause_ms = Rate(WINDOWS), 0, 0
    for passed, amount in used:
        now += passed
        rate.add(amount, now)
        pause_ms = rate.pause_ms(bound, now)
        assert 0 <= pause_ms <= PAUSE_MS_MAX
    assert len(rate._samples) <= WINDOWS.number + 1
    assert rate.pause_ms(bound, now + 11_000) == 0


def test_an_entity_has_a_readable_name() -> None:
    assert shown(of_client("ann", None)) == "every client-id, user ann"
