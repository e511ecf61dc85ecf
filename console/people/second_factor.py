"""The second factor of password logins: the code of an authenticator (TOTP, RFC 6238), or a
recovery code that was shown when it was set up.

django-otp checks codes, accepts each once, and doubles the delay after each failure. Only a digest
of a recovery code is stored: it has 80 random bits, so it cannot be guessed.
"""

import hashlib
import re
import secrets
import time
from base64 import b32encode
from binascii import unhexlify
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models.signals import post_delete
from django.dispatch import receiver
from django.utils import timezone
from django_otp import verify_token
from django_otp.oath import TOTP
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice, default_key

SETTING: Final = "WEB_SECOND_FACTOR"
OFF, OPTIONAL, REQUIRED = "off", "optional", "required"

AUTHENTICATOR, RECOVERY = "authenticator", "recovery code"
"""Names of the devices, and the login methods in the audit."""

SENTENCE: Final = "Set up a second factor in the admin before anything else."

CODES: Final = 10
CODE_BYTES: Final = 10
"""Length of a recovery code: 16 letters and digits of base32."""

TOTP_CODE: Final = re.compile(r"[0-9]{6}", re.ASCII)
RECOVERY_CODE: Final = re.compile(r"[A-Z2-7]{16}", re.ASCII)

TOLERANCE: Final = 1
"""Steps of 30 seconds by which the authenticator's clock may differ."""


def is_on() -> bool:
    """Whether this installation uses second factors."""
    return bool(getattr(settings, SETTING) != OFF)


def is_missing(user: Any) -> bool:
    """Whether the user must set one up first. Users without a password here log in elsewhere."""
    is_required = getattr(settings, SETTING) == REQUIRED
    return is_required and user.has_usable_password() and device_of(user) is None


def device_of(user: Any) -> Any:
    """The user's authenticator, if any."""
    return TOTPDevice.objects.filter(user=user, confirmed=True).first()


def passed(user: Any, code: str) -> str | None:
    """The device of a code, "" if no code is needed; None if the code is wrong. A code is valid
    only once."""
    device = device_of(user) if is_on() else None
    if device is None:
        return ""
    code = re.sub(r"[\s-]", "", code).upper()
    if TOTP_CODE.fullmatch(code):
        return AUTHENTICATOR if verify_token(user, device.persistent_id, code) else None
    if not RECOVERY_CODE.fullmatch(code):
        return None
    for kept in StaticDevice.objects.filter(user=user, confirmed=True):
        if verify_token(user, kept.persistent_id, _digest(code)):
            return RECOVERY
    return None


def new_key() -> str:
    """A secret for a new authenticator, in hexadecimal digits."""
    return str(default_key())


def unconfirmed(user: Any, key: str) -> Any:
    """The device to be shown to the authenticator: not stored."""
    return TOTPDevice(user=user, name=AUTHENTICATOR, key=key, tolerance=TOLERANCE)


def set_up(user: Any, key: str, code: str) -> list[str] | None:
    """Store the authenticator with this key, if the code matches. Returns the recovery codes, to be
    shown once; None if the code is wrong, or there already is an authenticator."""
    totp = TOTP(unhexlify(key))
    totp.time = time.time()
    if not TOTP_CODE.fullmatch(code.strip()) or not totp.verify(int(code), TOLERANCE):
        return None
    with transaction.atomic():
        get_user_model().objects.select_for_update().get(pk=user.pk)
        if device_of(user) is not None:
            return None
        device = unconfirmed(user, key)
        device.confirmed, device.last_t, device.last_used_at = True, totp.t(), timezone.now()
        device.save()
        return new_codes(user)


def new_codes(user: Any) -> list[str]:
    """Replace the recovery codes; returns the new ones for display."""
    codes = [b32encode(secrets.token_bytes(CODE_BYTES)).decode() for _ in range(CODES)]
    with transaction.atomic():
        StaticDevice.objects.filter(user=user).delete()
        device = StaticDevice.objects.create(user=user, name=RECOVERY)
        for code in codes:
            device.token_set.create(token=_digest(code))
    return ["-".join(re.findall("....", code)) for code in codes]


def codes_left(user: Any) -> int:
    """The number of unused recovery codes."""
    return sum(kept.token_set.count() for kept in StaticDevice.objects.filter(user=user))


def remove(user: Any) -> bool:
    """Delete the authenticator and the recovery codes; returns whether there was one."""
    with transaction.atomic():
        deleted, _ = TOTPDevice.objects.filter(user=user).delete()
    return bool(deleted)


@receiver(post_delete, sender=TOTPDevice)
def _removed(instance: Any, **_: Any) -> None:
    StaticDevice.objects.filter(user=instance.user_id).delete()


def _digest(code: str) -> str:
    """80 bits, as in the code: the length that django-otp compares."""
    return b32encode(hashlib.sha256(code.encode()).digest()[:CODE_BYTES]).decode()
