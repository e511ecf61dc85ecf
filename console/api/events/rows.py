"""Entries of the journal as streams of events tell them."""

import json
from collections.abc import Collection, Mapping

from console.api import serializers as shapes
from console.journal_subjects import Kinds
from console.queries.journal_rows import entries as entries_of


def texts(seqs: Collection[int], kinds: Kinds) -> Mapping[int, str]:
    """These entries as REST shows them, each in a line of JSON, as far as they are of the kinds."""
    if not seqs:
        return {}
    rows = entries_of(kinds).filter(id__in=seqs)
    entries = shapes.JournalEntry(rows, many=True).data
    return {entry["seq"]: json.dumps(entry, default=str) for entry in entries}
