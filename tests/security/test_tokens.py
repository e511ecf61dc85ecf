"""Tokens of clients: which are accepted, and hostile content."""

import json
import random
import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from joserfc.jwk import ECKey, Key, OctKey, RSAKey
from joserfc.util import urlsafe_b64decode, urlsafe_b64encode

from protocol.authentication.tokens import jwks, strict_json
from protocol.authentication.tokens.jwks import JWKS_BYTES_MAX, KEYS_MAX, JwksError
from protocol.authentication.tokens.strict_json import JsonError
from protocol.authentication.tokens.verification import (
    LIFETIME_S_MAX,
    Judged,
    TokenError,
    Verification,
)
from tests.keys import OTHER
from tests.security import issuer
from tests.security.issuer import AUDIENCE, EC, KEYS, NAME, RSA, claims, token

HERE = Verification(("RS256", "PS256", "ES256"), NAME, (AUDIENCE, "other"))


def judged(shown: str, keys: bytes = KEYS, by: Verification = HERE) -> Judged:
    """As a node does, in one go."""
    claimed = by.claimed(shown)
    found = jwks.read(keys).fitting(claimed.key_id, claimed.algorithm)
    return by.judged(shown, claimed.algorithm, found, time.time())


@pytest.mark.parametrize(
    "made",
    [
        lambda: token(),
        lambda: token(algorithm="PS256"),
        lambda: token(EC, "ES256", {"kid": "two"}),
        lambda: token(aud=["x", AUDIENCE]),
        lambda: token(aud="other"),
        lambda: token(header={"kid": None}),
        lambda: token(header={"typ": "at+jwt", "x5t": "abc"}),
        lambda: token(nbf=int(time.time()) + 20),
        lambda: token(scope="read write"),
        lambda: token(scope=["read"]),
    ],
    ids=map(str, range(10)),  # each process has keys of its own, and so other tokens
)
def test_a_token_of_the_issuer_for_this_audience_is_accepted(made: Callable[[], str]) -> None:
    found = judged(made())
    assert found.name == "ann"
    assert 290 < found.rest_s <= 300


def without_signature(shown: str) -> str:
    return ".".join([*shown.split(".")[:2], ""])


def changed(part: bytes, now: bytes, shown: str) -> str:
    """Another payload under the same signature."""
    head, payload, signature = shown.encode().split(b".")
    other = urlsafe_b64encode(urlsafe_b64decode(payload).replace(part, now))
    return b".".join([head, other, signature]).decode()


def unsigned() -> str:
    """``alg`` none, as the library itself would make it."""
    parts = [json.dumps({"alg": "none", "kid": "one"}), json.dumps(claims())]
    return ".".join([*(urlsafe_b64encode(part.encode()).decode() for part in parts), ""])


STRANGER = OTHER

