"""The errors and warnings of Cardan: what is wrong, where, and what would be right.

`ModelError` is raised at the gate, before anything is computed, and reports everything that is wrong with a model at
once. `AssemblyError` says that a mechanism cannot be put together, `SolveError` that a numerical problem has no answer.
A run that fails part-way raises nothing: it carries a status.
"""

from __future__ import annotations

import difflib
import math
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice, takewhile

from cardan.frozen import dataclass, replace

Path = tuple[str | int, ...]

MOST = 100
"""Issues that one error reports: nobody reads more, and finding the nearest name for each takes time."""

_FEW = 8  # names, numbers or instants that one line lists
_SHORT = 60  # letters of a value that a message repeats

_INSIDE = ("cardan", "pydantic", "functools")  # packages between the line that makes a model and the check of it


@dataclass(frozen=True, slots=True)
class Issue:
    """One fault in a model.

    Parameters
    ----------
    fault : str
        What is wrong, with names and numbers.
    cure : str
        What would be right; empty if the fault says it already.
    path : tuple of str and int
        Keys from the top of the model to the fault, such as ("joints", "swing", "axis").
    line : int, optional
        Line in the file, counted from 1.
    kind : str
        Of a doubt, the word by which an author accepts it in a model's `accept`; empty for what cannot be accepted.
    """

    fault: str
    cure: str = ""
    path: Path = ()
    line: int | None = None
    kind: str = ""

    @property
    def key(self) -> str:
        """The path as a user writes it, `joints.swing.axis[2]`."""
        return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path).lstrip(".")

    def under(self, *path: str | int) -> Issue:
        """The same issue seen from further up: `path` is put before its own path."""
        return replace(self, path=(*path, *self.path))

    def describe(self, file: str | None = None) -> str:
        """One or two lines of text: `file:line: key: fault`, and the cure below it."""
        place = [part for part in (_location(file, self.line), self.key) if part]
        first = ": ".join([*place, self.fault])
        return f"{first}\n    {self.cure}" if self.cure else first

    def one_line(self) -> str:
        """One line of text, as warnings have it: `key: fault; cure`."""
        return self.describe().replace("\n    ", "; ")


class ModelError(ValueError):
    """A model that cannot be right, with everything that is wrong with it.

    Parameters
    ----------
    issues : str, Issue or sequence of Issue
        The faults; a text stands for one issue without a place. Of more than `MOST` the first ones are kept.
    cure : str
        What would be right, when `issues` is a text.
    file : str, optional
        The file the model was read from.
    """

    def __init__(self, issues: str | Issue | Iterable[Issue], cure: str = "", file: str | None = None) -> None:
        self.issues = _as_issues(issues, cure)
        self.file = file
        super().__init__(self.issues, cure, file)

    def __str__(self) -> str:
        """All issues as one block of text."""
        lines = [issue.describe(self.file) for issue in self.issues]
        if len(lines) == 1:
            return lines[0]
        count = f"{len(lines)}" if len(lines) < MOST else f"the first {MOST}"
        return "\n".join([f"{count} errors in {self.file or 'the model'}", *lines])

    def under(self, *path: str | int) -> ModelError:
        """The same error seen from further up: `path` is put before the path of every issue."""
        return ModelError([issue.under(*path) for issue in self.issues], file=self.file)

    def located(self, file: str | None, lines: Mapping[Path, int]) -> ModelError:
        """The same error with file and line numbers.

        Parameters
        ----------
        file : str or None
            Name of the file.
        lines : mapping from path to int
            Line of each key; a path that is absent takes the line of its nearest parent.
        """
        return ModelError(
            [replace(issue, line=issue.line or _line(issue.path, lines)) for issue in self.issues], file=file
        )


@contextmanager
def within(*path: str | int) -> Iterator[None]:
    """Errors of models have a path in front of their own."""
    try:
        yield
    except ModelError as error:
        raise error.under(*path) from None


class AssemblyError(RuntimeError):
    """A mechanism that cannot be assembled: a loop that does not close, held coordinates that contradict each other.

    Parameters
    ----------
    text : str
        What is wrong and what to change.
    owner : str
        The joint or constraint with the widest gap; empty where none is left.
    gap : float
        Size of that gap, in the unit of its equation [m, m² or rad]; NaN where none is left.
    values : mapping from str to float, optional
        The nearest configuration that was found: every coordinate by name [m, rad, -].
    path : tuple of str
        Keys of the value that is wrong, such as an initial one; empty where the owner itself is.
    """

    def __init__(
        self,
        text: str,
        *,
        owner: str = "",
        gap: float = math.nan,
        values: Mapping[str, float] | None = None,
        path: Path = (),
    ) -> None:
        self.owner = owner
        self.path = path
        self.gap = gap
        self.values = dict(values or {})
        super().__init__(text)


