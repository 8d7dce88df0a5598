"""Programs that change files: which of them, and whether those may be changed without asking."""

import re
from collections.abc import Iterable

from holdfast.agents.builtin.danger import tables
from holdfast.agents.builtin.danger.places import Danger, writing
from holdfast.agents.builtin.danger.use import Rule, Scene, Use
from holdfast.agents.builtin.danger.words import Word


def written(words: Iterable[Word], scene: Scene) -> Iterable[Danger]:
    for word in words:
        if word.hidden:
            yield Danger("hidden target", "What it changes is only known once it runs.")
        elif (danger := writing(word.text, scene.folders, scene.root)) is not None:
            yield danger


def removed(use: Use, scene: Scene) -> Iterable[Danger]:
    outside = [word for word in use.plain if not word.hidden and _leaves(word.text, scene)]
    if outside:
        yield tables.WIDE_DELETE
    if use.has("r", "R", "--recursive", "d", "--dir") and use.name == "rm":
        yield tables.DELETE
    elif scene.unseen or any(word.glob or word.hidden for word in use.plain):
        yield tables.MANY_DELETE
    yield from (d for d in written(use.plain, scene) if d.key in ("startup file", "secret file"))


def _leaves(path: str, scene: Scene) -> bool:
    """Whether it is the workspace itself, or lies outside of it."""
    try:
        places = [(folder / path).resolve() for folder in scene.folders]
    except (OSError, RuntimeError, ValueError):
        return True
    return any(not place.is_relative_to(scene.root) or place == scene.root for place in places)


def written_all(use: Use, scene: Scene) -> Iterable[Danger]:
    yield from written(use.plain, scene)


def written_last(use: Use, scene: Scene) -> Iterable[Danger]:
    """Copies: the last word is where to, or what -t names."""
    targets = [w for n, w in enumerate(use.arguments) if n and use.texts[n - 1] in ("-t", "--target-directory")]
    given = [text.partition("=")[2] for text in use.texts if text.startswith("--target-directory=")]
    glued = [text[2:] for text in use.texts if re.match(r"-t.", text)]
    yield from written(targets + [Word(text=text) for text in given + glued] or use.plain[-1:], scene)


def linked(use: Use, scene: Scene) -> Iterable[Danger]:
    yield from written(use.plain[1:], scene)
    if any(word.hidden or _leaves(word.text, scene) for word in use.plain[:1]):
        yield tables.LINK_OUT


def chmod(use: Use, scene: Scene) -> Iterable[Danger]:
    if use.has("R", "--recursive"):
        yield tables.RECURSIVE_RIGHTS
    mode = next((text for text in use.texts if re.match(r"[0-7]{3,4}$|[-+=ugoa]*[-+=]", text)), "")
    if (
        re.search(r"s|^[2467][0-7]{3}$", mode)
        or re.search(r"[2367]$", mode)
        or re.search(r"^[+=]w|o[^,]*[+=]\w*w|a[+=]\w*w", mode)
    ):
        yield tables.RIGHTS
    yield from written(use.plain[1:], scene)


def sed(use: Use, scene: Scene) -> Iterable[Danger]:
    """sed: its script may write files and run programs; -i changes its files."""
    scripts = [t for t in use.texts if not t.startswith("-")][:1] + [
        t for n, t in enumerate(use.texts) if n and use.texts[n - 1] == "-e"
    ]
    if any(re.search(r"(^|[;{}\d$/])\s*[ew](\s|$)|/[gip0-9]*[ew]", script) for script in scripts):
        yield tables.INLINE
    if use.has("i", "--in-place"):
        yield from written(use.plain[1:], scene)


def awk(use: Use, _: Scene) -> Iterable[Danger]:
    if any(re.search(r"system\s*\(|\|\s*getline|\|\s*\"|print[^;}]*>|\|&|@load|@include", text) for text in use.texts):
        yield tables.INLINE
    if any(word.hidden for word in use.plain[:1]):
        yield tables.HIDDEN


def archive(use: Use, scene: Scene) -> Iterable[Danger]:
    running = ("--checkpoint-action", "--to-command", "--use-compress-program", "--rsh-command", "--info-script")
    if any(text.startswith(running) for text in use.texts) or use.has("I", "F"):
        yield tables.HIDDEN
    into = [
        w
        for n, w in enumerate(use.arguments)
        if n and use.texts[n - 1] in ("-C", "--directory", "-d", "--one-top-level")
    ]
    yield from written(into, scene)
    if use.has("P", "--absolute-names"):
        yield Danger("write outside the workspace", "It may write to any place that the archive names.")


def filtered(use: Use, _: Scene) -> Iterable[Danger]:
    if any(text.startswith(("--filter", "--compress-program", "--pager")) for text in use.texts):
        yield tables.HIDDEN


FILES: dict[str, Rule] = {
    name: rule
    for names, rule in (
        ("rm unlink rmdir", removed),
        ("tee touch truncate mkdir mv mkfifo mknod patch", written_all),
        ("cp install", written_last),
        ("ln", linked),
        ("chmod", chmod),
        ("sed gsed", sed),
        ("awk gawk mawk nawk", awk),
        ("tar bsdtar unzip zip 7z cpio", archive),
        ("split sort man less", filtered),
    )
    for name in names.split()
}
