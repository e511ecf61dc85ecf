"""Groups in the admin: the list, and a page that tells how a group stands and why.

Nothing is saved here. What may be asked of a group is in ``groups.admin.verbs``.
"""

from typing import Any, Final

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.html import format_html
from unfold.decorators import display
from unfold.views import ChangeList

from groups.access import rights
from groups.admin import freezes, group_tabs, journal_page, pauses, resets, standing, verbs
from groups.admin.base import RollcallAdmin
from groups.admin.standing import READING
from groups.known_answers import unless_known
from groups.models import Group, Journal
from groups.queries import groups, situation
from groups.queries.acknowledgements import ABOUT_GROUPS, known
from groups.queries.journal_text import cause

NUL: Final = "\0"
"""The one character that no id has: PostgreSQL's texts cannot hold it."""

TONES: Final = {
    "Stable": "success",
    "Empty": "info",
    "PreparingRebalance": "warning",
    "CompletingRebalance": "warning",
    "Assigning": "warning",
    "Reconciling": "warning",
}


class StateFilter(admin.SimpleListFilter):
    """Groups in one state."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Kafka's words."""
        return [(state, state) for state in groups.STATES]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Those in it."""
        return queryset.filter(state=self.value()) if self.value() in groups.STATES else queryset


class TypeFilter(admin.SimpleListFilter):
    """Groups of one protocol."""

    title = "type"
    parameter_name = "type"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Kafka's words."""
        return [(kind, kind) for kind in groups.KINDS]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Those of it."""
        return queryset.filter(kind=self.value()) if self.value() in groups.KINDS else queryset


class WithLastRebalances(ChangeList):  # type: ignore[misc]  # unfold has no types
    """The page's groups with what a row shows beside its own columns.

    Looked up when the page's rows are known: PostgreSQL would count the members of every group
    that an OFFSET skips.
    """

    result_list: Any

    def get_results(self, request: HttpRequest) -> None:
        """The rows as ever, each with its members' number, ``newest``, its last rebalance, and
        ``situation``, what is going on."""
        super().get_results(request)
        ids = [group.group_id for group in self.result_list]
        found = list(groups.annotated(Group.objects.filter(group_id__in=ids)))
        newest, situations = groups.with_rebalances(found), situation.of_many(found)
        noted = {one.subject: one for one in known(ids).values() if one.rule in ABOUT_GROUPS}
        for group in found:
            group.newest = newest.get(group.group_id)
            group.situation = situations[group.group_id]
            group.acknowledged = noted.get(group.group_id)
        self.result_list = sorted(found, key=lambda group: ids.index(group.group_id))


@admin.register(Group)
class GroupAdmin(RollcallAdmin):
    """Groups are shown, and never saved."""

    list_display = (
        "group_id",
        "type",
        "state_shown",
        "now",
        "number",
        "members",
        "last",
        "why",
        "updated",
    )
    list_display_links = ("group_id",)
    list_filter = (StateFilter, TypeFilter)
    search_fields = ("group_id",)
    search_help_text = "Part of a group id"
    ordering = ("group_id",)
    actions = ("force_rebalances", "stop_work", "start_work")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """Ours."""
        return WithLastRebalances

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The list."""
        answer: HttpResponse = super().changelist_view(
            request, {"title": "Groups", **(extra_context or {})}
        )
        return answer

    @admin.action(description="Force a rebalance …")
    def force_rebalances(self, request: HttpRequest, chosen: QuerySet[Any]) -> HttpResponse:
        """One reason for all of them."""
        return verbs.ask_many(self, request, list(chosen.values_list("group_id", flat=True)))

    @admin.action(description="Stop their work …")
    def stop_work(self, request: HttpRequest, chosen: QuerySet[Any]) -> HttpResponse:
        """One reason for all of them."""
        ids = list(chosen.values_list("group_id", flat=True))
        return pauses.ask_many(self, request, ids, pauses.STOP)

    @admin.action(description="Start their work …")
    def start_work(self, request: HttpRequest, chosen: QuerySet[Any]) -> HttpResponse:
        """One reason for all of them."""
        ids = list(chosen.values_list("group_id", flat=True))
        return pauses.ask_many(self, request, ids, pauses.START)

    def get_urls(self) -> list[URLPattern]:
        """Beside the page of a group, its live part and what may be asked of it."""
        view = self.admin_site.admin_view
        ours = [
            ("live", self.live_view),
            ("rebalance", self.rebalance_view),
            ("evict", self.evict_view),
            ("pause", self.pause_view),
            ("reset", self.reset_view),
            ("freeze", self.freeze_view),
            ("remove", self.remove_view),
        ]
        return [
            *(
                path(f"<path:object_id>/{tail}/", view(page), name=f"groups_group_{tail}")
                for tail, page in ours
            ),
            *super().get_urls(),
        ]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The page of a group: no form, and nothing that a POST could mean."""
        if request.method not in READING:
            return HttpResponseNotAllowed(READING)
        context = {
            **self.admin_site.each_context(request),
            "title": unquote(object_id),
            "may_rebalance": rights.may(request.user, rights.REBALANCE),
            "may_freeze": rights.may(request.user, rights.FREEZE),
            "may_delete": rights.may(request.user, rights.DELETE),
            **self.shown(request, object_id),
        }
        return render(request, "admin/groups/group/page.html", context)

    def live_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The part of the page that changes."""
        if request.method not in READING:
            return HttpResponseNotAllowed(READING)
        context = self.shown(request, object_id)
        return unless_known(request, render(request, "admin/groups/group/live.html", context))

    def rebalance_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """What a forced rebalance would do, and the form that asks for it."""
        return verbs.rebalance(self, request, self.seen(request, object_id))

    def evict_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """What an eviction would do, and the form that asks for it."""
        return verbs.evict(self, request, self.seen(request, object_id))

    def pause_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """What stopping or starting would do, and the form that asks for it."""
        return pauses.pause(self, request, self.seen(request, object_id))

    def reset_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """What a reset of offsets would do, and the form that asks for it."""
        return resets.reset(self, request, self.seen(request, object_id))

    def freeze_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """What a freeze or a thaw would do, and the form that asks for it."""
        group = self.found(object_id) or standing.only_frozen(unquote(object_id))
        return freezes.freeze(self, request, group or self.seen(request, object_id))

    def remove_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """What is deleted with the group, and the form that asks for it."""
        return freezes.remove(self, request, self.seen(request, object_id))

    def shown(self, request: HttpRequest, object_id: str) -> dict[str, Any]:
        """What the page of a group shows; of one that was deleted, its tombstone and journal."""
        group = self.found(object_id)
        if group is not None:
            seen = standing.look(group)
            return {**standing.head(seen, request), **group_tabs.of(seen, request)}
        group_id = unquote(object_id)
        freeze = groups.freeze_of(group_id)
        entries = [] if NUL in group_id else journal_page.read(group_id, request)
        if not entries and freeze is None:
            raise Http404(f"There is no group {group_id}.")
        journal = journal_page.page(group_id, entries, request)
        return {**standing.buried(group_id, freeze), **journal}

    def found(self, object_id: str) -> Group | None:
        """The group of a URL, if there is one."""
        group_id = unquote(object_id)
        found = Group.objects.none() if NUL in group_id else Group.objects.filter(pk=group_id)
        group: Group | None = groups.with_owners(groups.with_freezes(found)).first()
        return group

    def seen(self, request: HttpRequest, object_id: str) -> Group:
        """The group of a URL. Raises 404."""
        group_id, group = unquote(object_id), self.found(object_id)
        if group is None:
            raise Http404(f"There is no group {group_id}.")
        return group

    @admin.display(description="Type", ordering="kind")
    def type(self, group: Group) -> str:
        """Which protocol."""
        return group.kind

    @display(description="State", ordering="state", label=TONES)  # type: ignore[untyped-decorator]
    def state_shown(self, group: Group) -> str:
        """Kafka's word."""
        return group.state

    @admin.display(description="Now")
    def now(self, group: Any) -> str:
        """What is going on, in a sentence."""
        told, noted = group.situation, group.acknowledged
        by = f" Acknowledged by {noted.actor}: {noted.note}" if noted else ""
        return format_html('<span class="rc-doing rc-{}">{}{}</span>', told.tone, told.text, by)

    @admin.display(description="Generation or epoch", ordering="generation")
    def number(self, group: Group) -> int:
        """The group epoch if the type is consumer."""
        return group.generation

    @admin.display(description="Members")
    def members(self, group: Any) -> int:
        """How many."""
        return int(group.member_count)

    @admin.display(description="Last rebalance")
    def last(self, group: Any) -> str:
        """How long ago."""
        return standing.ago(group.last_rebalance_at, timezone.now())

    @admin.display(description="Because")
    def why(self, group: Any) -> str:
        """In plain words."""
        newest: Journal | None = group.newest
        return "" if newest is None else cause(newest)

    @admin.display(description="Updated", ordering="updated_at")
    def updated(self, group: Group) -> str:
        """How long ago something durable changed."""
        return standing.ago(group.updated_at, timezone.now())
