"""Problems with closed loops that others posed: IFToMM library of computational benchmarks, IVP test set.

Published numbers are theirs; references come from independent minimal or natural coordinates at tight tolerances.
"""

from pathlib import Path

import numpy as np
import pytest

import cardan
from tests.truths.four_bars import four_bars, reference

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

    @pytest.mark.parametrize("joint", ANDREWS)
    def test_end_values(self, run, joint):
        q, v = ANDREWS[joint]
        assert run.array(f"{joint}.q")[-1] == pytest.approx(q, abs=1e-10)
        assert run.array(f"{joint}.v")[-1] == pytest.approx(v, rel=1e-9)

    @pytest.mark.parametrize("joint", ANDREWS_LAMBDA)
    def test_forces_in_the_common_pin(self, run, joint):
        """The test set's multipliers are the forces of K2 on the other body."""
        np.testing.assert_allclose(run.array(f"{joint}.reaction_force")[-1, :2], ANDREWS_LAMBDA[joint], atol=1e-8)

    def test_initial_accelerations(self, run):
        """Printed in the test set to all digits."""
        assert run.array("beta.a")[0] == pytest.approx(14222.443919954114, rel=1e-12)
        assert run.array("theta.a")[0] == pytest.approx(-10666.832939965585, rel=1e-12)
        for joint in ("gamma", "phi", "delta", "omega", "epsilon"):
            assert abs(run.array(f"{joint}.a")[0]) < 1e-9  # of 1e4

    def test_balances(self, run):
        assert run.report.constraint_violation < 1e-10
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

    @pytest.fixture(scope="class")
    @classmethod
    def run(cls):
        return cardan.simulate(
            cardan.load("bricard"), times=table("bricard")["t"], method="dop853", rtol=1e-12, atol=1e-13
        )

    def test_published_curve(self, run):
        """Six digits; the seventh instant is printed as 1.19992 s, with five digits, at a speed of 1.1 m/s."""
        known = table("bricard")
        for axis in "xyz":
            tolerance = np.where(known["t"] == 1.19992, 6e-6, 6e-7)
            assert (np.abs(run.array(axis) - known[axis]) < tolerance).all()

    def test_reference_at_the_end(self, run):
        end = [run.array(axis)[-1] for axis in "xyz"]
        np.testing.assert_allclose(end, [0.9992646100894159, -0.9999997297996155, -0.0007351195114236723], atol=1e-8)

    def test_balances(self, run):
        assert run.report.constraint_violation < 1e-10
        assert run.report.relative_energy_error < 1e-10

    def test_it_moves_though_gruebler_counts_none(self):
        found = cardan.mobility(cardan.load("bricard"))
        assert (found.grubler, found.degrees_of_freedom, len(found.redundant)) == (0, 1, 1)

    def test_no_reaction_component_of_its_joints_is_unique(self):
        """The null space of Φqᵀ has one dimension and touches all six joints: no force of them is known alone."""
        unique = cardan.mobility(cardan.load("bricard")).unique
        for k in range(6):
            both = (*unique[f"J{k}.reaction_force"], *unique[f"J{k}.reaction_moment"])
            assert not all(both), f"J{k}"


class TestFlyballGovernor:
    """A05: stiff springs, the rods tied together by a coupling."""

    @pytest.fixture(scope="class")
    @classmethod
    def run(cls):
        times = np.union1d(table("flyball_reference")["t"], table("flyball_published")["t"])
        return cardan.simulate(cardan.load("flyball_governor"), times=times, method="rodas5p", rtol=1e-9, atol=1e-11)

    def test_published_height(self, run):
        known = table("flyball_published")
        np.testing.assert_allclose(run.array("s.q")[np.isin(run.t, known["t"])], known["s"], atol=1.3e-6)

    def test_reference(self, run):
        known = table("flyball_reference")
        at = np.isin(run.t, known["t"])
        for name, channel in (("s", "s.q"), ("alpha", "alpha1.q"), ("alpha", "alpha2.q"), ("omega", "shaft.v")):
            np.testing.assert_allclose(run.array(channel)[at], known[name], atol=1e-8)

    def test_angular_momentum_is_kept(self, run):
        """Nothing acts about the shaft's axis."""
        assert (
            np.abs(run.array("shaft.reaction_moment")[:, 2]).max()
            < 1e-9 * np.abs(run.array("shaft.reaction_moment")).max() + 1e-9
        )

    def test_balances(self, run):
        assert run.report.constraint_violation < 1e-10
        assert run.report.relative_energy_error < 1e-8


