"""What is dangerous about git."""

import re
from collections.abc import Callable, Iterable

from holdfast.agents.builtin.danger import tables
from holdfast.agents.builtin.danger.places import Danger

HARMLESS = re.compile(
    r"(user\.(name|email)|color\.|core\.(quotepath|autocrlf)|advice\.|init\.defaultbranch|log\.)", re.IGNORECASE
)
RUNNING = (
    "--exec-path=", "--upload-pack", "--receive-pack", "--exec", "--extcmd", "--open-files-in-pager", "--template",
    "--config-env", "--ext-diff", "--textconv", "--config",
)  # fmt: skip
WITH_VALUE = frozenset({"-C", "--git-dir", "--work-tree", "--namespace", "--super-prefix"})


def git(texts: list[str], again: Callable[[str], list[Danger]]) -> Iterable[Danger]:
    settings, rest = _before(texts)
    if any(not HARMLESS.match(setting) for setting in settings):
        yield tables.GIT_RUN
    if any(text.startswith(RUNNING) for text in texts) or any(text.startswith(("ext::", "fd::")) for text in texts):
        yield tables.GIT_RUN
    if not rest:
        return
    part, arguments = rest[0], rest[1:]
    plain = [text for text in arguments if not text.startswith("-")]
    short = {letter for text in arguments if re.match(r"-\w", text) for letter in text[1:]}
    yield from _by_part(part, arguments, plain, short)
    if part in ("rebase", "bisect", "submodule", "filter-branch", "for-each-repo"):
        yield from _running(arguments, again)


def _before(texts: list[str]) -> tuple[list[str], list[str]]:
    """Settings given for this once, and what begins with the part of git that is used."""
    settings, number = list[str](), 0
    while number < len(texts):
        text = texts[number]
        if text == "-c":
            settings += texts[number + 1 : number + 2]
            number += 2
        elif text in WITH_VALUE:
            number += 2
        elif text.startswith("-"):
            settings += [text[2:]] if text.startswith("-c") else []
            number += 1
        else:
            break
    return settings, texts[number:]


def _by_part(part: str, arguments: list[str], plain: list[str], short: set[str]) -> Iterable[Danger]:
    match part:
        case "push" | "send-pack":
            destroying = ("--force", "--mirror", "--delete", "--prune")
            forced = {"f", "d"} & short or any(text.startswith(destroying) for text in arguments)
            yield tables.FORCED if forced or any(text.startswith(("+", ":")) for text in plain) else tables.PUSH
        case "reset" if "--hard" in arguments or "--merge" in arguments:
            yield tables.DISCARD
        case "clean" if "n" not in short and "--dry-run" not in arguments:
            yield tables.DISCARD
        case "checkout" | "switch" if {"f"} & short or {"--force", "--discard-changes", "--", "."} & set(arguments):
            yield tables.DISCARD
        case "restore" if not {"--staged", "-S"} & set(arguments) or {"--worktree", "-W"} & set(arguments):
            yield tables.DISCARD
        case "branch" if "D" in short or {"--delete", "--force"} & set(arguments):
            yield tables.DISCARD
        case "tag" if {"d", "f"} & short or {"--delete", "--force"} & set(arguments):
            yield tables.DISCARD
        case "stash" if {"drop", "clear"} & set(plain[:1]):
            yield tables.DISCARD
        case "rm" if "--cached" not in arguments:
            yield tables.DISCARD
        case "worktree" if "remove" in plain[:1]:
            yield tables.DISCARD
        case "filter-branch" | "filter-repo" | "update-ref" | "replace" | "prune" | "gc":
            yield tables.DISCARD
        case "reflog" if {"expire", "delete"} & set(plain[:1]):
            yield tables.DISCARD
        case "config" if (len(plain) > 1 and not HARMLESS.match(plain[0])) or _changing(arguments):
            yield tables.GIT_RUN
        case "remote" if {"add", "set-url", "rename", "remove"} & set(plain[:1]):
            yield tables.GIT_RUN
        case "submodule" if {"add", "update", "foreach", "init"} & set(plain[:1]):
            yield tables.GIT_RUN
        case "daemon" | "instaweb" | "http-backend":
            yield tables.LISTENER
        case "send-email" | "imap-send" | "request-pull":
            yield tables.UPLOAD
        case "credential" | "credential-store" | "credential-cache":
            yield tables.SECRET
        case "difftool" | "mergetool" | "hook" | "maintenance" | "lfs" | "init-db":
            yield tables.GIT_RUN
        case "grep" if "O" in short:
            yield tables.GIT_RUN
        case _:
            pass


def _changing(arguments: list[str]) -> bool:
    edits = {"--edit", "-e", "--unset", "--unset-all", "--add", "--replace-all", "--rename-section", "--remove-section"}
    return bool(edits & set(arguments)) or arguments[:1] in (["set"], ["unset"], ["edit"])


def _running(arguments: list[str], again: Callable[[str], list[Danger]]) -> Iterable[Danger]:
    for number, text in enumerate(arguments):
        if text in ("-x", "run", "foreach", "--tree-filter", "--index-filter"):
            yield tables.GIT_RUN
            yield from again(" ".join(arguments[number + 1 :]))
