"""Try every mutant, or those whose name or file holds one of the given words, and print what became of each.

A word that none of them holds is refused: what was not tried must not pass for what was caught.
"""

import sys

from tests.mutants.mutant import Mutant, load, try_all


def held_by(mutant: Mutant, word: str) -> bool:
    return bool(word) and (word in mutant.name or word in mutant.file)


def main(words: list[str]) -> int:
    mutants = load()
    if unknown := [word for word in words if not any(held_by(mutant, word) for mutant in mutants)]:
        print(f"No mutant has {', '.join(map(repr, unknown))} in its name or file. Nothing was tried.", file=sys.stderr)
        return 2
    lost = 0
    for trial in try_all([each for each in mutants if not words or any(held_by(each, word) for word in words)]):
        lost += trial.verdict != "caught"
        passed = trial.name.startswith("unbroken") and trial.verdict == "caught"
        print(f"{'passes' if passed else trial.verdict:9} {trial.seconds:5.1f} s  {trial.name}", flush=True)
        if trial.verdict != "caught":
            print(f"{'':19}{trial.why}")
    print("Every mutant is caught." if not lost else f"{lost} not caught.")
    return min(lost, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
