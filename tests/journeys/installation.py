"""An installation of the package that a test may change under the feet of those who run from it."""

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from shutil import copytree, ignore_patterns
from zipfile import ZipFile

import holdfast

NEWER = "99.0.0"
BROKEN = "raise RuntimeError('this file is broken')\n"


class Installation:
    """A Python of its own with a copy of the package; what it depends on is used where it lies, if it lies here."""

    def __init__(self, folder: Path, wheel: Path | None = None) -> None:
        """Of the package as it is here, or of a wheel that was kept."""
        venv.create(folder, symlinks=True)
        scheme = sysconfig.get_path("purelib", "venv", vars={"base": str(folder), "platbase": str(folder)})
        self.package = Path(scheme) / "holdfast"
        if wheel is None:
            copytree(Path(holdfast.__file__).parent, self.package, ignore=ignore_patterns("__pycache__"))
        else:
            ZipFile(wheel).extractall(self.package.parent)
        (self.package.parent / "others.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
        self._python = str(folder / "bin" / "python")
        self.command = (self._python, "-W", "error", "-m", "holdfast")
        if wheel is not None:
            self._bring_what_is_missing()

    def _bring_what_is_missing(self) -> None:
        """A release of then may stand on what none of today needs."""
        (metadata,) = self.package.parent.glob("holdfast-*.dist-info/METADATA")
        needs = [
            line.partition(": ")[2] for line in metadata.read_text().splitlines() if line.startswith("Requires-Dist")
        ]
        pip = [sys.executable, "-m", "pip", "--python", self._python, "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", *needs], check=True)

    def upgrade(self) -> None:
        """Put the files of another version in place of these, as an installer does: remove, then write."""
        for path in self._files():
            text = path.read_text().replace(f'"{holdfast.__version__}"', f'"{NEWER}"')
            path.unlink()
            path.write_text(f"{text}\n# of another version\n")
        self._forget()

    def spoil(self) -> None:
        """Overwrite every file with one that can't be imported."""
        for path in self._files():
            path.write_text(BROKEN)
        self._forget()

    def _files(self) -> list[Path]:
        return list(self.package.rglob("*.py"))

    def _forget(self) -> None:
        """No compiled file of the version before is left."""
        for path in self.package.rglob("*.pyc"):
            path.unlink()
