"""How far the comparisons of these tests are from their tolerances: the figures of docs/validation.md.

    python -m tests.truths.differences                          # every file of this folder, half an hour and more
    python -m tests.truths.differences test_heavy_top.py -k reaction

Arguments are pytest's; files are those of this folder, or given with their path. Each comparison is printed once for
all cases of a test: the difference that uses most of its tolerance, this tolerance, and the line that compares.
"""

from __future__ import annotations

import linecache
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

__all__ = ["Difference", "Recorder", "main", "stated"]

HERE = Path(__file__).parent
NUMBER = r"([-+]?(?:\d[\d.]*(?:e[-+]?\d+)?|inf))"
APPROX = re.compile(rf"Obtained: {NUMBER}\n\s*Expected: {NUMBER} ± {NUMBER}")
BELOW = re.compile(rf"^{NUMBER} <=? {NUMBER}$")


class Difference(NamedTuple):
    """One comparison: what was found, and what is allowed."""

    found: float
    allowed: float

    @property
    def share(self) -> float:
        """The part of its tolerance that the difference uses, more than none."""
        return (self.found + 1e-300) / self.allowed if self.allowed else self.found


def stated(explanation: str) -> Difference | None:
    """The comparison that pytest's explanation of an assertion states, if it is one of two numbers."""
    if found := APPROX.search(explanation):
        value, expected, allowed = map(float, found.groups())
        return Difference(abs(value - expected), allowed)
    if found := BELOW.match(re.sub(r"np\.float64\(([^)]*)\)", r"\1", explanation.partition("\n")[0]).strip("()")):
        return Difference(*map(float, found.groups()))
    return None


class Recorder:
    """Plugin of pytest: keeps the comparison of every line that uses most of its tolerance."""

    def __init__(self) -> None:
        self.test = ""
        self.found: dict[tuple[str, str], Difference] = {}
        self._original = np.testing.assert_allclose

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """A test begins."""
        self.test = item.nodeid.partition("[")[0].rpartition("/")[2]

    def pytest_assertion_pass(self, orig: str, expl: str) -> None:
        """An assertion held."""
        if difference := stated(expl):
            self._keep(orig, difference)

    def assert_allclose(self, actual: Any, desired: Any, rtol: float = 1e-7, atol: Any = 0, **options: Any) -> None:
        """NumPy's, and keeps what it compares."""
        self._original(actual, desired, rtol=rtol, atol=atol, **options)
        caller = sys._getframe(1)
        file, number = caller.f_code.co_filename, caller.f_lineno
        line = linecache.getline(file, number).strip()
        line += linecache.getline(file, number + 1).strip() if line.endswith("(") else ""
        off = np.abs(np.asarray(actual, dtype=complex) - np.asarray(desired, dtype=complex))
        size = np.abs(np.asarray(desired, dtype=complex))
        for found, allowed in np.nditer([off, atol + rtol * size], ["zerosize_ok"]):
            self._keep(line, Difference(float(found), float(allowed)))

    def _keep(self, line: str, difference: Difference) -> None:
        key = self.test, line
        if key not in self.found or difference.share > self.found[key].share:
            self.found[key] = difference


def main(arguments: list[str]) -> int:
    """Run the tests and print the table."""
    recorder = Recorder()
    np.testing.assert_allclose = recorder.assert_allclose
    given = [str(HERE / word) if (HERE / word.partition("::")[0]).is_file() else word for word in arguments]
    if not any(".py" in word for word in given):
        given.append(str(HERE))
    with tempfile.TemporaryDirectory() as cache:  # assertions are rewritten to be heard, which older caches are not
        sys.pycache_prefix = cache
        options = ["-q", "-n", "0", "-m", "", "-o", "enable_assertion_pass_hook=true", "-p", "no:cacheprovider"]
        code = pytest.main([*options, *given], plugins=[recorder])
    before = ""
    for (test, line), difference in sorted(recorder.found.items(), key=lambda row: row[0][0]):
        if test != before:
            print(f"\n{test}")
        print(f"  {difference.found:8.1e} of {difference.allowed:8.1e}   {line[:100]}")
        before = test
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
