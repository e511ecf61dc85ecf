"""What pages speak of, in the installation that all tests share: topics, groups and users with a
prefix of their own, so that no other test is disturbed."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient

from benchmarks.wire import create_topic
from launcher.installation import Installation
from rollcall.client import BlockingMember
from tests.clients.conftest import PATIENCE_S

NAMES = re.compile(r"\b(orders|invoices|packers|billing|ann|ben|clerks|pager)\b(?!\.)")
"""Of the pages, which get the prefix."""

ADDRESS = re.compile(r"\b(?:127\.0\.0\.1|localhost):9092\b")
PARTITIONS = 8
RESTED = "docs-rested"
"""A group with committed offsets and without members."""


@dataclass(frozen=True)
class Documented:
    """An installation in which the pages' group works on the pages' topic."""

    installation: Installation
    member: BlockingMember
    began: datetime

    def here(self, text: str) -> str:
        """A text of a page with the names, the addresses and a moment of this installation."""
        text = ADDRESS.sub(self.installation.kafka, NAMES.sub(r"docs-\1", text))
        for written in ("2026-11-28T03:12:00Z", "2026-11-28 03:12", "2026-01-31T12:00:00Z"):
            text = text.replace(written, f"{self.began:%Y-%m-%dT%H:%M:%S.%fZ}")
        return text

    @property
    def database(self) -> str:
        """The URL of its PostgreSQL, as the owner of the tables."""
        return (self.installation.data_dir / "database-url").read_text().strip()


def rest(bootstrap: str) -> None:
    """Make the group that rests."""
    done = [TopicPartition("docs-orders", partition, 7) for partition in range(PARTITIONS)]
    admin = AdminClient({"bootstrap.servers": bootstrap})
    changed = admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(RESTED, done)])
    changed[RESTED].result(PATIENCE_S)


@pytest.fixture(scope="session")
def documented(installation: Installation) -> Iterator[Documented]:
    """One for all blocks; they bear ``xdist_group("documented")``."""
    kafka = installation.kafka
    for topic, partitions in {"orders": PARTITIONS, "invoices": 3}.items():
        asyncio.run(create_topic(kafka, f"docs-{topic}", partitions))
    rest(kafka)
    with ExitStack() as open_until_the_end:
        member = BlockingMember(kafka, "docs-packers", ["docs-orders"])
        open_until_the_end.enter_context(member)
        for _ in member.changes(timeout_s=PATIENCE_S):
            if len(member.assigned) == PARTITIONS:
                break
        yield Documented(installation, member, datetime.now(UTC))
