"""A kafka-python worker that a restart leaves alone until its attempts are far apart.

    patient.py ADDRESS GROUP TOPIC SESSION_MS ATTEMPTS

Says ``owns``; then ``waits`` once it has failed that often to connect; then, when it has
read a line, commits as the member that it was, and says whether it still is: ``same`` or ``other``.
"""

import sys
import threading

from kafka import KafkaConsumer
from kafka.structs import OffsetAndMetadata, TopicPartition


def main(address: str, group: str, topic: str, session_ms: str, attempts: str) -> None:
    """Say how far it is."""
    worker = KafkaConsumer(
        topic,
        bootstrap_servers=address,
        group_id=group,
        session_timeout_ms=int(session_ms),
        heartbeat_interval_ms=1_000,
        enable_auto_commit=False,
    )
    while not worker.assignment():
        worker.poll(100)
    before = known(worker)
    print("owns", flush=True)
    while failed_tries(worker) < int(attempts):
        worker.poll(100)
    print("waits", flush=True)
    reader = threading.Thread(target=sys.stdin.readline)
    reader.start()
    while reader.is_alive():
        worker.poll(100)
    worker.commit({TopicPartition(topic, 0): OffsetAndMetadata(7, "", -1)})
    print("same" if known(worker) == before else "other", flush=True)


def known(worker: KafkaConsumer) -> tuple[str, int]:
    """What the worker holds itself for."""
    generation = worker._coordinator._generation
    return generation.member_id, generation.generation_id


def failed_tries(worker: KafkaConsumer) -> int:
    """How often it has tried to connect since it last could."""
    return max((tries for tries, *_ in list(worker._manager._backoff.values())), default=0)


if __name__ == "__main__":
    main(*sys.argv[1:])
