"""``manage.py runcoordinator``: what it refuses before it serves."""

import pytest
from django.core.management import CommandError, call_command

from protocol.management.commands.runcoordinator import is_loopback


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_it_refuses_to_listen_where_others_could_reach_it(host: str) -> None:
    with pytest.raises(CommandError, match="needs TLS and authentication"):
        call_command("runcoordinator", "--host", host)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_loopback_addresses_are_welcome(host: str) -> None:
    assert is_loopback(host)
