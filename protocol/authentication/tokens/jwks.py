"""An issuer's public keys, as it publishes them (RFC 7517)."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from cryptography.exceptions import UnsupportedAlgorithm
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, JWKRegistry, Key, OKPKey, RSAKey
from joserfc.jws import JWSRegistry

from protocol.authentication.tokens import strict_json
from protocol.authentication.tokens.strict_json import JsonError

JWKS_BYTES_MAX: Final = 262_144
"""Maximum length of the endpoint's response; those of large issuers have 20,000 bytes."""

KEYS_MAX: Final = 100
"""Keys in one response; issuers publish two to twenty."""

KEY_ID_CHARS_MAX: Final = 256

PUBLIC: Final = frozenset({"kty", "n", "e", "crv", "x", "y", "kid", "alg", "use", "key_ops"})
"""The fields of a key that verification needs. A private part that was published by mistake is not
read."""

RSA_CHARS: Final = range(340, 1_400)
"""Length of an RSA modulus in base64: 2,048 to 8,192 bits. Shorter ones can be broken, longer ones
cost milliseconds."""


class JwksError(ValueError):
    """There are no usable keys; the text says why."""


class Jwks:
    """Keys by their ids. Replaced at each request to the issuer."""

    def __init__(self, keys: Sequence[Key] = ()) -> None:
        self._keys = tuple(keys)

    def __len__(self) -> int:
        return len(self._keys)

    def fitting(self, key_id: str | None, algorithm: str) -> Sequence[Key]:
        """The keys that may have signed a token. A token without a key id needs an issuer with one
        key."""
        found = [key for key in self._keys if key_id in (None, key.kid) and _fits(key, algorithm)]
        return found if key_id is not None or len(found) == 1 else ()


def read(text: bytes) -> Jwks:
    """Parse what an issuer published; unusable keys are left out. Raises ``JwksError``."""
    if len(text) > JWKS_BYTES_MAX:
        raise JwksError(f"more than {JWKS_BYTES_MAX} bytes")
    try:
        listed = strict_json.read(text).get("keys")
    except JsonError as error:
        raise JwksError(str(error)) from None
    if not isinstance(listed, list) or len(listed) > KEYS_MAX:
        raise JwksError(f"no list of at most {KEYS_MAX} keys")
    found = [key for each in listed if (key := _key(each)) is not None]
    if not found:
        raise JwksError("no key that could verify a token")
    return Jwks(found)


def _key(jwk: Any) -> Key | None:
    """One key; None if it is unusable or malformed."""
    if not isinstance(jwk, dict) or not _is_text(jwk.get("kid", "")):
        return None
    if jwk.get("kty") == "RSA" and len(str(jwk.get("n"))) not in RSA_CHARS:
        return None
    public: Mapping[str, Any] = {name: jwk[name] for name in jwk.keys() & PUBLIC}
    try:
        found = JWKRegistry.import_key(dict(public))
        found.get_op_key("verify")  # fails here, not at the first token, if the key is malformed
    except (JoseError, UnsupportedAlgorithm, ValueError, TypeError, LookupError, ArithmeticError):
        return None
    return found if isinstance(found, RSAKey | ECKey | OKPKey) else None


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= KEY_ID_CHARS_MAX


def _fits(key: Key, algorithm: str) -> bool:
    try:
        JWSRegistry.algorithms[algorithm].check_key(key)
    except JoseError:
        return False
    return True
