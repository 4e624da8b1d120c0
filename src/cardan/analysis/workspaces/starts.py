"""Positions of many cells from starts of their own, in blocks: in this process, or by the workers of a cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from cardan.analysis.inverse.prepared import Prepared, prepare
from cardan.analysis.inverse.solver import PositionSolver
from cardan.blocks import Arrays, Piece, Work, in_blocks, joined
from cardan.frozen import dataclass
from cardan.model.model import Model
from cardan.model.records.model_text import source_of


@dataclass(frozen=True, eq=False)
class StartBlocks:
    """The function that solves blocks of cells."""

    at: Prepared  # the mechanism, with its equations
    threads: int | None  # of machine code

    def solved(self, client: Any, start: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What `PositionSolver.solve` returns of starts (N, nq) and targets (N, ny)."""
        work = Work(
            len(y),
            lambda items: {"start": start[items.start : items.stop], "y": y[items.start : items.stop]},
            self,
            _read_blocks,
            self.text,
        )
        found = joined(in_blocks(work, client), len(y))
        return found["q"], found["met"], found["ratio"]

    def pieces(self, rows: Arrays) -> Iterator[Piece]:
        """Positions, whether they meet all equations, and the independence of these."""
        q, met, ratio = PositionSolver(self.at.equations, self.at.p, self.threads).solve(rows["start"], rows["y"])
        yield np.arange(len(q)), {"q": q, "met": met, "ratio": ratio}

    def lost(self, count: int, why: str) -> Arrays:
        """Cells that are not reached, where they cannot be computed."""
        q = np.full((count, self.at.system.tree.nq), np.nan)
        return {"q": q, "met": np.zeros(count, dtype=bool), "ratio": np.zeros(count)}

    def text(self) -> str:
        """Plain data of which `_read_blocks` makes the function."""
        names = [goal.name for goal in self.at.equations.goals]
        plain = {"model": json.loads(source_of(self.at.model)), "targets": names}
        return json.dumps({**plain, "parameters": self.at.values.parameters})


def _read_blocks(text: str, threads: int) -> StartBlocks:
    plain = json.loads(text)
    at = prepare(Model(**plain["model"]), plain["parameters"], dict.fromkeys(plain["targets"]))
    return StartBlocks(at, threads)
