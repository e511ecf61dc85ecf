"""Secrets of the environment, in the variable itself or in a file that another one names."""

from pathlib import Path

import pytest

from coordinator_site import secret_files
from coordinator_site.secret_files import SecretError
from launcher import environment
from launcher.errors import LaunchError

NAME = "ROLLCALL_API_TOKEN"
LONG = "a token of thirty-two characters or more"


@pytest.mark.parametrize("name", secret_files.SECRETS)
def test_each_secret_may_be_read_from_a_file(name: str, tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text(f"{LONG}\n")
    assert secret_files.read({f"{name}_FILE": str(file), "PATH": "/bin"}) == {
        name: LONG,
        "PATH": "/bin",
    }
    assert secret_files.read({name: LONG, f"{name}_FILE": ""})[name] == LONG


def test_on_loopback_the_installations_own_token_may_be_short() -> None:
    assert secret_files.read({NAME: "short"}) == {NAME: "short"}


def test_errors_are_reported_without_showing_secrets(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("short")
    wrong = {
        "both set": {NAME: LONG, f"{NAME}_FILE": str(file)},
        "cannot be read": {f"{NAME}_FILE": str(tmp_path / "missing")},
        "at least 32": {f"{NAME}_FILE": str(file), "ROLLCALL_ALLOWED_HOSTS": "rollcall.example"},
    }
    for words, environ in wrong.items():
        with pytest.raises(SecretError, match=words) as refusal:
            secret_files.read(environ)
        assert LONG not in str(refusal.value) and "short" not in str(refusal.value)
        with pytest.raises(LaunchError, match=words):
            environment.read(environ)
