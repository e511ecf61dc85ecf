"""A group's settings on its page: each with its value, its source, its bounds, and its author."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from console.admin import standing
from console.admin.standing import Standing
from console.people import rights
from console.queries import attention_rules, groups
from console.queries.journal_acts import author
from groups.broker_configs import from_django
from groups.core.configs.entries import Source
from groups.core.configs.group import FREEZE, GROUP_CONFIGS, Broker
from groups.core.configs.group import GroupConfig as Config
from groups.core.journal import EntryKind
from groups.models import GroupConfig, Journal

SOURCES: Final[Mapping[int, str]] = {
    Source.GROUP: "this group",
    Source.STATIC_BROKER: "the node's settings",
    Source.DEFAULT: "the default",
}

READ_MAX: Final = 50
"""Journal entries about a group's settings that are searched for their authors."""


def context(seen: Standing, request: HttpRequest) -> Mapping[str, Any]:
    """The tab. Three statements."""
    group_id, broker = seen.group.group_id, from_django()
    own = {row.name: row for row in GroupConfig.objects.filter(group_id=group_id)}
    values = {name: row.value for name, row in own.items()}
    authors = _authors(group_id) if own else {}
    may_configure = rights.may(request.user, rights.CONFIGURE)
    may_freeze = rights.may(request.user, rights.FREEZE)
    rules, proposals = attention_rules.of_group(group_id)
    return {
        "may_tune": rights.may(request.user, rights.ACKNOWLEDGE),
        "attention_rules": [(each, _tune(group_id, each.rule, each.threshold)) for each in rules],
        "proposals": [
            (each, _tune(group_id, each.rule, each.threshold, reason=each.text))
            for each in proposals
        ],
        "may_configure": may_configure,
        "settings": [
            {
                "entry": config.entry(values, broker),
                "is_own": config.name in own,
                "source": SOURCES[config.entry(values, broker).source],
                "bounds": bounds(config, broker),
                "change": _change_url(seen, config, may_configure, may_freeze),
                "by": authors.get(config.name, "somebody") if config.name in own else "",
                "at": own[config.name].updated_at if config.name in own else None,
            }
            for config in GROUP_CONFIGS
        ],
    }


def _tune(group_id: str, rule: str, threshold: int | None, reason: str = "") -> str:
    """The URL of the form by which the group gets a threshold, or the rule is silenced for it."""
    said = {"rule": rule, "name": group_id, "threshold": threshold or "", "reason": reason}
    query = urlencode({name: value for name, value in said.items() if value})
    return f"{reverse('admin:groups_attentionrule_add')}?{query}"


def _authors(group_id: str) -> Mapping[str, str]:
    """The last author of each setting, by the journal."""
    entries: list[Journal] = list(
        groups.journal_of(group_id).filter(kind=EntryKind.CONFIG_CHANGED)[:READ_MAX]
    )
    return {
        name: author(entry)
        for entry in reversed(entries)
        for name in entry.details.get("after") or {}
    }


def _change_url(seen: Standing, config: Config, may_configure: bool, may_freeze: bool) -> str:
    """The URL to change it; "" if the user may not. A freeze is an operation with its own page."""
    at = standing.urls(seen.group)
    if config.name == FREEZE:
        return at["freeze_url"] if may_freeze else ""
    return f"{at['configure_url']}?{urlencode({'name': config.name})}" if may_configure else ""


def bounds(config: Config, broker: Broker) -> str:
    """ "5,000 to 3,600,000"; "" for booleans."""
    least, most = (
        bound if isinstance(bound, int) else int(broker[bound].value)
        for bound in (config.least, config.most)
    )
    return f"{least:,} to {most:,}" if most else ""
