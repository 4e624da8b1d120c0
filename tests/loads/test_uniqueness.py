"""Which reactions are unique, against what statics says, and the minimum-norm distribution of those that are not."""

import casadi as ca
import numpy as np
import pytest

import cardan
from cardan.assembly.start import ready_system
from cardan.functions import coordinates
from cardan.functions import uniqueness as answers
from cardan.kinematics.constraints import constraint_rows
from cardan.kinematics.motion import motion
from cardan.loads.reactions import reactions
from cardan.loads.uniqueness import least_multipliers
from tests.analysis.examples import HINGE_DISTANCE, bricard, chain, door, four_bar, planar_3rrr
from tests.selection import each

TIMES = np.linspace(0, 1, 11)
ALL, NONE = (True,) * 3, (False,) * 3


def test_everything_is_unique_in_a_chain():
    report = cardan.mobility(chain())
    assert set(report.unique.values()) == {ALL}
    assert set(report.unknown.values()) == {NONE}


def test_a_door_knows_only_the_moment_about_its_hinges():
    """One can be set against the other in every direction; no hinge transmits a moment about the axis they share."""
    unique = cardan.mobility(door()).unique
    for name in ("low", "high"):
        assert unique[f"{name}.reaction_force"] == NONE
        assert unique[f"{name}.reaction_moment"] == (False, False, True)
    assert unique["mount.reaction_force"] == unique["mount.reaction_moment"] == ALL  # the wall feels the whole door


def test_a_planar_four_bar_in_space_is_loose_out_of_its_plane():
    """What acts in the plane is unique; what acts out of it can be shifted from hinge to hinge."""
    report = cardan.mobility(four_bar(), {"a": 0.7})
    for name in "abcd":
        assert report.unique[f"{name}.reaction_force"] == (True, True, False)
        assert report.unique[f"{name}.reaction_moment"] == (False, False, True)
    assert set(report.unknown.values()) == {NONE}


def test_a_planar_model_does_not_know_what_acts_out_of_its_plane():
    report = cardan.mobility(four_bar(planar="xy"), {"a": 0.7})
    for name in "abcd":
        assert report.unknown[f"{name}.reaction_force"] == (False, False, True)
        assert report.unknown[f"{name}.reaction_moment"] == (True, True, False)


def test_bricards_hinges_know_only_the_moment_about_their_own_axes():
    """One self-stress loads every hinge in all directions but the free one, which h0 and h5 have along the world's."""
    unique = cardan.mobility(bricard()).unique
    assert unique["h0.reaction_moment"] == (False, True, False)
    assert unique["h5.reaction_moment"] == (True, False, False)
    assert all(unique[f"h{k}.reaction_force"] == NONE for k in range(6))


def test_a_parallel_robot_without_redundancy_has_unique_reactions():
    report = cardan.mobility(planar_3rrr())
    assert all(map(all, report.unique.values()))
    assert (report.unique["rod1.force"], report.unique["rod1.tension"]) == (ALL, (True,))


@each("name", ["four_bar", "slider_crank", "andrews_squeezer"])
def test_what_multipliers_cause_alone_is_the_difference_that_they_make(name):
    tree = ready_system(cardan.load(name), "none").tree
    sizes = tree.nq, tree.nv, tree.nv, len(constraint_rows(tree, motion(tree, np.zeros(tree.nq), np.zeros(tree.nv))))
    q, v, a, lam = (ca.SX.sym(letter, size) for letter, size in zip("qval", sizes, strict=True))
    state = motion(tree, q, v, t=0)
    whole, without, alone = (
        ca.vertcat(*reactions(tree, state, *given)) for given in ((a, lam), (a, ca.DM(*lam.shape)), (None, lam))
    )
    function = ca.Function("shares", [q, v, a, lam, tree.p], [whole - without, alone])
    rng = np.random.default_rng(2)
    difference, share = function(*(rng.uniform(0.2, 0.9, size) for size in (*sizes, tree.p.numel())))
    np.testing.assert_allclose(difference.full(), share.full(), rtol=0, atol=1e-9)  # of loads up to 1e3


