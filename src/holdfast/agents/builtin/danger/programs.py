"""What is dangerous about one command: a rule for each program that can do harm."""

import re
from collections.abc import Callable, Iterable, Sequence

import msgspec

from holdfast.agents.builtin.danger import tables
from holdfast.agents.builtin.danger.files import FILES, written
from holdfast.agents.builtin.danger.git import git
from holdfast.agents.builtin.danger.network import NETWORK
from holdfast.agents.builtin.danger.places import Danger
from holdfast.agents.builtin.danger.use import Rule, Scene, Use
from holdfast.agents.builtin.danger.words import Simple, Word

CODE = re.compile(
    r"rmtree|unlink|rmdir|removedirs|\.remove\(|\.delete|rm_r|rmSync|\bsystem\b|popen|subprocess|spawn|\bexec|child_process"
    r"|\beval\b|compile\(|__import__|importlib|ctypes|socket|urlopen|urllib|requests|httpx|aiohttp|http\.client|fetch\("
    r"|XMLHttp|\bnet\b|https?:|smtplib|paramiko|base64|b64|fromhex|\bchr\(|chmod|chown|\bkill|setuid|fork|\bqx\b|`|FileUtils"
    r"|writeFile|appendFile|createWrite|open\([^)]*,[^)]*['\"][rbt]*[wax+]|write_text|write_bytes|truncate|rename\("
    r"|replace\([^)]*/|shutil|getattr|globals\(|builtins|__\w+__|do shell script|IO\.|Process|Invoke|DownloadString",
    re.IGNORECASE,
)
SERVER = re.compile(r"^(http\.server|smtpd|socketserver|xmlrpc\.server|pyftpdlib|uvicorn|gunicorn|flask|aiohttp\.web)$")
DOWNLOADERS = frozenset({"curl", "wget", "fetch", "aria2c", "http", "https", "xh", "lynx", "w3m"})
READERS = frozenset({"python", "pypy", "perl", "ruby", "php", "lua"})
LARGEST = 256 * 1024
NUMBER = re.compile(r"[0-9.]+[smhdkKMG]?$")


def dangers(simple: Simple, scene: Scene) -> Iterable[Danger]:
    """What is dangerous about the command itself; its redirections and variables are looked at elsewhere."""
    if not simple.words:
        return
    first, *rest = simple.words
    if (first.hidden or first.glob) and first.text not in ("[", "[["):
        yield tables.HIDDEN
        return
    name = first.text.rpartition("/")[2].lower()
    use = Use(name, rest, simple.redirections)
    if "/" in first.text:
        yield from _own_program(first.text, scene)
    yield from _by_name(use, scene)
    if name in tables.WRAPPERS:
        yield from _wrapped(use, simple, scene)


def _by_name(use: Use, scene: Scene) -> Iterable[Danger]:
    name = use.name
    base = re.sub(r"[\d.]+$", "", name)
    if name in tables.QUIET_PARTS:
        quiet, danger = tables.QUIET_PARTS[name]
        if use.part() not in quiet and not {"--version", "--help"} & use.long:
            yield danger
    elif name in tables.ALWAYS and use.texts not in (["--version"], ["--help"], ["-V"]):
        yield tables.ALWAYS[name]
    elif name.startswith(("mkfs.", "fsck.", "mount.")):
        yield tables.DISK
    if name in tables.ASKING_PARTS:
        yield from _asking(use)
    if name in tables.SHELLS:
        yield from _shell(use, scene)
    elif base in tables.INTERPRETERS or name in tables.INTERPRETERS:
        yield from _interpreter(use, base if base in tables.INTERPRETERS else name, scene)
    if (rule := RULES.get(name)) is not None:
        yield from rule(use, scene)


def _asking(use: Use) -> Iterable[Danger]:
    asking, danger = tables.ASKING_PARTS[use.name]
    words = {word.text for word in use.plain}
    if not asking:
        if use.name in ("pacman", "yay", "paru") and {"S", "R", "U"} & use.short:
            yield danger
        if use.name == "flask" and "run" in words:
            yield danger
        if use.name.startswith("gpg") and any("secret" in each or "delete" in each for each in use.long):
            yield danger
    elif use.part() in asking or (use.name in ("yarn", "bundle") and not use.plain and not use.long & {"--version"}):
        yield danger
    if words & tables.PUBLISHING and use.name in (
        "npm",
        "pnpm",
        "yarn",
        "bun",
        "cargo",
        "poetry",
        "gem",
        "uv",
        "hatch",
    ):
        yield tables.PUBLISH


