"""Acknowledgements of what needs attention."""

from django.db import models


class Acknowledgement(models.Model):
    """An acknowledged finding of a rule: by whom, and with which note.

    It ends with the situation (``groups.sweeps.ends``), at its own end, or when a user withdraws
    it; then the row is deleted, and the audit has it.
    """

    id = models.BigAutoField(primary_key=True)
    rule = models.TextField(help_text="Its name, as in docs/operating.md.")
    subject = models.TextField(
        db_collation="C",
        blank=True,
        help_text="The group, node, operation or task for which it fires; empty: the fleet.",
    )
    note = models.TextField(help_text="What is being done about it.")
    actor = models.TextField()
    at = models.DateTimeField(auto_now_add=True)
    until = models.DateTimeField(
        null=True, blank=True, help_text="Empty: it ends with the situation."
    )

    class Meta:
        db_table = "rollcall_acknowledgement"
        constraints = [
            models.UniqueConstraint(fields=["rule", "subject"], name="acknowledged_once")
        ]

    def __str__(self) -> str:
        return f"{self.rule} {self.subject}".rstrip()
