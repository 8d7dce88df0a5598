"""A device that is pushed to: a push service on this machine, and a receiver's key that alone can read what comes."""

import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import httpx
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from http_ece import decrypt  # pyright: ignore[reportMissingTypeStubs]  has no types
from py_vapid import Vapid02  # pyright: ignore[reportMissingTypeStubs]  has no types

from holdfast.server.links import Links
from tests.journeys.house import House
from tests.journeys.patience import wait_until

AUTH = b"sixteen bytes ok"


class Handset:
    """Use it as a context. `refusing` is the status that its push service answers instead of taking anything."""

    def __init__(self) -> None:
        self._pair = generate_private_key(SECP256R1())
        self.heard: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.raw: list[bytes] = []
        self.refusing = 0
        self.refused = 0
        self.device = ""
        self.token = ""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _hook(self))
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}/push/secret-of-this-browser"
        self._thread = threading.Thread(target=self._server.serve_forever)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def take(self, body: bytes, headers: dict[str, str]) -> None:
        """Read what came as a browser does, and see that the home signed it."""
        assert Vapid02.verify(headers["authorization"])
        opened: Any = decrypt(body, private_key=self._pair, auth_secret=AUTH, version="aes128gcm")
        self.raw.append(body)
        self.headers.append(headers)
        self.heard.append(json.loads(opened))

    @property
    def kinds(self) -> list[str]:
        return [each["kind"] for each in self.heard]

    def sign_in(self, house: House) -> None:
        with house.server.client() as client:
            said = {"code": Links(house.home).issue(), "name": "handset"}
            answer = client.post("/api/sign-in", json=said).raise_for_status().json()
        self.device, self.token = answer["device"], answer["token"]

    @property
    def keys(self) -> dict[str, str]:
        point = self._pair.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {"p256dh": _text(point), "auth": _text(AUTH)}

    def subscribe(self, house: House, **fields: Any) -> httpx.Response:
        """Switch push on, as the page does."""
        body = {"endpoint": self.endpoint, **self.keys, **fields}
        return self.ask(house, "PUT", "/api/push", body)

    def ask(self, house: House, method: str, path: str, body: object = None) -> httpx.Response:
        with house.server.client() as client:
            return client.request(method, path, json=body, headers={"authorization": f"Bearer {self.token}"})

    def wait(self, count: int) -> list[dict[str, Any]]:
        wait_until(lambda: len(self.heard) >= count, f"{count} pushes")
        return self.heard


def _hook(handset: Handset) -> type[BaseHTTPRequestHandler]:
    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if handset.refusing:
                handset.refused += 1
            else:
                handset.take(body, {name.lower(): value for name, value in self.headers.items()})
            self.send_response(handset.refusing or 201)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the library's name
            pass

    return Hook


def _text(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()
