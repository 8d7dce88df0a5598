"""What an installation weighs without the libraries of the built-in agent: bytes of files, compiled ones included.

Run by the Python of that installation, which has nothing of ours but Holdfast: `python weight.py` prints the number.
"""

import re
from importlib.metadata import Distribution, PackageNotFoundError, distribution

AGENTS = frozenset({"pydantic-ai-slim"})
"""What the built-in agent alone is for; what only it brings is not counted either."""


def needed(name: str) -> dict[str, Distribution]:
    """A distribution and all that it needs, by name."""
    found: dict[str, Distribution] = {}
    names = [name]
    while names:
        plain = re.sub(r"[-_.]+", "-", names.pop()).lower()
        if plain in found or plain in AGENTS:
            continue
        try:
            found[plain] = distribution(plain)
        except PackageNotFoundError:  # meant for another platform
            continue
        wanted = (re.match(r"[\w.-]+", line) for line in found[plain].requires or () if "extra ==" not in line)
        names += [match[0] for match in wanted if match]
    return found


def weight(found: Distribution) -> int:
    paths = (file.locate() for file in found.files or ())
    return sum(path.stat().st_size for path in paths if path.is_file())  # type: ignore[attr-defined]


if __name__ == "__main__":
    print(sum(weight(found) for found in needed("holdfast").values()))
