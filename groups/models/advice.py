"""What people have decided about the pipeline's advice."""

from django.db import models


class AdviceDecision(models.Model):
    """A decision about one advice; it holds for those of later runs, too, which have the same
    group, rule and subject. Withdrawn by deletion; the audit has it."""

    class Verdict(models.TextChoices):
        """``accepted``: it is done, and stays in sight; ``muted``: it is not shown until an end."""

        ACCEPTED = "accepted"
        MUTED = "muted"

    id = models.BigAutoField(primary_key=True)
    group_id = models.TextField(db_collation="C")
    rule = models.TextField(help_text="Its name, as in docs/pipeline.md, *Advice*.")
    subject = models.TextField(
        db_collation="C", help_text="The client, host or group that it is about."
    )
    verdict = models.TextField(choices=Verdict.choices)
    reason = models.TextField(help_text="Why; everyone sees this.")
    actor = models.TextField()
    at = models.DateTimeField()
    until = models.DateTimeField(
        null=True, blank=True, help_text="Of a muted one; empty: until it is withdrawn."
    )

    class Meta:
        db_table = "rollcall_advice_decision"
        constraints = [
            models.UniqueConstraint(
                fields=["group_id", "rule", "subject"], name="advice_decided_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.rule} of {self.subject}"
