"""All kinds of random input, one after the other: `python -m tests.fuzzing --count 1000 --seed 1`."""

import sys

from tests.fuzzing import files, loops, runs, trees

if __name__ == "__main__":
    sys.exit(max([files.main(), runs.main(), trees.main(), loops.main()]))  # all of them, whatever the first one finds
