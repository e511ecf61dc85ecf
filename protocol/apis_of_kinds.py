"""The APIs of a kind of group that is a plug-in (``groups.core.kinds``), and is served on a port of
its own: none if the kind does not exist."""

from collections.abc import Mapping
from importlib import import_module
from typing import Final

from groups.core.kinds import DRAFT, KINDS
from protocol.requests.api_row import Api


def _draft_apis() -> Mapping[int, Api]:
    if DRAFT not in KINDS:
        return {}
    apis: Mapping[int, Api] = import_module("protocol.draft_apis").DRAFT_APIS
    return apis


DRAFT_APIS: Final = _draft_apis()
