"""Try every mutant, or those whose name or file holds one of the given words, and print what became of each."""

import sys

from tests.mutants.mutant import Mutant, load, try_all


def chosen(words: list[str]) -> list[Mutant]:
    mutants = load()
    return [mutant for mutant in mutants if not words or any(word in mutant.name + mutant.file for word in words)]


def main(words: list[str]) -> int:
    lost = 0
    for trial in try_all(chosen(words)):
        lost += trial.verdict != "caught"
        passed = trial.name.startswith("unbroken") and trial.verdict == "caught"
        print(f"{'passes' if passed else trial.verdict:9} {trial.seconds:5.1f} s  {trial.name}", flush=True)
        if trial.verdict != "caught":
            print(f"{'':19}{trial.why}")
    print("Every mutant is caught." if not lost else f"{lost} not caught.")
    return min(lost, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
