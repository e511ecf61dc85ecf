"""The pipeline's results."""

from django.db import models


class ReportRun(models.Model):
    """One run of the pipeline: the part of the journal that it read, and its result."""

    class State(models.TextChoices):
        """``running`` until it ended, successfully or not."""

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
    """A row of the report: the cost of one group's rebalances by one trigger."""

    run = models.ForeignKey(ReportRun, on_delete=models.CASCADE, related_name="costs")
    group_id = models.TextField(db_collation="C")
    trigger = models.TextField()
    rebalances = models.BigIntegerField()
    duration_ms = models.BigIntegerField(help_text="The total of all rebalances.")
    longest_ms = models.BigIntegerField()
    waited_ms = models.BigIntegerField(
        help_text="The wait for the slowest member of each rebalance, summed."
    )
    slowest_member = models.TextField(
        null=True, help_text="The member with the longest single wait."
    )
    partitions_moved = models.BigIntegerField()
    without_owner_ms = models.BigIntegerField(
        help_text="An upper bound: the known time, or the time from each start to the assignment;"
        " summed."
    )
    without_owner_known_ms = models.BigIntegerField(
        default=0, db_default=0, help_text="The part that the journal has measured."
    )
    unknown_rebalances = models.BigIntegerField(
        default=0, db_default=0, help_text="Rebalances without a measurement in the journal."
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
