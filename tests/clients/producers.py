"""Stock transactional producers of Python as programs: ``-m tests.clients.producers LIBRARY
BOOTSTRAP TRANSACTIONAL_ID``.

They produce no records, only offsets. A line on standard input is a verb and its words, the
answer a JSON object on standard output: ``{"done": true}``, or ``{"error": code}`` with Kafka's
number. The programs of other languages know the same verbs:

======================================  =====================================================
``init``                                 fences an older producer of this transactional id
``begin``
``offset GROUP TOPIC PARTITION OFFSET``  as an application that is no member of the group
``commit``, ``abort``
======================================  =====================================================
"""

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

PRODUCER_FENCED = 90


class KafkaPython:
    """kafka-python's ``KafkaProducer``."""

    def __init__(self, bootstrap: str, transactional_id: str) -> None:
        from kafka import KafkaProducer
        from kafka.errors import BrokerResponseError

        self.error = BrokerResponseError
        self.client: Any = KafkaProducer(
            bootstrap_servers=bootstrap, transactional_id=transactional_id
        )

    @staticmethod
    def code(error: Any) -> int:
        """Kafka's number of what a verb raised."""
        return int(error.errno)

    def init(self) -> None:
        self.client.init_transactions()

    def begin(self) -> None:
        self.client.begin_transaction()

    def offset(self, group: str, topic: str, partition: str, offset: str) -> None:
        from kafka.structs import OffsetAndMetadata, TopicPartition

        where = TopicPartition(topic, int(partition))
        wanted = {where: OffsetAndMetadata(int(offset), "", -1)}
        self.client.send_offsets_to_transaction(wanted, group)

    def commit(self) -> None:
        self.client.commit_transaction()

    def abort(self) -> None:
        self.client.abort_transaction()


class Aiokafka:
    """aiokafka's ``AIOKafkaProducer``, which initialises its transactions when it starts."""

    def __init__(self, bootstrap: str, transactional_id: str) -> None:
        from aiokafka import AIOKafkaProducer
        from aiokafka.errors import KafkaError

        self.error = KafkaError
        self.loop = asyncio.new_event_loop()

        async def make() -> Any:
            return AIOKafkaProducer(bootstrap_servers=bootstrap, transactional_id=transactional_id)

        self.client = self.loop.run_until_complete(make())

    @staticmethod
    def code(error: Any) -> int:
        """Kafka's number of what a verb raised; the library's ProducerFenced has none."""
        return int(getattr(error, "errno", PRODUCER_FENCED))

    def init(self) -> None:
        self.loop.run_until_complete(self.client.start())

    def begin(self) -> None:
        self.loop.run_until_complete(self.client.begin_transaction())

    def offset(self, group: str, topic: str, partition: str, offset: str) -> None:
        from aiokafka import TopicPartition

        wanted = {TopicPartition(topic, int(partition)): int(offset)}
        self.loop.run_until_complete(self.client.send_offsets_to_transaction(wanted, group))

    def commit(self) -> None:
        self.loop.run_until_complete(self.client.commit_transaction())

    def abort(self) -> None:
        self.loop.run_until_complete(self.client.abort_transaction())


class Confluent:
    """confluent-kafka's ``Producer``. It takes the group from a consumer that never subscribes."""

    def __init__(self, bootstrap: str, transactional_id: str) -> None:
        from confluent_kafka import KafkaException, Producer

        self.error = KafkaException
        self.bootstrap = bootstrap
        self.client = Producer(
            {"bootstrap.servers": bootstrap, "transactional.id": transactional_id}
        )

    @staticmethod
    def code(error: Any) -> int:
        """Kafka's number of what a verb raised."""
        return int(error.args[0].code())

    def init(self) -> None:
        self.client.init_transactions()

    def begin(self) -> None:
        self.client.begin_transaction()

    def offset(self, group: str, topic: str, partition: str, offset: str) -> None:
        from confluent_kafka import Consumer, TopicPartition

        consumer = Consumer({"bootstrap.servers": self.bootstrap, "group.id": group})
        wanted = [TopicPartition(topic, int(partition), int(offset))]
        self.client.send_offsets_to_transaction(wanted, consumer.consumer_group_metadata())
        consumer.close()

    def commit(self) -> None:
        self.client.commit_transaction()

    def abort(self) -> None:
        self.client.abort_transaction()


LIBRARIES: Mapping[str, Callable[[str, str], Any]] = {
    "kafka-python": KafkaPython,
    "aiokafka": Aiokafka,
    "confluent-kafka": Confluent,
}


def main() -> None:
    """Answer each line, until there are no more."""
    library, bootstrap, transactional_id = sys.argv[1:]
    producer = LIBRARIES[library](bootstrap, transactional_id)
    for line in sys.stdin:
        verb, *words = line.split()
        print(json.dumps(_answer(producer, verb, words)), flush=True)


def _answer(producer: Any, verb: str, words: list[str]) -> dict[str, Any]:
    try:
        getattr(producer, verb)(*words)
    except producer.error as error:
        return {"error": producer.code(error)}
    return {"done": True}


if __name__ == "__main__":
    main()
