"""Verifies a signed token (JWT, RFC 7519) with given keys. No clock, no I/O.

joserfc checks signatures and claims. Only ``alg`` and ``kid`` of the header are used: anyone may
have written the keys and addresses in a token (jwk, jku, x5c, x5u).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from joserfc.errors import BadSignatureError, JoseError
from joserfc.jwk import Key
from joserfc.jws import JWSRegistry, deserialize_compact
from joserfc.jwt import JWTClaimsRegistry
from joserfc.util import urlsafe_b64decode

from protocol.authentication.tokens import strict_json
from protocol.authentication.tokens.jwks import KEY_ID_CHARS_MAX

HEADER_CHARS_MAX: Final = 4_096
"""Some issuers include their certificates in the header, which are not read."""

LIFETIME_S_MAX: Final = 7 * 86_400
"""A session is renewed after a week at the latest, whatever its token's lifetime."""


class TokenError(ValueError):
    """The token is not accepted; the text, which does not contain it, says why. ``is_forged``: its
    sender may be guessing."""

    def __init__(self, why: str, *, is_forged: bool = False) -> None:
        super().__init__(why)
        self.is_forged = is_forged


class Claimed(NamedTuple):
    """The content of a token before it is verified."""

    algorithm: str
    key_id: str | None
    name: str


class Judged(NamedTuple):
    """The content of a verified token: its user, and for how many seconds it is valid."""

    name: str
    rest_s: float


class _Registry(JWSRegistry):
    max_header_length = HEADER_CHARS_MAX


@dataclass(frozen=True, slots=True)
class Verification:
    """The claims that tokens need. ``skew_s``: maximum difference between the issuer's clock and
    ours."""

    algorithms: tuple[str, ...]
    issuer: str
    audiences: tuple[str, ...]
    name_claim: str = "sub"
    scope_claim: str = "scope"
    skew_s: int = 30

    def claimed(self, token: str) -> Claimed:
        """The user that it claims, and the key that has to verify it; raises ``TokenError``."""
        parts = token.split(".")
        if len(parts) != 3 or len(parts[0]) > HEADER_CHARS_MAX:
            raise TokenError("no signed token")
        header, claims = (_object(part) for part in parts[:2])
        if header.keys() & {"crit", "b64"}:
            raise TokenError("the token's header wants something of us that we do not know")
        algorithm, key_id = header.get("alg"), header.get("kid")
        if algorithm not in self.algorithms:
            raise TokenError("the token is signed in a way that is not allowed", is_forged=True)
        if key_id is not None and not _is_key_id(key_id):
            raise TokenError("the token's kid is none")
        name = claims.get(self.name_claim)
        if not isinstance(name, str):
            raise TokenError(f"the token's {self.name_claim} is no name")
        return Claimed(algorithm, key_id, name)

    def judged(self, token: str, algorithm: str, keys: Sequence[Key], now_s: float) -> Judged:
        """Its content, if one of these keys signed it and it is valid for us now; raises
        ``TokenError``."""
        claims = _object(self._signed(token, algorithm, keys))
        expected = JWTClaimsRegistry(
            now=int(now_s),
            leeway=self.skew_s,
            iss={"essential": True, "value": self.issuer},
            aud={"essential": True, "values": list(self.audiences)},
            exp={"essential": True},
        )
        try:
            expected.validate(claims)
        except JoseError as error:
            raise TokenError(f"the token's claims: {error.description or error.error}") from None
        name = claims.get(self.name_claim)
        if not isinstance(name, str) or not _has_scopes(claims.get(self.scope_claim)):
            raise TokenError(f"the token's {self.name_claim} or {self.scope_claim} is none")
        rest_s = min(claims["exp"], int(now_s) + LIFETIME_S_MAX) - now_s
        return Judged(name, rest_s if rest_s > 0 else rest_s + self.skew_s)

    def _signed(self, token: str, algorithm: str, keys: Sequence[Key]) -> str:
        """The claims, still in base64, after a key has verified them."""
        registry = _Registry(algorithms=[algorithm], strict_check_header=False)
        for key in keys:
            try:
                deserialize_compact(token, key, [algorithm], registry)
            except BadSignatureError:
                continue
            except (JoseError, ValueError, TypeError) as error:
                raise TokenError(f"no signed token ({type(error).__name__})") from None
            return token.split(".")[1]
        raise TokenError("the token's signature is wrong", is_forged=True)


def _object(part: str) -> dict[str, Any]:
    """Decode a part of a token; raises ``TokenError``."""
    try:
        return strict_json.read(urlsafe_b64decode(part.encode("ascii")))
    except ValueError as error:  # includes the errors of binascii, codecs and JSON
        raise TokenError(f"no signed token: {str(error) or 'no base64'}") from None


def _is_key_id(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= KEY_ID_CHARS_MAX


def _has_scopes(value: Any) -> bool:
    """Whether the scopes are missing, a text with words, or a list of them."""
    return value is None or isinstance(value, str) or _are_texts(value)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
