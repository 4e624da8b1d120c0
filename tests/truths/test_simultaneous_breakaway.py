"""Joints that break away at one instant, against every set of ways in which they could slide or stick.

Blocks slide on each other along fixed directions under constant forces, so that all accelerations are constant. The
equations of the forces between them are written here by hand, and solved for all 3ⁿ sets of ways and all 2ⁿ signs of
the normal loads.
"""

from itertools import product

import numpy as np
import pytest

import cardan

G = np.array([0, -9.81])


def blocks(slopes, follows, masses):
    """A chain of blocks in the plane xz: each slides on the one before; friction and forces are parameters."""
    joints, forces, numbers = {}, {}, {}
    for i, slope in enumerate(slopes):
        key, unit = ("coefficient", "") if follows[i] else ("effort", " N")
        numbers |= {f"k{i}": f"1{unit}", f"s{i}": f"1{unit}", f"fx{i}": "0 N", f"fz{i}": "0 N"}
        joint = {"type": "prismatic", "parent": f"b{i - 1}" if i else "ground", "child": f"b{i}"}
        joint["axis"] = [float(np.cos(slope)), 0, float(np.sin(slope))]
        joints[f"j{i}"] = joint | {"friction": {key: f"k{i}", "static": f"s{i}"}}
        forces[f"f{i}"] = {"type": "force", "child": f"b{i}", "value": [f"fx{i}", 0, f"fz{i}"]}
    bodies = {f"b{i}": {"mass": mass} for i, mass in enumerate(masses)}
    return cardan.Model(planar="xz", bodies=bodies, joints=joints, forces=forces, parameters=numbers)


def fitting(slopes, follows, masses, kinetic, static, forces):
    """Accelerations by ways: every set of ways that sliding joints begin to move along, and sticking ones can hold.

    The force of joint i on its block is that of all blocks beyond, Σ m (Σ d a − g) − F: φ along the way d, N across.
    """
    n = len(slopes)
    along = np.array([[np.cos(each), np.sin(each)] for each in slopes])
    across = along[:, ::-1] * [-1, 1]
    W, w = np.zeros((n, 2, n)), np.zeros((n, 2))
    for i in range(n):
        for b in range(i, n):
            w[i] -= masses[b] * G + forces[b]
            W[i, :, : b + 1] += masses[b] * along[: b + 1].T
    found = {}
    for ways, signs in product(product((-1, 0, 1), repeat=n), product((-1, 1), repeat=n)):
        A, b = np.eye(n), np.zeros(n)
        for i in np.flatnonzero(ways):
            load = signs[i] * across[i] if follows[i] else np.zeros(2)
            row = along[i] + ways[i] * kinetic[i] * load
            A[i], b[i] = row @ W[i], -row @ w[i] - (0 if follows[i] else ways[i] * kinetic[i])
        a = np.linalg.solve(A, b)
        f = W @ a + w
        N, phi = (f * across).sum(1), (f * along).sum(1)
        most = static * np.where(follows, np.abs(N), 1)
        slides = np.array(ways) != 0
        fits = np.where(slides, ways * a > 0, np.abs(phi) <= most)
        if fits.all() and (N * signs > 0)[np.array(follows)].all():
            found[ways] = a
    return found


def smallest(found):
    """The sets in which no joint that slides could stick with the others as they are, or with fewer that slide."""
    sets = list(found)
    return [one for one in sets if not any(each != one and _is_part(each, one) for each in sets)]


def _is_part(one, other):
    return all(a in (0, b) for a, b in zip(one, other, strict=True))


CHAINS = [
    ((0, -0.73), (True, False)),
    ((0, -0.73), (True, True)),
    ((0.1, -0.6, 0.9), (True, False, True)),
    ((0.1, -0.6, 0.9), (False, True, False)),
    ((0.1, 1.3, 0.4), (True, True, True)),
]


@pytest.mark.parametrize(("slopes", "follows"), CHAINS)
def test_no_more_joints_break_away_than_have_to(slopes, follows):
    """Random starts at rest: half of them are such that static friction allows several sets."""
    masses = [1.0, 0.8, 1.3][: len(slopes)]
    model, rng, left = blocks(slopes, follows, masses), np.random.default_rng(1), {True: 6, False: 6}
    while any(left.values()):
        kinetic = np.where(follows, rng.uniform(0.1, 0.6, len(slopes)), rng.uniform(1, 8, len(slopes)))
        static = kinetic * rng.choice([1.0, 1.3, 1.6], len(slopes))
        forces = rng.uniform(-14, 14, (len(slopes), 2))
        found = fitting(slopes, follows, masses, kinetic, static, forces)
        several = len(found) > 1
        if not left[several]:
            continue
        left[several] -= 1
        numbers = {f"k{i}": each for i, each in enumerate(kinetic)} | {f"s{i}": each for i, each in enumerate(static)}
        numbers |= {f"f{x}{i}": each for i, row in enumerate(forces) for x, each in zip("xz", row, strict=True)}
        run = cardan.simulate(model, times=[0, 0.1], parameters=numbers)
        assert run.ok, run.message
        ways = tuple(int(run.array(f"j{i}.slip")[-1]) for i in range(len(slopes)))
        assert ways in smallest(found)
        speeds = [run.array(f"j{i}.v")[-1] for i in range(len(slopes))]
        np.testing.assert_allclose(speeds, 0.1 * found[ways], rtol=0, atol=1e-8)  # rtol of the run, speeds up to 5 m/s
