"""Changing or resetting a setting of a group in the admin: preview, reason, change.

The change is REST's (``console.operations.configs``), with its lock and journal entry. If someone
else has changed the setting since the page was opened, nothing is changed, and the page shows the
current value.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from console.admin import configuration_tab, standing
from console.admin.base import RollcallAdmin
from console.admin.curl import REASON, WHY, cli, curl
from console.admin.verbs import Reason
from console.operations import configs
from groups.broker_configs import from_django
from groups.core.configs.entries import Change, ConfigOperation, ConfigType
from groups.core.configs.group import BY_NAME, FREEZE, Broker, GroupConfig, Values
from groups.core.errors import Refuse
from groups.models import Group

VALUE_CHARS_MAX: Final = 100
"""Enough for a number, or true or false."""

RESET: Final = "reset"
"""The name of the button that removes the group's own value."""

TEXT: Final = {"class": "rc-field rc-short"}


class Configuring(Reason):
    """A new value, and the group's own value when the page was opened ("": none)."""

    value = forms.CharField(
        required=False, max_length=VALUE_CHARS_MAX, widget=forms.TextInput(attrs=TEXT)
    )
    seen = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, config: GroupConfig, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if config.type is ConfigType.BOOLEAN:
            choices = [(word, word) for word in ("true", "false")]
            self.fields["value"].widget = forms.Select(attrs=TEXT, choices=choices)

    @property
    def is_reset(self) -> bool:
        """Whether the reset button was pressed."""
        return RESET in self.data


class _Stale(Exception):
    """Someone else has changed the setting since the page was opened."""


def configure(site: RollcallAdmin, request: HttpRequest, group: Group) -> HttpResponse:
    """The page of the setting in ``?name=``."""
    config = BY_NAME.get(request.GET.get("name", ""))
    if config is None or config.name == FREEZE:  # a freeze is an operation with its own page
        raise Http404("There is no such setting.")
    form = Configuring(config, request.POST or None, initial=_initial(group, config))
    changed = False
    if request.method == "POST" and form.is_valid():
        try:
            if _is_done(request, group, config, form):
                return redirect(f"{standing.urls(group)['page_url']}?tab=configuration")
        except _Stale:
            changed = True
    if changed:
        data = {**request.POST.dict(), "seen": _initial(group, config)["seen"]}
        form = Configuring(config, data)
        form.errors.clear()
    return render(
        request,
        "admin/groups/group/configure.html",
        _context(site, request, group, config, form) | {"changed": changed},
    )


def _initial(group: Group, config: GroupConfig) -> Mapping[str, str]:
    own = configs.own(group.group_id)
    entry = config.entry(own, from_django())
    return {"value": entry.value or "", "seen": own.get(config.name, "")}


def _is_done(request: HttpRequest, group: Group, config: GroupConfig, form: Configuring) -> bool:
    """Change it; an error is shown beside the value. Raises ``_Stale``."""
    try:
        done = configs.alter(
            group.group_id,
            [_change(config, form)],
            from_django(),
            reason=form.cleaned_data["reason"],
            actor=request.user.get_username(),
            seen=partial(_compare, config.name, form.cleaned_data["seen"]),
        )
    except Refuse as refusal:
        form.add_error("value", refusal.detail or refusal.code.name)
        return False
    messages.success(request, _result(config, done))
    return True


def _change(config: GroupConfig, form: Configuring) -> Change:
    if form.is_reset:
        return Change(config.name, ConfigOperation.DELETE, None)
    return Change(config.name, ConfigOperation.SET, form.cleaned_data["value"])


def _compare(name: str, seen: str, own: Values) -> None:
    if own.get(name, "") != seen:
        raise _Stale


def _result(config: GroupConfig, done: configs.Altered) -> str:
    if not done.names:
        return f"{config.name} is so already: nothing was changed."
    after = done.after.get(config.name)
    return f"{config.name} was reset." if after is None else f"{config.name} is {after} now."


def _context(
    site: RollcallAdmin, request: HttpRequest, group: Group, config: GroupConfig, form: Configuring
) -> dict[str, Any]:
    own, broker = configs.own(group.group_id), from_django()
    is_own = config.name in own
    return {
        **site.admin_site.each_context(request),
        "title": f"{config.name} of {group.group_id}",
        "group": group,
        "form": form,
        "is_own": is_own,
        "meaning": config.documentation,
        "bounds": configuration_tab.bounds(config, broker),
        "sentences": _sentences(config, own, broker),
        "reset": RESET,
        **_commands(request, group, config, is_own),
        **standing.urls(group),
    }


def _sentences(config: GroupConfig, own: Values, broker: Broker) -> Sequence[str]:
    now, otherwise = config.entry(own, broker), config.entry({}, broker)
    source, inherited = (configuration_tab.SOURCES[each.source] for each in (now, otherwise))
    sentences = [f"Its value is {now.value}, from {source}."]
    if config.name in own:
        sentences.append(f"Reset, it is {otherwise.value}, from {inherited}.")
    return [*sentences, "A change is in force within a second. It starts no rebalance by itself."]


def _commands(
    request: HttpRequest, group: Group, config: GroupConfig, is_own: bool
) -> Mapping[str, str]:
    """The shell commands for a change and, if there is something to reset, for that."""

    def line(value: str | None) -> str:
        body = {**REASON, "changes": [{"name": config.name, "value": value}]}
        return curl(request, "PATCH", "groups/{}/config", group.group_id, body=body)

    def command(*options: str) -> str:
        return cli("group", "configure", ids=[group.group_id], options=[*options, *WHY])

    commands = {"curl": line("VALUE"), "cli": command("--set", f"{config.name}=VALUE")}
    if not is_own:
        return commands
    return {**commands, "reset_curl": line(None), "reset_cli": command("--unset", config.name)}
