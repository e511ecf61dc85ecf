"""What tenants want done, and when."""

from zlib import crc32

from django.db import models

BUCKETS = 4
"""The partitions of the topic ``tenants``. Raise it while no worker runs: tenants change
buckets."""


def bucket_of(tenant: str) -> int:
    """The partition that a tenant belongs to."""
    return crc32(tenant.encode()) % BUCKETS


class Schedule(models.Model):
    """One thing that a tenant wants done every so often. ``fence`` is the token of who did it
    last."""

    tenant = models.CharField(max_length=100)
    bucket = models.IntegerField(editable=False, db_index=True)
    every_s = models.FloatField()
    due_at = models.DateTimeField()
    runs = models.IntegerField(default=0)
    fence = models.IntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.tenant}, every {self.every_s} s"

    def save(self, *args, **kwargs):
        """A tenant's bucket follows from its name."""
        self.bucket = bucket_of(self.tenant)
        super().save(*args, **kwargs)
