"""What a server says of client quotas is what Apache Kafka said (``quota_steps``)."""

import json

from tests.server.quota_steps import ANSWERS, comparable, steps
from tests.server.serving import Serving


async def test_random_requests_are_answered_as_kafka_did(served: Serving) -> None:
    served.server.metering.times = served.server.metering.times._replace(pause_ms_max=0)
    client, _ = await served.connect()
    answers = json.loads(ANSWERS.read_text())
    for request, answer in zip(steps(), answers, strict=True):
        assert comparable(await client.call(request, 1)) == answer, request
