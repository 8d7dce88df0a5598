"""How the scripted agent's commits of memory behave, until a directive says otherwise."""


class Memory:
    def __init__(self) -> None:
        self.failures = 0
        """How many of the next commits fail."""
        self.seconds = 0.0
        """How long a commit takes."""
