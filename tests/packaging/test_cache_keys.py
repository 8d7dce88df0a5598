"""What uv builds from a clone is built anew after any change of what it was made of."""

import tomllib
from pathlib import Path


def test_every_file_that_a_wheel_is_made_of_is_a_key_of_the_cached_build(sources: Path) -> None:
    """Without the page, `uvx --from .` would serve an old one; without a step of the store's, a home it can't read."""
    settings = tomllib.loads((sources / "pyproject.toml").read_text("utf-8"))
    names: list[str] = settings["tool"]["hatch"]["build"]["targets"]["sdist"]["only-include"]
    made_of = {"pyproject.toml", settings["project"]["readme"], "LICENSE"}
    for place in (sources / name for name in names):
        found = [place, *place.rglob("*")]
        made_of |= {path.relative_to(sources).as_posix() for path in found if path.is_file()}
    keys: list[dict[str, str]] = settings["tool"]["uv"]["cache-keys"]
    matched = {path.relative_to(sources).as_posix() for key in keys for path in sources.glob(key["file"])}
    assert made_of - matched == set()
