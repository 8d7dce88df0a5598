"""Which files are dangerous to write, and which to read."""

import re
import tempfile
from collections.abc import Iterable
from pathlib import Path

import msgspec

from holdfast.workspace.files import secret


class Danger(msgspec.Struct, frozen=True):
    """`key` names the kind, for a person to allow it more than once; `why` is a sentence."""

    key: str
    why: str


HARMLESS = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/stdin", "-"})
STARTING = frozenset(
    {".envrc", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc"}
    | {".zshenv", ".zprofile", ".zlogin", ".inputrc", ".vimrc", ".exrc", ".gitconfig", ".gitmodules", ".tmux.conf"}
    | {".pre-commit-config.yaml", ".lldbinit", ".gdbinit", ".yarnrc", ".pythonrc", "sitecustomize.py"}
    | {"usercustomize.py"}
)
STARTING_FOLDERS = frozenset({".git", ".husky", ".vscode", ".idea", ".devcontainer", ".claude", ".cursor", ".codex"})
RULES = frozenset({"agents.md", "claude.md", ".cursorrules"})
SECRETS = re.compile(
    r"(^|[/=:@\s\"'])("
    r"\.ssh|\.gnupg|\.aws|\.azure|\.kube|\.docker/config|\.password-store|\.netrc|\.pgpass|\.git-credentials|\.npmrc"
    r"|\.pypirc|\.htpasswd|id_rsa|id_dsa|id_ecdsa|id_ed25519|credentials\.json|\.env(?!\.(example|sample|template|dist)\b"
    r"|\w)|\.holdfast|endpoints\.json|\.bash_history|\.zsh_history|\.config/gcloud|\.config/gh|\.mozilla|\.thunderbird"
    r"|Login Data|Cookies|shadow|gshadow|sudoers)(?=$|[/\s\"'.,:;])"
    r"|/proc/[^/]+/(environ|mem|root|cwd|fd)|\.(pem|p12|pfx|kdbx|keystore)\b|/etc/(shadow|sudoers|ssl/private)",
    re.IGNORECASE,
)


def runs_by_itself(real: Path, root: Path) -> Danger | None:
    """Whether something reads that file and acts on it without being asked."""
    parts = real.relative_to(root).parts if real.is_relative_to(root) else real.parts
    lowered = tuple(part.lower() for part in parts)
    if real.name.lower() in RULES:
        return Danger("agent rules", f"{real.name} is what agents follow from then on.")
    if real.name.lower() in STARTING or STARTING_FOLDERS & set(lowered) or ".github" in lowered:
        return Danger("startup file", f"{'/'.join(parts)} is acted upon by other programs without asking.")
    return None


def writing(path: str, folders: Iterable[Path], root: Path) -> Danger | None:
    """Whether writing to `path` is dangerous, seen from any of the folders that it may be seen from."""
    if path in HARMLESS:
        return None
    if path.startswith(("/dev/tcp/", "/dev/udp/")):
        return Danger("network connection", "It talks to another machine.")
    if path.startswith("/dev/"):
        return Danger("device write", f"It writes to the device {path}.")
    for folder in folders:
        try:
            real = (folder / path).resolve()
        except (OSError, RuntimeError, ValueError):
            return Danger("write outside the workspace", f"{path} can't be followed.")
        if real.is_relative_to(root):
            if secret(real.relative_to(root)):
                return Danger("secret file", f"{path} holds secrets by its name.")
            if (danger := runs_by_itself(real, root)) is not None:
                return danger
        elif not any(real.is_relative_to(place) and real != place for place in temporary()):
            return Danger("write outside the workspace", f"It changes {real}, outside of the workspace.")
    return None


def temporary() -> set[Path]:
    return {Path(each).resolve() for each in ("/tmp", "/var/tmp", tempfile.gettempdir())}  # noqa: S108 (to be compared)


def reading(text: str, home: Path | None) -> Danger | None:
    """Whether the words name something that holds secrets."""
    if SECRETS.search(text) or (home is not None and str(home) in text):
        return Danger("secret file", "It names a place that holds secrets.")
    return None
