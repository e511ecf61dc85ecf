"""The journal and the audit. Shapes only."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers as s

from console.api.serializers.operations import OperationView
from console.queries.journal_text import sentence
from console.queries.member_names import Names, names_of_groups
from groups.core.journal import ENTRY_FIELDS
from groups.models import (
    AuditEntry,
    Journal,
)


class Entries(s.ListSerializer[Any]):
    """Entries of a page: the names of their members are read together."""

    def to_representation(self, data: Any) -> Any:
        """The rows."""
        entries = list(data)
        setattr(self.child, "names", names_of_groups(entries))  # noqa: B010  (of a ``JournalEntry``)
        return super().to_representation(entries)


class JournalEntry(s.ModelSerializer[Journal]):
    """Events of groups, and their causes."""

    names: Mapping[str, Names] = {}

    seq = s.IntegerField(source="id")
    node_id = s.IntegerField(help_text="The node that wrote it; -1: the web.")
    sentence = s.SerializerMethodField()

    class Meta:
        model = Journal
        fields = ("seq", "at", "group_id", "node_id", *ENTRY_FIELDS, "sentence")
        list_serializer_class = Entries

    def get_sentence(self, entry: Journal) -> str:
        """The entry in plain words, with the names that the admin shows."""
        names = self.names or names_of_groups([entry])
        return sentence(entry, names[entry.group_id])


class OneRebalance(s.Serializer[Any]):
    """A rebalance, with the operations that requested it."""

    rebalance = JournalEntry()
    operations = OperationView(many=True)


class AuditView(s.ModelSerializer[AuditEntry]):
    """Who did what, from which address, with which result."""

    class Meta:
        model = AuditEntry
        fields = AuditEntry.LISTED
