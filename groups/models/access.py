"""Who may do what: tokens, credentials, ACLs, and the audit."""

from typing import Final

from django.conf import settings
from django.db import models

SCOPES = ("read", "operate", "offsets", "catalogue", "admin")
"""What tokens of earlier versions may do; ``groups.access.rights`` says what each means."""


class ApiToken(models.Model):
    """A bearer token of REST. Only its digest is kept; the token itself is shown once."""

    name = models.CharField(max_length=100, unique=True, help_text="The client that uses it.")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="+",
        help_text="The token may do what this user may do.",
    )
    prefix = models.CharField(max_length=16, editable=False, help_text="Its first characters.")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(
        null=True, help_text="Empty only in tokens of earlier versions: never."
    )
    scopes = models.JSONField(
        default=list,
        db_default=[*SCOPES],
        help_text="The scopes: which of its user's rights it has.",
    )
    made_by = models.TextField(
        blank=True, default="", db_default="", editable=False, help_text="The user who created it."
    )
    session_hash = models.CharField(
        max_length=128,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text="A digest of the user's password if the token ends with it; otherwise empty.",
    )
    used_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        db_table = "rollcall_api_token"
        verbose_name = "API token"

    def __str__(self) -> str:
        return self.name


class FirstPassword(models.Model):
    """Whose password was made up by the installation, and told in a log or a file: until it is
    another one, they do nothing but change it (``groups.access.first_password``)."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+"
    )
    digest = models.CharField(max_length=64, help_text="A digest of the stored password hash.")

    class Meta:
        db_table = "rollcall_first_password"

    def __str__(self) -> str:
        return f"of {self.user}"


class OpenIdUser(models.Model):
    """Who a user is for the OpenID provider, which says who they are and what roles they have
    (``groups.access.people``)."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+"
    )
    issuer = models.TextField(db_collation="C", help_text="The provider's iss.")
    subject = models.TextField(db_collation="C", help_text="The user's sub there.")

    class Meta:
        db_table = "rollcall_openid_user"
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="openid_user_once")
        ]

    def __str__(self) -> str:
        return f"{self.user} of {self.issuer}"


class ScramCredential(models.Model):
    """A user of the Kafka port: what verifies the password for one SASL mechanism, and does not
    tell it. Nodes and manage.py read and write it, nobody else."""

    pk = models.CompositePrimaryKey("name", "mechanism")
    name = models.TextField(db_collation="C")
    mechanism = models.TextField(db_collation="C", help_text="SCRAM-SHA-256 or SCRAM-SHA-512.")
    salt = models.BinaryField()
    iterations = models.IntegerField()
    stored_key = models.BinaryField()
    server_key = models.BinaryField()
    updated_at = models.DateTimeField()

    class Meta:
        db_table = "rollcall_credential"

    def __str__(self) -> str:
        return f"{self.name} ({self.mechanism})"


class KafkaUser(models.Model):
    """A user of the Kafka port as people may see it: a view of the credentials, without what
    verifies a password."""

    name = models.TextField(primary_key=True, db_collation="C", help_text="The principal's name.")
    mechanisms = models.JSONField(help_text="Hash iterations, by mechanism.")
    updated_at = models.DateTimeField(help_text="When its newest password was set.")

    class Meta:
        db_table = "rollcall_user"
        managed = False
        verbose_name = "user of the Kafka port"
        verbose_name_plural = "users of the Kafka port"

    def __str__(self) -> str:
        return self.name


class Acl(models.Model):
    """One access rule of the Kafka port, in Kafka's words (``groups.core.acls.bindings``). Made and
    deleted, never changed."""

    id = models.BigAutoField(primary_key=True)
    resource_type = models.TextField(help_text="TOPIC, GROUP, CLUSTER, TRANSACTIONAL_ID or USER.")
    name = models.TextField(db_collation="C", help_text="The resource's name; * means every one.")
    pattern = models.TextField(help_text="LITERAL or PREFIXED.")
    principal = models.TextField(db_collation="C", help_text="For example User:ann, or User:*.")
    host = models.TextField(db_collation="C", help_text="An address, or *.")
    operation = models.TextField(help_text="For example READ, or ALL.")
    permission = models.TextField(help_text="ALLOW or DENY; DENY wins.")
    created_at = models.DateTimeField()

    class Meta:
        db_table = "rollcall_acl"
        verbose_name = "ACL"
        constraints = [
            models.UniqueConstraint(
                fields=[
                    "name",
                    "principal",
                    "resource_type",
                    "pattern",
                    "host",
                    "operation",
                    "permission",
                ],
                name="acl_once",
            ),
        ]

    def __str__(self) -> str:
        what = f"{self.operation} on {self.resource_type} {self.name} ({self.pattern})"
        return f"{self.permission} {self.principal} from {self.host}: {what}"


