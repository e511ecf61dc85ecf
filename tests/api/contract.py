"""Requests by chance, made by schemathesis from docs/openapi.yaml, before a whole installation.

    python -m tests.api.contract --examples 40 --role viewer

asks as each role, with every check of schemathesis; ``--examples`` are made of each operation,
beside those that cover it. The status is 1 where a check failed; build/contract has a report for
each role, with a line of curl for each failure.
"""

import argparse
import asyncio
import hashlib
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psycopg
from confluent_kafka import Consumer, TopicPartition
from psycopg.types.json import Jsonb

from benchmarks.wire import create_topic
from console.people.rights import SCOPES
from launcher.installation import CHECKOUT, Installation
from tests.installations import SETTINGS

DOCUMENT: Final = CHECKOUT / "docs" / "openapi.yaml"
REPORTS: Final = CHECKOUT / "build" / "contract"
SCHEMATHESIS: Final = Path(sys.executable).with_name("schemathesis")

HOOKED: Final = ("positive_data_acceptance", "response_schema_conformance")
"""Checks that ``contract_hooks`` has in another form."""

GENERATED: Final = re.compile(r"([\d,]+) generated")

ROLES: Final = ("Viewer", "Operator", "Administrator")
"""As ``console.people.staff_roles`` has them, which a program without Django cannot import."""

ADD_USER: Final = """
INSERT INTO auth_user (username, password, first_name, last_name, email, is_staff, is_active,
                       is_superuser, date_joined)
VALUES (%s, '!', '', '', '', true, true, false, now()) RETURNING id
"""
ADD_ROLE: Final = """
INSERT INTO auth_user_groups (user_id, group_id) SELECT %s, id FROM auth_group WHERE name = %s
"""
ADD_TOKEN: Final = """
INSERT INTO rollcall_api_token (name, user_id, prefix, digest, expires_at, scopes, made_by,
                                session_hash, created_at)
VALUES (%s, %s, 'rollcall_', %s, now() + interval '1 day', %s, 'tests', '', now())
"""


@dataclass(frozen=True)
class Ended:
    """A run of schemathesis: how many cases it made, whether a check failed, what it printed."""

    cases: int
    failed: bool
    told: str


@contextmanager
def installation() -> Iterator[Installation]:
    """One that has room for many requests, with a group that has offsets, and topics."""
    settings = {name: value for name, value in SETTINGS.items() if "TOKEN" not in name}
    with Installation(settings) as running:
        for name in ("orders", "invoices"):
            asyncio.run(create_topic(running.kafka, name, 3))
        consumer = Consumer({"bootstrap.servers": running.kafka, "group.id": "orders"})
        consumer.commit(
            offsets=[TopicPartition("orders", n, 7) for n in range(3)], asynchronous=False
        )
        consumer.close()
        yield running


def tokens(running: Installation) -> Mapping[str, str]:
    """A token for a user of each role, and one of an administrator for reading alone."""
    url = (running.data_dir / "database-url").read_text().strip()
    wanted = {role.lower(): (role, list(SCOPES)) for role in ROLES}
    wanted["read"] = ("Administrator", ["read"])
    made = {}
    with psycopg.connect(url, autocommit=True) as connection:
        for name, (role, scopes) in wanted.items():
            made[name] = secrets.token_urlsafe(32)
            found = connection.execute(ADD_USER.encode(), [name]).fetchone()
            assert found is not None
            connection.execute(ADD_ROLE.encode(), [found[0], role])
            digest = hashlib.sha256(made[name].encode()).hexdigest()
            connection.execute(ADD_TOKEN.encode(), [name, found[0], digest, Jsonb(scopes)])
    return made


def ask(running: Installation, role: str, token: str, *options: str) -> Ended:
    """Let schemathesis ask as this role."""
    command = [
        *(str(SCHEMATHESIS), "run", str(DOCUMENT), "--url", running.web.rstrip("/")),
        *("-H", f"Authorization: Bearer {token}", "--no-color"),
        *("--checks", "all", "--exclude-checks", ",".join(HOOKED)),
        *("--report", "junit", "--report-junit-path", str(REPORTS / f"{role}.xml")),
        *("--continue-on-failure", "--suppress-health-check", "all", *options),
        # A Spark each time; tests/api/test_reports.py has it.
        *("--exclude-operation-id", "start_reports"),
        *("--exclude-operation-id", "follow_journal"),  # a stream has no end
    ]
    hooks = {"SCHEMATHESIS_HOOKS": "tests.api.contract_hooks", "PYTHONPATH": str(CHECKOUT)}
    environ = {**os.environ, **hooks}
    ended = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=REPORTS, env=environ
    )
    printed = ended.stdout + ended.stderr
    found = GENERATED.search(printed)
    return Ended(int(found[1].replace(",", "")) if found else 0, ended.returncode != 0, printed)


def main() -> int:
    """All roles, or one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=40)
    parser.add_argument("--role", action="append")
    parser.add_argument("options", nargs="*", help="further options of schemathesis, behind --")
    arguments = parser.parse_args()
    REPORTS.mkdir(parents=True, exist_ok=True)
    failed = False
    with installation() as running:
        for role, token in tokens(running).items():
            if arguments.role and role not in arguments.role:
                continue
            ended = ask(
                running, role, token, "--max-examples", str(arguments.examples), *arguments.options
            )
            (REPORTS / f"{role}.txt").write_text(ended.told)
            print(ended.told if ended.failed else f"{role}: {ended.cases} cases, none failed")
            failed |= ended.failed
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
