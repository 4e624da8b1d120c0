"""Problems with closed loops that others posed: IFToMM library of computational benchmarks, IVP test set.

Published numbers are theirs; references come from independent minimal or natural coordinates at tight tolerances.
"""

from pathlib import Path

import numpy as np
import pytest

import cardan
from tests.selection import each, few
from tests.truths.four_bars import four_bars, reference
from tests.truths.squeezer import NAMES, squeezer

HERE = Path(__file__).parent
ANDREWS = {  # at 0.03 s: reference values, which agree with PSIDE's published ones at 5e-9
    "beta": (15.810771195154757, 1139.920302259121),
    "theta": (-15.756371058413151, -1424.3792951775395),
    "gamma": (0.040822240119655816, 11.032911910917454),
    "phi": (-0.5347301163420627, 19.29337410555465),
    "delta": (0.5244099658799547, 0.5735699148449493),
    "omega": (0.5347301163420621, -19.29337410555465),
    "epsilon": (1.0480807410419382, 0.3231791492581867),
}
ANDREWS_LAMBDA = {
    "E3": (199.17534810452747, -29.75530997505671),
    "E4": (23.066543611618968, 31.452725275752822),
    "E6": (22.64249478639179, 11.617392352639179),
}
ANDREWS_ACCELERATIONS = {
    "beta": -24631.763123930792,
    "theta": 51850.31963809086,
    "gamma": 324102.60070754396,
    "phi": 566749.4220009338,
    "delta": 16743.635418335285,
    "omega": -566749.4220009337,
    "epsilon": 9826.507801570027,
}
PSIDE = {  # published for 0.03 s: position, velocity, acceleration
    "beta": (15.81077119629904, 1139.920302151208, -24631.76316945196),
    "theta": (-15.75637105984298, -1424.379294994111, 51850.37701610329),
    "gamma": (0.04082224013073101, 11.03291221937134, 324102.5686413781),
    "phi": (-0.5347301163226948, 19.29337464421385, 566749.3645176213),
    "delta": (0.5244099658805303, 0.5735699284790808, 16743.62929479361),
    "omega": (0.5347301163226948, -19.29337464421385, -566749.3645176222),
    "epsilon": (1.048080741042263, 0.3231791658026955, 9826.520791458423),
}
PSIDE_LAMBDA = {
    "E3": (199.175333373191, -29.75531228015052),
    "E4": (23.06654119098399, 31.45271365475927),
    "E6": (22.64249232082739, 11.61740700019673),
}
CAR_AXIS = {  # at 3 s, published
    "xl": (0.04934557842754028, -0.07705836840409723),
    "yl": (0.49698946023017115, 0.007446866587237785),
    "xr": (1.0417425248854215, 0.017556815753723223),
    "yr": (0.37391102726536124, 0.7703410437792519),
}
CAR_AXIS_LAMBDA = (-0.004736886590848933, -0.0011046803312573436)


def table(name):
    """Columns of a file of numbers, by name."""
    lines = [line for line in (HERE / "data" / f"{name}.csv").read_text().splitlines() if not line.startswith("#")]
    columns = np.array([[float(x) for x in line.split(",")] for line in lines[1:]]).T
    return dict(zip(lines[0].split(","), columns, strict=True))


