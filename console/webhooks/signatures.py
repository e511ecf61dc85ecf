"""Signatures that identify the sender: HMAC-SHA256 over id, time and body, by Standard Webhooks.

Pure, except for the generation of secrets.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable, Mapping
from typing import Final

BEGINS: Final = "whsec_"
SECRET_BYTES: Final = 32


def new_secret() -> str:
    """A secret in the format of receivers' libraries."""
    return BEGINS + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def headers(message_id: str, at: int, body: bytes, keys: Iterable[str]) -> Mapping[str, str]:
    """The three fields. ``at``: seconds since 1970; one signature for each of the keys, of which
    there are two for a day when a new one was made."""
    signed = b".".join((message_id.encode(), str(at).encode(), body))
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(at),
        "webhook-signature": " ".join(f"v1,{_signature(key, signed)}" for key in keys),
    }


def _signature(key: str, signed: bytes) -> str:
    raw = base64.b64decode(key.removeprefix(BEGINS))
    return base64.b64encode(hmac.digest(raw, signed, hashlib.sha256)).decode()