class ClientQuota(models.Model):
    """One quota of a user, a client id, both together, or an address, in Kafka's words
    (``groups.core.quotas``)."""

    pk = models.CompositePrimaryKey("entity_type", "user_name", "client_id", "ip", "key")
    entity_type = models.TextField(
        help_text="What it is given to: client-id, ip, user, or client-id user."
    )
    user_name = models.TextField(
        db_collation="C", help_text="Empty: every user that has none, or there is no such part."
    )
    client_id = models.TextField(db_collation="C", help_text="The same of client ids.")
    ip = models.TextField(db_collation="C", help_text="The same of addresses.")
    key = models.TextField(help_text="For example request_percentage.")
    value = models.FloatField()
    updated_at = models.DateTimeField()

    class Meta:
        db_table = "rollcall_quota"

    def __str__(self) -> str:
        return f"{self.key} of {self.entity_type} {self.user_name} {self.client_id}{self.ip}"


class QuotaEntity(models.Model):
    """A user, a client id, both together, or an address, with its quotas: a view of the quotas, a
    row for each entity, as REST and the admin show them. Its permissions are those of quotas."""

    id = models.TextField(primary_key=True, db_collation="C", help_text="A digest of its parts.")
    entity_type = models.TextField(help_text="client-id, ip, user, or client-id user.")
    user_name = models.TextField(db_collation="C", help_text="Empty: the default, or no user.")
    client_id = models.TextField(db_collation="C", help_text="The same of client ids.")
    ip = models.TextField(db_collation="C", help_text="The same of addresses.")
    quotas = models.JSONField(help_text="Values by key; an infinite one is a text.")
    updated_at = models.DateTimeField(help_text="When the newest of them was set.")

    class Meta:
        db_table = "rollcall_quota_entity"
        managed = False
        default_permissions = ()
        verbose_name = "client quota"

    def __str__(self) -> str:
        names = {"user": self.user_name, "client-id": self.client_id, "ip": self.ip}
        parts = self.entity_type.split(" ")
        return ", ".join(f"{kind} {names.get(kind) or '(default)'}" for kind in parts)


class AuditEntry(models.Model):
    """Who logged in, or failed to, and who changed what: written by triggers of the database and by
    ``groups.access.audit``, and never changed. ``at`` and ``login`` are PostgreSQL's own word."""

    id = models.BigAutoField(primary_key=True)
    at = models.DateTimeField(auto_now_add=True)
    login = models.TextField(default="", help_text="The database login that wrote it.")
    kind = models.TextField()
    who = models.TextField(db_collation="C", help_text="A user, or a Kafka principal.")
    address = models.TextField(blank=True, default="")
    client_id = models.TextField(blank=True, default="")
    request_id = models.TextField(
        blank=True, default="", help_text="X-Request-ID of the HTTP request."
    )
    target = models.TextField(blank=True, default="", help_text="The object of the action.")
    outcome = models.TextField(blank=True, default="")
    details = models.JSONField(default=dict)

    SHOWN: Final = (
        *("id", "at", "kind", "who", "address", "client_id", "request_id"),
        *("target", "outcome", "login", "details"),
    )
    """Fields in the order in which the admin, CSV and REST show them."""

    class Meta:
        db_table = "rollcall_audit"
        verbose_name_plural = "audit"
        indexes = [
            models.Index(fields=["at"], name="audit_by_time"),
            models.Index(fields=["who", "-id"], name="audit_by_who"),
            models.Index(fields=["kind", "-id"], name="audit_by_kind"),
            models.Index(fields=["outcome", "-id"], name="audit_by_outcome"),
        ]

    def __str__(self) -> str:
        return f"{self.who}: {self.kind}"
