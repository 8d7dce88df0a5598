"""Words that would run if a page took them for more than words. Each calls `hit`."""
# ruff: noqa: E501  a payload stays whole

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
