"""What every constraint kind satisfies. Its own test is a class with a sample: `TestDistance(ConstraintContract)`.

The sample may name the bodies `one` and `two` with their markers `tip`, which fly or, in a plane, move in xy; the
joints `spin` (a wheel's hinge) and `slide` (a cart's rail); and the parameters `a` (0.4 m), `k` (no unit) and `w`
(2 rad/s).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import casadi as ca
import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from cardan.formats.yaml import dump, loads
from cardan.kinematics.build import build
from cardan.kinematics.constraints import constraint_rows, constraint_terms, link_wrenches
from cardan.kinematics.motion import coordinate_rate, marker_motion, motion, normalised
from cardan.kinematics.tree import GROUND
from cardan.loads.reactions import labels
from cardan.model import Model
from cardan.model.constraints import CONSTRAINTS, Constraint
from cardan.model.likely import multiplier_units
from tests.selection import each, few

ROUND_OFF = 1e-11  # some thousand operations on numbers up to ten
SLOPE = 1e-7  # error of a central difference with a step of 1e-5, curvatures up to 1e2 and round-off 1e-15
STEP = 1e-5
SEEDS = range(2)


def mechanism(law: Any, planar: bool = False) -> Model:
    """Two bodies, a wheel and a cart with the constraint `law` between them."""
    kind = "planar" if planar else "free"
    tip = {"position": [0.2, 0.1, 0 if planar else 0.3], "rpy": [0, 0, 0.4]}
    body = {"mass": 1, "com": [0.1, 0, 0], "inertia": [0.1, 0.2, 0.25], "markers": {"tip": tip}}
    joints = {name: {"type": kind, "parent": "ground", "child": name} for name in ("one", "two")}
    ground = {"parent": "ground", "axis": "z"}
    return Model(
        planar="xy" if planar else None,
        gravity=[0, -9.81, 0],
        parameters={"a": "0.4 m", "k": 1.5, "w": "2 rad/s"},
        bodies={"one": body, "two": body, "wheel": {"mass": 1, "inertia": [0.1, 0.1, 0.1]}, "cart": {"mass": 2}},
        joints=joints
        | {
            "spin": ground | {"type": "revolute", "child": "wheel"},
            "slide": ground | {"type": "prismatic", "child": "cart", "axis": "x"},
        },
        constraints={"law": law},
        initial={"two.x": {"guess": 0.5}, "two.y": {"guess": 0.1}, "one.x": {"guess": 0.1}},
    )


class Evaluated:
    """A mechanism whose expressions become numbers at a random state."""

    def __init__(self, model: Model) -> None:
        self.tree = build(model, p=ca.DM([0.4, 1.5, 2]))
        tree = self.tree
        self.symbols = [ca.SX.sym("t"), ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)]
        t, q, v = self.symbols
        self.state = motion(tree, q, v, t=t)
        self.terms = constraint_terms(tree, self.state)
        self.rows = constraint_rows(tree, self.state)

    def at(self, seed: int) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
        """Time, position, velocities and accelerations."""
        rng, tree = np.random.default_rng(seed), self.tree
        q = normalised(tree, ca.DM(rng.uniform(-1, 1, tree.nq)))
        return 0.3, np.array(ca.DM(q)).ravel(), rng.uniform(-1, 1, tree.nv), rng.uniform(-1, 1, tree.nv)

    def moved(self, seed: int, h: float) -> tuple[float, np.ndarray, np.ndarray]:
        """The state at h after the one of the seed, to third order, velocities v + a h."""
        t, q, v, a = self.at(seed)
        x, w = ca.SX.sym("q", len(q)), ca.SX.sym("v", len(v))
        rate = ca.Function("rate", [x, w], [ca.densify(ca.SX(coordinate_rate(self.tree, x, w)))])

        def f(at: np.ndarray, dt: float) -> np.ndarray:
            return np.array(rate(at, v + a * dt)).ravel()

        k1 = f(q, 0)
        k2 = f(q + h / 2 * k1, h / 2)
        k3 = f(q + h / 2 * k2, h / 2)
        k4 = f(q + h * k3, h)
        return t + h, q + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), v + a * h

    def numbers(self, *expressions: Any, at: tuple[Any, ...]) -> list[np.ndarray]:
        """Values of expressions at (t, q, v)."""
        found = ca.Function("f", self.symbols, [ca.densify(ca.SX(x)) for x in expressions]).call(list(at))
        return [np.array(x) for x in found]


class ConstraintContract:
    """Derivatives, labels, units, virtual work, reaction, planar use and refusals of one constraint kind."""

    sample: ClassVar[Constraint]
    rows: ClassVar[tuple[int, int]]  # number of equations in space and in a plane
    units: ClassVar[tuple[str, ...]]  # of the multipliers in space

    @cached_property
    def model(self) -> Model:
        """The sample in space."""
        return mechanism(self.sample)

    @pytest.fixture(scope="class", params=[False, True], ids=["space", "plane"])
    @classmethod
    def given(cls, request: pytest.FixtureRequest) -> Evaluated:
        """The sample in space and in a plane."""
        return Evaluated(mechanism(cls.sample, request.param))

    def test_kind_is_registered_under_its_type(self):
        assert CONSTRAINTS[self.sample.type] is type(self.sample)

    def test_every_row_has_a_label_and_a_unit(self, given):
        count = self.rows[given.tree.normal is not None]
        assert len(given.rows) == count
        assert len({row.component for row in given.rows}) == count
        assert all(row.owner == "law" and row.on_velocity == self.sample.on_velocity for row in given.rows)
        unit = multiplier_units(self.model)
        assert tuple(unit("law", k) for k in range(self.rows[0])) == self.units
        assert self.sample.ends is not None or self.rows == (1, 1)

    @each("seed", SEEDS)
    def test_the_jacobian_is_the_derivative(self, given, seed):
        """Φ̇ = Φq v + Φt against differences of Φ; an equation on velocities is linear in them."""
        t, q, v, _ = given.at(seed)
        Phi_q, Phi_t, rate = given.numbers(given.terms.Phi_q, given.terms.Phi_t, given.terms.rate, at=(t, q, v))
        np.testing.assert_allclose(Phi_q @ v + Phi_t.ravel(), rate.ravel(), rtol=0, atol=ROUND_OFF)
        if not self.sample.on_velocity:
            (after,), (before,) = (given.numbers(given.terms.Phi, at=given.moved(seed, h)) for h in (STEP, -STEP))
            np.testing.assert_allclose((after - before) / (2 * STEP), rate, rtol=0, atol=SLOPE)
        assert np.linalg.matrix_rank(Phi_q) == len(given.rows)

    @each("seed", SEEDS)
    def test_gamma_is_what_accelerations_must_bring(self, given, seed):
        """Φ̈ = Φq v̇ − γ against differences of Φ̇."""
        t, q, v, a = given.at(seed)
        Phi_q, gamma = given.numbers(given.terms.Phi_q, given.terms.gamma, at=(t, q, v))
        (after,), (before,) = (given.numbers(given.terms.rate, at=given.moved(seed, h)) for h in (STEP, -STEP))
        np.testing.assert_allclose((after - before) / (2 * STEP), Phi_q @ a[:, None] - gamma, rtol=0, atol=SLOPE)

    @each("seed", SEEDS)
    def test_the_reaction_is_a_force_at_the_child_and_its_opposite_on_the_parent(self, given, seed):
        """The wrenches of a multiplier on the links have its power; none has a moment about the child's origin."""
        if self.sample.ends is None:
            return  # the reaction is a multiplier
        tree, (t, q, v, _) = given.tree, given.at(seed)
        rows = link_wrenches(tree, given.state)
        power = ca.SX(len(given.rows), 1)
        for J, T, V in zip(rows, given.state.T_WL, given.state.V_L, strict=True):
            power += J @ ca.vertcat(T[:3, :3] @ V[:3], T[:3, :3] @ V[3:])
        parent, child = (tree.places[end] for end in self.sample.ends)
        origin = marker_motion(given.state, child).p
        moments, forces = [], []
        for place in (child, parent):
            if place.link != GROUND:
                J, p = rows[place.link], given.state.T_WL[place.link][:3, 3]
                f = J[:, 3:].T
                forces.append(f)
                moments += [J[k, :3].T - ca.cross(origin - p, f[:, k]) for k in range(len(given.rows))]
        found, expected = given.numbers(power, given.terms.Phi_q @ given.symbols[2], at=(t, q, v))
        np.testing.assert_allclose(found, expected, rtol=0, atol=ROUND_OFF)
        (moment,) = given.numbers(ca.horzcat(*moments), at=(t, q, v))
        np.testing.assert_allclose(moment, 0, rtol=0, atol=ROUND_OFF)
        if len(forces) == 2:
            (balance,) = given.numbers(forces[0] + forces[1], at=(t, q, v))
            np.testing.assert_allclose(balance, 0, rtol=0, atol=ROUND_OFF)

    def test_the_reaction_has_names_and_units(self):
        tree = build(self.model)
        found = {label.name: label for label in labels(tree) if label.name.startswith("law.")}
        assert found["law.force"].components == (() if self.sample.ends is None else ("x", "y", "z"))
        assert set(found) == {"law.force", *(f"law.{measure.name}" for measure in self.sample.measures)}
        at_child = {label.name for label in labels(tree, "child") if label.name.startswith("law.")}
        assert at_child == (set() if self.sample.ends is None else {"law.force.child"})

    @each("planar", [False, True])
    def test_a_run_keeps_the_equations_and_the_energy(self, planar):
        model = mechanism(self.sample, planar)
        run = cardan.simulate(model, times=np.linspace(0, 0.4, 5), rtol=1e-9, atol=1e-11)
        assert run.ok, run.message
        assert run.report.constraint_violation < 1e-9
        assert run.report.relative_energy_error < 1e-7  # tolerance 1e-9 over some hundred steps
        unit = "N" if self.sample.ends is not None else self.units[0]
        assert run["law.force"].attrs["units"] == unit
        for measure in self.sample.measures:
            assert run[f"law.{measure.name}"].attrs["units"] == measure.unit
            assert np.isfinite(run.array(f"law.{measure.name}")).all()

    @pytest.mark.parametrize("planar", few([False, True], 1))
    def test_equations_of_a_model_with_it_are_verified(self, planar):
        report = cardan.verify(mechanism(self.sample, planar), states=2)
        assert report.ok, str(report)

    def test_round_trip(self):
        assert loads(dump(self.model)) == self.model

    def test_wrong_ends_are_refused(self):
        if self.sample.ends is None:
            return
        for ends, text in (
            ({"child": "thre"}, "constraints.law.child: there is no body 'thre'"),
            ({"parent": "one.tipp"}, "constraints.law.parent: the body 'one' has no marker 'tipp'"),
            ({"parent": self.sample.child}, "with itself"),
        ):
            with pytest.raises(ModelError) as error:
                mechanism(self.sample.replace(**ends))
            assert text in str(error.value)
