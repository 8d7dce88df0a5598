"""Fetching: only the web, only where a person would let it go, and no more than fits."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from holdfast.agents.acp.client import AcpAgent, Result
from holdfast.agents.builtin.deed import Unable
from holdfast.agents.builtin.tools import fetch
from tests.agents.audience import TURN, Audience


class Site(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (its name in the standard library)
        """Quiet."""

    def do_GET(self) -> None:
        if self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("location", self.path.removeprefix("/to/"))
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.end_headers()
        page = b"<html><head><title>t</title></head><body><h1>Hello</h1><script>bad()</script><p>W\xc3\xb6rld &amp; co"
        self.wfile.write(page if self.path == "/" else b"<p>" + b"x" * 8_000_000)


@pytest.fixture
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    "address",
    ["file:///etc/passwd", "ftp://x/y", "gopher://x", "x", "", "http://", "http://u:p@example.com/", "http://a b/",
     "http://169.254.169.254/latest/meta-data", "http://[fe80::1]/", "http://0.0.0.0/", "http://[::ffff:169.254.169.254]/",
     "http://x:99999/"],
)  # fmt: skip
def test_what_is_never_fetched(address: str) -> None:
    with pytest.raises(Unable):
        fetch.look_up(address)


@pytest.mark.parametrize(
    "address",
    ["http://127.0.0.1/", "http://10.0.0.1/", "http://192.168.1.1/", "http://[::1]/", "http://[::ffff:127.0.0.1]/",
     "http://2130706433/", "http://0x7f000001/", "http://127.1/", "http://100.64.0.1/", "http://[fd00::1]/",
     "http://[64:ff9b::7f00:1]/", "http://172.16.0.1/", "http://[64:ff9b:1::7f00:1]/", "http://[fec0::1]/",
     "http://[::127.0.0.1]/", "http://[::ffff:0:127.0.0.1]/", "http://[2002:7f00:1::]/"],
)  # fmt: skip
def test_addresses_that_are_not_public_are_known_however_they_are_written(address: str) -> None:
    assert not fetch.look_up(address).public


def test_a_public_address_is_public() -> None:
    assert fetch.look_up("http://8.8.8.8/").public


async def test_a_page_on_this_machine_is_fetched_when_the_person_allows_it(
    agent: AcpAgent, audience: Audience, site: str
) -> None:
    audience.on_permission = lambda asked: agent.answer_permission(asked.id, allow=True)
    script = f'!tool fetch {{"url": "{site}/"}}\n!then\n!quote'
    assert await agent.prompt(TURN, script) == Result("completed")
    assert audience.text == "Tool said: Hello\n\nWörld & co"
    (asked,) = audience.permissions
    assert asked.pattern_keys == ("private address",)
    assert "not on the public internet" in asked.description


async def test_a_page_without_an_end_is_cut(agent: AcpAgent, audience: Audience, site: str) -> None:
    audience.on_permission = lambda asked: agent.answer_permission(asked.id, allow=True)
    await agent.prompt(TURN, f'!tool fetch {{"url": "{site}/big"}}\n!then\n!quote')
    assert "characters left out" in audience.text
    assert len(audience.text) < 40_000


async def test_a_redirect_to_a_place_that_was_not_asked_for_is_refused(
    agent: AcpAgent, audience: Audience, site: str
) -> None:
    audience.on_permission = lambda asked: agent.answer_permission(asked.id, allow=True)
    await agent.prompt(TURN, f'!tool fetch {{"url": "{site}/to/http://10.0.0.1/"}}\n!then\n!quote')
    assert "redirects to 10.0.0.1" in audience.text
    await agent.prompt(TURN, f'!tool fetch {{"url": "{site}/to/http://127.0.0.1:1/"}}\n!then\n!quote')
    assert "redirects to 127.0.0.1 (127.0.0.1, port 1)" in audience.text, "another port is another program"
    await agent.prompt(TURN, f'!tool fetch {{"url": "{site}/to/file:///etc/passwd"}}\n!then\n!quote')
    assert "is no http or https address" in audience.text
