"""What sessions are sorted by: at most one project, and some tags. Each is a short name on one line."""

from collections.abc import Iterable

from holdfast.core.errors import BadCommand

NAME = 200
"""Characters of a project's name."""
TAG = 50
TAGS = 20
"""Tags of one session."""


def project(name: str) -> str:
    """The name without the space around it; empty for none. Raise `BadCommand` if it can't be one."""
    return _checked(name, NAME)


def tags(names: Iterable[str]) -> tuple[str, ...]:
    """The tags in their order, each once. Raise `BadCommand` if they can't be those of a session."""
    found = tuple(dict.fromkeys(_checked(name, TAG) for name in names))
    if "" in found:
        raise BadCommand("A tag is a word. Leave out the empty one.")
    if len(found) > TAGS:
        raise BadCommand(f"A session has at most {TAGS} tags. Remove one first.")
    return found


def taken_project(name: str) -> str:
    """What comes from elsewhere, as far as it can be the name of a project."""
    return _fitted(name, NAME)


def taken_tags(names: Iterable[str]) -> tuple[str, ...]:
    """What comes from elsewhere, as far as it can be the tags of a session."""
    fitted = dict.fromkeys(_fitted(name, TAG) for name in names)
    return tuple(name for name in fitted if name)[:TAGS]


def _checked(name: str, length: int) -> str:
    name = name.strip()
    if not name.isprintable():
        raise BadCommand("A project or a tag is one line of letters. Leave out what can't be printed.")
    if len(name) > length:
        raise BadCommand(f"This name is too long. At most {length} characters are taken.")
    return name


def _fitted(name: str, length: int) -> str:
    plain = "".join(letter if letter.isprintable() else " " if letter.isspace() else "" for letter in name)
    return " ".join(plain.split())[:length].strip()
