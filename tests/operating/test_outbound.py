"""What Holdfast asks for by itself goes where it was judged to go, and nowhere else."""

import http.server
import socket
import threading
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from holdfast import outbound
from holdfast.outbound import NotSent, is_public, looked_up, post


class Ear(http.server.BaseHTTPRequestHandler):
    """Hears what is posted; `/away` leads elsewhere."""

    heard: ClassVar[list[tuple[str, str]]] = []

    def do_POST(self) -> None:
        self.heard.append((self.path, self.headers["host"]))
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(302 if self.path == "/away" else 200)
        self.send_header("location", "https://elsewhere.example/hush?token=hush")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the library's name
        pass


@pytest.fixture
def port() -> Iterator[int]:
    Ear.heard.clear()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ear) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


INSIDE = [
    "http://127.0.0.1/", "http://localhost/", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/",
    "http://2130706433/", "http://0x7f.1/", "http://127.1/", "http://0/", "http://0.0.0.0/", "http://[::]/",
    "http://10.0.0.1/", "http://192.168.1.1/", "http://172.16.0.1/", "http://169.254.169.254/latest/meta-data",
    "http://[fe80::1]/", "http://[fd00::1]/", "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/", "http://100.64.0.1/",
    "http://[64:ff9b:1::7f00:1]/", "http://[fec0::1]/", "http://[::127.0.0.1]/", "http://[::ffff:0:127.0.0.1]/",
    "http://[64:ff9b::a9fe:a9fe]/", "http://[2002:a9fe:a9fe::1]/", "http://[100::1]/", "http://[5f00::1]/",
]  # fmt: skip


@pytest.mark.parametrize("url", INSIDE)
def test_an_address_inside_is_refused_however_it_is_spelled(url: str) -> None:
    with pytest.raises(NotSent):
        looked_up(url, private=False)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org\\@127.0.0.1/", "http://me@127.0.0.1/", "http://example.org @127.0.0.1/", "file:///etc/passwd",
        "http://\t127.0.0.1/", "gopher://127.0.0.1/", "http:///x", "http://[::1/", "http://127.0.0.1:99999/", "http://a\nb/",
    ],
)  # fmt: skip
def test_an_address_that_programs_read_differently_is_refused_even_where_private_ones_are_not(url: str) -> None:
    with pytest.raises(NotSent):
        looked_up(url, private=True)


def test_a_public_address_is_public_and_a_multicast_one_is_not() -> None:
    assert is_public("93.184.215.14")
    assert is_public("2606:2800:21f:cb07:6820:80da:af6b:8b2c")
    assert is_public("64:ff9b::808:808")
    assert is_public("::ffff:8.8.8.8")
    assert not is_public("224.0.0.1")
    assert not is_public("ff0e::1")


def test_a_name_that_changes_its_mind_is_asked_only_once(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is connected to is what was looked at: a second look would have led elsewhere."""
    looks: list[str] = []

    def resolve(host: str, *_: Any, **__: Any) -> list[Any]:
        looks.append(host)
        address = "127.0.0.1" if len(looks) == 1 else "192.0.2.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    whole = socket.getaddrinfo
    monkeypatch.setattr(
        outbound.socket, "getaddrinfo", lambda host, *a, **k: resolve(host) if "." not in host else whole(host, *a, **k)
    )
    post(f"http://changeable:{port}/here?x=1", b"{}", {}, seconds=30, private=True)
    assert looks == ["changeable"]
    assert Ear.heard == [("/here?x=1", f"changeable:{port}")]


def test_a_redirect_is_not_followed(port: int) -> None:
    """And where it leads is said without what may be secret in it."""
    with pytest.raises(NotSent, match=r"it leads to https://elsewhere.example. Name") as refused:
        post(f"http://127.0.0.1:{port}/away", b"{}", {}, seconds=30, private=True)
    assert "hush" not in str(refused.value)
    assert [path for path, _ in Ear.heard] == ["/away"]
