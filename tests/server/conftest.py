"""One server for all the tests that only ask it things."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.served import served


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    home: Path = tmp_path_factory.mktemp("home")
    with served(home) as server, httpx.Client(base_url=server.link, timeout=60) as client:
        yield client
