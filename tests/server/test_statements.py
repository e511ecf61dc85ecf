"""What a request costs PostgreSQL: statements do not grow with what it names.

Generated from the tables of both listeners: no API, version or array can be without its case.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

import psycopg
import pytest

from groups.catalogue.cache import Catalogue
from protocol.apis import APIS
from protocol.draft_apis import DRAFT_APIS
from protocol.handlers.support.config_resources import Resource
from protocol.requests.api_row import Api
from tests.node.test_heartbeats import REGULAR
from tests.server.large_requests import Case, Raw, arrays, filled
from tests.server.serving import Serving, serving

NAMED = 60
"""Elements of each array: things that do not exist, so that they are looked for."""

FEW = 30
"""Times that the same statement is said: by a request, and by the node itself meanwhile."""

EACH = {
    "DeleteTopics": "a topic is deleted in a transaction of its own",
    "CreatePartitions": "a topic grows in a transaction of its own",
}
"""APIs of which each element is a statement of its own, and why."""


def requests(api: Api) -> Iterator[Case]:
    """Every array of every version, with some elements."""
    for version in range(api.min_version, api.max_version + 1):
        for number, path in enumerate(arrays(api.request, version)):
            shape = (NAMED, *(1,) * (len(path) - 1))
            request: Any = filled(api.request, version, path, shape, 0)
            if hasattr(request, "group_id"):  # without waiting for those who joined before
                request.group_id = f"g{version}-{number}"
            yield Case(api.name, request, version)
            if path[0] == "resources":
                for resource in request.resources:
                    resource.resource_type = Resource.TOPIC
                yield Case(api.name, request, version)


@pytest.fixture
async def served(_prepared: None, settings: Any) -> AsyncIterator[Serving]:
    """A server that holds no fetch."""
    settings.FETCH_HOLD_MIN_MS = 0
    async with serving() as started:
        yield started


@pytest.mark.parametrize(
    ("draft", "apis", "each"), [(False, APIS, set(EACH)), (True, DRAFT_APIS, set())]
)
async def test_the_number_of_statements_does_not_grow_with_the_request(
    served: Serving,
    draft: bool,
    apis: Mapping[int, Api],
    each: set[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said, execute = Counter[Any](), psycopg.AsyncCursor.execute

    async def counting(cursor: Any, query: Any, *args: Any, **options: Any) -> Any:
        said[query] += query not in REGULAR
        return await execute(cursor, query, *args, **options)

    async def unheard(_payload: str | None) -> None:
        """Of topics that an earlier request made the node reads a row each, as they ring."""

    monkeypatch.setitem(served.node.doorbell.listeners, Catalogue.BELL, unheard)
    monkeypatch.setattr(psycopg.AsyncCursor, "execute", counting)
    most = Counter[str]()
    for case in (case for api in apis.values() for case in requests(api)):
        client = await Raw.connect(served.draft_address if draft else served.address)
        said.clear()
        await client.send(case.data)
        await client.reply_bytes()
        client.close()
        most[case.name] = max(most[case.name], *said.values(), 0)
    assert {name for name, count in most.items() if count > FEW} == each, most
