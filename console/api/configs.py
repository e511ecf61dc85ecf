"""A group's own settings: shown, and changed."""

from collections.abc import Mapping, Sequence
from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from console.api import preconditions
from console.api import serializers as shapes
from console.api.inputs import described
from console.api.schema import DRY_RUN, GROUP_ID, all_of
from console.api.views import View, actor
from console.operations import configs
from groups import broker_configs
from groups.core.configs.entries import Change, ConfigOperation
from groups.core.configs.group import BY_NAME, Broker, Values, entries
from groups.core.errors import Refuse


class Config(View):
    """What a group has of its own."""

    @described(
        operation_id="get_group_config", parameters=[GROUP_ID], responses=all_of(shapes.ConfigEntry)
    )
    def get(self, request: Request, group_id: str) -> Response:
        """Show all settings of a group, which need not exist (KIP-1142)."""
        own = configs.own(group_id)
        answer = Response({"data": _serialized(own, broker_configs.from_django())})
        return preconditions.with_version(answer, preconditions.of_values(own))

    @described(
        operation_id="change_group_config",
        parameters=[GROUP_ID, DRY_RUN],
        request=shapes.NewConfig,
        responses=shapes.ConfigChanges,
    )
    def patch(self, request: Request, group_id: str) -> Response:
        """Change settings of a group, which need not exist: all of them, or none. They are in force
        within milliseconds, and no rebalance begins. For `rollcall.freeze` use `/freeze`."""
        broker = broker_configs.from_django()
        done = configs.alter(
            group_id,
            _changes(self.body["changes"], broker),
            broker,
            reason=self.body["reason"],
            actor=actor(request),
            seen=lambda own: preconditions.compare(request, preconditions.of_values(own)),
            dry_run=self.is_dry,
        )
        before, after = done.before, done.after
        changed = [
            {"name": name, "before": before.get(name), "after": after.get(name)}
            for name in done.names
        ]
        return Response({"dry_run": self.is_dry, "changed": changed})

    def version(self, ids: Mapping[str, str]) -> str:
        """Depends only on the group's own settings."""
        return preconditions.of_values(configs.own(ids["group_id"]))


def _serialized(own: Values, broker: Broker) -> Any:
    return shapes.ConfigEntry(entries(own, broker), many=True).data


def _changes(changes: Sequence[Mapping[str, Any]], broker: Broker) -> Sequence[Change]:
    """The changes in the form of the wire; an error points at the invalid value."""
    wrong: list[Mapping[str, Any]] = [{} for _ in changes]
    for number, each in enumerate(changes):
        name, value = each["name"], each["value"]
        if name in [earlier["name"] for earlier in changes[:number]]:
            wrong[number] = {"name": ["This setting was given twice."]}
        elif value is not None:
            try:
                BY_NAME[name].parse(value, broker)
            except Refuse as refusal:
                wrong[number] = {"value": [refusal.detail]}
    if any(wrong):
        raise ValidationError({"changes": wrong})
    return [_change(each["name"], each["value"]) for each in changes]


def _change(name: str, value: str | None) -> Change:
    kind = ConfigOperation.DELETE if value is None else ConfigOperation.SET
    return Change(name, kind, value)
