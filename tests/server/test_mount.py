"""Behind a proxy, under a path, and over https: all of it works, and only who is trusted is believed."""

import re
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.server.proxies import Proxies, gathered
from holdfast.settings import BadSettings, read_settings
from tests.served import HOLDFAST, Served, served
from tests.server.unsupervised import COMMAND

pytestmark = pytest.mark.slow  # most of these start a process of their own

CONFIG = """
[server]
path = "/tools/holdfast"
names = ["Box.example"]
proxies = ["127.0.0.1"]
"""


@pytest.fixture(scope="module")
def mounted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("home")
    (home / "config.toml").write_text(CONFIG)
    with served(home, command=COMMAND) as server:
        yield server


def root(server: Served) -> str:
    return server.link.removesuffix("/tools/holdfast")


def test_the_page_its_files_and_the_api_are_under_the_path(mounted: Served) -> None:
    assert mounted.link.endswith("/tools/holdfast")
    for path in ("/", "/session/some-session"):
        page = httpx.get(f"{mounted.link}{path}")
        assert page.status_code == 200
        named: list[str] = re.findall(r'(?:src|href)="([^"]+)"', page.text)
        assert len(named) > 2
        for address in named:
            assert address.startswith("/tools/holdfast/")
            assert httpx.get(f"{root(mounted)}{address}").status_code == 200
    assert httpx.get(mounted.link).status_code == 200
    assert httpx.get(f"{mounted.link}/health").json() == {"status": "ok"}
    signed_in = httpx.post(f"{mounted.link}/api/sign-in", json={"code": mounted.code}).json()
    headers = {"authorization": f"Bearer {signed_in['token']}"}
    assert httpx.get(f"{mounted.link}/api/sessions", headers=headers).status_code == 200


def test_a_proxy_may_take_the_path_off(mounted: Served) -> None:
    assert httpx.get(f"{root(mounted)}/health").status_code == 200
    assert httpx.get(f"{root(mounted)}/api/sessions", headers=mounted.authorization).status_code == 200


@pytest.mark.parametrize("path", ["/tools/holdfastx/api/sessions", "/tools/holdfast/tools/holdfast/api/sessions"])
def test_the_path_opens_nothing(mounted: Served, path: str) -> None:
    assert httpx.get(f"{root(mounted)}{path}").status_code == 401
    assert httpx.get(f"{root(mounted)}{path}", headers=mounted.authorization).status_code == 404


def test_a_trusted_proxy_says_the_name_the_scheme_and_the_address(mounted: Served) -> None:
    forwarded = {
        "x-forwarded-host": "box.example",
        "x-forwarded-proto": "https",
        "x-forwarded-for": "198.51.100.7, 203.0.113.9",
        "origin": "https://box.example",
    }
    with httpx.Client(base_url=mounted.link, headers=mounted.authorization | forwarded) as client:
        made = client.post("/api/account/links").json()
        assert made["link"].startswith("https://box.example/tools/holdfast/#code=")
        assert not made["local"]
        client.post("/api/sign-in", json={"code": made["link"].partition("=")[2], "name": "far"}).raise_for_status()
        (far,) = [each for each in client.get("/api/account").json()["devices"] if each["name"] == "far"]
        assert far["address"] == "203.0.113.9"
        assert client.get("/health", headers={"x-forwarded-host": "evil.example"}).status_code == 421
        assert client.get("/health", headers={"x-forwarded-host": "box.example, evil.example"}).status_code == 421


def test_what_nobody_trusts_is_not_believed(tmp_path: Path) -> None:
    with served(tmp_path, command=COMMAND) as server:
        forwarded = {"x-forwarded-for": "198.51.100.7", "x-forwarded-proto": "https", "x-forwarded-host": "x.example"}
        with httpx.Client(base_url=server.link, headers=server.authorization | forwarded) as client:
            made = client.post("/api/account/links").json()
            assert made["link"].startswith(f"{server.link}/#code=")
            client.post("/api/sign-in", json={"code": made["link"].partition("=")[2]}).raise_for_status()
            assert client.get("/api/account").json()["devices"][0]["address"] == "127.0.0.1"


@given(st.lists(st.sampled_from(["10.0.0.1", "10.0.0.2", "198.51.100.7", "203.0.113.9", "nonsense", "::1", ""])))
def test_the_address_is_the_last_in_the_chain_that_nobody_trusts(chain: list[str]) -> None:
    """Whatever a client writes in front, it can't choose its own address."""
    proxies = Proxies(["10.0.0.0/8"])
    said = gathered([(b"x-forwarded-for", ", ".join([*chain, "192.0.2.1", "10.0.0.3"]).encode())])
    assert proxies.arrival("10.0.0.4", "http", said).address == "192.0.2.1"
    assert proxies.arrival("::ffff:10.0.0.4", "http", said).address == "192.0.2.1"
    assert proxies.arrival("192.0.2.66", "http", said).address == "192.0.2.66"


@pytest.mark.parametrize(
    "line", ['proxies = ["nobody"]', 'path = "no/slash"', 'path = "/end/"', 'path = "/a b"', 'certificate = "x"']
)
def test_settings_that_make_no_sense_are_said_at_once(tmp_path: Path, line: str) -> None:
    (tmp_path / "config.toml").write_text(f"[server]\n{line}\n")
    with pytest.raises(BadSettings, match="Correct it"):
        read_settings({}, home=tmp_path)


@pytest.fixture
def secure_home(tmp_path: Path) -> Path:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl to make a certificate with")
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=box.example", "-days", "2"]
    command += ["-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "cert.pem")]
    subprocess.run(command, check=True, capture_output=True)
    (tmp_path / "config.toml").write_text('[server]\ncertificate = "cert.pem"\nkey = "key.pem"\n')
    return tmp_path


def test_with_a_certificate_it_speaks_https_and_is_found_by_its_own_commands(secure_home: Path) -> None:
    with served(secure_home, command=COMMAND) as server:
        assert server.link.startswith("https://127.0.0.1:")
        context = ssl.create_default_context(cafile=secure_home / "cert.pem")
        context.check_hostname = False
        with httpx.Client(base_url=server.link, verify=context, headers=server.authorization) as client:
            answer = client.get("/api/sessions")
            assert answer.status_code == 200
            assert answer.headers["strict-transport-security"]
            assert client.post("/api/account/links").json()["link"].startswith(f"{server.link}/#code=")
        said = subprocess.run(
            [*HOLDFAST, "link", "--home", str(secure_home)], capture_output=True, text=True, check=True
        )
        assert said.stdout.startswith(f"{server.link}/#code=")


def test_a_certificate_that_can_not_be_used_is_said_at_the_start(secure_home: Path) -> None:
    (secure_home / "key.pem").write_text("no key")
    command = [*HOLDFAST, "serve", "--home", str(secure_home), "--no-open", "--port", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    files = secure_home / "cert.pem", secure_home / "key.pem"
    assert "The certificate {} can't be used with the key {}: ".format(*files) in done.stderr
    assert "Check [server] certificate and key" in done.stderr
