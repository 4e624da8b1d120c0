"""What every block of a system's state satisfies. A kind's own test is a class with a model that has such a block."""

from __future__ import annotations

from typing import ClassVar

import casadi as ca
import numpy as np
import pytest

import cardan
from cardan.kinematics.build import MotorModel
from cardan.model.model import Model
from cardan.model.quantities.parameters import resolve
from cardan.system.blocks.block import Block
from cardan.system.state import State, symbolic_state
from cardan.system.system import System, build_system
from tests.selection import each

ROUND_OFF = 1e-12  # some hundred operations on numbers of size one
SEEDS = range(3)
STEP = 1e-4  # s, of central differences along a run
DIFFERENCE = 1e-5  # STEP²/6 times third derivatives of 1e3 at most, and the tolerance of the run over STEP


class BlockContract:
    """Names fit sizes, runs follow the rates, and the energy that is stored changes by the powers."""

    model: ClassVar[Model]
    block: ClassVar[str]  # name of one of its blocks
    motors: ClassVar[MotorModel] = "full"

    @pytest.fixture
    def system(self) -> System:
        return build_system(self.model, self.motors)

    def parts(self, system: System, s: State) -> tuple[Block, ca.SX, ca.SX]:
        """The block with its own states and inputs among those of the system."""
        blocks = list(system.blocks)
        at = [block.name for block in blocks].index(self.block)
        z = sum(len(block.names) for block in blocks[:at])
        u = sum(len(block.input_names) for block in blocks[:at])
        block = blocks[at]
        return block, s.z[z : z + len(block.names)], s.u[u : u + len(block.input_names)]

    def values(self, system: System, s: State, expressions: list[ca.SX], seed: int) -> list[np.ndarray]:
        """Numbers of expressions at a random state."""
        rng = np.random.default_rng(seed)
        function = ca.Function("f", [s.t, s.q, s.v, s.z, s.u, system.tree.p], [ca.SX(e) for e in expressions])
        drawn = [rng.uniform(0.5, 1.5, part.shape[0]) for part in (s.t, s.q, s.v, s.z, s.u)]
        values = list(resolve(self.model.parameters).values())
        return [np.array(x) for x in ca.Function.call(function, [*map(ca.DM, drawn), ca.DM(values)])]

    def test_names_units_and_sizes_fit(self, system: System) -> None:
        s = symbolic_state(system)
        block, z, u = self.parts(system, s)
        assert len(block.names) == len(block.units) == len(block.initial)
        assert len(block.input_names) == len(block.input_units)
        assert block.rates(s.motion, z, u).shape[0] == len(block.names)
        if block.signals:
            assert block.signal_values(s.motion, z, u).shape[0] == len(block.signals)
            assert set(block.signals) <= set(system.tree.signals)
        assert block.efforts(s.motion, z, u).shape == (system.tree.nv, 1)
        assert set(block.names) <= set(system.state_names)
        assert set(block.input_names) <= set(system.input_names)
        assert len(set(system.state_names)) == len(system.state_names)

    @each("seed", SEEDS)
    def test_the_stored_energy_changes_by_the_powers(self, system: System, seed: int) -> None:
        """d(stored)/dt = taken + converted − lost − efforts·v; what is lost is not negative."""
        s = symbolic_state(system)
        block, z, u = self.parts(system, s)
        power = block.power(s.motion, z, u)
        change = ca.jacobian(ca.SX(block.stored(z)), z) @ block.rates(s.motion, z, u) if block.names else ca.SX(0)
        given = ca.dot(block.efforts(s.motion, z, u), s.v)
        found = self.values(
            system, s, [change, power.supplied + power.converted - power.lost - given, power.lost], seed
        )
        assert found[0].item() == pytest.approx(found[1].item(), rel=ROUND_OFF, abs=ROUND_OFF)
        assert found[2].item() >= 0

    def test_a_run_starts_at_the_initial_values_and_follows_the_rates(self, system: System) -> None:
        times = 0.1 + STEP * np.arange(-1, 2)
        run = cardan.simulate(self.model, motors=self.motors, times=[0, *times], rtol=1e-11, atol=1e-12)
        assert run.ok, run.message
        s = symbolic_state(system)
        block, z, u = self.parts(system, s)
        values = resolve(self.model.parameters)
        assert [run.array(name)[0] for name in block.names] == [
            scalar.evaluate(values.__getitem__) for scalar in block.initial
        ]
        inputs = [run.array(f"{name}.{self.of_input}")[2] for name in system.input_names]
        f = ca.Function("f", [s.t, s.x, s.u, system.tree.p], [ca.SX(block.rates(s.motion, z, u))])
        rates = np.array(f(times[1], run.x[2], inputs, list(values.values()))).ravel()
        slopes = [(run.array(name)[3] - run.array(name)[1]) / (2 * STEP) for name in block.names]
        np.testing.assert_allclose(rates, slopes, rtol=DIFFERENCE, atol=DIFFERENCE)

    @property
    def of_input(self) -> str:
        """What results call the inputs: voltages of motors, or efforts on joints."""
        return "effort" if self.motors == "none" else "voltage"
