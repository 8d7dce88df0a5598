"""How a shared page looks: the page's own colours, light and dark, and ink on paper when it is printed."""

import base64
from hashlib import sha256

STYLE = """
:root { color-scheme: light dark; --ground: #f6f7f5; --card: #fff; --well: #eef1ee; --line: #d9deda; --ink: #17201d;
  --ink-2: #4c5853; --ink-3: #5b6762; --kelp: #0f6b5c; --amber: #8a5300; --red: #a8322a; --green: #2c6e3f;
  --sans: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
@media (prefers-color-scheme: dark) { :root { --ground: #101614; --card: #18201d; --well: #131a18; --line: #2a3531;
  --ink: #e6ece8; --ink-2: #a9b5af; --ink-3: #8e9b95; --kelp: #5cc4ae; --amber: #f0b45a; --red: #f08a80;
  --green: #7cc48d; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/24px var(--sans); }
main { display: flex; flex-direction: column; gap: 24px; max-width: 728px; margin: 0 auto; padding: 32px 16px 48px; }
h1 { margin: 0; font: 600 20px/28px var(--sans); overflow-wrap: anywhere; }
h2 { margin: 0 0 8px; font: 600 15px/24px var(--sans); }
p { margin: 0; }
a { color: inherit; }
.turn { display: flex; flex-direction: column; gap: 12px; min-width: 0; }
.turn + .turn { padding-block-start: 24px; border-block-start: 1px solid var(--line); }
.meta { color: var(--ink-3); font: 400 12.5px/17px var(--sans); font-variant-numeric: tabular-nums; }
.said { overflow-wrap: anywhere; white-space: pre-wrap; }
.user { padding-inline-start: 14px; border-inline-start: 2px solid var(--kelp); }
.user .said { font-weight: 500; }
pre { margin: 4px 0; padding: 8px 12px; border-radius: 6px; background: var(--well); font: 400 13px/20px var(--mono);
  overflow-wrap: anywhere; white-space: pre-wrap; }
summary { display: flex; gap: 8px; align-items: baseline; justify-content: space-between; min-height: 28px;
  cursor: pointer; font-size: 14px; overflow-wrap: anywhere; }
summary .meta { flex: none; }
.step, .thought { padding-inline-start: 14px; border-inline-start: 1px solid var(--line); }
.thought { color: var(--ink-2); }
.failed > summary, .red { color: var(--red); }
.ask { padding: 12px 16px; border: 1px solid var(--line); border-radius: 12px; background: var(--card); }
.ask .answer { margin-block-start: 4px; font-weight: 500; }
.waits { color: var(--amber); }
.added { color: var(--green); }
.removed { color: var(--red); }
.marker { color: var(--ink-3); text-align: center; }
ul { margin: 0; padding: 0; list-style: none; }
img { display: block; max-width: 100%; margin-block-start: 8px; border-radius: 6px; }
table { width: 100%; border-collapse: collapse; font-size: 14px; line-height: 20px; }
th, td { padding: 8px; border-block-end: 1px solid var(--line); text-align: start; vertical-align: top;
  overflow-wrap: anywhere; }
th { color: var(--ink-3); font-weight: 500; }
td code { font: 400 13px/20px var(--mono); }
footer { padding-block-start: 16px; border-block-start: 1px solid var(--line); }
@media (max-width: 600px) { body { font-size: 16px; line-height: 25px; } td, th { padding: 8px 4px; } }
@media print { :root { color-scheme: light; --ground: #fff; --card: #fff; --well: #f4f4f4; --line: #bbb; --ink: #000;
  --ink-2: #222; --ink-3: #444; --kelp: #0f6b5c; --amber: #8a5300; --red: #a8322a; --green: #2c6e3f; }
  main { max-width: none; padding: 0; } .ask, pre, img { break-inside: avoid; } }
"""
_DIGEST = base64.b64encode(sha256(STYLE.encode()).digest()).decode()
POLICY = f"default-src 'none'; style-src 'sha256-{_DIGEST}'; img-src data:; base-uri 'none'; form-action 'none'"
"""This one style, pictures that lie in the file, and nothing else: no script, no request."""
