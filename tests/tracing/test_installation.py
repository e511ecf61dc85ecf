"""An installation configured by OpenTelemetry's variables alone: one trace over two processes."""

import asyncio

import httpx
import pytest
from confluent_kafka import Consumer

from benchmarks.wire import create_topic
from launcher.installation import Installation
from tests.installations import SETTINGS, TOKEN
from tests.tracing.receiver import Receiver, receiving

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CALLER = "00f067aa0ba902b7"
GROUP = "packers"


def member(running: Installation) -> Consumer:
    asyncio.run(create_topic(running.kafka, "orders", 3))
    consumer = Consumer({"bootstrap.servers": running.kafka, "group.id": GROUP})
    consumer.subscribe(["orders"])
    return consumer


def joined(consumer: Consumer, receiver: Receiver) -> None:
    """Poll until its join has been traced."""
    while not receiver.spans("SyncGroup", rollcall_group=GROUP):
        consumer.poll(0.2)


def forced(running: Installation, consumer: Consumer) -> int:
    """A rebalance that automation forces, which traces itself; the operation's id."""
    headers = {
        "Authorization": f"Bearer {TOKEN}",
        "traceparent": f"00-{TRACE}-{CALLER}-01",
    }
    where = f"{running.web}/api/v1/groups/{GROUP}/rebalances"
    answer = httpx.post(where, json={"reason": "a new deployment"}, headers=headers)
    assert answer.status_code == 202, answer.text
    operation = answer.headers["Location"]
    while True:
        consumer.poll(0.2)
        body = httpx.get(f"{running.web}{operation}", headers=headers | {"traceparent": ""}).json()
        if body["state"] == "succeeded":
            number: int = body["id"]
            return number


def test_a_forced_rebalance_is_one_trace_from_the_caller_to_the_transaction() -> None:
    with receiving() as receiver:
        variables = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url,
            "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
            "OTEL_BSP_SCHEDULE_DELAY": "200",
            "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=tests",
        }
        with Installation({**SETTINGS, **variables}) as running:
            consumer = member(running)
            joined(consumer, receiver)
            number = forced(running, consumer)
            consumer.close()

            request = receiver.awaited("JoinGroup", rollcall_group=GROUP)
            step = receiver.awaited("step", rollcall_group=GROUP)
            assert request.process["service.name"] == "rollcall-node"
            assert request.process["deployment.environment.name"] == "tests"
            assert step.span.trace_id in {s.span.trace_id for s in receiver.spans("JoinGroup")}

            asked = receiver.awaited(
                "POST /api/v1/groups/<id:group_id>/rebalances", rollcall_operation_id=number
            )
            operation = receiver.awaited("operation rebalance", rollcall_operation_id=number)
    assert (asked.trace, asked.span.parent_span_id.hex()) == (TRACE, CALLER)
    assert asked.process["service.name"] == "rollcall-web"
    assert operation.is_below(asked)
    assert operation.process["service.name"] == "rollcall-node"
    begins, *_, ends = receiver.below(operation, "step")
    assert (begins.said["rollcall.answers"], ends.said["rollcall.answers"]) == (False, True)
    assert begins.said["rollcall.generation"] != ends.said["rollcall.generation"]
    for each in (begins, ends):
        assert len(receiver.below(each, "commit")) == 1