class TestAndrewsSqueezer:
    """A03, problem 6 of the IVP test set."""

    @pytest.fixture(scope="class")
    @classmethod
    def run(cls):
        return cardan.simulate(
            cardan.load("andrews_squeezer"), times=[0, 0.03], method="dop853", rtol=1e-13, atol=1e-14
        )

    @each("joint", ANDREWS)
    def test_end_values(self, run, joint):
        q, v = ANDREWS[joint]
        assert run.array(f"{joint}.q")[-1] == pytest.approx(q, abs=1e-10)
        assert run.array(f"{joint}.v")[-1] == pytest.approx(v, rel=1e-9)

    @each("joint", ANDREWS_LAMBDA)
    def test_forces_in_the_common_pin(self, run, joint):
        """The test set's multipliers are the forces of K2 on the other body."""
        force = run.array(f"{joint}.reaction_force")[-1, :2]
        np.testing.assert_allclose(force, ANDREWS_LAMBDA[joint], atol=1e-8, rtol=0)
        # published with the error of the published velocities, 4e-10 of 1e3 rad/s, times the slope of forces
        np.testing.assert_allclose(force, PSIDE_LAMBDA[joint], atol=2e-5, rtol=0)

    @each("joint", ANDREWS_ACCELERATIONS)
    def test_accelerations_at_the_end(self, run, joint):
        assert run.array(f"{joint}.a")[-1] == pytest.approx(ANDREWS_ACCELERATIONS[joint], abs=1e-5)  # 1e-11 of 1e6

    @each("joint", PSIDE)
    def test_published_end_values(self, run, joint):
        """Positions to 5e-9, the published error; what follows from them to the same error times the next slope."""
        q, v, a = PSIDE[joint]
        assert run.array(f"{joint}.q")[-1] == pytest.approx(q, abs=5e-9)
        assert run.array(f"{joint}.v")[-1] == pytest.approx(v, abs=1e-6)
        assert run.array(f"{joint}.a")[-1] == pytest.approx(a, abs=0.1)

    def test_initial_accelerations(self, run):
        """Printed in the test set to all digits, as are the multipliers, all of them zero but the first two."""
        for joint, force in (("E3", (98.56687039624109, -6.122688344255662)), ("E4", (0, 0)), ("E6", (0, 0))):
            np.testing.assert_allclose(run.array(f"{joint}.reaction_force")[0, :2], force, atol=1e-10, rtol=0)
        assert run.array("beta.a")[0] == pytest.approx(14222.443919954114, rel=1e-12)
        assert run.array("theta.a")[0] == pytest.approx(-10666.832939965585, rel=1e-12)
        for joint in ("gamma", "phi", "delta", "omega", "epsilon"):
            assert abs(run.array(f"{joint}.a")[0]) < 1e-9  # of 1e4

    def test_balances(self, run):
        assert run.report.constraint_violation < 1e-10
        assert run.report.relative_energy_error < 1e-12

    def test_lagrange_s_equations_over_the_longer_time_of_the_library(self):
        """A03 goes on to 0.05 s: positions, velocities, accelerations, forces from equations in seven coordinates.

        Those are solved at 1e-12, of speeds up to 3e3 rad/s and accelerations up to 3e6 rad/s².
        """
        times = np.array([0, 0.01, 0.03, 0.05])
        run = cardan.simulate(cardan.load("andrews_squeezer"), times=times, method="dop853", rtol=1e-13, atol=1e-14)
        q, v, a, lam = squeezer(times)
        for k, joint in enumerate(NAMES):
            np.testing.assert_allclose(run.array(f"{joint}.q"), q[:, k], atol=1e-10, rtol=0)
            np.testing.assert_allclose(run.array(f"{joint}.v"), v[:, k], atol=1e-8, rtol=0)
            np.testing.assert_allclose(run.array(f"{joint}.a"), a[:, k], atol=1e-4, rtol=0)
        forces = np.hstack([run.array(f"{joint}.reaction_force")[:, :2] for joint in ANDREWS_LAMBDA])
        np.testing.assert_allclose(forces, lam, atol=1e-8, rtol=0)
        tip = 0.007 * np.column_stack([np.cos(q[:, 0]), np.sin(q[:, 0]), 0 * q[:, 0]])
        np.testing.assert_allclose(run.array("K1.end.position"), tip, atol=1e-12, rtol=0)
        assert run.report.relative_energy_error < 1e-12

    def test_where_the_loops_are_cut_does_not_matter(self, run):
        """K3, K5 and K7 close the loops at their pivots instead."""
        given = cardan.load("andrews_squeezer")
        cut = {"gamma", "delta", "epsilon"}
        joints = {name: joint.replace(cut=name in cut) for name, joint in given.joints.items()}
        # relative angles of the others at the same start
        names = ("beta", "gamma", "phi", "delta", "omega", "epsilon")
        b, g, p, d, o, e = (float(given.initial[name].guess.value) for name in names)
        start = {"beta": b, "theta": 0.0, "E3": g - b, "E4": p + d - b, "E6": o + e - b, "phi": p, "omega": o}
        initial = {name: {"guess": value} for name, value in start.items()} | {"theta": 0.0}
        other = cardan.simulate(
            given.replace(joints=joints, initial=initial), times=[0, 0.03], method="dop853", rtol=1e-13, atol=1e-14
        )
        for joint in ("beta", "theta", "phi", "omega"):
            assert other.array(f"{joint}.q")[-1] == pytest.approx(ANDREWS[joint][0], abs=1e-9)
        for joint in ("E3", "gamma", "delta"):
            np.testing.assert_allclose(
                other.array(f"{joint}.reaction_force")[-1, :2], run.array(f"{joint}.reaction_force")[-1, :2], rtol=1e-7
            )