# Programs that run others.


def _wrapped(use: Use, simple: Simple, scene: Scene) -> Iterable[Danger]:
    """Every place where the inner command could begin is tried: options of wrappers may take a word, or not."""
    unseen = use.name in ("xargs", "parallel", "entr") or scene.unseen
    inner = msgspec.structs.replace(scene, unseen=unseen)
    if use.name == "env" and any(text.startswith(("-S", "--split-string")) for text in use.texts):
        yield tables.HIDDEN
    for number, word in enumerate(use.arguments):
        if word.text.startswith("-") or "=" in word.text or NUMBER.match(word.text):
            if "=" in word.text and word.text.partition("=")[0] in tables.VARIABLES:
                yield tables.HIJACK
            continue
        yield from dangers(Simple(words=use.arguments[number:], redirections=simple.redirections), inner)
        if not word.glob and not word.hidden and use.name in ("command", "exec", "builtin", "nice", "time"):
            return


def _shell(use: Use, scene: Scene) -> Iterable[Danger]:
    given = next((n for n, text in enumerate(use.texts) if re.fullmatch(r"-[a-zA-Z]*c[a-zA-Z]*", text)), None)
    if given is not None:
        code = next((word for word in use.arguments[given + 1 :] if not word.text.startswith("-")), None)
        if code is None or code.hidden:
            yield tables.HIDDEN
        else:
            yield from scene.again(code.text)
    elif use.plain and not use.has("s"):
        yield from _script(use.plain[0], scene)
    else:
        yield from _standard_input(use, scene, scene.again)


def _standard_input(use: Use, scene: Scene, look: Callable[[str], Iterable[Danger]]) -> Iterable[Danger]:
    """An interpreter that is given its code by another way than its arguments."""
    for redirection in use.redirections:
        match redirection.operator:
            case "<<" | "<<-":
                yield from [tables.HIDDEN] if redirection.target.hidden else look(redirection.body)
            case "<<<":
                yield from [tables.HIDDEN] if redirection.target.hidden else look(redirection.target.text)
            case "<":
                yield from _script(redirection.target, scene)
            case _:
                pass
    if scene.pipes:
        yield tables.DOWNLOADED if scene.downloads else tables.PIPED


def _script(word: Word, scene: Scene) -> Iterable[Danger]:
    """A shell script in a file: read it as well."""
    if word.hidden or word.glob:
        yield tables.HIDDEN
        return
    text = _content(word.text, scene)
    yield from [tables.UNSEEN] if text is None else scene.again(text)


def _content(path: str, scene: Scene) -> str | None:
    for folder in scene.folders:
        place = folder / path
        try:
            if place.is_file() and place.stat().st_size <= LARGEST:
                return place.read_text("utf-8", "replace")
        except (OSError, ValueError):
            continue
    return None


def _own_program(path: str, scene: Scene) -> Iterable[Danger]:
    """A program named by its path: a shell script is read, one that is not there yet is not trusted."""
    if any((folder / path).is_dir() for folder in scene.folders):
        return
    if not any((folder / path).is_file() for folder in scene.folders):
        yield tables.UNSEEN
        return
    text = _content(path, scene)
    if text is not None and re.match(r"#!.*\b(sh|bash|dash|zsh|ksh)\b", text.partition("\n")[0]):
        yield from scene.again(text)


