"""Approval rules: what a person allowed for more than once, and what that answers.

Law: a rule never widens. It holds for one agent, one kind of tool and one pattern key; a request with several keys is
answered only if each of them is covered. A request without keys is covered only by a rule of exactly its command in
exactly its directory: never a prefix, never a part. What can't be told apart is asked.
"""

from collections.abc import Iterable
from hashlib import sha256

import msgspec

from holdfast.core.events import Choice, Diff, Rule
from holdfast.core.items import Approval

SENTENCE = 300
"""Characters of a command that a sentence about it quotes; what the rule matches is kept whole."""


def digest(command: str, arguments: str, directory: str, diffs: tuple[Diff, ...] = ()) -> str:
    """The name of exactly what was asked for. What is carried out must have the same."""
    return sha256(msgspec.json.encode([command, arguments, directory, diffs])).hexdigest()


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that is remembered, and in words what it would match from then on."""

    choice: Choice
    everywhere: bool
    words: str


def rules_of(approval: Approval, name: str, *, everywhere: bool = False) -> tuple[Rule, ...]:
    """What to remember when this is allowed for more than once. `name` tells these rules from all others."""
    if not approval.pattern_keys:
        exact = Rule(
            id=name,
            agent=approval.agent,
            action=approval.action,
            command=approval.command,
            directory=approval.directory,
        )
        return (exact,)
    return tuple(
        Rule(
            id=f"{name}.{number}",
            agent=approval.agent,
            action=approval.action,
            key=key,
            workspace="" if everywhere else approval.workspace,
            everywhere=everywhere,
        )
        for number, key in enumerate(dict.fromkeys(approval.pattern_keys), 1)
    )


def covering(rules: Iterable[Rule], approval: Approval) -> tuple[Rule, ...]:
    """The rules that together allow the request; none if any part of it is not covered."""
    fitting = [rule for rule in rules if _fits(rule, approval)]
    if not approval.pattern_keys:
        return tuple(fitting[:1])
    by_key = {rule.key: rule for rule in fitting}
    keys = list(dict.fromkeys(approval.pattern_keys))
    return tuple(by_key[key] for key in keys) if all(key in by_key for key in keys) else ()


def _fits(rule: Rule, approval: Approval) -> bool:
    """Whether the rule speaks of a part of this request."""
    if (rule.agent, rule.action) != (approval.agent, approval.action):
        return False
    if rule.key:
        return rule.key in approval.pattern_keys and (rule.everywhere or rule.workspace == approval.workspace)
    return (rule.command, rule.directory) == (approval.command, approval.directory)


def offers(approval: Approval) -> list[Offer]:
    """What a person may choose beyond *once*, each with what it would match."""
    lasting = [("session", False, "until this session ends"), ("always", False, "for good")]
    if approval.pattern_keys:
        lasting.append(("always", True, "for good"))
    return [
        Offer(choice=choice, everywhere=everywhere, words=f"{_matched(approval, everywhere=everywhere)}, {ending}")
        for choice, everywhere, ending in lasting
        if choice in approval.choices
    ]


def _matched(approval: Approval, *, everywhere: bool) -> str:
    rules = rules_of(approval, "", everywhere=everywhere)
    first, *others = (_what(rule) for rule in rules)
    return f"{' together with '.join([first, *(_lowered(words) for words in others)])}, {_where(rules[0])}"


def _lowered(words: str) -> str:
    return words[:1].lower() + words[1:]


def sentence(rule: Rule) -> str:
    """A rule in words."""
    return f"{_what(rule)}, {_where(rule)}"


def _what(rule: Rule) -> str:
    if not rule.key:
        command = rule.command if len(rule.command) <= SENTENCE else f"{rule.command[:SENTENCE]}…"
        return f"Exactly “{command}”"
    plain = all(word.isalpha() for word in rule.key.split())
    return f"Any {rule.key}" if plain else f"Anything that matches “{rule.key}”"


def _where(rule: Rule) -> str:
    return "everywhere" if rule.everywhere else f"in {rule.workspace or rule.directory or 'its folder'}"
