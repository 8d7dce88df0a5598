"""The service worker as the server sends it: with every other page it is another one."""

import json
import re
import shutil
from pathlib import Path

from holdfast.server.assets import FOLDER, KEPT, Page, read_page
from tests.served import served
from tests.server.unsupervised import COMMAND


def told(page: Page) -> dict[str, object]:
    """What the worker is told first of the page."""
    found = re.match(rb"self\.page=(\{.*\});\n", page.files["/sw.js"].content)
    assert found is not None
    return json.loads(found[1])


def test_the_worker_differs_whenever_the_page_does(tmp_path: Path) -> None:
    """In its version, in where it is mounted, and in any of its files, those included that keep their name."""
    folder = tmp_path / "static"
    shutil.copytree(FOLDER, folder)
    first = read_page(folder, "1")
    assert read_page(folder, "1").files["/sw.js"] == first.files["/sw.js"]
    others = [read_page(folder, "2"), read_page(folder, "1", "/below")]
    (folder / "manifest.webmanifest").write_text("{}")
    others.append(read_page(folder, "1"))
    assert len({str(told(page)["digest"]) for page in (first, *others)}) == 4


def test_the_worker_keeps_every_part_of_the_page_but_the_huge_ones() -> None:
    page = read_page(FOLDER, "1", "/below")
    small = {f"/below{name}" for name, asset in page.files.items() if len(asset.content) <= KEPT}
    assert set(told(page)["files"]) == small - {"/below/sw.js"}  # pyright: ignore[reportArgumentType]  a list of names


def test_the_worker_opens_the_page_wherever_the_server_does() -> None:
    opens = re.compile(str(told(read_page(FOLDER, "1"))["opens"]))
    for place in ("/", "/settings", "/insights", "/session/s1", "/session/s1/replay/t1"):
        assert opens.fullmatch(place)
    for other in ("/api/insights", "/session/", "/session/s1/replay/", "/session/s1/x", "/insights/x"):
        assert opens.fullmatch(other) is None


def test_manifest_icons_and_worker_are_sent_to_anybody_as_what_they_are(tmp_path: Path) -> None:
    """A browser fetches them without a credential; the names are ever the same, so it asks each time."""
    with served(tmp_path / "home", command=COMMAND) as server, server.client() as client:
        del client.headers["authorization"]
        manifest = client.get("/manifest.webmanifest")
        assert manifest.headers["content-type"].startswith("application/manifest+json")
        for icon in manifest.json()["icons"]:
            answer = client.get(f"/{icon['src']}")
            assert (answer.status_code, answer.headers["content-type"]) == (200, icon["type"])
        worker = client.get("/sw.js")
        assert worker.headers["content-type"].startswith("text/javascript")
        assert worker.headers["cache-control"] == "no-cache"