REFUSED: Mapping[str, Callable[[], str]] = {
    "none": lambda: unsigned(),
    "an HMAC with the public key": lambda: issuer.signed_by_a_public_key(),
    "a secret of one's own": lambda: token(OctKey.generate_key(256), "HS256"),
    "an algorithm that is not allowed": lambda: token(algorithm="RS512"),
    "a key of another kind": lambda: token(RSA, header={"kid": "two"}),
    "a key of a stranger": lambda: token(STRANGER),
    "the stranger's key brought along": lambda: token(
        STRANGER, header={"jwk": STRANGER.as_dict(private=False)}
    ),
    "an address brought along": lambda: token(
        STRANGER, header={"jku": "https://evil.example", "x5u": "https://evil.example"}
    ),
    "an unknown kid": lambda: token(header={"kid": "three"}),
    "a kid that is a path": lambda: token(header={"kid": "../../dev/null"}),
    "a critical extension": lambda: token(header={"crit": ["exp"], "exp": 1}),
    "unencoded": lambda: token(header={"b64": True}),
    "no signature": lambda: without_signature(token()),
    "another name": lambda: changed(b'"ann"', b'"ben"', token()),
    "expired": lambda: token(exp=int(time.time()) - 31),
    "without an end": lambda: token(exp=None),
    "an end that is a text": lambda: token(exp=str(int(time.time()) + 300)),
    "an end that is true": lambda: token(exp=True),
    "an end that is none": lambda: issuer.raw(b'{"exp": NaN, "sub": "ann"}'),
    "an end without end": lambda: issuer.raw(b'{"exp": 1e999, "sub": "ann"}'),
    "not yet": lambda: token(nbf=int(time.time()) + 60),
    "of tomorrow": lambda: token(iat=int(time.time()) + 86_400),
    "for others": lambda: token(aud="somebody"),
    "for nobody": lambda: token(aud=None),
    "for an empty list": lambda: token(aud=[]),
    "for a number": lambda: token(aud=[AUDIENCE, 7]),
    "for an object": lambda: token(aud={AUDIENCE: 1}),
    "of another issuer": lambda: token(iss=NAME + "/"),
    "of no issuer": lambda: token(iss=None),
    "of issuers": lambda: token(iss=[NAME]),
    "a name that is a number": lambda: token(sub=7),
    "no name": lambda: token(sub=None),
    "a name twice": lambda: issuer.raw(
        b'{"sub":"ann",' + json.dumps(claims(sub="ben")).encode()[1:]
    ),
    "scopes that are numbers": lambda: token(scope=[1]),
    "a list": lambda: issuer.raw(b"[]"),
    "no JSON": lambda: issuer.raw(b"{"),
    "not UTF-8": lambda: issuer.raw(b'{"sub":"\xff"}'),
    "nested": lambda: issuer.raw(b'{"sub":' + b"[" * 5_000 + b"]" * 5_000 + b"}"),
    "a long number": lambda: issuer.raw(b'{"sub":"ann","exp":' + b"9" * 6_000 + b"}"),
    "four parts": lambda: token() + ".x",
    "five parts": lambda: "a.b.c.d.e",
    "nothing": lambda: "..",
    "no base64": lambda: "!.!.!",
    "beyond ASCII": lambda: "é.é.é",
}
"""Made when they are shown: some are good for a while only."""


@pytest.mark.parametrize("made", REFUSED.values(), ids=REFUSED)
def test_every_other_token_is_refused(made: Callable[[], str]) -> None:
    with pytest.raises(TokenError):
        judged(made())


@pytest.mark.parametrize("shown", ["a key of a stranger", "none", "another name", "no signature"])
def test_forged_tokens_are_distinguished_from_expired_ones(shown: str) -> None:
    """Towards a lock-out, that is; an old token is no guess."""
    for name, is_forged in ((shown, True), ("expired", False), ("for others", False)):
        with pytest.raises(TokenError) as refusal:
            judged(REFUSED[name]())
        assert refusal.value.is_forged is is_forged, name


def test_clock_skew_is_tolerated() -> None:
    """A session of such a token ends with the tolerance."""
    assert 0 < judged(token(exp=int(time.time()) - 10)).rest_s <= 20


def test_a_session_has_a_maximum_although_its_token_lasts() -> None:
    assert judged(token(exp=10**400)).rest_s <= LIFETIME_S_MAX
    assert judged(token(exp=9e18)).rest_s <= LIFETIME_S_MAX


def test_the_principal_may_come_from_another_claim() -> None:
    by = Verification(("RS256",), NAME, (AUDIENCE,), name_claim="azp")
    assert judged(token(azp="packer"), by=by).name == "packer"
    with pytest.raises(TokenError):
        judged(token(), by=by)


def test_without_a_kid_exactly_one_key_must_fit() -> None:
    two = issuer.published(one=RSA, three=STRANGER)
    with pytest.raises(TokenError):
        judged(token(header={"kid": None}), two)


def test_two_keys_with_the_same_kid_are_both_tried() -> None:
    twice = json.loads(issuer.published(one=STRANGER))["keys"] + json.loads(KEYS)["keys"]
    assert judged(token(), json.dumps({"keys": twice}).encode()).name == "ann"


