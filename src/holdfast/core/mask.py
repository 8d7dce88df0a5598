"""What looks like a key, hidden: for operators' logs, and for what leaves the house (exports, shares).

Law: it errs on the side of hiding, so it is used only where nothing depends on the exact text; the log of a session is
covered by exact values alone (`Cover`). What it has hidden it does not change again.
"""

import re

SHAPES = re.compile(
    r"""
      (?P<block>-----BEGIN[ ](?:[A-Z]+[ ])*PRIVATE[ ]KEY-----.*?(?:-----END[ ](?:[A-Z]+[ ])*PRIVATE[ ]KEY-----|\Z))
    | (?P<key>
        \b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}                    # model providers, payment providers
      | \b(?:ghp|gho|ghu|ghs|ghr|github_pat|glpat|hf|xai|gsk|nvapi|pypi|npm)[-_][A-Za-z0-9_-]{16,}
      | \bHoldfast-[A-Za-z0-9_-]{43}                             # our own
      | \bxox[abeoprs]-[A-Za-z0-9-]{10,}                        # chat
      | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b                           # clouds
      | \bAIza[A-Za-z0-9_-]{30,}
      | \beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*  # signed tokens
      )
    | (?P<before>(?i:\b(?:bearer|basic)\s+))(?P<credential>[A-Za-z0-9._~+/=-]{8,})
    | (?P<scheme>\b[a-z][a-z0-9+.-]*://[^\s/:@"']*:)(?P<login>[^\s/@"']+)(?=@)
    | (?P<name>(?i:(?:api[_-]?key|token|secret|passw(?:or)?d|credential)["']?\s*[=:]\s*["']?))
      (?P<value>[^\s"',;&\[\]{}]{6,})
    """,
    re.VERBOSE | re.DOTALL,
)


def masked(text: str) -> str:
    """`text` with everything hidden that looks like a key or a password."""
    return SHAPES.sub(_hidden, text)


def _hidden(found: re.Match[str]) -> str:
    kept = found["before"] or found["scheme"] or found["name"] or ""
    return f"{kept}[hidden, {len(found[0]) - len(kept)} characters]"