class TestBricard:
    """A04: one redundant equation; the printed curve is that of slender rods."""

    SEVENTH = np.linspace(1.199915, 1.199925, 21)
    """What is printed as 1.19992 s; the point moves at 1.1 m/s then."""

    @pytest.fixture(scope="class")
    @classmethod
    def run(cls):
        times = np.union1d(table("bricard")["t"], cls.SEVENTH)
        return cardan.simulate(cardan.load("bricard"), times=times, method="dop853", rtol=1e-12, atol=1e-13)

    @staticmethod
    def point(run, times):
        """Path (N, 3) of P3 at some of the run's instants."""
        return np.column_stack([run.array(axis) for axis in "xyz"])[np.isin(run.t, times)]

    def test_published_curve(self, run):
        """Six digits, at every instant but the seventh, which is no multiple of 0.2 s."""
        known = table("bricard")
        at = known["t"] != 1.19992
        published = np.column_stack([known[axis] for axis in "xyz"])[at]
        np.testing.assert_allclose(self.point(run, known["t"][at]), published, atol=6e-7, rtol=0)

    def test_published_position_of_the_seventh_instant(self, run):
        """Half a digit of the time is 5.6e-6 m; one instant that is printed so has all three coordinates."""
        known = table("bricard")
        published = np.column_stack([known[axis] for axis in "xyz"])[known["t"] == 1.19992]
        np.testing.assert_allclose(self.point(run, [1.19992]), published, atol=6e-6, rtol=0)
        nearest = np.abs(self.point(run, self.SEVENTH) - published).max(axis=1).min()
        assert nearest < 5.6e-7 / 2 + 6e-7  # half the way between two instants, and the rounding of coordinates

    def test_reference_at_the_end(self, run):
        end = [run.array(axis)[-1] for axis in "xyz"]
        np.testing.assert_allclose(
            end, [0.9992646100894159, -0.9999997297996155, -0.0007351195114236723], atol=1e-8, rtol=0
        )

    def test_rods_of_a_square_section_move_differently(self):
        """The library's text has rods of 0.1 m × 0.1 m, its curve slender ones: 1.1e-2 m apart within 10 s."""
        given, t = cardan.load("bricard"), np.linspace(0, 10, 201)
        across, along = (1 + 0.1**2) / 12, 0.1**2 / 6
        bodies = dict(given.bodies)
        for name, axis in (("rod0", 0), ("rod1", 1), ("rod2", 2), ("rod3", 0), ("rod4", 1)):
            inertia = [along if k == axis else across for k in range(3)]
            bodies[name] = bodies[name].replace(inertia=inertia)
        slender, square = (cardan.simulate(m, times=t) for m in (given, given.replace(bodies=bodies)))
        assert np.abs(self.point(slender, t) - self.point(square, t)).max() == pytest.approx(
            1.1e-2, abs=5e-4
        )  # two digits

    def test_balances(self, run):
        assert run.report.constraint_violation < 1e-10
        assert run.report.relative_energy_error < 1e-10

    def test_it_moves_though_gruebler_counts_none(self):
        found = cardan.mobility(cardan.load("bricard"))
        assert (found.grubler, found.degrees_of_freedom, len(found.redundant)) == (0, 1, 1)

    LINES = (("rod0", "y", 0), ("rod1", "z", 0), ("rod2", "x", 0), ("rod3", "y", 0), ("rod4", "z", 0), (None, "x", 1))
    """Axes of the joints: body, its axis, and how far up its y axis the joint is (the last one on rod 4)."""

    def screws(self, q):
        """Points (6, 3) and axes (6, 3) of the joints in world axes."""
        pose = cardan.compile(cardan.load("bricard")).forward_kinematics(q)
        points, axes = [], []
        for body, axis, up in self.LINES:
            T = pose[body or "rod4"]
            points.append(T[:3, 3] + up * T[:3, 1])
            axes.append(T[:3, "xyz".index(axis)] if body else np.array([1.0, 0, 0]))
        return np.array(points), np.array(axes)

    def test_the_joints_share_one_self_stress(self, run):
        """A wrench that has no moment about any of the six axes can be in the closed loop without any load.

        It is the same for all joints: a component of a reaction is unique where it has none. That is so of no force,
        and of the moments about x at J2 and about y at J3, in world axes, besides those about the axes of joints.
        """
        names = [name for name in run.state_names if name.endswith(".q")]
        q = np.column_stack([run.array(name) for name in names])
        loose = np.zeros((6, 6), dtype=bool)
        for position in q[:20:4]:
            points, axes = self.screws(position)
            _, sizes, V = np.linalg.svd(np.hstack([axes, np.cross(points, axes)]))  # a · m_O + (p × a) · f = 0
            assert sizes[-1] < 1e-10 < 0.1 < sizes[-2]
            moment, force = V[-1, :3], V[-1, 3:]
            wrenches = np.hstack([np.tile(force, (6, 1)), moment - np.cross(points, force)])
            loose |= np.abs(wrenches) > 1e-9
        unique = cardan.mobility(cardan.load("bricard")).unique
        for k in range(6):
            both = (*unique[f"J{k}.reaction_force"], *unique[f"J{k}.reaction_moment"])
            assert both == tuple(~loose[k]), f"J{k}"
            assert not any(both[:3])
            own = run.reaction(f"J{k}", frame="parent").moment.attrs["unique"].split(", ")
            assert own == ["yes" if axis == self.LINES[k][1] else "no" for axis in "xyz"]


