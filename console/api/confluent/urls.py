"""The nine paths under ``/kafka/v3``. Ids are greedy, so longer tails come first."""

from typing import Final

from django.urls import path, re_path

from console.api.confluent import views
from console.api.confluent.errors import nothing_here

ALL: Final = "clusters/<id:cluster_id>/consumer-groups"
ONE: Final = f"{ALL}/<id:group_id>"
CONSUMER: Final = f"{ONE}/consumers/<id:consumer_id>"
PARTITION: Final = "<id:topic>/partitions/<int:partition>"

urlpatterns = [
    path(f"{CONSUMER}/assignments/{PARTITION}", views.OneAssignment.as_view()),
    path(f"{CONSUMER}/assignments", views.Assignments.as_view()),
    path(f"{ONE}/lags/{PARTITION}", views.OneLag.as_view()),
    path(f"{ONE}/lags", views.Lags.as_view()),
    path(f"{ONE}/lag-summary", views.LagSummary.as_view()),
    path(CONSUMER, views.OneConsumer.as_view()),
    path(f"{ONE}/consumers", views.Consumers.as_view()),
    path(ONE, views.OneGroup.as_view()),
    path(ALL, views.Groups.as_view()),
    re_path("", nothing_here),
]
