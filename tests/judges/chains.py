#!/usr/bin/env python3
"""Letters of `invdiff` on many random chains of versions, judged by all runs of each version.

The chains and their truth are those of the test `letters_of_random_chains_are_those_of_all_runs`; this runs it for many seeds, part
by part. What is done is kept in --state, one line for each part, so that a run that was ended goes on where it stopped. A wrong
letter ends it, with the seed and the text of the version.

  cargo test --release --workspace --test invdiff --no-run
  tests/judges/chains.py --test target/release/deps/invdiff-… --chains 10000
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

TEST = "letters_of_random_chains_are_those_of_all_runs"
LINE = re.compile(r"^(\d+) chains: (\d+) of (\d+) letters; H (\d+) F (\d+) U (\d+) X (\d+)$", re.M)


def part(options, first):
    environment = dict(os.environ, RESIDUE_CHAINS=str(options.part), RESIDUE_CHAINS_FROM=str(first))
    ran = subprocess.run([options.test, TEST, "--exact", "--nocapture"], env=environment, capture_output=True, text=True)
    found = LINE.search(ran.stdout + ran.stderr)
    if ran.returncode or not found:
        sys.exit(f"seeds {first} to {first + options.part - 1}:\n{ran.stdout}{ran.stderr}")
    return [int(number) for number in found.groups()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--test", required=True, help="the built test; it finds the tools in CARGO_TARGET_DIR")
    parser.add_argument("--chains", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=1_000, help="the first seed")
    parser.add_argument("--part", type=int, default=20, help="chains that are run at once")
    parser.add_argument("--state", type=Path, default=Path("chains.csv"))
    options = parser.parse_args()
    done = {}
    if options.state.exists():
        for line in options.state.read_text().splitlines()[1:]:
            numbers = [int(number) for number in line.split(",")]
            done[numbers[0]] = numbers[1:]
    else:
        options.state.write_text("first,chains,decided,letters,h,f,u,x\n")
    for first in range(options.first, options.first + options.chains, options.part):
        if first not in done:
            done[first] = part(options, first)
            with options.state.open("a") as state:
                state.write(",".join(map(str, [first, *done[first]])) + "\n")
    sums = [sum(column) for column in zip(*done.values())]
    print(f"{sums[0]} chains whose runs can all be tried: no wrong letter, {sums[1]} of {sums[2]} letters decided "
          f"({sums[1] / max(1, sums[2]):.1%}); H {sums[3]} F {sums[4]} U {sums[5]} X {sums[6]}")


if __name__ == "__main__":
    main()