class TestFlyballGovernor:
    """A05: stiff springs, the rods tied together by a coupling."""

    @pytest.fixture(scope="class")
    @classmethod
    def run(cls):
        times = np.union1d(table("flyball_reference")["t"], table("flyball_published")["t"])
        return cardan.simulate(cardan.load("flyball_governor"), times=times, method="rodas5p", rtol=1e-9, atol=1e-11)

    def test_published_height(self, run):
        known = table("flyball_published")
        np.testing.assert_allclose(run.array("s.q")[np.isin(run.t, known["t"])], known["s"], atol=1.3e-6, rtol=0)

    def test_reference(self, run):
        known = table("flyball_reference")
        at = np.isin(run.t, known["t"])
        for name, channel in (("s", "s.q"), ("alpha", "alpha1.q"), ("alpha", "alpha2.q"), ("omega", "shaft.v")):
            np.testing.assert_allclose(run.array(channel)[at], known[name], atol=1e-8, rtol=0)

    def test_angular_momentum_is_kept(self, run):
        """Nothing acts about the shaft's axis: inertia about it, from the dimensions, times speed; 1e-8 of it."""
        m, ball, slider = 3000 * 0.01**2, 5.0, 3000 * 0.1**3
        rod = m + ball
        c = (m / 2 + ball) / rod
        across = m * (1 + 0.01**2) / 12 + m * (c - 0.5) ** 2 + ball * (1 - c) ** 2
        arm = np.cos(run.array("alpha1.q"))
        of_rod = rod * (0.05 + c * arm) ** 2 + across * arm**2 + m * 0.01**2 / 6 * (1 - arm**2)
        momentum = (m * 0.01**2 / 6 + slider * 0.1**2 / 6 + 2 * of_rod) * run.array("shaft.v")
        np.testing.assert_allclose(momentum, momentum[0], rtol=1e-8)

    def test_balances(self, run):
        assert run.report.constraint_violation < 1e-10
        assert run.report.relative_energy_error < 1e-8