def _run(model, **options):
    return cardan.simulate(model, times=TIMES, motors="none", **options)


@pytest.fixture(scope="module")
def doors():
    return [_run(door(first), initial={f"{first}.v": 1.0}) for first in ("low", "high")]


def test_shared_loads_carry_the_door(doors):
    """Newton and Euler for the whole door about the lower hinge, turning at a constant rate of 1 rad/s about z."""
    run = doors[0]
    angle = run.array("low.q")
    across = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)
    force = run.array("low.reaction_force") + run.array("high.reaction_force")
    weight = np.array([0, 0, 30 * 9.81])
    assert force == pytest.approx(weight - 30 * 0.4 * across, abs=1e-7)
    lift = np.array([0, 0, HINGE_DISTANCE])
    moment = run.array("low.reaction_moment") + run.array("high.reaction_moment")
    moment = moment + np.cross(lift, run.array("high.reaction_force"))
    com = 0.4 * across + np.array([0, 0, 1.0])
    assert moment == pytest.approx(np.cross(com, weight - 30 * 0.4 * across), abs=1e-6)


def test_shared_loads_are_the_smallest(doors):
    """The norm grows along every self-stress: a force at one hinge against one at the other, with its moment."""
    run = doors[0]
    loads = np.concatenate(
        [run.array(f"{name}.reaction_{what}") for name in ("low", "high") for what in ("force", "moment")], axis=-1
    )
    self_stresses = []
    for axis in np.eye(3):
        self_stresses.append(np.concatenate([axis, -np.cross([0, 0, HINGE_DISTANCE], -axis), -axis, np.zeros(3)]))
    for axis in np.eye(3)[:2]:
        self_stresses.append(np.concatenate([np.zeros(3), axis, np.zeros(3), -axis]))
    assert loads @ np.array(self_stresses).T == pytest.approx(np.zeros((len(TIMES), 5)), abs=1e-7)


def test_results_say_what_is_unique(doors):
    force, moment = doors[0]["high.reaction_force"], doors[0]["high.reaction_moment"]
    assert (force.attrs["unique"], moment.attrs["unique"]) == ("no, no, no", "no, no, yes")
    assert "minimum-norm" in force.attrs["long_name"]
    wall = doors[0]["mount.reaction_force"]
    assert wall.attrs["unique"] == "yes, yes, yes"
    assert "norm" not in wall.attrs["long_name"]
    assert "unique" not in doors[0]["low.effort"].attrs


def test_space_and_plane_agree_in_the_plane():
    space, plane = _run(four_bar(initial={"a": 0.7})), _run(four_bar(planar="xy", initial={"a": 0.7}))
    for name in "abcd":
        for what, components in (("force", [0, 1]), ("moment", [2])):
            one, other = space.array(f"{name}.reaction_{what}"), plane.array(f"{name}.reaction_{what}")
            assert one[:, components] == pytest.approx(other[:, components], abs=1e-9)
            hidden = [k for k in range(3) if k not in components]
            assert np.isnan(other[:, hidden]).all()
            assert one[:, hidden] == pytest.approx(np.zeros((len(TIMES), len(hidden))), abs=1e-9)  # nothing asks for it
    assert plane["c.reaction_force"].attrs["unique"] == "yes, yes, unknown"
    assert "planar" in plane["c.reaction_force"].attrs["long_name"]


def test_frames_of_the_markers_turn_the_same_wrench():
    run = _run(chain(), initial={"elbow.v": 1.0})
    world, child = run.reaction("elbow"), run.reaction("elbow", frame="child")
    parent = run.reaction("elbow", frame="parent")
    angle = run.array("shoulder.q"), run.array("shoulder.q") + run.array("elbow.q")
    for seen, turned in ((parent, angle[0]), (child, angle[1])):
        c, s = np.cos(turned), np.sin(turned)  # about y: x' = c x − s z, z' = s x + c z
        f = world.force.values
        expected = np.stack([c * f[:, 0] - s * f[:, 2], f[:, 1], s * f[:, 0] + c * f[:, 2]], axis=-1)
        assert seen.force.values == pytest.approx(expected, abs=1e-9)
        assert seen.moment.attrs["units"] == "N*m"


