"""Entries of the journal as streams of events tell them."""

import json
from collections.abc import Collection, Mapping

from groups.api import serializers as shapes
from groups.models import Journal


def texts(seqs: Collection[int]) -> Mapping[int, str]:
    """These entries as REST shows them, each in a line of JSON."""
    if not seqs:
        return {}
    rows = Journal.objects.filter(id__in=seqs)
    entries = shapes.JournalEntry(rows, many=True).data
    return {entry["seq"]: json.dumps(entry, default=str) for entry in entries}
