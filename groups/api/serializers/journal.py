"""The journal and the audit. Shapes only."""

from typing import Any

from rest_framework import serializers as s

from groups.api.serializers.operations import OperationView
from groups.core.journal import ENTRY_FIELDS
from groups.models import (
    AuditEntry,
    Journal,
)
from groups.queries.journal_text import sentence


class JournalEntry(s.ModelSerializer[Journal]):
    """Events of groups, and their causes."""

    seq = s.IntegerField(source="id")
    node_id = s.IntegerField(help_text="The node that wrote it; -1: the web.")
    sentence = s.SerializerMethodField()

    class Meta:
        model = Journal
        fields = ("seq", "at", "group_id", "node_id", *ENTRY_FIELDS, "sentence")

    def get_sentence(self, entry: Journal) -> str:
        """The entry in plain words."""
        return sentence(entry)


class OneRebalance(s.Serializer[Any]):
    """A rebalance, with the operations that requested it."""

    rebalance = JournalEntry()
    operations = OperationView(many=True)


class AuditView(s.ModelSerializer[AuditEntry]):
    """Who did what, from which address, with which result."""

    class Meta:
        model = AuditEntry
        fields = AuditEntry.LISTED
