"""What acts on a mechanism and stands in no matrix is named at the end of its document."""

import cardan


def test_friction_from_the_load_and_rigid_stops_are_named_as_not_written():
    slide = {"type": "prismatic", "parent": "ground", "child": "box", "axis": "x"}
    model = cardan.Model(
        bodies={"box": {"mass": 1}},
        joints={"slide": {**slide, "friction": {"coefficient": 0.3}}},
    )
    words = "Not written: friction that follows the load of its joint (slide)."
    assert words in cardan.equations(model).render()
    stopped = model.replace(joints={"slide": {**slide, "limits": {"lower": 0}}})
    assert "stops that do not yield (slide)" in cardan.equations(stopped).render()
    assert "Not written" not in cardan.equations(stopped.replace(joints={"slide": slide})).render()
