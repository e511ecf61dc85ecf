"""What the settings are made of: the database's URL, the secret key, careful defaults."""

import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from coordinator_site import database, secret_key
from launcher.environment import CHECKOUT


def test_url_is_parsed_and_decoded() -> None:
    entry = database.from_url("postgresql://a%40b:p%2Fw%3A@db.example:6432/my%20db?sslmode=require")

    assert (entry["USER"], entry["PASSWORD"]) == ("a@b", "p/w:")
    assert (entry["HOST"], entry["PORT"], entry["NAME"]) == ("db.example", 6432, "my db")
    assert entry["OPTIONS"] == {"connect_timeout": 3, "sslmode": "require"}


def test_default_port_is_used_when_the_url_has_none() -> None:
    assert database.from_url("postgres://u@h/d")["PORT"] == 5432


def test_of_several_hosts_the_one_that_accepts_writes_is_used(tmp_path: Path) -> None:
    given = "postgresql://u:p@a.example,[::1]:6432,c:5433/d?sslmode=require"
    url = database.url({"ROLLCALL_DATABASE_URL": given}, tmp_path)
    entry = database.from_url(url)
    assert (entry["HOST"], entry["PORT"]) == ("a.example,::1,c", "5432,6432,5433")
    assert entry["OPTIONS"] == {
        "connect_timeout": 3,
        "sslmode": "require",
        "target_session_attrs": "read-write",
    }
    for other in ("postgresql://a,b/d?target_session_attrs=any", "postgresql://a/d"):
        assert database.to_primary(other) == other


@pytest.mark.parametrize(
    "url",
    [
        "mysql://u@h/d",
        "postgresql://h",
        "postgresql://h:port/d",
        "postgresql://h:0/d",
        "postgresql://a,b:70000/d",
        "postgresql://a:1:2,b/d",
        "d",
    ],
)
def test_url_of_another_form_is_refused(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="ROLLCALL_DATABASE_URL must have the form"):
        database.from_url(url)


def test_running_launchers_database_is_found_in_the_data_directory(tmp_path: Path) -> None:
    (tmp_path / "database-url").write_text("postgresql://found@h/d\n")

    assert database.url({}, tmp_path) == "postgresql://found@h/d"
    assert database.url({"ROLLCALL_DATABASE_URL": "postgresql://named@h/d"}, tmp_path) == (
        "postgresql://named@h/d"
    )


def test_secret_key_is_generated_once_and_private(tmp_path: Path) -> None:
    first = secret_key.read({}, tmp_path / "new")

    assert secret_key.read({}, tmp_path / "new") == first
    assert len(first) >= 50
    assert stat.S_IMODE((tmp_path / "new" / "secret-key").stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["secret-key"]


def test_secret_key_generated_first_by_another_process_is_kept(tmp_path: Path) -> None:
    (tmp_path / "secret-key").write_text("theirs\n")

    secret_key.make(tmp_path / "secret-key")

    assert secret_key.read({}, tmp_path) == "theirs"


def test_site_is_loopback_only_by_default() -> None:
    assert settings.DEBUG is False
    assert "*" not in settings.ALLOWED_HOSTS
    assert "daphne" not in settings.INSTALLED_APPS


def test_reading_the_settings_installs_no_reactor() -> None:
    code = "import django, sys; django.setup(); sys.exit('twisted.internet.reactor' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, check=True)


def test_wrong_setting_ends_manage_py_with_one_line() -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=CHECKOUT,
        env={"ROLLCALL_GROUP_MAX_SIZE": "big", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("ROLLCALL_GROUP_MAX_SIZE (group.max.size) must be")
