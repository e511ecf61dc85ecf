"""When claims of an instance id show that two workers use it, and not one that starts again."""

from groups.core.instance_claims import (
    AGAIN_MS,
    CLAIMS_MIN,
    FORGET_MS,
    PARTIES_MAX,
    Claims,
    How,
    Party,
    party,
)

ANNA, BEN = Party("anna", "10.0.0.1"), Party("ben", "10.0.0.2")


def claimed(*parties: Party, times: int, how: How = How.TAKEN, proves: bool = False) -> Claims:
    """Claims that came a second after each other."""
    claims = Claims(0, 0)
    for number in range(times):
        claims.add(how, parties, number * 1_000, proves=proves)
    return claims


def test_a_deployment_is_not_mentioned() -> None:
    assert not claimed(ANNA, BEN, times=CLAIMS_MIN - 1).is_due(10_000)


def test_two_clients_are_mentioned_at_once() -> None:
    assert claimed(ANNA, BEN, times=CLAIMS_MIN).is_due(10_000)


def test_two_clients_of_one_name_are_told_by_the_one_that_goes_on() -> None:
    """Every worker may have the library's own client id, and one host."""
    assert not claimed(ANNA, ANNA, times=CLAIMS_MIN).is_due(10_000)
    assert claimed(ANNA, ANNA, times=CLAIMS_MIN, proves=True).is_due(10_000)


def test_a_worker_that_starts_again_and_again_is_not_mentioned() -> None:
    assert not claimed(ANNA, ANNA, times=1_000).is_due(1_000_000)


def test_it_is_mentioned_again_only_while_it_goes_on() -> None:
    claims = claimed(ANNA, BEN, times=CLAIMS_MIN)
    claims.noted_at = claims.last
    assert not claims.is_due(claims.last + AGAIN_MS)
    claims.add(How.REFUSED, [ANNA, BEN], claims.last + AGAIN_MS - 1, proves=False)
    assert not claims.is_due(claims.last) and claims.is_due(claims.last + 1)


def test_after_a_pause_claims_are_counted_anew() -> None:
    claims = claimed(ANNA, BEN, times=9, proves=True)
    claims.noted_at = claims.last
    claims.add(How.TAKEN, [ANNA], claims.last + FORGET_MS + 1, proves=False)
    assert (claims.counts[How.TAKEN], claims.parties, claims.is_proven) == (1, [ANNA], False)
    assert not claims.is_due(claims.last + AGAIN_MS)


def test_what_clients_send_is_bounded_and_storable() -> None:
    many = [Party(f"c-{n}", "h") for n in range(10_000)]
    assert len(claimed(*many, times=3).parties) == PARTIES_MAX
    long = party("a\0" * 10_000, "/" + "1" * 10_000)
    assert "\0" not in long.client_id and max(map(len, long)) < 300
