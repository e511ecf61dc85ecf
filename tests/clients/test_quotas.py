"""Stock clients report that they are throttled."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer

from benchmarks.wire import Peer, create_topic
from launcher.installation import Installation
from rollcall.wire.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    EntryData,
    OpData,
)
from rollcall.wire.messages.describe_client_quotas import EntityData


async def _set(bootstrap: str, client_id: str, *, remove: bool) -> None:
    entity = [EntityData(entity_type="client-id", entity_name=client_id)]
    op = OpData(key="consumer_byte_rate", value=1.0, remove=remove)
    peer = await Peer.connect(bootstrap)
    request = AlterClientQuotasRequest(entries=[EntryData(entity=entity, ops=[op])])
    answer = await peer.call(request, 1)
    assert [entry.error_code for entry in answer.entries] == [0]
    peer.writer.close()


@pytest.fixture
def slow(installation: Installation, name: str) -> Iterator[str]:
    """A client id with a quota that any answer is beyond."""
    asyncio.run(_set(installation.kafka, name, remove=False))
    yield name
    asyncio.run(_set(installation.kafka, name, remove=True))


def test_librdkafka_reports_throttling_and_stays_a_member(
    installation: Installation, slow: str
) -> None:
    asyncio.run(create_topic(installation.kafka, slow, 1))
    told = list[Any]()
    consumer = Consumer(
        {
            "bootstrap.servers": installation.kafka,
            "group.id": slow,
            "client.id": slow,
            "throttle_cb": told.append,
        }
    )
    consumer.subscribe([slow])
    try:
        while not told or not consumer.assignment():
            message = consumer.poll(0.1)
            assert message is None, message and message.error()
    finally:
        consumer.close()
    assert 0 < told[0].throttle_time <= 1
