"""A session of a profile goes on with that profile, and with Hermes' own conversation where Hermes has it."""

from pathlib import Path

import httpx

from holdfast.agents.catalog import added_in, find
from holdfast.agents.survey import default_among, take_survey
from holdfast.core.ids import SessionId
from holdfast.core.state import Conversation
from holdfast.settings import File, HermesSettings, Settings
from holdfast.transfer.identity import HERMES, imported_id
from holdfast.transfer.report import begun
from holdfast.transfer.sources import import_from
from tests.agents.hermes.test_find import environment
from tests.served import served
from tests.server.unsupervised import COMMAND
from tests.transfer.stage import opened
from tests.transfer.test_hermes_webui import state_db
from tests.transfer.webui import Webui, user


def settings(tmp_path: Path) -> Settings:
    """A home beside a Hermes that has a profile besides its default one."""
    python = environment(tmp_path / "venv")
    base = tmp_path / "hermes"
    (base / "profiles" / "work").mkdir(parents=True)
    state_db(base)
    state_db(base / "profiles" / "work")
    hermes = HermesSettings(python=str(python), home=str(base))
    return Settings(home=tmp_path / "home", file=File(hermes=hermes))


async def test_the_profile_is_an_agent_with_a_home_of_its_own(tmp_path: Path) -> None:
    wanted = settings(tmp_path)
    webui = Webui(tmp_path / "hermes" / "webui")
    webui.session("one", [user("Hi")], profile="work", model="big")
    webui.session("new", [user("Hi")], profile="default")
    webui.session("gone", [user("Hi")], profile="removed")
    report = begun("hermes-webui", "")
    async with opened(wanted.home) as store:
        await import_from(
            "hermes-webui", webui.folder, store=store, settings=wanted, report=report, progress=lambda _: None
        )

        async def agent(name: str) -> tuple[str, Conversation | None]:
            state = (await store.open(SessionId(imported_id(HERMES, name)))).session
            return state.agent, state.conversation

        assert await agent("one") == ("hermes-work", Conversation("hermes-work", "one"))
        assert await agent("new") == ("hermes", None)
        assert await agent("cli1") == ("hermes", Conversation("hermes", "cli1"))
        assert await agent("gone") == ("hermes", None)
    homes = {name: find(name, added_in(wanted)).env["HERMES_HOME"] for name in ("hermes", "hermes-work")}
    assert homes == {"hermes": str(tmp_path / "hermes"), "hermes-work": str(tmp_path / "hermes" / "profiles" / "work")}
    assert ("gone", "the profile removed") in {(left.name, left.what) for left in report.left}
    *_, found = take_survey(wanted, {"HOME": str(tmp_path), "PATH": ""}, local=())
    listed = found.agents
    assert [agent.name for agent in listed if agent.family == "hermes"] == ["hermes", "hermes-work"]
    assert default_among(listed) == "hermes"


def test_conversations_of_hermes_are_listed_to_go_on_with(tmp_path: Path) -> None:
    wanted = settings(tmp_path)
    wanted.home.mkdir()
    hermes = wanted.file.hermes
    (wanted.home / "config.toml").write_text(f'[hermes]\npython = "{hermes.python}"\nhome = "{hermes.home}"\n')
    with served(wanted.home, command=COMMAND) as server, server.client() as api:
        found = api.get("/api/agents/hermes/sessions").json()
        assert {entry["id"]: entry["title"] for entry in found["sessions"]} == {
            "cli1": "In the terminal",
            "sub": "[list] files",
        }
        session = api.post("/api/sessions", json={"agent": "hermes", "reference": "cli1"}).json()["id"]
        assert reference(api, session) == "cli1"


def reference(api: httpx.Client, session: str) -> str:
    return api.get(f"/api/sessions/{session}").json()["session"]["conversation"]["reference"]
