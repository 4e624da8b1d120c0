"""What every joint satisfies. A joint's own test is a class with a sample: `class TestRevolute(JointContract)`."""

from typing import ClassVar

import casadi as ca
import numpy as np
import pytest

from cardan.kinematics.reversed import Reversed
from cardan.model.joints import JOINTS, Joint
from cardan.model.joints.closure import Frames
from cardan.model.quantities.scalar import Scalar
from cardan.spatial import inertia
from cardan.spatial.motion import motion_matrix
from cardan.spatial.rotations import rotation_z, skew
from cardan.spatial.transforms import position, rotation
from tests.selection import each

ROUND_OFF = 1e-13  # some fifty operations on numbers of size one
SEEDS = range(2)
UNITS = {"m": "m/s", "rad": "rad/s"}


def numbers(x) -> np.ndarray:
    """Full array of a CasADi matrix."""
    return np.array(ca.DM(x))


def full(x) -> ca.SX:
    """Dense symbolic matrix: derivatives are then taken entry by entry."""
    return ca.densify(ca.SX(x))


class JointContract:
    """Theorems about T(q), S(q), Ṡ(q, v) and q̇(q, v), for the joint and for the joint crossed from child to parent."""

    sample: ClassVar[Joint]
    size: ClassVar[tuple[int, int]]  # nq, nv as the table of joints in docs/notation.md says

    @pytest.fixture
    def joint(self) -> Joint:
        """The sample with numbers in it."""
        return self.sample.resolved(lambda scalar: ca.DM(scalar.value) if isinstance(scalar, Scalar) else scalar)

    @pytest.fixture(params=[False, True], ids=["forward", "reversed"])
    def law(self, joint: Joint, request: pytest.FixtureRequest):
        """The law in both directions."""
        return Reversed(joint) if request.param else joint

    @pytest.fixture(params=SEEDS)
    def q(self, joint: Joint, request: pytest.FixtureRequest) -> np.ndarray:
        """Random coordinates, quaternions at unit length."""
        return numbers(joint.normalised(ca.DM(np.random.default_rng(request.param).uniform(-2, 2, joint.nq)))).ravel()

    @pytest.fixture
    def v(self, joint: Joint) -> np.ndarray:
        """Random velocities."""
        return np.random.default_rng(9).uniform(-2, 2, joint.nv)

    def test_kind_is_registered_under_its_type(self, joint):
        assert JOINTS[joint.type] is type(self.sample)

    def test_numbers_of_names_and_units(self, joint):
        assert (joint.nq, joint.nv) == self.size
        assert len(joint.neutral) == joint.nq
        for components in (joint.coordinates, joint.velocities):
            suffixes = [suffix for suffix, _ in components]
            assert len(set(suffixes)) == len(suffixes)
            assert all(suffix.startswith(".") for suffix in suffixes) or suffixes == [""]
        assert joint.has_rate_coordinates is (joint.coordinates == self._integrals(joint))

    @staticmethod
    def _integrals(joint: Joint) -> tuple[tuple[str, str], ...]:
        """The coordinates that velocities would be the rates of."""
        units = {rate: unit for unit, rate in UNITS.items()}
        return tuple((suffix, units[rate]) for suffix, rate in joint.velocities)

    def test_alignment_is_a_rotation(self, joint):
        R = numbers(joint.alignment())
        np.testing.assert_allclose(R.T @ R, np.eye(3), rtol=0, atol=ROUND_OFF)
        assert np.linalg.det(R) == pytest.approx(1, abs=ROUND_OFF)

    def test_markers_coincide_at_the_neutral_position(self, law, joint):
        np.testing.assert_array_equal(numbers(law.transform(ca.DM(joint.neutral))), np.eye(4))

    def test_transform_is_rigid(self, law, q):
        T = numbers(law.transform(ca.DM(q)))
        np.testing.assert_allclose(T[:3, :3].T @ T[:3, :3], np.eye(3), rtol=0, atol=ROUND_OFF)
        assert np.linalg.det(T[:3, :3]) == pytest.approx(1, abs=ROUND_OFF)
        np.testing.assert_array_equal(T[3], [0, 0, 0, 1])

    def test_subspace_is_the_derivative_of_the_transform(self, law, joint, q, v):
        """T⁻¹ Ṫ = [[ω×], u; 0, 0] with (ω; u) = S v, whatever the coordinates are."""
        symbol = ca.SX.sym("q", joint.nq)
        rate = full(law.coordinate_rate(symbol, ca.DM(v)))
        T = full(law.transform(symbol))
        T_dot = numbers(ca.Function("f", [symbol], [self._rate_of(T, symbol, rate)])(q))
        twist = np.linalg.inv(numbers(law.transform(ca.DM(q)))) @ T_dot
        np.testing.assert_allclose(twist[:3, :3], -twist[:3, :3].T, rtol=0, atol=ROUND_OFF)
        own = [twist[2, 1], twist[0, 2], twist[1, 0], *twist[:3, 3]]
        np.testing.assert_allclose(numbers(law.subspace(ca.DM(q))) @ v, own, rtol=0, atol=ROUND_OFF * 10)

    def test_its_surfaces_slide_across_their_load(self, joint, q, v):
        """G V of possible twists V says how they slide, in all directions; wrenches Gᵀ F do not load the contact."""
        if joint.nv < 2:
            return
        if joint.sliding_unit is None:
            with pytest.raises(NotImplementedError, match=joint.type):
                joint.sliding()
            return
        G = numbers(joint.sliding())
        assert np.linalg.matrix_rank(G @ numbers(joint.subspace(ca.DM(q)))) == len(G)
        wrench = np.random.default_rng(5).uniform(-1, 1, 6)
        loads = [
            np.hstack([numbers(c).ravel() for c in joint.contact_forces(ca.DM(w[3:]), ca.DM(w[:3]), ca.DM(0))])
            for w in (wrench, wrench + G.T @ np.ones(len(G)))
        ]
        assert np.linalg.norm(loads[0]) > 0.1
        np.testing.assert_allclose(loads[1], loads[0], rtol=0, atol=ROUND_OFF)

    def test_subspace_rate_is_the_derivative_of_the_subspace(self, law, joint, q, v):
        symbol = ca.SX.sym("q", joint.nq)
        rate = full(law.coordinate_rate(symbol, ca.DM(v)))
        S_dot = numbers(ca.Function("f", [symbol], [self._rate_of(full(law.subspace(symbol)), symbol, rate)])(q))
        np.testing.assert_allclose(numbers(law.subspace_rate(ca.DM(q), ca.DM(v))), S_dot, rtol=0, atol=ROUND_OFF * 10)

    @staticmethod
    def _rate_of(x, q, rate):
        """dx/dt where q changes at a rate; CasADi has no derivative with respect to nothing."""
        return ca.jtimes(x, q, rate) if q.numel() and x.numel() else ca.DM(*x.shape)

    def test_commutator_is_that_of_the_motions(self, law, joint, q):
        """X_[a,b] = ∂X_b/∂q X_a − ∂X_a/∂q X_b for X_a(q) = q̇ at the velocities a; unit quaternions stay so."""
        a, b = np.random.default_rng(11).uniform(-1, 1, (2, joint.nv))
        symbol = ca.SX.sym("q", joint.nq)
        X_a, X_b = (full(law.coordinate_rate(symbol, ca.DM(x))) for x in (a, b))
        difference = self._rate_of(X_b, symbol, X_a) - self._rate_of(X_a, symbol, X_b)
        expected = numbers(ca.Function("f", [symbol], [difference])(q)).ravel()
        own = law.commutator(ca.DM(a), ca.DM(b))
        np.testing.assert_allclose(
            numbers(law.coordinate_rate(ca.DM(q), own)).ravel(), expected, rtol=0, atol=ROUND_OFF
        )

    def test_subspace_has_full_rank(self, law, joint, q):
        assert not joint.nv or np.linalg.matrix_rank(numbers(law.subspace(ca.DM(q)))) == joint.nv

    def test_rates_keep_quaternions_at_unit_length(self, joint, q, v):
        symbol = ca.SX.sym("q", joint.nq)
        rate = joint.coordinate_rate(ca.DM(q), ca.DM(v))
        assert rate.shape == (joint.nq, 1)
        residual = full(joint.normalised(symbol)) - symbol
        drift = ca.Function("f", [symbol], [self._rate_of(residual, symbol, rate)])(q)
        np.testing.assert_allclose(numbers(drift), np.zeros((joint.nq, 1)), rtol=0, atol=ROUND_OFF)

    def test_reversed_is_the_inverse_motion_with_the_same_coordinates(self, joint, q, v):
        back = Reversed(joint)
        assert back.nv == joint.nv
        T_PC, T_CP = (numbers(law.transform(ca.DM(q))) for law in (joint, back))
        np.testing.assert_allclose(T_PC @ T_CP, np.eye(4), rtol=0, atol=ROUND_OFF)
        q_dot, q_dot_back = (numbers(law.coordinate_rate(ca.DM(q), ca.DM(v))) for law in (joint, back))
        np.testing.assert_array_equal(q_dot_back, q_dot)
        T = joint.transform(ca.DM(q))
        X_CP = numbers(motion_matrix(rotation(T), position(T)))
        seen_from_child = X_CP @ numbers(back.subspace(ca.DM(q)))
        np.testing.assert_allclose(seen_from_child, -numbers(joint.subspace(ca.DM(q))), rtol=0, atol=ROUND_OFF)

    def test_split_inertia_adds_up(self, law):
        P = self._inertia()
        kept, moved = law.split_inertia(P)
        both = inertia.add(kept, moved)
        np.testing.assert_allclose(numbers(inertia.pseudo(both)), numbers(inertia.pseudo(P)), rtol=0, atol=ROUND_OFF)

    def test_what_the_parent_carries_does_not_change_the_motion(self, law, q, v):
        """For the parent's twist V and velocities v of the joint, ½ (XV + Sv)ᵀ J (XV + Sv) differs by a function of V.

        The kinetic energy decides the efforts; what depends on V alone is the parent's own. J may be any inertia that
        differs from the body's by `moved`, carried by the parent in the joint's neutral position.
        """
        _, moved = law.split_inertia(self._inertia())
        J = numbers(inertia.matrix(moved))
        T = law.transform(ca.DM(q))
        X, S = numbers(motion_matrix(rotation(T), position(T))), numbers(law.subspace(ca.DM(q)))
        np.testing.assert_allclose(X.T @ J @ X, J, rtol=0, atol=ROUND_OFF * 10)
        np.testing.assert_allclose(X.T @ J @ S, np.zeros_like(S), rtol=0, atol=ROUND_OFF * 10)
        np.testing.assert_allclose(S.T @ J @ S, np.zeros((len(v), len(v))), rtol=0, atol=ROUND_OFF * 10)

    @each("seed", SEEDS)
    def test_closure_holds_in_every_position_of_the_joint(self, joint, q, seed):
        """6 − nv equations, none of them a combination of the others, and their null motion is that of the joint."""
        T_WP, T_PC = self._placed(seed), numbers(joint.transform(ca.DM(q)))
        Phi, J = self._rows(joint.closure, T_WP, T_WP @ T_PC)
        assert len(Phi) == 6 - joint.nv
        np.testing.assert_allclose(Phi, 0, rtol=0, atol=ROUND_OFF)
        assert len(Phi) == 0 or np.linalg.matrix_rank(J, tol=1e-3) == 6 - joint.nv  # independent, and well so
        np.testing.assert_allclose(J @ numbers(joint.subspace(ca.DM(q))), 0, rtol=0, atol=ROUND_OFF * 10)

    @each("seed", SEEDS)
    def test_closure_in_a_plane_is_what_is_left_of_it_there(self, joint, q, seed):
        """For bodies that keep to the plane, its rows allow the motions of the joint in the plane and no others."""
        axes = {"revolute": "z", "prismatic": "x", "planar": "z", "fixed": "z", "free": "z"}
        if joint.type not in axes:
            assert joint.planar_closure(Frames(*(ca.DM(3, 3), ca.DM(3, 1)) * 2), ca.DM([0, 0, 1])) is None
            return
        if hasattr(joint, "axis"):
            joint = joint.replace(axis=axes[joint.type]).resolved(lambda scalar: ca.DM(scalar.value))
        q = numbers(joint.normalised(ca.DM(q * [0, 0, 1, 1, 0, 0, 1] if joint.type == "free" else q))).ravel()
        R = numbers(joint.alignment())
        T_WP = np.eye(4)
        T_WP[:3, :3] = numbers(rotation_z(0.4 + seed)) @ R
        T_WP[:2, 3] = [0.3, -0.7]
        T_PC = np.eye(4) if joint.type == "free" else numbers(joint.transform(ca.DM(q)))
        Phi, J = self._rows(lambda frames: joint.planar_closure(frames, ca.DM([0, 0, 1])), T_WP, T_WP @ T_PC)
        np.testing.assert_allclose(Phi, 0, rtol=0, atol=ROUND_OFF)
        R_CW = (T_WP @ T_PC)[:3, :3].T
        in_plane = np.zeros((6, 3))  # turn about z, shifts along x and y, in child axes
        in_plane[:3, 0], in_plane[3:, 1], in_plane[3:, 2] = R_CW[:, 2], R_CW[:, 0], R_CW[:, 1]
        J_plane = J @ in_plane
        free = {"revolute": 1, "prismatic": 1, "planar": 3, "fixed": 0, "free": 3}[joint.type]
        assert len(Phi) == 3 - free
        assert not len(Phi) or np.linalg.matrix_rank(J_plane, tol=1e-3) == 3 - free
        if joint.type not in ("free", "fixed"):
            np.testing.assert_allclose(J @ numbers(joint.subspace(ca.DM(q))), 0, rtol=0, atol=ROUND_OFF * 10)

    def test_rows_have_names_of_their_own(self, joint):
        frames = Frames(ca.DM.eye(3), ca.DM(3, 1), ca.DM.eye(3), ca.DM(3, 1))
        names = [row.component for row in joint.closure(frames)]
        assert len(set(names)) == len(names)
        assert all(name.startswith(("force", "moment")) for name in names)

    @staticmethod
    def _placed(seed: int) -> np.ndarray:
        """A frame somewhere in the world."""
        rng = np.random.default_rng(100 + seed)
        Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        T = np.eye(4)
        T[:3, :3] = Q * np.sign(np.linalg.det(Q))
        T[:3, 3] = rng.uniform(-1, 1, 3)
        return T

    @staticmethod
    def _rows(law, T_WP: np.ndarray, T_WC: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Φ (c,) and its derivative (c, 6) by a small twist of the child, child axes, angular part first."""
        e = ca.SX.sym("e", 6)
        R_WC = ca.DM(T_WC[:3, :3]) @ (ca.DM.eye(3) + skew(e[:3]))
        p_C = ca.DM(T_WC[:3, 3]) + ca.DM(T_WC[:3, :3]) @ e[3:]
        rows = law(Frames(ca.DM(T_WP[:3, :3]), ca.DM(T_WP[:3, 3]), R_WC, p_C))
        Phi = full(ca.vertcat(ca.SX(0, 1), *(row.expression for row in rows)))
        f = ca.Function("rows", [e], [Phi, ca.densify(ca.jacobian(Phi, e))])
        values, J = f(np.zeros(6))
        return numbers(values).ravel(), numbers(J)

    @staticmethod
    def _inertia() -> inertia.Inertia:
        """Inertia of a body without any symmetry."""
        J = inertia.symmetric(0.9, 1.1, 1.4, 0.1, -0.2, 0.3)
        return inertia.from_com(ca.DM(1.3), ca.DM([0.2, -0.3, 0.4]), J)
