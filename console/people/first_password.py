"""The first user's generated password, which must be changed after the first login.

It was written to a log or a file. A change is detected by comparing the password's hash, however it
was changed (``console.people.held_up``).
"""

import hashlib
from typing import Any, Final

from groups.models import FirstPassword

SENTENCE: Final = "The first password was generated: change it in the admin before anything else."


def note(user: Any) -> None:
    """Record that this user's current password was generated."""
    FirstPassword.objects.update_or_create(user=user, defaults={"digest": _digest(user)})


def is_due(user: Any) -> bool:
    """Whether the password is still the generated one."""
    digest = _digest(user)
    return bool(digest) and FirstPassword.objects.filter(user=user.pk, digest=digest).exists()


def _digest(user: Any) -> str:
    kept = getattr(user, "password", "")
    return hashlib.sha256(kept.encode()).hexdigest() if kept else ""
