r"""What looks like a key, hidden: for operators' logs, and for what leaves the house (exports, shares).

Law: it errs on the side of hiding, so it is used only where nothing depends on the exact text; the log of a session is
covered by exact values alone (`Cover`). What it has hidden it does not change again. It takes time in proportion to the
text, whatever the text: what repeats is bounded, or can't begin anew inside of itself.

Arguments of tools are JSON, and often JSON within JSON: a quote may have any number of backslashes before it.
"""

import re

SECRET_NAME = re.compile(
    r"(?i)((password|passwd|passphrase|secret|token|api_?key)|(^|_)(key|credentials?|pat)|_(pass|pwd|auth))$"
)
"""Names of variables whose values are secret: PGPASSWORD and MYSQL_PWD, not PWD."""

QUOTE = r"""\\*+["']?+"""
NEXT = rf"(?:\s*=\s*{QUOTE}|\s+{QUOTE}|\\*[\"']\s*,\s*\\*[\"'])"
"""Between a flag and what it is given: on a command line, or in a list of arguments."""
NAMED = r"""(?:api[_-]?key|(?:secret|private|access|signing|encryption)[_-]?key(?:[_-]?base)?|token|secret
    |passw(?:or)?d|passphrase|credential)"""
KIND = r"(?:bearer|basic|token)"
LETTER = r"""(?:[^\s"'\\,;&\[\]{}]|\\+(?!["'\\]))"""
QUOTED = r"""(?:[^"'\\\r\n]|\\+(?!["'\\]))"""
VALUE = rf"""(?!-----BEGIN|\[hidden,)(?:(?<=["']){QUOTED}{{6,}}(?=\\*["'])|{LETTER}{{6,}})"""
"""In quotes all of it, words and all; else as far as it can be one."""

SHAPES = re.compile(
    rf"""
      (?P<block>-----BEGIN[ ](?:[A-Z]+[ ])*PRIVATE[ ]KEY-----.*?(?:-----END[ ](?:[A-Z]+[ ])*PRIVATE[ ]KEY-----|\Z))
    | (?P<key>
        \b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{{16,}}                    # model providers, payment providers
      | \b(?:ghp|gho|ghu|ghs|ghr|github_pat|glpat|hf|xai|gsk|nvapi|pypi|npm|glsa|do[opr]_v1)[-_][A-Za-z0-9_-]{{16,}}
      | \bHoldfast-[A-Za-z0-9_-]{{43}}                             # our own
      | \bxox[abeoprs]-[A-Za-z0-9-]{{10,}}                        # chat
      | (?<!\d)\d{{8,10}}:[A-Za-z0-9_-]{{35}}(?![A-Za-z0-9_-])      # a bot's, in an address as well
      | \bSG\.[A-Za-z0-9_-]{{16,64}}\.[A-Za-z0-9_-]{{16,}}          # mail
      | \b(?:AKIA|ASIA)[A-Z0-9]{{16}}\b                           # clouds
      | \bAIza[A-Za-z0-9_-]{{30,}}
      | (?<![\w-])eyJ[A-Za-z0-9_-]{{8,}}\.[A-Za-z0-9_-]{{8,}}\.[A-Za-z0-9_-]*  # signed tokens
      )
    | (?P<hook>\bhooks\.slack\.com/[a-z]{{1,20}}/|\bdiscord(?:app)?\.com/api/webhooks/)(?P<post>[\w/-]{{8,}})
    | (?P<cookies>(?i:\bcookie{QUOTE}\s*:\s*+{QUOTE}))(?P<cookie>(?!\[hidden,)[^"'\\\r\n=]{{1,100}}=[^"'\\\r\n]+)
    | (?P<header>(?i:\bauthorization{QUOTE}\s*[=:]\s*{QUOTE}(?:[a-z][a-z0-9-]{{1,30}}[ ]+)?))
      (?P<bearing>(?!(?i:bearer|basic)\b)[^\s"'\\,\[\]]{{6,}})
    | (?P<before>(?i:\b(?:bearer|basic)\s+))(?P<credential>[A-Za-z0-9._~+/=-]{{8,}})
    | (?P<scheme>\b[a-z][a-z0-9+.-]{{0,20}}://[^\s/:@"']*:)(?P<login>[^\s/@"']+)(?=@)
    | (?P<user>(?<![\w-])(?:-u|--user|--proxy-user){NEXT}[^\s:/"'\\\[\]]{{1,100}}:)
      (?P<password>(?!//|\d+\b)[^\s"'\\\[\]]+)
    | (?P<flag>(?<![\w-])--?(?i:[a-z-]{{0,40}}{NAMED}){NEXT}){VALUE}
    | (?P<phrase>(?i:passphrase{QUOTE}\s*[=:]\s*+{QUOTE}))(?P<words>(?!\[hidden,){QUOTED}{{6,}})
    | (?P<name>(?i:{NAMED}{QUOTE}\s*[=:]\s*{QUOTE}(?:{KIND}\s+)?))(?!(?i:{KIND})\s){VALUE}
    """,
    re.VERBOSE | re.DOTALL,
)
KEPT = ("hook", "cookies", "header", "before", "scheme", "user", "flag", "phrase", "name")
"""What stands before a secret and says what it is."""


def masked(text: str) -> str:
    """`text` with everything hidden that looks like a key or a password."""
    return SHAPES.sub(_hidden, text)


def _hidden(found: re.Match[str]) -> str:
    kept = next(filter(None, map(found.group, KEPT)), "")
    return f"{kept}[hidden, {len(found[0]) - len(kept)} characters]"
