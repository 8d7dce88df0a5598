"""The tests are tested: each of the listed breakages makes one of them fail."""

import msgspec
import pytest

from tests.mutants.__main__ import main
from tests.mutants.mutant import ROOT, Mutant, load, try_all, try_one

HARMLESS = Mutant(
    name="harmless",
    file="core/ids.py",
    old='HOUSE = SessionId("house")',
    new='HOUSE = SessionId("ho" + "use")',
    tests=("tests/core/test_ids.py",),
)


@pytest.mark.parametrize("mutant", load(), ids=lambda mutant: mutant.name)
def test_a_mutant_fits_the_program_of_today(mutant: Mutant) -> None:
    """Its old text is there exactly once, and its new text is another."""
    assert (ROOT / "src" / "holdfast" / mutant.file).read_text().count(mutant.old) == 1
    assert mutant.old != mutant.new


@pytest.mark.slow
@pytest.mark.timeout(3_000)  # a limit against hanging: there are many, and each starts the tests anew
def test_every_mutant_is_caught() -> None:
    """None of the breakages passes the tests that it names, and the unbroken program passes them all."""
    assert [trial for trial in try_all(load()) if trial.verdict != "caught"] == []


@pytest.mark.slow
def test_a_change_that_breaks_nothing_survives() -> None:
    """A mutant is caught by what it breaks, not by being tried."""
    assert try_one(HARMLESS).verdict == "survived"


@pytest.mark.parametrize("old", ["not in the file at all", "SessionId"])
def test_a_mutant_that_fits_nowhere_or_twice_is_invalid(old: str) -> None:
    """A list that has fallen behind the program says so instead of counting as caught."""
    assert try_one(msgspec.structs.replace(HARMLESS, old=old)).verdict == "invalid"


@pytest.mark.parametrize("words", [["no such mutant"], ["core/course.py", "no such mutant"], [""]])
def test_a_word_that_no_mutant_holds_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is tried then, so nothing can pass for caught."""
    assert main(words) == 2
    assert capsys.readouterr() == ("", f"No mutant has {words[-1]!r} in its name or file. Nothing was tried.\n")


@pytest.mark.slow
def test_a_selection_that_runs_no_test_is_invalid() -> None:
    """A misspelt test, or a breakage that stops even the import, catches nothing."""
    assert try_one(msgspec.structs.replace(HARMLESS, tests=("tests/core/test_nothing.py",))).verdict == "invalid"
    assert try_one(msgspec.structs.replace(HARMLESS, new="HOUSE = (")).verdict == "invalid"
