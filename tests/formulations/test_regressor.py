"""Y π against the recursion of Newton and Euler, for all joints; Y is linear by construction, so one π decides."""

import casadi as ca
import numpy as np

from cardan.formulations import applied, newton_euler
from cardan.formulations.regressor import inertial_parameters, regressors
from cardan.kinematics.build import build
from cardan.kinematics.motion import motion
from cardan.kinematics.places import body_inertia
from cardan.spatial import inertia
from tests.mechanisms import K, random_model, random_state
from tests.selection import each

ROUND_OFF = 1e-12  # 1e4 round-offs, relative: some hundred operations per effort


@each("seed", range(18))
def test_efforts_are_a_linear_form_of_the_inertial_parameters(seed):
    model = random_model(seed, motors=False, forces=False)
    tree = build(model, p=ca.DM([K]))
    q, v = (ca.DM(x) for x in random_state(model, seed))
    a = ca.DM(np.random.default_rng(seed).uniform(-1, 1, tree.nv))
    state = motion(tree, q, v)
    tau = newton_euler.inverse_dynamics(tree, state, a) - applied.passive(tree, q, v)
    total = np.zeros(tree.nv)
    for name, Y in regressors(tree, state, a).items():
        body = model.bodies[name].resolved(lambda scalar: ca.DM(scalar.value))
        total += np.array(Y @ inertial_parameters(body_inertia(body, ca.DM.eye(4)))).ravel()
    expected = np.array(tau).ravel()
    np.testing.assert_allclose(total, expected, atol=ROUND_OFF * (1 + np.max(np.abs(expected))), rtol=0)


def test_the_parameters_of_a_body_are_about_its_origin():
    """Steiner's theorem for one body, entry by entry."""
    P = inertia.from_com(ca.DM(2), ca.DM([0.1, 0.2, -0.3]), inertia.symmetric(0.5, 0.6, 0.7, 0.01, 0.02, 0.03))
    expected = [2, 0.2, 0.4, -0.6, 0.76, 0.8, 0.8, 0.01 - 0.04, 0.02 + 0.06, 0.03 + 0.12]
    np.testing.assert_allclose(np.array(inertial_parameters(P)).ravel(), expected, rtol=1e-14)
