"""``rollcall.contrib.django``: a project of its own, as a process, against rules in memory."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import CommandError
from django.test import override_settings

from launcher.installation import CHECKOUT
from rollcall.client import Refused, Work, worker
from rollcall.contrib.django import checks, health
from rollcall.contrib.django.management.commands.rollcall_worker import Command
from rollcall.testing import Coordinator
from tests.launcher.waiting import until

PATIENCE_S = 60
SETTINGS = """
    SECRET_KEY = "none"
    INSTALLED_APPS = ["rollcall.contrib.django"]
    DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
    ROLLCALL = {"bootstrap": "%s", "group": "shop", "client_id": "django"}
"""
WORKERS = """
    from django.db import connection
    from rollcall.client import Work, worker

    @worker("orders")
    def pack(work: Work) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 41 + 1")
            work.commit_from_thread(cursor.fetchone()[0])
        while not work.wait_over(60):
            pass

    async def count(work: Work) -> None:
        await work.commit(43)

    @worker("orders")
    def decorated(work: Work) -> None:
        return count(work)

    nothing = 1
"""


@pytest.fixture
def coordinator() -> Iterator[Coordinator]:
    with Coordinator({"orders": 2}) as started:
        yield started


def begin(folder: Path, coordinator: Coordinator, *command: str) -> "subprocess.Popen[str]":
    """``manage.py`` of a project in the folder."""
    (folder / "shop_settings.py").write_text(textwrap.dedent(SETTINGS % coordinator.bootstrap))
    (folder / "shop_workers.py").write_text(textwrap.dedent(WORKERS))
    environ = {**os.environ, "DJANGO_SETTINGS_MODULE": "shop_settings", "PYTHONPATH": str(CHECKOUT)}
    python = [sys.executable, "-m", "django", *command]
    pipe = subprocess.PIPE
    return subprocess.Popen(python, cwd=folder, env=environ, stdout=pipe, stderr=pipe, text=True)


def probe(url: str) -> tuple[int, dict[str, Any]]:
    """What a probe gets."""
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
        return answer.status, json.load(answer)


async def test_probes_fail_without_a_member() -> None:
    async def nothing(work: Work) -> None: ...

    task = worker("orders")(nothing)
    assert health.state(task) == (503, {"member": None, "why": "not started"})
    with Coordinator({"orders": 1}, group_consumer_max_size=0) as coordinator:
        running = asyncio.ensure_future(task.run(bootstrap=coordinator.bootstrap, group="g"))
        while task.member is None:
            await asyncio.sleep(0)
        assert health.state(task)[0] == 503
        with pytest.raises(Refused):
            await running


def test_the_command_works_is_probed_and_leaves(tmp_path: Path, coordinator: Coordinator) -> None:
    process = begin(
        tmp_path, coordinator, "rollcall_worker", "shop_workers.pack", "--health-port=0"
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().removeprefix("probes at ").strip()
        until(lambda: list(coordinator.offsets("shop").values()) == [42, 42], "both", PATIENCE_S)
        status, found = probe(url)
        assert status == 200 and found["partitions"] == ["orders-0", "orders-1"], found
        assert list(coordinator.members("shop").values()) == ["django"]
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=PATIENCE_S)
        assert (process.returncode, output, errors) == (0, "", "")
        assert coordinator.members("shop") == {}, "it left"
    finally:
        process.kill()
        process.communicate()


def test_the_command_runs_a_coroutine_that_a_plain_function_returns(
    tmp_path: Path, coordinator: Coordinator
) -> None:
    process = begin(tmp_path, coordinator, "rollcall_worker", "shop_workers.decorated")
    try:
        until(lambda: list(coordinator.offsets("shop").values()) == [43, 43], "both", PATIENCE_S)
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=PATIENCE_S) == ("", "")
    finally:
        process.kill()
        process.communicate()


def test_bad_use_is_a_command_error(tmp_path: Path, coordinator: Coordinator) -> None:
    command = ("rollcall_worker", "shop_workers.pack", "--bootstrap=x")
    output, errors = begin(tmp_path, coordinator, *command).communicate(timeout=PATIENCE_S)
    assert output == "" and "Traceback" not in errors and "'x' is not HOST:PORT" in errors


@pytest.mark.parametrize(
    ("path", "why"),
    [("json.dumps", "json.dumps is no worker"), ("json.nothing", "nothing"), ("x", "x")],
)
def test_a_path_that_leads_to_no_worker_is_a_command_error(path: str, why: str) -> None:
    with pytest.raises(CommandError, match=why):
        Command().handle(worker=path)


@pytest.mark.parametrize(
    ("setting", "why"),
    [
        ({}, None),
        ({"bootstrap": "h:1", "session_timeout_ms": 9000, "protocol": "classic"}, None),
        ({"config": {"bootstrap.servers": "h:1", "auto.offset.reset": "latest"}}, None),
        ("h:1", "is not a dict"),
        ({"colour": 1}, "no options colour; it has assignor, bootstrap, "),
        ({"bootstrap": "h"}, "'h' is not HOST:PORT"),
        ({"protocol": "morse"}, "'morse' is unknown"),
        ({"config": {"colour": 1}}, "'colour' means nothing"),
        ({"ssl_cafile": "ca.pem"}, "ssl_cafile means nothing"),
    ],
)
def test_the_setting_is_checked(setting: Any, why: str | None) -> None:
    with override_settings(ROLLCALL=setting):
        found = [str(each.msg) for each in checks.check_setting(None)]
    assert (found == []) if why is None else (len(found) == 1 and why in found[0])
