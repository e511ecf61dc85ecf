"""Schedules of one bucket of tenants, by one process at a time:

python -m django migrate --settings settings
python -m django rollcall_worker tenants.workers.run_due --settings settings
"""

from datetime import timedelta

from django.db.models import F
from django.utils import timezone

from rollcall.client import Work, worker
from tenants.models import Schedule

LOOK_S = 0.2


@worker("tenants")
def run_due(work: Work) -> None:
    """Run what is due, until the bucket is taken away."""
    while not work.wait_over(LOOK_S):
        now = timezone.now()
        due = Schedule.objects.filter(bucket=work.partition.partition, due_at__lte=now)
        for schedule in due.order_by("due_at")[:100]:
            if work.is_over:
                return
            run(schedule, work.token.epoch)


def run(schedule: Schedule, token: int) -> bool:
    """Do it, unless a later owner of the bucket has: its token is greater."""
    # The tenant's own work goes here, before or in the transaction of this update.
    return bool(
        Schedule.objects.filter(pk=schedule.pk, due_at=schedule.due_at, fence__lte=token).update(
            due_at=timezone.now() + timedelta(seconds=schedule.every_s),
            runs=F("runs") + 1,
            fence=token,
        )
    )
