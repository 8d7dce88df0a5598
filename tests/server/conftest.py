"""One server for all the tests of a module; they play the runner's part themselves, from another process."""

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from holdfast.core.ids import SessionId
from holdfast.settings import read_settings
from holdfast.store.sqlite.store import Options, SqliteStore
from tests.served import Served, served
from tests.server.unsupervised import COMMAND


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("home"), command=COMMAND) as server:
        yield server


@pytest.fixture(scope="module")
def client(server: Served) -> Iterator[httpx.Client]:
    """Somebody who is signed in."""
    with server.client() as client:
        yield client


@pytest.fixture(scope="module")
def stranger(server: Served) -> Iterator[httpx.Client]:
    """Somebody without a credential."""
    with httpx.Client(base_url=server.link, timeout=60) as client:
        yield client


@pytest.fixture
async def api(server: Served) -> AsyncIterator[httpx.AsyncClient]:
    async with server.async_client() as client:
        yield client


@pytest.fixture
async def store(server: Served) -> AsyncIterator[SqliteStore]:
    """The server's store, opened by another process: this one."""
    settings = read_settings({}, home=server.home)
    opened = await SqliteStore.open_folder(settings.store, Options(bells=settings.bells))
    yield opened
    await opened.close()


@pytest.fixture
def session(client: httpx.Client) -> SessionId:
    """A new session."""
    answer = client.post("/api/sessions", json={"title": "A title"})
    assert answer.status_code == 201
    return SessionId(answer.json()["id"])
