"""What the modes of the built-in agent are called, for whoever shows them without loading the agent."""

ABOUT = {
    "default": ("Default", "Asks before dangerous commands and edits."),
    "ask": ("Ask", "Asks before every edit and every command."),
    "read": ("Read only", "Reads and searches; changes nothing and runs no commands."),
}
