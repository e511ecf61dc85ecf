"""Shapes of reports, beside those of their runs (``groups.api.serializers.fleet``)."""

from typing import Any

from rest_framework import serializers as s

from groups.api.serializers.fleet import ReportRowView, RunView


class Computed(s.Serializer[Any]):
    """What SQL has computed now, without a run of the pipeline."""

    at = s.DateTimeField(help_text="When.")
    entries = s.IntegerField(help_text="How many of the journal's newest entries it has read.")
    since = s.DateTimeField(allow_null=True, help_text="It counts from then on; null: from ever.")
    is_cut = s.BooleanField(help_text="The period began before the entries that were read.")
    rows = s.IntegerField(help_text="How many rows there are; the page has the first of them.")


class ReportRowPage(s.Serializer[Any]):
    """Rows of a report, and where they are from."""

    data = ReportRowView(many=True)  # type: ignore[assignment]  # a field of this name
    next = s.URLField(allow_null=True)
    previous = s.URLField(allow_null=True)
    run = RunView(allow_null=True, help_text="Null: computed by SQL.")
    computed = Computed(allow_null=True, help_text="Null: rows of a run.")
