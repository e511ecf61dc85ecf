"""A server with an authorizer, and a client that sends it any request, as any user.

Rules are put into the node's own memory here; how they come there by the wire and by the doorbell
is shown in ``test_acls``.
"""

import asyncio
from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any
from uuid import UUID

import pytest

from groups.core.acls.bindings import Binding
from groups.core.acls.index import AclIndex
from protocol.apis import APIS
from protocol.draft_apis import DRAFT_APIS
from protocol.requests.api_row import Api
from rollcall.wire.codec import decode
from rollcall.wire.messages.draft import DRAFT_MESSAGES
from tests.security.asking import ERRORS, Tenant, variants
from tests.server.client import Client
from tests.server.serving import Serving

REFUSED = set(ERRORS.values())
BY_REQUEST: Mapping[type, tuple[str, Api]] = {
    **{api.request: ("", api) for api in APIS.values()},
    **{api.request: ("draft ", api) for key, api in DRAFT_APIS.items() if key in DRAFT_MESSAGES},
}
AUTHENTICATING = {17, 36}
"""On a listener without SASL these end the connection."""

NUMBERS = count(1)
ANN = "User:ann"


class Asking(Client):
    """A client that reads the draft's answers as well."""

    api: Api

    async def receive(self) -> Any:
        """The next reply."""
        size = int.from_bytes(await self.reader.readexactly(4), "big")
        raw = await self.reader.readexactly(size)
        _, _, version = self.sent.popleft()
        response = self.api.response
        is_flexible = version >= self.api.replies_flexible_since
        return decode(response, version, raw, 5 if is_flexible else 4)


class Door:
    """A server with an authorizer, a tenant's topics, and rules as a test wants them."""

    def __init__(self, served: Serving, topic_ids: Mapping[str, UUID]) -> None:
        self.served = served
        self.topic_ids = topic_ids
        self._clients = dict[str, Asking]()

    def tenant(self, name: str) -> Tenant:
        """With a group that was never used."""
        return Tenant(name, self.topic_ids[name], next(NUMBERS))

    def allow(self, bindings: Iterable[Binding], *super_users: str) -> None:
        """These rules hold from now on."""
        rules = self.served.node.acls
        assert rules is not None
        rules.index = AclIndex(bindings, super_users)
        rules.version += 1
        rules.changed()

    async def ask(
        self, api: Api, request: Any, version: int, where: str = "", principal: str = ANN
    ) -> Any:
        """As a user, with a connection for each listener."""
        client = self._clients.get(where + principal)
        if client is None:
            known = set(self.served.connections)
            address = self.served.draft_address if where else self.served.address
            client = self._clients[where + principal] = await Asking.connect(address)
            while not (new := set(self.served.connections) - known):
                await asyncio.sleep(0)
            new.pop().session.principal = principal
        client.api = api
        return await client.call(request, version)


def every_case() -> list[Any]:
    """Every API, on either listener, with its variants."""
    return [
        pytest.param(where, api, variant, id=f"{where}{api.name}-{number}")
        for where, api in BY_REQUEST.values()
        if api.key not in AUTHENTICATING
        for number, variant in enumerate(variants(api.request))
    ]