class SolveError(RuntimeError):
    """A numerical problem without an answer: a singular mass matrix, an iteration that does not converge."""


class ModelWarning(UserWarning):
    """A model that can be computed but probably does not say what was meant."""


class DoubtWarning(ModelWarning):
    """A doubt about values that the author of a model can accept, by `accept:`."""


def few(words: Iterable[str]) -> str:
    """A list in one line: its first words, and … for the others."""
    listed = list(words)
    return ", ".join([*listed[:_FEW], *["…"] * (len(listed) > _FEW)])


def nearest(name: str, choices: Iterable[str], *, most: int | None = 12) -> str:
    """A sentence that names the choice nearest to a wrong name; else the choices.

    A name that goes on where the wrong one ends, as `rod.tip.position` after `rod.tip`, or that has more before its
    last part, as `rod.position.x` for `rod.x`, is the nearest. Of equally near
    ones it is the one with the most letters in common from the beginning, and of these the first.
    """
    known = list(choices)
    folded = {choice.casefold(): choice for choice in reversed(known)}
    wrong = name.casefold()
    begin, _, end = wrong.rpartition(".")
    longer = [choice for text, choice in folded.items() if wrong and text.startswith(f"{wrong}.")]
    longer += [
        one for text, one in folded.items() if begin and text.startswith(f"{begin}.") and text.endswith(f".{end}")
    ]
    if longer:
        return f"did you mean {min(longer, key=known.index)!r}?"
    matches = [
        match
        for match in difflib.get_close_matches(wrong, folded, n=len(folded) or 1)
        if 2 * _changes(match, wrong) <= max(len(match), len(wrong))  # at least half of the letters stay
    ]
    if matches:
        likeness = {match: difflib.SequenceMatcher(None, match, wrong).ratio() for match in matches}
        best = [match for match in matches if likeness[match] == likeness[matches[0]]]
        shared = {
            match: sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(match, wrong, strict=False)))
            for match in best
        }
        likely = [folded[match] for match in best if shared[match] == max(shared.values())]
        return f"did you mean {min(likely, key=known.index)!r}?"
    if not known:
        return "there are none"
    shown = ", ".join(known[:most])
    return f"known: {shown}" if most is None or len(known) <= most else f"known: {shown}, …; {len(known)} in all"


def _changes(one: str, other: str) -> int:
    """Least number of letters to insert, delete, replace, or swap with the next, that makes one word of the other.

    Source: Damerau 1964, *A technique for computer detection and correction of spelling errors*, CACM 7:171
    """
    rows = [list(range(len(other) + 1))]
    for i, letter in enumerate(one, 1):
        before, row = rows[-1], [i]
        for j, each in enumerate(other, 1):
            least = min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != each))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == each:
                least = min(least, rows[-2][j - 2] + 1)
            row.append(least)
        rows.append(row)
    return rows[-1][-1]


def in_words(value: object) -> str:
    """A value as a message names it: as Python writes it if that is a short line, else by its type."""
    text = repr(value)
    short = isinstance(value, str | os.PathLike) or ("\n" not in text and len(text) <= _SHORT)
    return text[:_SHORT] if short else f"an object of type {type(value).__name__}"


def warn(text: str, category: type[Warning] = ModelWarning) -> None:
    """Give a warning of this `category` and `text` at the line that called Cardan, from however deep inside."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _INSIDE:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


def _as_issues(issues: str | Issue | Iterable[Issue], cure: str) -> tuple[Issue, ...]:
    if isinstance(issues, str):
        return (Issue(issues, cure),)
    if isinstance(issues, Issue):
        return (issues,)
    return tuple(islice(issues, MOST))


def _line(path: Sequence[str | int], lines: Mapping[Path, int]) -> int | None:
    return next((lines[parent] for end in range(len(path), -1, -1) if (parent := tuple(path[:end])) in lines), None)


def _location(file: str | None, line: int | None) -> str:
    if file is None:
        return "" if line is None else f"line {line}"
    return file if line is None else f"{file}:{line}"
