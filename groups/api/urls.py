"""The paths under ``/api/v1``. Ids (``paths.Id``) are greedy, so longer tails come first."""

from django.urls import path, re_path

from groups.api import access, attention, document, fleet, groups, reads, verbs
from groups.api.events.view import JournalEvents
from groups.api.problems import nobody_named, nothing_here

urlpatterns = [
    path("schema", document.Document.as_view(), name="schema"),
    path("docs", document.Page.as_view(url_name="schema"), name="docs"),
    path("me", fleet.Me.as_view()),
    path("groups", groups.Groups.as_view()),
    path("groups/<id:group_id>/rebalances/<int:generation>", reads.OneRebalance.as_view()),
    path("groups/<id:group_id>/offsets/history", reads.OffsetHistory.as_view()),
    path("groups/<id:group_id>/assignment", reads.Assignment.as_view()),
    path("groups/<id:group_id>/waiting", reads.Waiting.as_view()),
    path("groups/<id:group_id>/rebalances", verbs.Rebalances.as_view()),
    path("groups/<id:group_id>/offsets/restores", verbs.Restores.as_view()),
    path("groups/<id:group_id>/offsets/resets", verbs.Resets.as_view()),
    path("groups/<id:group_id>/offsets", groups.Offsets.as_view()),
    path("groups/<id:group_id>/config", groups.Config.as_view()),
    path("groups/<id:group_id>/members", groups.Members.as_view()),
    path("groups/<id:group_id>/journal", groups.Journal.as_view()),
    path("groups/<id:group_id>/members/<id:member_id>/pause", verbs.MemberPause.as_view()),
    path("groups/<id:group_id>/members/<id:member_id>/resume", verbs.MemberResume.as_view()),
    path("groups/<id:group_id>/freeze", verbs.Freeze.as_view()),
    path("groups/<id:group_id>/thaw", verbs.Thaw.as_view()),
    path("groups/<id:group_id>/pause", verbs.GroupPause.as_view()),
    path("groups/<id:group_id>/resume", verbs.GroupResume.as_view()),
    path("groups/<id:group_id>/members/<id:member_id>", verbs.OneMember.as_view()),
    path("groups/<id:group_id>", verbs.OneGroup.as_view(), name="group"),
    path("operations", verbs.Operations.as_view()),
    path("operations/<int:operation_id>", verbs.OneOperation.as_view(), name="operation"),
    path("topics", fleet.Topics.as_view()),
    path("topics/<id:name>/journal", fleet.TopicJournal.as_view()),
    path("topics/<id:name>/partitions", fleet.TopicPartitions.as_view()),
    path("topics/<id:name>/racks", fleet.TopicRacks.as_view()),
    path("topics/<id:name>", fleet.OneTopic.as_view(), name="topic"),
    path("journal/events", JournalEvents.as_view()),
    path("journal", fleet.FleetJournal.as_view()),
    path("attention", attention.Attention.as_view()),
    path("attention/acknowledgements", attention.Acknowledgements.as_view()),
    path(
        "attention/acknowledgements/<int:acknowledgement_id>",
        attention.OneAcknowledgement.as_view(),
    ),
    path("audit", reads.Audit.as_view()),
    path("rules", reads.Rules.as_view()),
    path("slots", reads.Slots.as_view()),
    path("nodes", fleet.Nodes.as_view()),
    path("acls", access.Acls.as_view()),
    path("users", access.Users.as_view()),
    path("users/<id:user>", access.OneUser.as_view()),
    path("reports/rebalances", fleet.RebalanceReport.as_view()),
    re_path("^group(/.*)?$", nobody_named),
    re_path("", nothing_here),
]
