"""Shapes that overlap at the start of a run: how deep, and the position at which those that may settle are apart."""

from collections.abc import Mapping

import numpy as np

from cardan.assembly.assembler import Assembler
from cardan.errors import Issue, ModelError
from cardan.model.contacts.between import meetings
from cardan.numerics.round_off import BITS, ROUND_OFF
from cardan.system.system import System


def overlap_words(system: System, q: np.ndarray, values: Mapping[str, float]) -> str:
    """What overlaps at the coordinates q (nq,) so that it pushes with more than all weight; empty if nothing does."""
    if not system.contacts:
        return ""
    gaps, _, forces, weight = (np.array(each) for each in system.gaps(q, list(values.values())))
    k = int(np.argmax(forces))
    if forces.sum() <= weight.item() or gaps[k].item() >= -ROUND_OFF:
        return ""
    depth = f"{-gaps[k].item():.4g} m"
    return (
        f"the contact {_owners(system)[k]!r} starts with {_shapes(system)[k]} {depth} deep in each other, "
        f"which pushes with {forces.sum():.4g} N; start them apart, or write settle: true"
    )


def apart(system: System, q: np.ndarray, values: Mapping[str, float], assembler: Assembler | None = None) -> np.ndarray:
    """The coordinates (nq,) nearest to q, step by step, at which no contact that settles overlaps.

    Newton's method of least change on the gaps below zero; with an `assembler`, along the equations that hold at q.
    """
    settling = [block.name for block in system.contacts if block.law.settle]
    if not settling:
        return q
    p, counts = list(values.values()), np.array([owner in settling for owner in _owners(system)])
    for _ in range(BITS):
        gaps, J = (np.array(each) for each in system.gaps(q, p)[:2])
        deep = counts & (gaps.ravel() < -ROUND_OFF)
        if not deep.any():
            return q
        held = np.empty((0, J.shape[1])) if assembler is None else assembler.at(q)[1]
        wanted = np.concatenate([-gaps.ravel()[deep], np.zeros(len(held))])
        q = np.array(system.moved(q, np.linalg.pinv(np.vstack([J[deep], held])) @ wanted)).ravel()
        q = q if assembler is None else assembler.position(q)
    k = int(np.argmin(np.where(counts, gaps.ravel(), 0)))
    fault = f"{_shapes(system)[k]} stay {-gaps.ravel()[k]:.4g} m deep in each other, however the bodies move"
    raise ModelError(Issue(fault, "start them apart", ("contacts", _owners(system)[k], "settle")))


def _owners(system: System) -> list[str]:
    """Contact of each point."""
    return [block.name for block in system.contacts for _ in range(block.count)]


def _shapes(system: System) -> list[str]:
    """The two shapes of each point, in words."""
    out = []
    for block in system.contacts:
        pairs = meetings(system.model, system.model.contacts[block.name].between)
        out += [f"{pairs[k].a} and {pairs[k].b}" for k in block.pair_of_point]
    return out
