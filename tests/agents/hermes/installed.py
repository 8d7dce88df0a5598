"""An environment with a Hermes in it that can be found, started and asked what it is, and nothing more."""

import sys
from pathlib import Path

MODULES = {
    "run_agent": """
class AIAgent:
    def __init__(self, model, provider, base_url, api_key, session_id, session_db, platform, stream_delta_callback,
                 tool_start_callback, tool_complete_callback, clarify_callback): ...
    def run_conversation(self): ...
    def interrupt(self): ...
""",
    "hermes_state": "class SessionDB: ...",
    "hermes_cli/__init__": "",
    "hermes_cli/config": "def load_config(): return {}",
    "hermes_cli/runtime_provider": "def resolve_runtime_provider(**_): return {}",
    "tools/__init__": "",
    "tools/approval": """
_gateway_queues, _lock = {}, object()
def register_gateway_notify(*_): ...
def _get_approval_config(): return {}
def set_current_session_key(*_): ...
""",
}
LACKING = "import a_package_that_was_not_installed"
"""What makes a module of one that lacks a dependency."""


def install_hermes(folder: Path, version: str = "0.19.0", **changed: str) -> Path:
    """Make it in `folder`; `changed` are modules that are other than they should be. Return its Python."""
    packages = folder / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    about = packages / f"hermes_agent-{version}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: hermes-agent\nVersion: {version}\n")
    for name, text in {**MODULES, **changed}.items():
        (packages / name).parent.mkdir(exist_ok=True)
        (packages / f"{name}.py").write_text(text)
    (folder / "bin").mkdir()
    base = Path(sys.base_prefix) / "bin"
    (folder / "pyvenv.cfg").write_text(f"home = {base}\ninclude-system-site-packages = false\n")
    python = folder / "bin" / "python"
    python.symlink_to(base / f"python3.{sys.version_info.minor}")
    return python
