"""Bodies from modal data are lines that move with their interface nodes."""

import numpy as np
from tests.modal_files import beam_fields, written

import cardan
from cardan.view.scene import scene_of
from cardan.view.scene.motion import ShownMotion


def test_a_line_leads_from_the_frame_to_the_node_where_it_is(tmp_path):
    rod = {"type": "modal", "file": written(tmp_path / "beam.npz", beam_fields())}
    hinge = {"type": "revolute", "parent": "ground", "child": "rod", "axis": "y"}
    model = cardan.Model(planar="xz", bodies={"rod": rod}, joints={"hinge": hinge})
    run = cardan.simulate(model, until=0.5, initial={"rod_modes.q1": 0.1}, times=np.linspace(0, 0.5, 11))
    scene, motion = scene_of(run), ShownMotion(run)
    (line,) = scene.links
    assert (line.owner, line.kind) == ("rod", "rod")
    np.testing.assert_allclose(motion.origin(line.a), run.array("rod.position"), atol=1e-12)
    np.testing.assert_allclose(motion.origin(line.b), run.array("rod.tip.position"), atol=1e-12)
    assert not [part for part in scene.parts if part.layer == "shapes"]  # no straight rod beside it
