"""The secrets that Holdfast holds, wherever they lie: all of them are known, and nothing else is taken for one."""

from pathlib import Path

import pytest

from holdfast.core.cover import Cover
from holdfast.core.ids import SessionId
from holdfast.core.mask import SECRET_NAME
from holdfast.known import learn_all, secret_parts
from holdfast.server.push.sealed import Keys
from holdfast.server.supervisor import Supervisor
from holdfast.settings import AgentSettings, File, NotifySettings, Settings
from holdfast.store.memory.store import MemoryStore

TOKEN = "Holdfast-0123456789abcdefghijk"


@pytest.mark.parametrize(
    "name",
    [
        *(
            "OPENAI_API_KEY",
            "api_key",
            "APIKEY",
            "PGPASSWORD",
            "MYSQL_PWD",
            "GITHUB_PAT",
            "GITHUB_TOKEN",
            "SSHPASSWORD",
        ),
        *(
            "DB_PASS",
            "CLIENT_SECRET",
            "AWS_SECRET_ACCESS_KEY",
            "GPG_PASSPHRASE",
            "GOOGLE_CREDENTIALS",
            "NPM_CONFIG__AUTH",
        ),
    ],
)
def test_names_of_secrets_are_known(name: str) -> None:
    assert SECRET_NAME.search(name)


@pytest.mark.parametrize(
    "name", ["PWD", "OLDPWD", "PATH", "COMPAT", "MONKEY", "HOME", "TOKENIZERS_PARALLELISM", "PASSES"]
)
def test_other_names_are_not(name: str) -> None:
    assert not SECRET_NAME.search(name)


@pytest.mark.parametrize(
    ("url", "secret"),
    [
        ("https://gotify.example/message?token=AbCdEf", "AbCdEf"),
        ("https://hooks.example/services/T0/B0/abcdefgh12345678ijkl", "abcdefgh12345678ijkl"),
        ("https://me:letmein-please@ntfy.example/alerts", "letmein-please"),
        ("https://ntfy.example/my-alerts", "https://ntfy.example/my-alerts"),
    ],
)
def test_what_an_address_lets_in_by_is_secret_and_its_words_are_not(url: str, secret: str) -> None:
    parts = set(secret_parts(url))
    assert parts == {secret, url}
    assert not parts & {"message", "services", "alerts", "gotify.example"}
    assert list(secret_parts("https://ntfy.example/")) == []
    assert list(secret_parts("")) == []


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    agents = {"mine": AgentSettings(command=("x",), env={"PGPASSWORD": "hunter2-hunter2", "EDITOR": "ed-itor"})}
    notify = NotifySettings(url="https://gotify.example/message?token=AbCdEf012345")
    (tmp_path / "token").write_text(TOKEN)
    return Settings(home=tmp_path, file=File(agents=agents, notify=notify))


def test_whatever_the_home_holds_is_covered(settings: Settings) -> None:
    """The token, what agents are given, where notifications go, and the key of push, as a whole and line by line."""
    assert Keys(settings.home).public
    cover = Cover()
    learn_all(cover, settings)
    key = (settings.home / "push.key").read_text()
    for secret in (TOKEN, "hunter2-hunter2", "AbCdEf012345", key.strip(), *key.splitlines()[1:-1]):
        assert secret not in cover.covered(f"It says {secret}.")
    assert cover.covered("ed-itor at gotify.example: message") == "ed-itor at gotify.example: message"


def test_what_a_runner_wrote_when_it_died_is_covered(settings: Settings) -> None:
    """It goes into the log of the session by the server's hand, and no runner has looked at it."""
    (settings.logs / "runners").mkdir(parents=True)
    (settings.logs / "runners" / "s1.err").write_text(f"Traceback: {TOKEN} hunter2-hunter2\n")
    supervisor = Supervisor(MemoryStore(), settings, lambda _: "")
    words = supervisor._last_words(SessionId("s1"))
    assert words == "Traceback: [Holdfast's token, 30 characters] [API key, 15 characters]"
