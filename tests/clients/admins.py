"""Stock administrators of Python as programs: ``-m tests.clients.admins LIBRARY BOOTSTRAP``.

A line on standard input is a verb and its words, the answer a JSON object on standard output;
``{"error": code}`` with Kafka's number where Rollcall refused. The programs of other languages
know the same verbs:

=========================================  ==========================================
``create TOPIC PARTITIONS``                 ``{"done": true}``, and so all that change
``groups``                                  ``{"groups": [...]}``
``describe GROUP``                          ``{"state": ..., "members": [...]}``
``commit GROUP TOPIC PARTITION OFFSET``     as an operator, not as a member
``offsets GROUP``                           ``{"offsets": {partition: offset}}``
``delete-offsets GROUP TOPIC PARTITION``
``remove GROUP INSTANCE``                   takes a static member out
``delete-group GROUP``
``delete-topic TOPIC``
=========================================  ==========================================

A library has no verb here for what its administrator cannot do.
"""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

Verb = Callable[..., dict[str, Any] | None]


class Refused(Exception):
    """Rollcall's answer was this error code of Kafka's."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class KafkaPython:
    """kafka-python's ``KafkaAdminClient``."""

    def __init__(self, bootstrap: str) -> None:
        from kafka.admin import KafkaAdminClient
        from kafka.errors import BrokerResponseError

        self.error = BrokerResponseError
        self.client: Any = KafkaAdminClient(bootstrap_servers=bootstrap)

    @staticmethod
    def code(error: Any) -> int:
        """Kafka's number of what a verb raised."""
        return int(error.errno)

    def create(self, topic: str, partitions: str) -> None:
        from kafka.admin import NewTopic

        self.client.create_topics([NewTopic(topic, int(partitions), 1)])

    def groups(self) -> dict[str, Any]:
        return {"groups": [found["group_id"] for found in self.client.list_groups()]}

    def describe(self, group: str) -> dict[str, Any]:
        found = self.client.describe_groups([group])[group]
        if found.get("error_code"):
            raise Refused(found["error_code"])
        members = [_described(member) for member in found["members"]]
        return {"state": found["group_state"], "members": members}

    def commit(self, group: str, topic: str, partition: str, offset: str) -> None:
        from kafka.structs import OffsetAndMetadata, TopicPartition

        where = TopicPartition(topic, int(partition))
        wanted = {where: OffsetAndMetadata(int(offset), "by hand", -1)}
        _check(self.client.alter_group_offsets(group, wanted))

    def offsets(self, group: str) -> dict[str, Any]:
        stored = self.client.list_group_offsets(group)[group]
        return {"offsets": {where.partition: at.offset for where, at in stored.items()}}

    def delete_offsets(self, group: str, topic: str, partition: str) -> None:
        from kafka.structs import TopicPartition

        where = TopicPartition(topic, int(partition))
        _check(self.client.delete_group_offsets(group, [where]))

    def remove(self, group: str, instance: str) -> None:
        from kafka.admin import MemberToRemove

        who = MemberToRemove(group_instance_id=instance)
        _check(self.client.remove_group_members(group, [who]))

    def delete_group(self, group: str) -> None:
        from kafka import errors

        said = self.client.delete_groups([group])[group]
        if said != "OK":  # the name of an error, here
            raise Refused(getattr(errors, said).errno)

    def delete_topic(self, topic: str) -> None:
        self.client.delete_topics([topic])


def _described(member: Mapping[str, Any]) -> dict[str, Any]:
    assignment = member["member_assignment"] or {}
    topics = assignment.get("assigned_partitions") or []
    held = [p for topic in topics for p in topic["partitions"]]
    return {"instance": member.get("group_instance_id") or "", "partitions": sorted(held)}


def _check(results: Mapping[Any, Any]) -> None:
    """kafka-python returns an error class for each thing it was asked to do."""
    for error in results.values():
        if error.errno:
            raise Refused(error.errno)


class Confluent:
    """confluent-kafka's ``AdminClient``; it removes no members and deletes no single offsets."""

    def __init__(self, bootstrap: str) -> None:
        from confluent_kafka import KafkaException
        from confluent_kafka.admin import AdminClient

        self.error = KafkaException
        self.client = AdminClient({"bootstrap.servers": bootstrap})

    @staticmethod
    def code(error: Any) -> int:
        """Kafka's number of what a verb raised."""
        return int(error.args[0].code())

    def create(self, topic: str, partitions: str) -> None:
        from confluent_kafka.admin import NewTopic

        self.client.create_topics([NewTopic(topic, int(partitions), 1)])[topic].result()

    def groups(self) -> dict[str, Any]:
        found = self.client.list_consumer_groups().result()
        return {"groups": [group.group_id for group in found.valid]}

    def describe(self, group: str) -> dict[str, Any]:
        found = self.client.describe_consumer_groups([group])[group].result()
        members = [
            {
                "instance": member.group_instance_id or "",
                "partitions": sorted(p.partition for p in member.assignment.topic_partitions),
            }
            for member in found.members
        ]
        return {"state": found.state.name.title(), "members": members}

    def commit(self, group: str, topic: str, partition: str, offset: str) -> None:
        from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition

        where = TopicPartition(topic, int(partition), int(offset))
        wanted = ConsumerGroupTopicPartitions(group, [where])
        result = self.client.alter_consumer_group_offsets([wanted])[group].result()
        for said in result.topic_partitions:
            if said.error is not None:
                raise Refused(said.error.code())

    def offsets(self, group: str) -> dict[str, Any]:
        from confluent_kafka import ConsumerGroupTopicPartitions

        wanted = ConsumerGroupTopicPartitions(group)
        stored = self.client.list_consumer_group_offsets([wanted])[group].result()
        return {"offsets": {p.partition: p.offset for p in stored.topic_partitions}}

    def delete_group(self, group: str) -> None:
        self.client.delete_consumer_groups([group])[group].result()

    def delete_topic(self, topic: str) -> None:
        self.client.delete_topics([topic])[topic].result()


LIBRARIES: Mapping[str, Callable[[str], Any]] = {
    "kafka-python": KafkaPython,
    "confluent-kafka": Confluent,
}


def main() -> None:
    """Answer each line, until there are no more."""
    library, bootstrap = sys.argv[1:]
    admin = LIBRARIES[library](bootstrap)
    for line in sys.stdin:
        verb, *words = line.split()
        print(json.dumps(_answer(admin, verb.replace("-", "_"), words)), flush=True)


def _answer(admin: Any, verb: str, words: list[str]) -> dict[str, Any]:
    try:
        return getattr(admin, verb)(*words) or {"done": True}
    except Refused as refused:
        return {"error": refused.code}
    except admin.error as error:
        return {"error": admin.code(error)}


if __name__ == "__main__":
    main()
