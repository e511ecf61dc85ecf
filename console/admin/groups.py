"""Groups in the admin: the list, and a page with a group's state and its reasons.

Nothing is saved here. ``console.admin.verbs`` has the verbs.
"""

from typing import Any, Final

from django.contrib import admin
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.html import format_html, format_html_join

from console.admin import (
    comparison,
    configuring,
    freezes,
    group_list,
    group_tabs,
    journal_page,
    many,
    past_page,
    pauses,
    resets,
    standing,
    timeline_tab,
    verbs,
)
from console.admin.base import NUL, RollcallAdmin, is_refused
from console.admin.links import unquote
from console.admin.sent_forms import Page, keyed
from console.admin.standing import READING
from console.known_answers import small
from console.people import rights
from console.queries import day_strips, facts, group_rows, group_search, groups, tones
from console.queries.journal_text import cause
from groups.core.operations import OPERATIONS, Name
from groups.models import Group, Journal

LIVE_LIST: Final = "admin/groups/group/list_live.html"


@admin.register(Group)
class GroupAdmin(RollcallAdmin):
    """Groups are shown, and never saved."""

    list_empty = (
        "There is no group yet. One appears as soon as a client with a group id joins; offsets that"
        " are committed without members make one, too."
    )
    list_display = (
        "group_id",
        "state_shown",
        "now",
        "size",
        "topics",
        "partitions",
        "unowned",
        "often",
        "last",
    )
    list_display_links = ("group_id",)
    list_filter = group_list.FILTERS
    search_fields = ("group_id",)
    search_help_text = "Group, member, client, host or topic"
    change_list_template = "admin/groups/group/list.html"
    ordering = ("group_id",)
    actions = tuple(many.BULKS)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[group_list.GroupList]:
        """Our list."""
        return group_list.GroupList

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The list."""
        names = group_list.columns(self, request)
        request.GET = group_list.numbered(request.GET, names)  # type: ignore[assignment]
        views = group_list.views(request, names)
        context = {"title": "Groups", **views, **(extra_context or {})}
        answer: HttpResponse = super().changelist_view(request, context)
        if not group_list.is_refresh(request) or not hasattr(answer, "render"):
            return answer
        setattr(answer, "template_name", LIVE_LIST)  # noqa: B010  (of a TemplateResponse)
        return small(request, answer.render())

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Groups that match every word."""
        found, _ = super().get_search_results(request, queryset, "")
        if is_refused(request, search_term):
            return found.none(), False
        return group_search.matching(found, search_term.split()), False

    @admin.action(description="Force a rebalance …")
    def force_rebalances(self, request: HttpRequest, chosen: QuerySet[Any]) -> HttpResponse:
        """With one reason for all."""
        return self.many(request, chosen, "force_rebalances")

    @admin.action(description="Stop their work …")
    def stop_work(self, request: HttpRequest, chosen: QuerySet[Any]) -> HttpResponse:
        """With one reason for all."""
        return self.many(request, chosen, "stop_work")

    @admin.action(description="Start their work …")
    def start_work(self, request: HttpRequest, chosen: QuerySet[Any]) -> HttpResponse:
        """With one reason for all."""
        return self.many(request, chosen, "start_work")

    @admin.action(description="Freeze them …")
    def freeze_groups(self, request: HttpRequest, chosen: QuerySet[Any]) -> HttpResponse:
        """With one reason for all."""
        return self.many(request, chosen, "freeze_groups")

    @admin.action(description="Thaw them …")
    def thaw_groups(self, request: HttpRequest, chosen: QuerySet[Any]) -> HttpResponse:
        """With one reason for all."""
        return self.many(request, chosen, "thaw_groups")

    def many(self, request: HttpRequest, chosen: QuerySet[Any], action: str) -> HttpResponse:
        """The form for many groups."""
        ids = list(chosen.values_list("group_id", flat=True))
        return many.page(self, request, ids, many.BULKS[action])

    def get_urls(self) -> list[URLPattern]:
        """URLs besides the group's page: its live part, and its verbs."""
        view = self.admin_site.admin_view
        shown = [
            ("live", self.live_view),
            ("timeline", self.timeline_view),
            ("picture", self.picture_view),
        ]
        ours = [
            ("rebalance", self.rebalance_view),
            *((name, self.member_view(name)) for name, row in OPERATIONS.items() if row.button),
            ("pause", self.pause_view),
            ("reset", self.reset_view),
            ("freeze", self.freeze_view),
            ("configure", self.configure_view),
            ("remove", self.remove_view),
        ]
        pages = [*shown, *((tail, keyed(page)) for tail, page in ours)]
        return [
            *(
                path(f"<path:object_id>/{tail}/", view(page), name=f"groups_group_{tail}")
                for tail, page in pages
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
        """The page of a group: not a form; POST does nothing."""
        if request.method not in READING:
            return HttpResponseNotAllowed(READING)
        context = {
            **self.admin_site.each_context(request),
            "title": unquote(object_id) or self.get_empty_value_display(),
            **self.context(request, object_id),
        }
        return render(request, "admin/groups/group/page.html", context)

    def live_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The part of the page that changes."""
        if request.method not in READING:
            return HttpResponseNotAllowed(READING)
        context = self.context(request, object_id)
        return small(request, render(request, "admin/groups/group/live.html", context))

    def timeline_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The timeline as wide as the window, also of a deleted group."""
        if request.method not in READING:
            return HttpResponseNotAllowed(READING)
        template = "admin/groups/group/timeline_page.html"
        group_id, group = self.known(object_id)
        return timeline_tab.page(self.admin_site, group_id, group, request, template)

    def picture_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The timeline as a file."""
        if request.method not in READING:
            return HttpResponseNotAllowed(READING)
        return timeline_tab.picture(*self.known(object_id), request)

    def rebalance_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Preview and form of a forced rebalance."""
        return verbs.rebalance(self, request, self.seen(request, object_id))

    def member_view(self, name: Name) -> Page:
        """Preview and form of an operation on a member."""
        return lambda request, key: verbs.of_member(self, request, self.seen(request, key), name)

    def pause_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Preview and form of stopping or starting work."""
        return pauses.pause(self, request, self.seen(request, object_id))

    def reset_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Preview and form of a reset of offsets."""
        return resets.reset(self, request, self.seen(request, object_id))

    def freeze_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Preview and form of a freeze or a thaw."""
        group = self.existing(object_id) or standing.only_frozen(unquote(object_id))
        return freezes.freeze(self, request, group or self.seen(request, object_id))

    def configure_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The form of a setting of the group."""
        return configuring.configure(self, request, self.seen(request, object_id))

    def remove_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Preview and form of the group's deletion."""
        return freezes.remove(self, request, self.seen(request, object_id))

    def context(self, request: HttpRequest, object_id: str) -> dict[str, Any]:
        """The content of a group's page; for a deleted one, its tombstone and journal."""
        at = past_page.moment_of(request)
        if at is not None:
            group_id, _ = self.known(object_id)
            return past_page.context(group_id, at, request)
        if request.GET.get("tab") == comparison.TAB:
            group_id, _ = self.known(object_id)
            return {
                **comparison.context(group_id, request),
                "tabs": group_tabs.links(comparison.TAB),
            }
        group = self.existing(object_id)
        if group is not None:
            seen = standing.look(group)
            return {
                **_rights(request),
                **standing.head(seen, request),
                **group_tabs.of(seen, request),
            }
        group_id = unquote(object_id)
        freeze = groups.freeze_of(group_id)
        entries = [] if NUL in group_id else journal_page.read(group_id, request)
        if not entries and freeze is None:
            raise Http404(f"There is no group {group_id}.")
        journal = journal_page.page(group_id, entries, request)
        return {**_rights(request), **standing.buried(group_id, freeze), **journal}

    def existing(self, object_id: str) -> Group | None:
        """The group of a URL, if it exists."""
        group_id = unquote(object_id)
        found = Group.objects.none() if NUL in group_id else Group.objects.filter(pk=group_id)
        group: Group | None = groups.with_owners(groups.with_freezes(found)).first()
        return group

    def known(self, object_id: str) -> tuple[str, Group | None]:
        """The id of a URL, of a group that is there, or was. Raises 404."""
        group_id, group = unquote(object_id), self.existing(object_id)
        if group is None and (NUL in group_id or not facts.is_known(group_id)):
            raise Http404(f"There is no group {group_id}, and was none.")
        return group_id, group

    def seen(self, request: HttpRequest, object_id: str) -> Group:
        """The group of a URL. Raises 404."""
        group_id, group = unquote(object_id), self.existing(object_id)
        if group is None:
            raise Http404(f"There is no group {group_id}.")
        return group

    @admin.display(description="State", ordering="state")
    def state_shown(self, group: Any) -> str:
        """Kafka's word, and the protocol."""
        tone = tones.STATES.get(group.state, tones.WARN)
        state = '<span class="rc-state rc-small rc-{}">{}</span> <span class="rc-foot">{}</span>{}'
        return format_html(state, tone, group.state, group.kind, _day(group.day))

    @admin.display(description="Now")
    def now(self, group: Any) -> str:
        """Its current activity, in a sentence."""
        situation, noted = group.situation, group.acknowledged
        by = f" Acknowledged by {noted.actor}: {noted.note}" if noted else ""
        evict = standing.evict_links(group, situation) if group.may_evict else ()
        link = ' <a class="rc-link" href="{}">Evict {}</a>'
        buttons = format_html_join("", link, ((url, name) for name, url in evict))
        doing = '<span class="rc-doing rc-{}">{}{}{}</span>'
        return format_html(doing, situation.tone, situation.text, by, buttons)

    @admin.display(description="Members", ordering=group_rows.BY_MEMBERS)
    def size(self, group: Any) -> str:
        """The number of members."""
        return f"{group.member_count:,}"

    @admin.display(description="Topics", empty_value="", ordering=group_rows.BY_TOPICS)
    def topics(self, group: Any) -> str | None:
        """The number of subscribed topics; empty for a group without members."""
        return None if group.work is None else f"{group.work.topics:,}"

    @admin.display(description="Partitions", empty_value="", ordering=group_rows.BY_PARTITIONS)
    def partitions(self, group: Any) -> str | None:
        """The number of their partitions."""
        return None if group.work is None else f"{group.work.partitions:,}"

    @admin.display(description="Unowned", empty_value="", ordering=group_rows.BY_UNOWNED)
    def unowned(self, group: Any) -> str | None:
        """The number of partitions without an owner."""
        if group.work is None or not group.work.unowned:
            return None if group.work is None else "0"
        return format_html('<b class="rc-nobody">{}</b>', f"{group.work.unowned:,}")

    @admin.display(description="Per hour", ordering=group_rows.BY_REBALANCES_1H)
    def often(self, group: Any) -> str:
        """In the last hour."""
        return f"{group.rebalances_1h:,}"

    @admin.display(description="Last rebalance", ordering=group_rows.BY_LAST_REBALANCE)
    def last(self, group: Any) -> str:
        """How long ago, and why."""
        newest: Journal | None = group.newest
        if newest is None:
            return ""
        ago, why = standing.ago(group.last_rebalance_at, timezone.now()), cause(newest)
        return format_html('<span class="rc-why" title="{}">{}: {}</span>', why, ago, why)


def _day(strip: day_strips.Strip) -> str:
    """The last 24 hours as a strip."""
    hours = format_html_join("", '<i class="{}"></i>', ((_fill(hour.tone),) for hour in strip))
    told = day_strips.text(strip)
    return format_html(
        '<span class="rc-strip" role="img" aria-label="{}" title="{}">{}</span>', told, told, hours
    )


def _fill(tone: str) -> str:
    return f"rc-fill-{tone}" if tone else ""


def _rights(request: HttpRequest) -> dict[str, bool]:
    """Which buttons are offered; they are in the part of the page that changes, since a group can
    be frozen, stopped or deleted meanwhile."""
    return {
        "may_rebalance": rights.may(request.user, rights.REBALANCE),
        "may_freeze": rights.may(request.user, rights.FREEZE),
        "may_delete": rights.may(request.user, rights.DELETE),
    }