class TestCarAxis:
    """IVP test set: a wheel follows the road, so constraints move with time; the wheel has no mass."""

    @pytest.fixture(scope="class")
    @classmethod
    def run(cls):
        return cardan.simulate(cardan.load("car_axis"), times=[0, 3], method="dop853", rtol=1e-13, atol=1e-14)

    @each("joint", CAR_AXIS)
    def test_end_values(self, run, joint):
        q, v = CAR_AXIS[joint]
        assert run.array(f"{joint}.q")[-1] == pytest.approx(q, abs=1e-10)
        assert run.array(f"{joint}.v")[-1] == pytest.approx(v, abs=1e-10)

    def test_force_of_the_chassis(self, run):
        """The test set's second multiplier: the force on the left point is 2 λ2 (p_l − p_r)."""
        left, right = run.array("left.position")[-1], run.array("right.position")[-1]
        np.testing.assert_allclose(
            run.array("chassis.force")[-1], 2 * CAR_AXIS_LAMBDA[1] * (left - right), atol=1e-10, rtol=0
        )

    def test_multipliers(self, run):
        """The first one is that of the equation p_l · p_b = 0 itself; the second one pushes with 2 λ2 times the rod."""
        assert run.array("upright.force")[-1] == pytest.approx(CAR_AXIS_LAMBDA[0], abs=1e-10)
        assert run.array("chassis.tension")[-1] == pytest.approx(-2 * CAR_AXIS_LAMBDA[1], abs=1e-10)
        assert run["upright.force"].attrs["units"] == "N/m"  # of an equation in m²

    def test_the_wheel_is_where_the_road_is(self, run):
        y = 0.1 * np.sin(10 * 3)
        np.testing.assert_allclose(run.array("wheel.position")[-1], [np.sqrt(1 - y**2), y, 0], atol=1e-12, rtol=0)
        assert run.report.constraint_violation < 1e-10


class TestFourBars:
    """A02: passes its singular position, all links in line, about twenty times, on its own branch."""

    TIMES = np.linspace(0, 10, 51)

    @staticmethod
    def tip(run, k):
        """End of crank k (N, 2) relative to its base, from the state."""
        theta = run.array(f"theta{k}.q")
        return np.column_stack([np.sin(theta), np.cos(theta)])

    @pytest.mark.parametrize(
        ("n", "embed"), few([(2, True), (7, False), (1, True), (1, False), (40, True), (40, False)], 2)
    )
    def test_position_against_the_reduced_ode(self, n, embed):
        run = cardan.simulate(four_bars(n), times=self.TIMES, method="tsit5", rtol=1e-9, atol=1e-11, embed=embed)
        assert run.ok, run.message
        expected = reference(n, self.TIMES)
        assert np.sqrt(np.mean((self.tip(run, 0) - expected) ** 2)) < 1e-5  # the benchmark's own tolerance
        assert np.abs(self.tip(run, n) - expected).max() < 1e-5  # all cranks turn alike: no loop has left its branch
        assert run.report.energy_error < 1e-4  # J; of the 1e3 J that N = 40 exchanges
        assert run.report.constraint_violation < 1e-10

    @each("method", ["dop853", "rodas5p", "auto"])
    def test_every_method(self, method):
        run = cardan.simulate(four_bars(2), times=self.TIMES, method=method, rtol=1e-10, atol=1e-12)
        assert run.ok, run.message
        assert np.abs(self.tip(run, 0) - reference(2, self.TIMES)).max() < 1e-5

    def test_exact_value(self):
        """N = 2 at 10 s; published: (0.3284573768, 0.9445187937) with a step of 1.25e-4, converging to this."""
        run = cardan.simulate(four_bars(2), times=[10.0], method="dop853", rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(self.tip(run, 0)[-1], [0.3284581115358561, 0.9445185381803256], atol=1e-7, rtol=0)
        assert run.array("theta0.q")[-1] == pytest.approx(31.75059718698085, abs=1e-7)
        assert run.array("theta0.v")[-1] == pytest.approx(1.506642180827251, abs=1e-7)
        # the error that is left in the published value: of order 2 in its step, and 6e-5 with a step of 1e-3
        np.testing.assert_allclose(self.tip(run, 0)[-1], [0.3284573768, 0.9445187937], atol=1e-6, rtol=0)
