"""Thresholds of what needs attention for some groups alone, and silences."""

from django.db import models


class AttentionRule(models.Model):
    """How one rule of what needs attention (docs/operating.md) applies to a group, or to all whose
    ids begin alike: with a threshold of its own, or, without one, not at all until its end.

    Withdrawn by deletion; the audit has it. What has ended is deleted (``groups.sweeps.ends``).
    """

    id = models.BigAutoField(primary_key=True)
    rule = models.TextField(help_text="Its name, as in docs/operating.md.")
    is_prefix = models.BooleanField(
        default=False, help_text="Of all groups whose ids begin so; else of this one."
    )
    name = models.TextField(
        db_collation="C", blank=True, help_text="A group id, or its beginning; empty: every group."
    )
    threshold = models.BigIntegerField(
        null=True, blank=True, help_text="As the rule's setting has it; empty: silenced."
    )
    reason = models.TextField()
    actor = models.TextField()
    at = models.DateTimeField()
    until = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "rollcall_attention_rule"
        constraints = [
            models.UniqueConstraint(
                fields=["rule", "is_prefix", "name"],
                condition=models.Q(threshold__isnull=False),
                name="one_threshold",
            ),
            models.UniqueConstraint(
                fields=["rule", "is_prefix", "name"],
                condition=models.Q(threshold__isnull=True),
                name="one_silence",
            ),
            models.CheckConstraint(
                condition=models.Q(threshold__gt=0) | models.Q(until__isnull=False),
                name="silence_ends",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rule} of {self.whom}"

    @property
    def whom(self) -> str:
        """The groups in words."""
        if not self.is_prefix:
            return self.name
        return f"{self.name}…" if self.name else "every group"
