"""Endpoints of webhooks, their secrets, and the deliveries."""

import uuid

from django.db import models


class Webhook(models.Model):
    """An endpoint. Its secrets are in another table: the web, which shows this one, cannot read
    them."""

    id = models.BigAutoField(primary_key=True)
    name = models.CharField(max_length=100, unique=True, help_text="The receiver.")
    url = models.CharField("URL", max_length=2_000, help_text="https://..., public or allowed.")
    events = models.JSONField(
        default=list, blank=True, help_text="The events that it receives; none selected: all."
    )
    group_prefix = models.CharField(
        max_length=255,
        blank=True,
        default="",
        help_text="Only events of groups whose id has this prefix; empty: all events.",
    )
    enabled = models.BooleanField(default=True, help_text="Whether events are sent.")
    disabled_because = models.TextField(blank=True, default="", editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    failures = models.IntegerField(default=0, editable=False, help_text="Consecutive failures.")
    failing_since = models.DateTimeField(null=True, editable=False)
    not_before = models.DateTimeField(null=True, editable=False)
    delivered_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        db_table = "rollcall_webhook"
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class WebhookSecret(models.Model):
    """The signing secrets: the newest, and for a day the previous one. Written by the web, read by
    workers."""

    id = models.BigAutoField(primary_key=True)
    webhook = models.ForeignKey(
        Webhook, models.DO_NOTHING, db_constraint=False, related_name="+", db_index=True
    )
    secret = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "rollcall_webhook_secret"
        default_permissions = ()

    def __str__(self) -> str:
        return f"of {self.webhook_id}"


class WebhookDelivery(models.Model):
    """One event for one endpoint. ``next_at``: the next attempt; during an attempt, when another
    worker may try."""

    class State(models.TextChoices):
        """The state of a delivery."""

        PENDING = "pending"
        DELIVERED = "delivered"
        FAILED = "failed"

    id = models.BigAutoField(primary_key=True)
    webhook = models.ForeignKey(
        Webhook, models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    message_id = models.UUIDField(default=uuid.uuid4, help_text="The same in each attempt.")
    key = models.TextField(help_text="Of the event; an endpoint is told once.")
    type = models.TextField()
    body = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)
    state = models.TextField(choices=State.choices, default=State.PENDING)
    attempts = models.IntegerField(default=0)
    next_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    status = models.IntegerField(null=True, help_text="Of the last response.")
    error = models.TextField(blank=True, default="")
    answer = models.TextField(
        blank=True, default="", help_text="The beginning of the last response."
    )
    took_ms = models.IntegerField(null=True)

    class Meta:
        db_table = "rollcall_webhook_delivery"
        verbose_name_plural = "webhook deliveries"
        default_permissions = ("view",)
        constraints = [models.UniqueConstraint(fields=["webhook", "key"], name="delivery_once")]
        indexes = [
            models.Index(fields=["webhook", "-id"], name="delivery_of_webhook"),
            models.Index(
                fields=["webhook", "next_at", "id"],
                name="delivery_due",
                condition=models.Q(state="pending"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.message_id}"


class WebhookCursor(models.Model):
    """The position up to which events were found: one row, while there are endpoints."""

    name = models.TextField(primary_key=True)
    state = models.JSONField()

    class Meta:
        db_table = "rollcall_webhook_cursor"
        default_permissions = ()

    def __str__(self) -> str:
        return self.name