USELESS: list[Any] = [
    None,
    [],
    {},
    {"kty": "oct", "k": "c2VjcmV0", "kid": "one"},
    {"kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": "one"},
    {"kty": "RSA", "n": 5, "e": {}, "kid": "one"},
    {"kty": "RSA", "n": "A" * 342, "e": "AAAA", "kid": "one"},
    {"kty": "EC", "crv": "P-999", "x": "AA", "y": "AA", "kid": "one"},
    {"kty": "EC", "crv": {}, "x": "AA", "y": "AA", "kid": "one"},
    {"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA", "kid": "one"},
    {"kty": "OKP", "crv": "X25519", "x": "AA", "kid": "one"},
    {"kty": "LATTICE", "kid": "one"},
    {"kty": {}, "kid": "one"},
    {**RSA.as_dict(private=False), "kid": 7},
    {**RSA.as_dict(private=False), "kid": "x" * 300},
    {**RSA.as_dict(private=False), "kid": "one", "use": "enc"},
    {**RSA.as_dict(private=False), "kid": "one", "alg": "RS512"},
]


@pytest.mark.parametrize("key", USELESS, ids=map(str, range(len(USELESS))))
def test_invalid_keys_are_ignored(key: Any) -> None:
    listed = [key, *json.loads(KEYS)["keys"]]
    assert judged(token(), json.dumps({"keys": listed}).encode()).name == "ann"
    alone = json.dumps({"keys": [key, json.loads(KEYS)["keys"][1]]}).encode()
    with pytest.raises(TokenError):
        judged(token(), alone)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{}",
        b"[]",
        b'{"keys": {}}',
        b'{"keys": []}',
        b'{"keys": [1]}',
        b'{"keys": [], "keys": []}',
        b"[" * 100_000,
        b" " * (JWKS_BYTES_MAX + 1),
        json.dumps({"keys": [{"kid": str(n)} for n in range(KEYS_MAX + 1)]}).encode(),
    ],
    ids=lambda text: text[:20].decode(),
)
def test_an_invalid_key_set_is_refused(text: bytes) -> None:
    with pytest.raises(JwksError):
        jwks.read(text)


def test_a_published_private_key_is_not_kept() -> None:
    said = {**RSA.as_dict(private=True), "kid": "one"}
    (key,) = jwks.read(json.dumps({"keys": [said]}).encode()).fitting("one", "RS256")
    assert not key.is_private


def test_duplicate_json_names_are_refused_at_any_depth() -> None:
    with pytest.raises(JsonError):
        strict_json.read(b'{"a": [{"b": 1, "b": 1}]}')


@pytest.mark.parametrize("seed", range(3))
def test_any_bytes_are_accepted_or_refused_as_a_token(seed: int) -> None:
    """Bits turned, parts cut, doubled and exchanged: nothing else than a refusal comes of it."""
    chance = random.Random(seed)
    good, other = token().encode(), token(EC, "ES256", {"kid": "two"}, sub="ben").encode()
    for _ in range(300):
        shown = bytearray(chance.choice((good, other)))
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(shown))
            match chance.randrange(4):
                case 0:
                    shown[at] = chance.randrange(128)
                case 1:
                    del shown[at : at + chance.randrange(40)]
                case 2:
                    shown[at:at] = other[at : at + chance.randrange(40)]
                case _:
                    shown[at:at] = bytes([chance.choice(b'.{}[]"\\,AQ')])
        if bytes(shown) in (good, other):
            continue
        with pytest.raises(TokenError):
            judged(shown.decode())


def all_kinds() -> list[Key]:
    return [RSA, EC, ECKey.generate_key("P-384"), ECKey.generate_key("secp256k1")]


@pytest.mark.parametrize("seed", range(3))
def test_any_json_is_accepted_or_refused_as_a_key_set(seed: int) -> None:
    chance = random.Random(seed)
    said = [{**key.as_dict(private=False), "kid": "one"} for key in all_kinds()]
    odd: list[Any] = [None, 0, -1, 1.5, True, "", "x", "\ud800", [], {}, ["x"], "A" * 400]
    kept, refused = 0, 0
    for _ in range(300):
        key: dict[str, Any] = dict(chance.choice(said))
        for _ in range(chance.randrange(1, 3)):
            key[chance.choice([*key, "use", "alg", "key_ops", "d"])] = chance.choice(odd)
        try:
            found = jwks.read(json.dumps({"keys": [key]}).encode())
        except JwksError:
            refused += 1
            continue
        fitting = [k for algorithm in HERE.algorithms for k in found.fitting("one", algorithm)]
        assert all(isinstance(k, RSAKey | ECKey) and not k.is_private for k in fitting)
        kept += bool(fitting)
    assert kept and refused