def _interpreter(use: Use, base: str, scene: Scene) -> Iterable[Danger]:
    flags = tables.INTERPRETERS[base]
    for number, text in enumerate(use.texts):
        clustered = base in ("perl", "ruby", "python", "pypy") and re.fullmatch(r"-[a-zA-Z0-9]*[ceE]", text)
        if text.lower() in flags or text in flags or clustered:
            rest = use.arguments[number + 1 :]
            yield from [tables.HIDDEN] if not rest or rest[0].hidden else _code(rest[0].text)
            return
        joined = next((flag for flag in flags if len(flag) == 2 and text.startswith(flag) and len(text) > 2), None)
        if joined or any(text.startswith(f"{flag}=") for flag in flags):
            yield from _code(text)
            return
        if text == "-m" and base in ("python", "pypy"):
            yield from _module(use.arguments[number + 1 :], scene)
            return
        if not text.startswith("-") or text == "-":
            break
    if not use.plain or use.plain[0].text == "-":
        yield from _standard_input(use, scene, _code)
    elif base == "php" and use.has("S"):
        yield tables.LISTENER
    elif use.plain[0].hidden:
        yield tables.HIDDEN
    elif base in READERS and not any((folder / use.plain[0].text).exists() for folder in scene.folders):
        yield tables.UNSEEN


def _module(rest: Sequence[Word], scene: Scene) -> Iterable[Danger]:
    if not rest:
        return
    if rest[0].hidden:
        yield tables.HIDDEN
    elif SERVER.match(rest[0].text):
        yield tables.LISTENER
    else:
        yield from _by_name(Use(rest[0].text.lower(), rest[1:], ()), scene)


def _code(text: str) -> Iterable[Danger]:
    if CODE.search(text):
        yield tables.INLINE


def _evaluated(use: Use, scene: Scene) -> Iterable[Danger]:
    if any(word.hidden for word in use.arguments):
        yield tables.HIDDEN
    else:
        yield from scene.again(" ".join(use.texts))


def _sourced(use: Use, scene: Scene) -> Iterable[Danger]:
    if use.plain:
        yield from _script(use.plain[0], scene)


def _trapped(use: Use, scene: Scene) -> Iterable[Danger]:
    if use.plain:
        yield from [tables.HIDDEN] if use.plain[0].hidden else scene.again(use.plain[0].text)


def _find(use: Use, scene: Scene) -> Iterable[Danger]:
    if "-delete" in use.texts:
        yield tables.MANY_DELETE
    inner = msgspec.structs.replace(scene, unseen=True)
    for number, text in enumerate(use.texts):
        if text in ("-exec", "-execdir", "-ok", "-okdir"):
            yield from dangers(Simple(words=use.arguments[number + 1 :]), inner)
        if text.startswith("-fprint") or text == "-fls":
            yield from written(use.arguments[number + 1 : number + 2], scene)


def _make(use: Use, _: Scene) -> Iterable[Danger]:
    if any(
        text.startswith(("SHELL=", "--eval", "-E")) or word.hidden
        for text, word in zip(use.texts, use.arguments, strict=True)
    ):
        yield tables.HIDDEN
    if "-" in use.texts or "/dev/stdin" in use.texts:
        yield tables.PIPED
    if {"install", "uninstall", "publish", "deploy", "release"} & set(use.texts):
        yield tables.INSTALL


def _fuser(use: Use, _: Scene) -> Iterable[Danger]:
    if use.has("k", "--kill"):
        yield tables.PROCESSES


def _export(use: Use, _: Scene) -> Iterable[Danger]:
    if {text.partition("=")[0] for text in use.texts if "=" in text} & tables.VARIABLES:
        yield tables.HIJACK


def _shell_options(use: Use, scene: Scene) -> Iterable[Danger]:
    """`alias`, `enable`, `hash`, `shopt`: ways to make a name mean another thing."""
    if use.name == "alias":
        for text in use.texts:
            yield from scene.again(text.partition("=")[2])
    elif use.texts:
        yield tables.HIJACK


def _versioned(use: Use, scene: Scene) -> Iterable[Danger]:
    if any(word.hidden for word in use.arguments[:1]):
        yield tables.HIDDEN
    yield from git(use.texts, scene.again)


RULES: dict[str, Rule] = (
    FILES
    | NETWORK
    | {
        name: rule
        for names, rule in (
            ("find fd fdfind", _find),
            ("make gmake", _make),
            ("fuser", _fuser),
            ("export declare typeset local readonly", _export),
            ("alias enable hash shopt", _shell_options),
            ("eval", _evaluated),
            ("source .", _sourced),
            ("trap", _trapped),
            ("git", _versioned),
        )
        for name in names.split()
    }
)