def test_other_frames_are_given_on_request_and_not_listed():
    run = _run(chain())
    assert "elbow.reaction_force" in run.names
    assert "elbow.reaction_force.child" not in run.names
    assert run.array("elbow.reaction_force.child").shape == (len(TIMES), 3)


def test_a_frame_or_joint_that_does_not_exist_is_refused():
    run = _run(chain())
    with pytest.raises(ValueError, match="world, parent, child"):
        run.reaction("elbow", frame="body")
    with pytest.raises(KeyError, match="elbow"):
        run.reaction("elbo")


def test_a_point_on_a_line_of_a_planar_model_hides_its_force_across_the_plane():
    slot = {"slot": {"type": "point_on_line", "child": "two.tip", "axis": "x"}}
    model = cardan.Model(planar="xz", bodies=chain().bodies, joints=chain().joints, constraints=slot)
    report = cardan.mobility(model, {"shoulder": -0.5, "elbow": {"guess": 1.0}})
    assert report.unknown["slot.force"] == (False, True, False)
    assert report.unknown["elbow.reaction_force"] == (False, True, False)
    assert report.unknown["elbow.reaction_moment"] == (True, False, True)


def test_a_run_file_keeps_what_is_unique(tmp_path, doors):
    cardan.save_run(doors[0], tmp_path / "door.nc", ["high.reaction_moment"])
    assert cardan.load_run(tmp_path / "door.nc")["high.reaction_moment"].attrs["unique"] == "no, no, yes"


def test_a_position_costs_neither_accelerations_nor_answers(monkeypatch):
    """Results are made family by family, and what is unique is asked when a reaction is."""
    run = _run(door())
    monkeypatch.setattr(coordinates, "accelerations_and_multipliers", None)
    monkeypatch.setattr(answers, "uniqueness", None)
    assert run["door.position"].attrs["units"] == "m"
    assert len(run.names) == len(set(run.names)) > 20
    with pytest.raises(TypeError):
        run["low.reaction_force"]


@each("distance", [1.0, 1e-5])
def test_multipliers_of_minimum_norm_against_singular_values(distance):
    """The projection by the null space of Φqᵀ and a pseudoinverse, by instants; also near a singular position."""
    rng = np.random.default_rng(5)
    J, W, w = rng.standard_normal((7, 5, 4)), rng.standard_normal((7, 9, 5)), rng.standard_normal((7, 9))
    J[4:, 1] = J[4:, 0] + distance * J[4:, 1]
    J[:, 3] = J[:, 0] - 2 * J[:, 1]
    J[:, 4] = 0.5 * J[:, 2]
    kept = (0, 1, 2)
    change = least_multipliers(J, W, w, kept)
    error = 1e-12 / distance  # round-off of 1e4 operations
    for k in range(7):
        N = np.linalg.svd(J[k])[0][:, 3:]
        expected = w[k] - W[k] @ N @ np.linalg.pinv(W[k] @ N) @ w[k]
        np.testing.assert_allclose(w[k] + W[k] @ change[k], expected, rtol=0, atol=error)
        np.testing.assert_allclose(J[k].T @ change[k], 0, rtol=0, atol=1e-12)


def test_equal_couplers_share_the_effort_alike():
    """The multipliers of equations without a direction in space count in the norm as well."""
    mesh = {"type": "coupler", "terms": {"shoulder": 1, "elbow": 2}}
    model = chain().replace(constraints={"first": mesh, "second": mesh, "third": mesh})
    run = _run(model)
    single = _run(chain().replace(constraints={"first": mesh}))
    assert run["first.force"].attrs["unique"] == "no"
    assert single["first.force"].attrs["unique"] == "yes"
    for name in ("first", "second", "third"):
        np.testing.assert_allclose(run.array(f"{name}.force"), single.array("first.force") / 3, rtol=0, atol=1e-9)
    np.testing.assert_allclose(
        run.array("elbow.reaction_moment"), single.array("elbow.reaction_moment"), rtol=0, atol=1e-9
    )
