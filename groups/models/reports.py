"""The pipeline's results: its runs, and the rows of every report.

A run that builds upon others shares their rows: it adds those that are new, and ends those in whose
place they stand. ``RunRow`` is what a run shows.
"""

from django.db import models


class ReportRun(models.Model):
    """One run of the pipeline: the part of the journal that it read, and its result."""

    class State(models.TextChoices):
        """``running`` until it ended, successfully or not."""

        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"

    id = models.BigAutoField(primary_key=True)
    state = models.TextField(choices=State.choices, default=State.RUNNING)
    requested_by = models.TextField(blank=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    stage = models.TextField(
        blank=True, default="", db_default="", help_text="What it does now, while it runs."
    )
    percent = models.SmallIntegerField(
        default=0, db_default=0, help_text="How much of it is done, in per cent."
    )
    as_of = models.DateTimeField(
        null=True, help_text="The moment at which the database was read; periods end there."
    )
    reports = models.JSONField(
        default=list,
        db_default=models.Value([], models.JSONField()),
        help_text="The reports that it made: title, question, keys and figures of each.",
    )
    last_journal_id = models.BigIntegerField(null=True)
    events = models.BigIntegerField(null=True)
    detail = models.TextField(blank=True)
    rows_of = models.BigIntegerField(
        null=True,
        help_text="The run under whose number its rows are, where it builds upon that one; empty:"
        " under its own; 0: they are deleted.",
    )

    class Meta:
        db_table = "rollcall_report_run"

    def __str__(self) -> str:
        return f"run {self.pk}"


class ReportRow(models.Model):
    """One row of one report, of a run or of an answer: figures by keys, for a period."""

    run = models.ForeignKey(
        ReportRun,
        on_delete=models.CASCADE,
        related_name="rows",
        null=True,
        # Of each row that a run writes it would cost half as much again to look up the run, and to
        # keep an index beside ``report_rows``, which begins with it.
        db_constraint=False,
        db_index=False,
        help_text="That of the run, or of the first of runs upon runs; empty for an answer to"
        " somebody's question, which every run shows.",
    )
    from_run = models.BigIntegerField(
        null=True, help_text="The first run that shows it; empty: the run itself."
    )
    until_run = models.BigIntegerField(
        null=True, help_text="The first run that no longer shows it; empty while it is true."
    )
    report = models.TextField()
    period = models.TextField(help_text='"7d", "7d-before", ..., or "all".')
    keys = models.JSONField(help_text="What the row is about: a group, a cause.")
    figures = models.JSONField()
    kept_until = models.DateTimeField(
        null=True, help_text="When an answer is deleted; empty for rows of a run."
    )

    class Meta:
        db_table = "rollcall_report_row"
        indexes = [models.Index(fields=["run", "report", "period"], name="report_rows")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(run__isnull=False, kept_until__isnull=True)
                | models.Q(run__isnull=True, kept_until__isnull=False),
                name="report_row_of_a_run_or_kept",
            )
        ]

    def __str__(self) -> str:
        return f"{self.report} {self.period}: {self.keys}"


class RunRow(models.Model):
    """A view: each row of a report once for each run that shows it, and every answer for all runs.

    Only of one run is an ``id`` unique.
    """

    id = models.BigIntegerField(primary_key=True)
    run = models.ForeignKey(
        ReportRun, on_delete=models.DO_NOTHING, related_name="shown_rows", db_constraint=False
    )
    report = models.TextField()
    period = models.TextField()
    keys = models.JSONField()
    figures = models.JSONField()

    class Meta:
        db_table = "rollcall_report_run_row"
        managed = False
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.report} {self.period}: {self.keys}"
