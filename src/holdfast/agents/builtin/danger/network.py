"""Programs that talk to other machines."""

import re
from collections.abc import Iterable

from holdfast.agents.builtin.danger import tables
from holdfast.agents.builtin.danger.files import written
from holdfast.agents.builtin.danger.places import Danger
from holdfast.agents.builtin.danger.use import Rule, Scene, Use


def download(use: Use, scene: Scene) -> Iterable[Danger]:
    sending = (
        "--data",
        "--form",
        "--upload-file",
        "--post-data",
        "--post-file",
        "--body-data",
        "--body-file",
        "--json",
        "--url-query",
    )
    if any(text.startswith(sending) for text in use.texts) or (use.name == "curl" and {"d", "F", "T"} & use.short):
        yield tables.UPLOAD
    method = [t.upper() for n, t in enumerate(use.texts) if n and use.texts[n - 1] in ("-X", "--request", "--method")]
    glued = [text.partition("=")[2].upper() for text in use.texts if text.startswith(("--request=", "--method="))]
    glued += [text[2:].upper() for text in use.texts if re.match(r"-X\w", text)]
    if any(each not in ("GET", "HEAD", "OPTIONS") for each in method + glued):
        yield tables.UPLOAD
    if any(word.hidden for word in use.arguments):
        yield Danger("upload", "What it sends along is only known once it runs.")
    if any(len(text) > 300 or "@" in text.partition("//")[2].partition("/")[0] for text in use.texts):
        yield tables.UPLOAD
    if any(
        text.lower().startswith(("file:", "gopher:", "dict:", "scp:", "sftp:", "smb:", "ldap:", "tftp:"))
        for text in use.texts
    ):
        yield tables.CONNECTION
    if use.has("K", "--config", "--use-askpass", "--execute", "e") and use.name in ("curl", "wget"):
        yield tables.HIDDEN
    into = (
        "-o",
        "--output",
        "-O",
        "--output-document",
        "-P",
        "--directory-prefix",
        "--output-dir",
        "-D",
        "-c",
        "--cookie-jar",
    )
    flags = into if use.name == "wget" else tuple(flag for flag in into if flag not in ("-O", "-P"))
    targets = [w for n, w in enumerate(use.arguments) if n and use.texts[n - 1] in flags]
    yield from written(targets, scene)


def synchronise(use: Use, scene: Scene) -> Iterable[Danger]:
    if any(re.match(r"([\w.-]+@)?[\w.-]+::?\S*", word.text) or "://" in word.text for word in use.plain):
        yield tables.REMOTE
    if use.has("e", "--rsh", "--rsync-path"):
        yield tables.HIDDEN
    if any(text.startswith("--delete") or text == "--remove-source-files" for text in use.texts):
        yield tables.DELETE
    yield from written(use.plain[-1:], scene)


def server(use: Use, _: Scene) -> Iterable[Danger]:
    if any("0.0.0.0" in text or text in ("::", "*") or text.startswith("--host") for text in use.texts):  # noqa: S104
        yield tables.LISTENER


NETWORK: dict[str, Rule] = {
    name: rule
    for names, rule in (
        ("curl wget fetch aria2c http https xh", download),
        ("rsync", synchronise),
        ("uvicorn gunicorn hypercorn vite webpack-dev-server rails django-admin jupyter streamlit", server),
    )
    for name in names.split()
}
