"""Kafka's principal of a client certificate: its name, as ``ssl.principal.mapping.rules`` has it.

The name is the certificate's subject by RFC 2253 (``CN=a,OU=b``), as Java writes it. A rule is
``DEFAULT`` (the whole name) or ``RULE:pattern/replacement/`` with an ``L`` or ``U`` behind it for
lower or upper case; the first that matches all of the name counts.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

SHORT = {
    "commonName": "CN",
    "organizationalUnitName": "OU",
    "organizationName": "O",
    "localityName": "L",
    "stateOrProvinceName": "ST",
    "countryName": "C",
    "streetAddress": "STREET",
    "domainComponent": "DC",
    "userId": "UID",
}
"""OpenSSL's names of attributes to RFC 2253's; others keep OpenSSL's."""

NAME_BYTES_MAX = 1024
"""A longer name matches nothing: patterns come from the operator, names do not. Results that are
longer, or contain U+0000, are no principals either: the audit has principals in an index, and a
name that cannot be stored would make every change of its group fail."""

_RULE = re.compile(r"RULE:((?:\\.|[^\\/])*)/((?:\\.|[^\\/])*)/([LU]?)|(DEFAULT)")
_REFERENCE = re.compile(r"\\(.)|\$(\d)")
"""In a replacement, as Java reads it: a backslash takes the next character as it is."""

_SPECIAL = re.compile(r'([,+"\\<>;])|(^[ #])|( $)')

Subject = Sequence[Sequence[tuple[str, str]]]
"""As ``ssl`` returns it: relative names, each of pairs."""


class RuleError(ValueError):
    """The rules are invalid."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern for names, and its replacement."""

    pattern: re.Pattern[str]
    replacement: str
    case: Callable[[str], str]

    def apply(self, name: str) -> str | None:
        """The principal's name; None if the rule does not match."""
        match = self.pattern.fullmatch(name)
        return None if match is None else self.case(match.expand(self.replacement))


DEFAULT = Rule(re.compile(r"(?s)(.*)"), r"\1", str)
CASES: dict[str, Callable[[str], str]] = {"": str, "L": str.lower, "U": str.upper}


def read(text: str) -> tuple[Rule, ...]:
    """The rules of a comma-separated list; ``RuleError`` if one is invalid."""
    rules, at = [], 0
    text = text.strip()
    while at < len(text):
        match = _RULE.match(text, at)
        if match is None:
            raise RuleError(f"ssl.principal.mapping.rules is invalid from {text[at:]!r} on")
        rules.append(DEFAULT if match[4] else _rule(match))
        at = match.end()
        while at < len(text) and text[at] in ", ":
            at += 1
    return tuple(rules) or (DEFAULT,)


def _rule(match: re.Match[str]) -> Rule:
    replacement = _REFERENCE.sub(_in_python, match[2])
    try:
        pattern = re.compile(match[1])
        if any(int(n or 0) > pattern.groups for _, n in _REFERENCE.findall(match[2])):
            raise RuleError(f"{match[0]!r} uses a group that its pattern does not have")
    except re.error as error:
        raise RuleError(f"{match[1]!r} is not a regular expression: {error}") from None
    return Rule(pattern, replacement, CASES[match[3]])


def _in_python(found: re.Match[str]) -> str:
    """A reference of Java in the words of ``re``."""
    return rf"\g<{found[2]}>" if found[2] else found[1].replace("\\", r"\\")


def principal(subject: Subject, rules: Sequence[Rule]) -> str | None:
    """The principal's name of a certificate's subject; None if no rule matches."""
    name = distinguished_name(subject)
    if not _is_storable(name):
        return None
    for rule in rules:
        if found := rule.apply(name):
            return f"User:{found}" if _is_storable(found) else None
    return None


def _is_storable(name: str) -> bool:
    return len(name.encode(errors="replace")) <= NAME_BYTES_MAX and "\0" not in name


def distinguished_name(subject: Subject) -> str:
    """The name by RFC 2253: the last relative name first."""
    return ",".join(
        "+".join(f"{SHORT.get(key, key)}={_escaped(value)}" for key, value in each)
        for each in reversed(subject)
    )


def _escaped(value: str) -> str:
    return _SPECIAL.sub(lambda match: f"\\{match[0]}", value)
