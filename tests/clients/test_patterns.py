"""A stock consumer subscribes by pattern: topics of now and of later (KIP-848)."""

import asyncio

from launcher.installation import Installation
from tests.clients.conftest import Start, topic

ALL = {0, 1, 2, 3, 4, 5}


def test_topics_created_later_are_found(
    installation: Installation, start: Start, name: str
) -> None:
    asyncio.run(topic(installation.kafka, name))
    one = start("confluent-kafka-848-pattern", installation.kafka, name)
    one.until(lambda: one.owned == ALL, "the topic of now")

    asyncio.run(topic(installation.kafka, f"{name}-later", partitions=7))

    one.until(lambda: one.owned == ALL | {6}, "the topic of later")
    other = start("confluent-kafka-848-pattern", installation.kafka, name)
    other.until(lambda: bool(other.owned), "a share of both")
