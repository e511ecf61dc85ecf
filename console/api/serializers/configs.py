"""Groups' own settings. Shapes only."""

from typing import Any, Final

from rest_framework import serializers as s

from console.api.fields import Line
from console.api.serializers.operations import Reason
from groups.core.configs.entries import Source
from groups.core.configs.group import BY_NAME, FREEZE

VALUE_CHARS_MAX: Final = 100
"""Enough for a number, or true or false."""

NAMES: Final = tuple(name for name in BY_NAME if name != FREEZE)
"""A freeze is an operation: it has a reason and may have an end."""


class ConfigEntry(s.Serializer[Any]):
    """A setting with its value for this group."""

    name = s.CharField()
    value = s.CharField(allow_null=True)
    is_own = s.SerializerMethodField()
    documentation = s.CharField()

    def get_is_own(self, entry: Any) -> bool:
        """Whether it is set for the group; otherwise it is the node's value, or the default."""
        return bool(entry.source is Source.GROUP)


class WantedConfig(s.Serializer[Any]):
    """A setting as it is to be."""

    name = s.ChoiceField(choices=NAMES)
    value = Line(
        max_length=VALUE_CHARS_MAX,
        allow_null=True,
        help_text="As kafka-configs takes it; null: the node's value, or the default.",
    )


class NewConfig(Reason):
    """Changes of a group's settings: all of them, or none."""

    changes = s.ListField(child=WantedConfig(), min_length=1, max_length=len(NAMES))


class ChangedConfig(s.Serializer[Any]):
    """A changed setting; null: none of the group's own."""

    name = s.CharField()
    before = s.CharField(allow_null=True)
    after = s.CharField(allow_null=True)


class ConfigChanges(s.Serializer[Any]):
    """What was changed, or would be; nothing of what was so already."""

    dry_run = s.BooleanField()
    changed = ChangedConfig(many=True)
