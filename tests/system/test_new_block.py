"""A further kind of block is one file, here this one, and one line: an entry of `KINDS`."""

import casadi as ca
import numpy as np
import pytest
from scipy.linalg import expm

import cardan
from cardan.frozen import dataclass
from cardan.model.model import Model
from cardan.model.quantities.scalar import Scalar
from cardan.system import system
from cardan.system.blocks.block import Block, BlockPower
from tests.contracts.block_contract import BlockContract

STIFFNESS, VISCOSITY = 30.0, 4.0  # N/m, N s/m


@dataclass(frozen=True, kw_only=True)
class Maxwell(Block):
    """Spring and damper in series on the first coordinate: ṡ = k (v − s/c) for the force s."""

    def rates(self, motion, z, u):
        return STIFFNESS * (motion.v[0] - z / VISCOSITY)

    def efforts(self, motion, z, u):
        return ca.vertcat(-z, ca.DM(motion.v.shape[0] - 1, 1))

    def stored(self, z):
        return z**2 / (2 * STIFFNESS)

    def power(self, motion, z, u):
        return BlockPower(lost=z**2 / VISCOSITY)


def maxwell(model, tree, motors):
    """One on every cart."""
    start = (Scalar.read("2 N"),)
    return (Maxwell(name="cart", names=("cart.pull",), units=("N",), initial=start),) if "cart" in model.bodies else ()


@pytest.fixture(autouse=True)
def with_the_kind(monkeypatch, tmp_path):
    # what is kept on disk is found by the model, not by the kinds in this file
    monkeypatch.setenv("CARDAN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(system, "KINDS", (*system.KINDS, maxwell))


class TestMaxwell(BlockContract):
    model = Model(
        name="cart on a Maxwell element",
        bodies={"cart": {"mass": 2}},
        joints={"x": {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x"}},
        initial={"x.v": 1},
    )
    block = "cart"
    motors = "none"


def test_it_acts_and_shows_in_every_result():
    times = np.linspace(0, 1, 6)
    run = cardan.simulate(TestMaxwell.model, motors="none", times=times, rtol=1e-11, atol=1e-12)
    A = np.array([[0, 1, 0], [0, 0, -0.5], [0, STIFFNESS, -STIFFNESS / VISCOSITY]])
    np.testing.assert_allclose(run.x, [expm(A * t) @ [0, 1, 2] for t in times], rtol=0, atol=1e-9)
    assert run["cart.pull"].attrs["units"] == "N"
    np.testing.assert_allclose(run.array("x.effort"), -run.array("cart.pull"), rtol=1e-14)
    assert run.report.energy_error < 1e-9 * run.report.energy_scale
