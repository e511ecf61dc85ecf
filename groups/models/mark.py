"""Marks: what people did at a time, for everyone who looks at that time later."""

from django.db import models


class Mark(models.Model):
    """Something that happened outside, a deploy for instance. Withdrawn by deletion; the audit has
    it."""

    id = models.BigAutoField(primary_key=True)
    at = models.DateTimeField(help_text="When it was.")
    text = models.TextField(help_text="What was done, such as \u201corders 1.7.0\u201d.")
    group_id = models.TextField(
        db_collation="C", blank=True, help_text="The group; empty: the whole installation."
    )
    actor = models.TextField()
    noted_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "rollcall_mark"
        indexes = [models.Index(fields=["group_id", "at"], name="mark_of_group")]

    def __str__(self) -> str:
        return self.text
