"""What tests of the audit share: a browser at an address, and the entries of a kind."""

from typing import Final

from django.test import Client as Browser

from groups.models import AuditEntry

PASSWORD: Final = "correct horse battery"
ADDRESS: Final = "192.0.2.7"


def browser(**headers: str) -> Browser:
    """One at this address."""
    return Browser(REMOTE_ADDR=ADDRESS, headers=headers)


def entries_of(kind: str) -> list[tuple[str, str, str, str]]:
    """Who, from where, to what, and the outcome, of each entry of a kind."""
    found = AuditEntry.objects.filter(kind=kind).order_by("id")
    return [(e.who, e.address, e.target, e.outcome) for e in found]
