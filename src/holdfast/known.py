"""The secrets that Holdfast holds itself: the token, the keys of model endpoints and of push, what agents are given as
keys, what lets in where notifications go.

A secret that a person answers is added where it is taken (`Answers`), and known for as long as its runner lives: it is
written nowhere.
"""

import contextlib
import logging
import os
import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, unquote, urlsplit

from holdfast.agents.catalog import added_in, catalog
from holdfast.core.cover import Cover
from holdfast.core.errors import HoldfastError
from holdfast.core.mask import SECRET_NAME
from holdfast.endpoints import key_names, known_keys, read_endpoints
from holdfast.settings import Settings

log = logging.getLogger(__name__)

SECRET_PART = re.compile(r"(?=.*\d)[\w~.-]{16,}")
"""A part of an address that nobody would write by hand, like the end of a webhook's."""


def learn_all(cover: Cover, settings: Settings) -> None:
    """Have covered whatever is known now. Called again when more may be."""
    for value, what in _secrets(settings):
        cover.learn(value, what)


def _secrets(settings: Settings) -> Iterator[tuple[str, str]]:
    with contextlib.suppress(OSError, UnicodeDecodeError):  # a home that never had a server has none
        yield (settings.home / "token").read_text("ascii").strip(), "Holdfast's token"
    with contextlib.suppress(OSError, UnicodeDecodeError):  # nobody is pushed to
        pem = (settings.home / "push.key").read_text("ascii").strip()
        yield from ((part, "push key") for part in (pem, *pem.splitlines()[1:-1]))
    yield from ((part, "notification address") for part in secret_parts(settings.file.notify.url))
    try:
        for key in known_keys(read_endpoints(settings, os.environ).values()):
            yield key, "API key"
    except HoldfastError as exc:
        log.warning("keys.unread", extra={"error": str(exc)})
    for name in key_names(settings):  # also if the file that names them can't be used as it is
        yield os.environ.get(name, ""), "API key"
    # Of every agent, not only this session's: a tool may read what the server's environment holds for another one.
    for agent in catalog(added_in(settings)).values():
        given = {name: os.environ.get(name, "") for name in agent.keep} | dict(agent.env)
        yield from ((value, "API key") for name, value in given.items() if SECRET_NAME.search(name))


def secret_parts(url: str) -> Iterator[str]:
    """What an address lets in by: the whole of it if it leads anywhere, its password, what looks random in it."""
    parts = urlsplit(url)
    if parts.path.strip("/") or parts.query:
        yield url
    if parts.password:
        yield unquote(parts.password)
    values = parse_qsl(parts.query)
    yield from (value for name, value in values if SECRET_NAME.search(name) or SECRET_PART.fullmatch(value))
    yield from (part for part in parts.path.split("/") if SECRET_PART.fullmatch(part))