class TestCarAxis:
    """IVP test set: a wheel follows the road, so constraints move with time; the wheel has no mass."""

    @pytest.fixture(scope="class")
    @classmethod
    def run(cls):
        return cardan.simulate(cardan.load("car_axis"), times=[0, 3], method="dop853", rtol=1e-13, atol=1e-14)

    @pytest.mark.parametrize("joint", CAR_AXIS)
    def test_end_values(self, run, joint):
        q, v = CAR_AXIS[joint]
        assert run.array(f"{joint}.q")[-1] == pytest.approx(q, abs=1e-10)
        assert run.array(f"{joint}.v")[-1] == pytest.approx(v, abs=1e-10)

    def test_force_of_the_chassis(self, run):
        """The test set's second multiplier: the force on the left point is 2 λ2 (p_l − p_r)."""
        left, right = run.array("left.position")[-1], run.array("right.position")[-1]
        np.testing.assert_allclose(run.array("chassis.force")[-1], 2 * CAR_AXIS_LAMBDA[1] * (left - right), atol=1e-10)

    def test_multipliers(self, run):
        """The first one is that of the equation p_l · p_b = 0 itself; the second one pushes with 2 λ2 times the rod."""
        assert run.array("upright.force")[-1] == pytest.approx(CAR_AXIS_LAMBDA[0], abs=1e-10)
        assert run.array("chassis.tension")[-1] == pytest.approx(-2 * CAR_AXIS_LAMBDA[1], abs=1e-10)
        assert run["upright.force"].attrs["units"] == "N/m"  # of an equation in m²

    def test_the_wheel_is_where_the_road_is(self, run):
        y = 0.1 * np.sin(10 * 3)
        np.testing.assert_allclose(run.array("wheel.position")[-1], [np.sqrt(1 - y**2), y, 0], atol=1e-12)
        assert run.report.constraint_violation < 1e-10


class TestFourBars:
    """A02: passes its singular position, all links in line, about twenty times, on its own branch."""

    TIMES = np.linspace(0, 10, 51)

    @staticmethod
    def tip(run, k):
        """End of crank k (N, 2) relative to its base, from the state."""
        theta = run.array(f"theta{k}.q")
        return np.column_stack([np.sin(theta), np.cos(theta)])

    @pytest.mark.parametrize("n", [1, 2, 7, 40])
    def test_position_against_the_reduced_ode(self, n):
        run = cardan.simulate(four_bars(n), times=self.TIMES, method="tsit5", rtol=1e-9, atol=1e-11)
        assert run.ok, run.message
        expected = reference(n, self.TIMES)
        assert np.sqrt(np.mean((self.tip(run, 0) - expected) ** 2)) < 1e-5  # the benchmark's own tolerance
        assert np.abs(self.tip(run, n) - expected).max() < 1e-5  # all cranks turn alike: no loop has left its branch
        assert run.report.energy_error < 1e-4  # J; of the 1e3 J that N = 40 exchanges
        assert run.report.constraint_violation < 1e-10

    @pytest.mark.parametrize("method", ["dop853", "rodas5p", "auto"])
    def test_every_method(self, method):
        run = cardan.simulate(four_bars(2), times=self.TIMES, method=method, rtol=1e-10, atol=1e-12)
        assert run.ok, run.message
        assert np.abs(self.tip(run, 0) - reference(2, self.TIMES)).max() < 1e-5

    def test_exact_value(self):
        """N = 2 at 10 s; published: (0.3284573768, 0.9445187937) with a step of 1.25e-4, converging to this."""
        run = cardan.simulate(four_bars(2), times=[10.0], method="dop853", rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(self.tip(run, 0)[-1], [0.3284581115358561, 0.9445185381803256], atol=1e-7)
        assert run.array("theta0.q")[-1] == pytest.approx(31.75059718698085, abs=1e-7)
