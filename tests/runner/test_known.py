"""The keys that agents are given are known, so none of them reaches the log."""

from pathlib import Path

import pytest

from holdfast.core.cover import Cover
from holdfast.known import learn_all
from holdfast.settings import AgentSettings, EndpointSettings, File, HermesSettings, Settings
from tests.agents.hermes.test_find import environment
from tests.runner.stage import staged

KEY = "sk-ant-a-key-that-nobody-may-see"


def covered(settings: Settings) -> str:
    cover = Cover()
    learn_all(cover, settings)
    return cover.covered(f"It is {KEY}.")


@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GH_TOKEN", "OPENCLAW_GATEWAY_PASSWORD"])
def test_the_keys_of_agents_that_are_known_by_name_are_covered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Nobody has to write such an agent into the configuration for its key to be one."""
    monkeypatch.setenv(name, KEY)
    assert covered(Settings(home=tmp_path)) == f"It is [API key, {len(KEY)} characters]."


def test_the_keys_that_hermes_is_given_are_covered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that no other agent gets as well."""
    python = environment(tmp_path / "venv")
    monkeypatch.setenv("NOUS_API_KEY", KEY)
    with_hermes = File(hermes=HermesSettings(python=str(python), home=str(tmp_path)))
    assert KEY not in covered(Settings(home=tmp_path, file=with_hermes))


def test_what_a_person_gives_an_agent_is_covered_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kept from the environment or set; what is no key by its name is no secret."""
    monkeypatch.setenv("MINE_TOKEN", KEY)
    kept = File(agents={"mine": AgentSettings(command=("mine",), keep=("MINE_TOKEN",))})
    given = File(agents={"mine": AgentSettings(command=("mine",), env={"THEIR_SECRET": KEY})})
    plain = File(agents={"mine": AgentSettings(command=("mine",), env={"MODE": KEY})})
    assert KEY not in covered(Settings(home=tmp_path, file=kept))
    assert KEY not in covered(Settings(home=tmp_path, file=given))
    assert KEY in covered(Settings(home=tmp_path, file=plain))


def test_an_endpoints_key_is_covered_whatever_its_variable_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also while `endpoints.json` can't be used, because others can read it."""
    monkeypatch.setenv("WORK_LLM", KEY)
    file = File(endpoints={"work": EndpointSettings(base_url="http://127.0.0.1:1/v1", key_env="WORK_LLM")})
    settings = Settings(home=tmp_path, file=file)
    settings.endpoints.write_text("{}")
    settings.endpoints.chmod(0o644)
    assert KEY not in covered(settings)


async def test_a_key_that_a_tool_prints_is_stored_covered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In what it printed, what it was given, and what the agent says of it."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    async with staged(tmp_path) as stage, stage.running():
        await stage.say("a", f'!tool show {{"key": "hidden"}} 1 {KEY}\n!say {KEY}')
        await stage.until_ended("a")
        facts = [record.event for record in await stage.records() if record.event.__class__.__name__ != "TurnSubmitted"]
    assert KEY not in str(facts)
    assert f"[API key, {len(KEY)} characters]" in str([fact for fact in facts if "Tool" in fact.__class__.__name__])
