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


def test_states_of_friction_and_stops_have_letters():
    """σ and W of dry friction, z of bristles, s, p of stops; the joint's name is their index."""
    slide = {"type": "prismatic", "parent": "ground", "child": "box", "axis": "x"}
    body = {"box": {"mass": 1}}
    dry = cardan.Model(bodies=body, joints={"guide": {**slide, "friction": {"effort": 2}, "limits": {"upper": 1}}})
    text = cardan.equations(dry).render()
    assert "Q = [−2 σ_guide]" in text
    assert [row for row in ("W_guide ", "s_guide ", "p_guide ", "W_guide,impact ") if row not in text] == []
    assert r"\sigma_{\mathrm{guide}}" in cardan.equations(dry).render("latex")
    lugre = {"type": "lugre", "effort": 2, "bristle": 1e5}
    bent = cardan.Model(bodies=body, joints={"guide": {**slide, "friction": lugre}})
    assert "Q = [−100000 z_guide]" in cardan.equations(bent).render()


def test_contacts_are_named_and_stand_in_no_matrix():
    ball = cardan.equations(cardan.load("bouncing_ball"))
    assert "Not written: forces of contacts (floor)." in ball.render()
    assert ball.Q.is_zero_matrix
