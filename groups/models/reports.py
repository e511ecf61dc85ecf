"""What the pipeline found."""

from django.db import models


class ReportRun(models.Model):
    """One run of the pipeline: which part of the journal it read, and how it ended."""

    class State(models.TextChoices):
        """``running`` until it ended one way or the other."""

        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"

    id = models.BigAutoField(primary_key=True)
    kind = models.TextField(default="rebalances")
    state = models.TextField(choices=State.choices, default=State.RUNNING)
    requested_by = models.TextField(blank=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    last_journal_id = models.BigIntegerField(null=True)
    events = models.BigIntegerField(null=True)
    detail = models.TextField(blank=True)

    class Meta:
        db_table = "rollcall_report_run"
        indexes = [models.Index(fields=["kind", "-id"], name="report_run_newest")]

    def __str__(self) -> str:
        return f"{self.kind} #{self.pk}"


class RebalanceCost(models.Model):
    """A row of the report: what the rebalances of one group by one trigger cost."""

    run = models.ForeignKey(ReportRun, on_delete=models.CASCADE, related_name="costs")
    group_id = models.TextField(db_collation="C")
    trigger = models.TextField()
    rebalances = models.BigIntegerField()
    duration_ms = models.BigIntegerField(help_text="Of all of them together.")
    longest_ms = models.BigIntegerField()
    waited_ms = models.BigIntegerField(help_text="For the slowest member of each, summed.")
    slowest_member = models.TextField(null=True, help_text="Who was waited for longest at once.")
    partitions_moved = models.BigIntegerField()
    without_owner_ms = models.BigIntegerField(
        help_text="At most: known, or from each start until partitions were given out; summed."
    )
    without_owner_known_ms = models.BigIntegerField(
        default=0, db_default=0, help_text="What the journal has measured of it."
    )
    unknown_rebalances = models.BigIntegerField(
        default=0, db_default=0, help_text="Those of which the journal has measured nothing."
    )

    class Meta:
        db_table = "rollcall_rebalance_cost"
        constraints = [
            models.UniqueConstraint(
                fields=["run", "group_id", "trigger"], name="rebalance_cost_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.group_id}: {self.trigger}"
