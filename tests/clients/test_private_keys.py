"""API keys that Kafka does not have are harmless: each stock client sees them and continues.

Every client sends ApiVersions before it does anything else, and works with what it knows of the
answer. Here each shares a topic with another of its kind beside a group that is commanded.
"""

import asyncio

import pytest

from groups.core.errors import ErrorCode
from launcher.installation import Installation
from rollcall.wire.messages import MESSAGES, PRIVATE_FROM
from rollcall.wire.messages.register_consumer import RegisterConsumerRequest, TopicThreads
from tests.clients.conftest import Start, each, topic
from tests.clients.programs import WORKERS
from tests.clients.test_sharing import share
from tests.server.client import Client, hello

LIBRARIES = (
    "kafka-python",
    "aiokafka",
    "confluent-kafka",
    "confluent-kafka-848",
    "java",
    "java-848",
)

PRIVATE = {key for key in MESSAGES if key >= PRIVATE_FROM}


async def commanded(bootstrap: str, name: str) -> None:
    """The keys are advertised, and a group lives by them."""
    client = await Client.connect(bootstrap)
    try:
        for version in range(4):
            reply = await client.call(hello(), version)
            assert {api.api_key for api in reply.api_keys} >= PRIVATE
        request = RegisterConsumerRequest(
            group_id=f"{name}-commanded",
            session_timeout_ms=60_000,
            topics=[TopicThreads(name=name)],
        )
        assert (await client.call(request, 0)).error_code == ErrorCode.NONE
    finally:
        client.close()


@pytest.mark.timeout(900)  # the first Java client is built
@pytest.mark.parametrize("library", each(WORKERS, LIBRARIES, quick="aiokafka"))
def test_a_stock_client_works_beside_clients_of_the_private_apis(
    library: str, installation: Installation, start: Start, name: str
) -> None:
    asyncio.run(topic(installation.kafka, name))
    asyncio.run(commanded(installation.kafka, name))
    one = start(library, installation.kafka, name)
    other = start(library, installation.kafka, name)
    one.until(lambda: share(one, other), "three and three")
    assert set(one.commit(7).values()) == {7}
