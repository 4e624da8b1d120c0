"""A scene against MuJoCo with stiff contacts: a ball with backspin, and a box that slides and turns."""

import numpy as np
import pytest

import cardan
from cardan.formats.yaml import loads

mujoco = pytest.importorskip("mujoco")

STIFF = 'friction="0.3 0 0" solref="-4e6 -4e3" solimp="0.99 0.9999 0.0001"'
THEIRS = f"""
<mujoco>
<option timestep="2e-5" gravity="0 0 -9.6" cone="elliptic" impratio="100" integrator="implicitfast"/>
<worldbody>
<geom type="plane" size="5 5 .1" {STIFF}/>
<body pos="0 0 0.1"><freejoint/><geom type="sphere" size="0.1" mass="2" {STIFF}/></body>
<body pos="0 1 0.05"><freejoint/><geom type="box" size="0.1 0.1 0.05" mass="3" {STIFF}/></body>
</worldbody>
</mujoco>"""
OURS = f"""
cardan: 1
gravity: [2, 0, -9.6]
bodies:
  ground: {{shapes: [{{name: floor, type: plane}}]}}
  ball: {{shapes: [{{type: sphere, radius: 0.1, density: {2 / (4 / 3 * np.pi * 0.1**3)}}}]}}
  box: {{shapes: [{{type: box, size: [0.2, 0.2, 0.1], density: 750}}]}}
joints:
  roll: {{type: free, parent: ground, child: ball}}
  slide: {{type: free, parent: ground, child: box}}
contacts:
  a: &hard {{between: [ball, ground], stiffness: 1e7, exponent: 1, damping: 20, friction: {{coefficient: 0.3}}}}
  b: {{<<: *hard, between: [box, ground]}}
initial:
  {{roll.z: {0.1 - 2 * 9.6 / 1e7}, roll.vx: -1, roll.wy: 20,
  slide.y: 1, slide.z: {0.05 - 3 * 9.6 / 4e7}, slide.vx: 1, slide.vy: 0.5, slide.wz: 3}}
"""


def test_a_ball_and_a_box_slide_as_in_mujoco():
    """MuJoCo's convex cone lets what slips hover when it starts, which takes 2.4 ms off the friction of the ball.

    That is 7 mm/s, 6 mm after 0.8 s; μ = 0.3 on the floor takes 7.2 rad/s of its spin in 0.1 s, as here.
    """
    model = mujoco.MjModel.from_xml_string(THEIRS)
    data = mujoco.MjData(model)
    while data.time < 0.05:
        mujoco.mj_step(model, data)  # both begin with the depth at rest
    model.opt.gravity[0], data.time = 2, 0
    data.qvel[:] = [-1, 0, 0, 0, 20, 0, 1, 0.5, 0, 0, 0, 3]
    ours = cardan.simulate(loads(OURS), until=0.8)
    for until in (0.1, 0.2, 0.4, 0.8):
        while data.time < until - 1e-9:
            mujoco.mj_step(model, data)
        at = np.interp
        found = [at(until, ours.t, ours[name].values) for name in ("roll.x.q", "slide.x.q", "slide.y.q")]
        assert found == pytest.approx([data.qpos[0], data.qpos[7], data.qpos[8]], abs=6e-3)
        names = ("roll.vx.v", "roll.wy.v", "slide.vx.v", "slide.vy.v", "slide.wz.v")
        found = [at(until, ours.t, ours[name].values) for name in names]
        theirs = [*data.qvel[[0, 4, 6, 7]], data.qvel[11]]
        assert np.array(found) * [1, 0.1, 1, 1, 0.1] == pytest.approx(np.array(theirs) * [1, 0.1, 1, 1, 0.1], abs=0.02)
    assert at(0.1, ours.t, ours["roll.wy.v"].values) == pytest.approx(20 - 2.5 * 0.3 * 9.6, rel=1e-4)
