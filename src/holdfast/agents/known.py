"""Agents of others that speak the Agent Client Protocol: what each is called, and how to tell that it can be used.

A table and nothing more, gathered from documentation and packages; docs/agents.md says which rows were tried.
`keep` names the variables that hold its key or say where its files are: it gets these and no others.
"""

import msgspec

ANTHROPIC = ("ANTHROPIC_API_KEY",)
OPENAI = ("OPENAI_API_KEY",)
GOOGLE = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
OPENROUTER = ("OPENROUTER_API_KEY",)


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """How an agent is started, and how to tell that somebody has signed in.

    `keys`: variables of which one is enough. `accounts`: files of which one is enough. A file may be given as
    `VARIABLE:FOLDER:FILE`: in the folder that the variable names, or in FOLDER without it. `install` and `sign_in`
    are commands, `keep` the variables that it needs besides its keys.
    """

    name: str
    title: str
    command: tuple[str, ...]
    keys: tuple[str, ...]
    accounts: tuple[str, ...]
    install: str
    sign_in: str
    keep: tuple[str, ...] = ()


TABLE = (
    Known(
        name="opencode",
        title="OpenCode",
        command=("opencode", "acp"),
        keys=("OPENCODE_API_KEY", *ANTHROPIC, *OPENAI, *GOOGLE, *OPENROUTER),
        accounts=(
            "XDG_DATA_HOME:~/.local/share:opencode/auth.json",
            "XDG_CONFIG_HOME:~/.config:opencode/opencode.json",
            "XDG_CONFIG_HOME:~/.config:opencode/opencode.jsonc",
        ),
        keep=("OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"),
        install="npm install -g opencode-ai",
        sign_in="opencode auth login",
    ),
    Known(
        name="gemini",
        title="Gemini CLI",
        command=("gemini", "--acp"),
        keys=GOOGLE,
        accounts=("~/.gemini/oauth_creds.json", "~/.gemini/gemini-credentials.json", "~/.gemini/.env"),
        keep=("GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GOOGLE_GENAI_USE_VERTEXAI"),
        install="npm install -g @google/gemini-cli",
        sign_in="gemini",
    ),
    Known(
        name="claude",
        title="Claude Agent",
        command=("claude-agent-acp",),
        keys=(*ANTHROPIC, "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
        accounts=("CLAUDE_CONFIG_DIR:~/.claude:.credentials.json", "~/.claude.json"),
        keep=("ANTHROPIC_BASE_URL", "CLAUDE_CONFIG_DIR"),
        install="npm install -g @agentclientprotocol/claude-agent-acp",
        sign_in="claude",
    ),
    Known(
        name="codex",
        title="Codex",
        command=("codex-acp",),
        keys=("CODEX_API_KEY", *OPENAI),
        accounts=("CODEX_HOME:~/.codex:auth.json", "CODEX_HOME:~/.codex:config.toml"),
        keep=("CODEX_HOME", "CODEX_PATH"),
        install="npm install -g @agentclientprotocol/codex-acp",
        sign_in="codex login",
    ),
    Known(
        name="goose",
        title="Goose",
        command=("goose", "acp"),
        keys=("GOOSE_PROVIDER",),
        accounts=("XDG_CONFIG_HOME:~/.config:goose/config.yaml",),
        keep=("GOOSE_MODEL", *ANTHROPIC, *OPENAI, *GOOGLE, *OPENROUTER),
        install="brew install block-goose-cli",
        sign_in="goose configure",
    ),
    Known(
        name="qwen",
        title="Qwen Code",
        command=("qwen", "--acp"),
        keys=(*OPENAI, "DASHSCOPE_API_KEY"),
        accounts=("~/.qwen/oauth_creds.json", "~/.qwen/settings.json", "~/.qwen/.env"),
        keep=("OPENAI_BASE_URL", "OPENAI_MODEL"),
        install="npm install -g @qwen-code/qwen-code",
        sign_in="qwen",
    ),
    Known(
        name="copilot",
        title="GitHub Copilot",
        command=("copilot", "--acp"),
        keys=("COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"),
        accounts=("~/.copilot/config.json",),
        install="npm install -g @github/copilot",
        sign_in="copilot login",
    ),
    Known(
        name="cline",
        title="Cline",
        command=("cline", "--acp"),
        keys=("CLINE_API_KEY",),
        accounts=("CLINE_DIR:~/.cline:data/settings/providers.json",),
        keep=("CLINE_DIR", "CLINE_DATA_DIR"),
        install="npm install -g cline",
        sign_in="cline auth",
    ),
    Known(
        name="kimi",
        title="Kimi Code",
        command=("kimi", "acp"),
        keys=("KIMI_API_KEY",),
        accounts=("KIMI_CODE_HOME:~/.kimi-code:config.toml", "~/.kimi/config.toml"),
        keep=("KIMI_CODE_HOME",),
        install="npm install -g @moonshot-ai/kimi-code",
        sign_in="kimi login",
    ),
    Known(
        name="openclaw",
        title="OpenClaw",
        command=("openclaw", "acp"),
        keys=("OPENCLAW_GATEWAY_TOKEN", "OPENCLAW_GATEWAY_PASSWORD"),
        accounts=("OPENCLAW_STATE_DIR:~/.openclaw:openclaw.json",),
        keep=("OPENCLAW_STATE_DIR", "OPENCLAW_CONFIG_PATH"),
        install="npm install -g openclaw",
        sign_in="openclaw onboard",
    ),
)
KNOWN = {known.name: known for known in TABLE}
