"""The first user's password, where the installation made it up: whoever logs in with it changes it
before anything else.

It stood in a log or in a file. A password that is changed by whatever door is another one, and
nothing has to be told so (``groups.access.held_up``).
"""

import hashlib
from typing import Any, Final

from groups.models import FirstPassword

SENTENCE: Final = "The first password was generated: change it in the admin before anything else."


def note(user: Any) -> None:
    """This user's password, as it is now, was made up."""
    FirstPassword.objects.update_or_create(user=user, defaults={"digest": _digest(user)})


def is_due(user: Any) -> bool:
    """Whether the password is still that one."""
    digest = _digest(user)
    return bool(digest) and FirstPassword.objects.filter(user=user.pk, digest=digest).exists()


def _digest(user: Any) -> str:
    kept = getattr(user, "password", "")
    return hashlib.sha256(kept.encode()).hexdigest() if kept else ""
