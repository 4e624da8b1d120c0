"""Broken model files: mutations of the gallery are read or refused with a ModelError; no other exception, no hang.

    python -m tests.fuzzing.files --count 10000 --seed 1

A file that fails is printed with its number; the same seed makes the same files.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator

from cardan.errors import ModelError
from cardan.formats.gallery import gallery, gallery_path
from cardan.formats.yaml import dump, loads

__all__ = ["failures", "mutants"]

PATIENCE = 10.0  # longest time for one file of the gallery's size [s]; the slowest right one takes half a second
PIECES = [
    *"{}[]:,\n-#0?|>%^~()\t\"'\\ \0\x1b\u202e\u00a0π²×",
    *("&a ", "*a", "!!str ", "<<: ", "--- ", "...\n", "? ", "| ", "> ", "''", '""'),
    *("null", "true", "no", ".nan", "-.inf", "1e999", "-1", "0", "1_0", "0x1F", "1:30", "2024-01-01", "1" * 400),
    *(" m", " kg", " deg", " 1/s", " m^9^9", " N*s/m", " °", "%", "0,2 kg"),
    *("atan2(y, x)", "sqrt(-1)", "1/0", "t", "pi", "ground", "2**2**9", "if(t > 1, 2, 3)", "max()", "f(", "a.b.c"),
    *("x: ", "{}", "[]", "{file: /dev/zero}", "{table: [[0, 1], [0, 2]]}", "[1, 2, 3]", "{guess: 1}"),
]


def mutants(count: int, seed: int) -> Iterator[str]:
    """Texts of gallery files, each with a few random changes."""
    rng = random.Random(seed)
    texts = [gallery_path(name).read_text(encoding="utf-8") for name in gallery()]
    for _ in range(count):
        text = rng.choice(texts)
        for _ in range(rng.randint(1, 5)):
            text = rng.choice(_CHANGES)(rng, text, rng.choice(texts))
        yield text


def failures(count: int, seed: int) -> Iterator[tuple[int, str, str]]:
    """Number, text and reason of every file that is neither read nor refused as it should be."""
    for number, text in enumerate(mutants(count, seed)):
        begin = time.monotonic()
        try:
            _check(text)
        except Exception:
            yield number, text, traceback.format_exc()
        if (taken := time.monotonic() - begin) > PATIENCE:
            yield number, text, f"took {taken:.1f} s"


def _check(text: str) -> None:
    """Read a text; what is read is written and read again, what is refused names faults and lines."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = loads(text)
        except ModelError as error:
            if not error.issues or any(not issue.fault or issue.line is None for issue in error.issues):
                raise AssertionError(f"an issue has no fault or no line: {error}") from None
            return
        if loads(dump(model)) != model:
            raise AssertionError("what is written is not what was read")


def _piece(rng: random.Random, text: str, other: str) -> str:
    """A piece put in, in place of some characters or none."""
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(PIECES) + text[at + rng.choice([0, 0, 1, 5, 20]) :]


def _value(rng: random.Random, text: str, other: str) -> str:
    """A piece in place of what stands behind a colon or comma."""
    places = [k for k, letter in enumerate(text) if letter in ":,"]
    if not places:
        return text
    at = rng.choice(places) + 1
    end = next((k for k in range(at, len(text)) if text[k] in ",}]\n"), len(text))
    return f"{text[:at]} {rng.choice(PIECES)}{text[end:]}"


def _word(rng: random.Random, text: str, other: str) -> str:
    """A word of another file in place of one of this."""
    words, taken = text.split(" "), other.split()
    words[rng.randrange(len(words))] = rng.choice(taken)
    return " ".join(words)


def _line(rng: random.Random, text: str, other: str) -> str:
    """A line lost, doubled, moved, shifted, or taken from another file."""
    lines = text.splitlines(keepends=True) or ["\n"]  # an earlier change may have left nothing
    at = rng.randrange(len(lines))
    line = lines[at]
    changed: list[Callable[[], list[str]]] = [
        lambda: lines[:at] + lines[at + 1 :],
        lambda: [*lines[:at], line, *lines[at:]],
        lambda: [*lines[:at], f"  {line}", *lines[at + 1 :]],
        lambda: [*lines[:at], line.lstrip(), *lines[at + 1 :]],
        lambda: [*lines[:at], rng.choice(other.splitlines(keepends=True)), *lines[at:]],
        lambda: rng.sample(lines, len(lines)) if rng.random() < 0.1 else [*lines[at:], *lines[:at]],
    ]
    return "".join(rng.choice(changed)())


def _cut(rng: random.Random, text: str, other: str) -> str:
    """The file ends early, or a passage is repeated many times."""
    begin, end = sorted(rng.randrange(len(text) + 1) for _ in range(2))
    return text[:end] if rng.random() < 0.5 else text[:end] + text[begin:end] * rng.choice([1, 3, 20]) + text[end:]


_CHANGES = (_piece, _piece, _value, _value, _word, _line, _cut)


def main() -> int:
    """Run as many files as asked for, print those that fail, and return how many there were."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    found = 0
    for number, text, reason in failures(asked.count, asked.seed):
        found += 1
        print(f"--- file {number} of seed {asked.seed}: {reason}\n{text!r}\n")
    print(f"{asked.count} files, {found} failures")
    return min(found, 1)


if __name__ == "__main__":
    sys.exit(main())
