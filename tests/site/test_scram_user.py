"""``manage.py scram_user``: deleting an unknown user is reported."""

import io

import pytest
from django.core.management import CommandError, call_command

from groups.models import ScramCredential

pytestmark = pytest.mark.django_db


def names() -> set[tuple[str, str]]:
    """Users, with their mechanisms."""
    return set(ScramCredential.objects.values_list("name", "mechanism"))


def test_a_user_is_created_and_deleted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("a password\n"))
    call_command("scram_user", "ann")
    assert names() == {("ann", "SCRAM-SHA-256"), ("ann", "SCRAM-SHA-512")}

    with pytest.raises(CommandError, match="There is no user anne"):
        call_command("scram_user", "anne", delete=True)
    call_command("scram_user", "ann", delete=True, mechanism=["SCRAM-SHA-256"])
    assert names() == {("ann", "SCRAM-SHA-512")}
    call_command("scram_user", "ann", delete=True)
    assert names() == set()
    with pytest.raises(CommandError):
        call_command("scram_user", "ann", delete=True)
