"""Model endpoints: where they come from, and that their keys stay where they belong."""

from pathlib import Path

import msgspec
import pytest

from holdfast.endpoints import (
    BadEndpoint,
    Endpoint,
    EndpointsUnreadable,
    KeysExposed,
    NoSuchEndpoint,
    key_variables,
    known_keys,
    public,
    read_endpoints,
    remove_endpoint,
    save_endpoint,
    split,
)
from holdfast.listing import list_models
from holdfast.settings import Settings, read_settings
from tests.agents.builtin.model import serving

KEY = "sk-1234567890"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path)


def test_an_endpoint_is_kept_where_only_its_owner_can_read_it(settings: Settings) -> None:
    save_endpoint(settings, Endpoint(name="a", base_url="http://x/v1", key=KEY, models=("m",), window=5))
    save_endpoint(settings, Endpoint(name="b", base_url="http://y/v1"))
    assert settings.endpoints.stat().st_mode & 0o777 == 0o600
    found = read_endpoints(settings, {})
    assert list(found) == ["a", "b"]
    assert (found["a"].key, found["a"].models, found["a"].window, found["a"].source) == (KEY, ("m",), 5, "page")
    remove_endpoint(settings, "a")
    assert list(read_endpoints(settings, {})) == ["b"]
    assert [path.name for path in settings.home.iterdir()] == ["endpoints.json"]
    with pytest.raises(NoSuchEndpoint):
        remove_endpoint(settings, "a")


def test_a_file_that_others_can_read_is_refused(settings: Settings) -> None:
    save_endpoint(settings, Endpoint(name="a", base_url="http://x/v1", key=KEY))
    settings.endpoints.chmod(0o640)
    with pytest.raises(KeysExposed, match=r"others can read it. Close it with: chmod 600"):
        read_endpoints(settings, {})
    assert "OPENAI_API_KEY" in key_variables(settings)


def test_a_file_that_makes_no_sense_is_a_sentence(settings: Settings) -> None:
    settings.endpoints.touch(mode=0o600)
    with pytest.raises(EndpointsUnreadable, match="Correct it, or remove it"):
        read_endpoints(settings, {})


def test_a_key_from_the_environment_is_not_written_down(settings: Settings) -> None:
    save_endpoint(settings, Endpoint(name="a", base_url="http://x/v1", key=KEY, key_env="MY_KEY"))
    assert KEY not in settings.endpoints.read_text()
    found = read_endpoints(settings, {"MY_KEY": KEY})
    assert found["a"].key == KEY
    assert "MY_KEY" in key_variables(settings)


def test_the_page_beats_the_file_and_the_file_beats_the_environment(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(
        '[endpoints.openai]\nbase_url = "http://file/v1"\nkey_env = "FILE_KEY"\nmodels = ["f"]\n'
        '[endpoints.local]\nbase_url = "http://local/v1"\n'
    )
    settings = read_settings({}, home=tmp_path)
    environ = {"OPENAI_API_KEY": "one", "OPENROUTER_API_KEY": "two", "FILE_KEY": "three"}
    found = read_endpoints(settings, environ)
    assert found["openai"].key == "three"
    assert found["openrouter"].base_url == "https://openrouter.ai/api/v1"
    assert set(known_keys(found.values())) == {"two", "three"}
    save_endpoint(settings, Endpoint(name="local", base_url="http://page/v1"))
    assert read_endpoints(settings, environ)["local"].base_url == "http://page/v1"


def test_config_holds_no_keys(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[endpoints.a]\nbase_url = "http://x/v1"\nkey = "k"\n')
    with pytest.raises(Exception, match="unknown field `key`"):
        read_settings({}, home=tmp_path)


def test_what_may_leave_the_process_has_no_key_in_it() -> None:
    endpoint = Endpoint(name="a", base_url="http://x/v1", key=KEY, key_env="V")
    shown = public(endpoint)
    assert (shown.has_key, shown.key_from, shown.key_env) == (True, "environment", "V")
    assert KEY not in msgspec.json.encode(shown).decode()
    assert KEY not in repr(endpoint)
    assert KEY not in str([endpoint])


@pytest.mark.parametrize(
    "wrong",
    [
        Endpoint(name="a/b", base_url="http://x"),
        Endpoint(name="", base_url="http://x"),
        Endpoint(name="a", base_url="file:///etc/passwd"),
        Endpoint(name="a", base_url="x"),
        Endpoint(name="a", base_url="http://x", key="line\nbreak"),
    ],
)
def test_what_can_not_be_an_endpoint_is_refused(settings: Settings, wrong: Endpoint) -> None:
    with pytest.raises(BadEndpoint):
        save_endpoint(settings, wrong)
    assert not settings.endpoints.exists()


def test_a_model_may_have_slashes_in_its_name() -> None:
    assert split("openrouter/meta/llama-3") == ("openrouter", "meta/llama-3")


async def test_an_endpoint_lists_its_models_and_how_much_they_can_look_at() -> None:
    with serving() as model:
        listing = await list_models(Endpoint(name="a", base_url=model.url, key=KEY))
        assert listing.models == ("mock-1", "org/mock-2")
        assert listing.windows["org/mock-2"] == 128_000
        assert model.headers[-1]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("address", "sentence"),
    [("http://127.0.0.1:9/v1", "can't be reached"), ("http://127.0.0.1:bad/v1", "can't be reached")],
)
async def test_an_endpoint_that_can_not_be_asked_is_a_sentence(address: str, sentence: str) -> None:
    listing = await list_models(Endpoint(name="a", base_url=address), timeout=5)
    assert sentence in listing.problem
    assert listing.models == ()
