"""The workbench: new values run at once, wrong ones change nothing, the file keeps in step."""

import base64
import json
import os
import re
import stat
from pathlib import Path

import numpy as np
import pytest
from tests.mechanisms import WITH_BODIES
from tests.selection import of_gallery

import cardan
from cardan.formats.yaml import loads
from cardan.view.studio.model_file import ModelFile, file_of
from cardan.view.studio.workbench import PATIENCE, Superseded, Workbench

FREE_PENDULUM = """cardan: 1
name: pendulum
bodies: {rod: {mass: 2 kg, com: [0, 0, -1]}}
joints: {hinge: {type: revolute, parent: ground, child: rod, axis: y}}
"""


def _kinds(answers):
    return [one["kind"] for one in answers]


def _values(answer, name):
    panel = next(one for one in answer["content"]["panels"] if one["name"] == name)
    return np.frombuffer(base64.b64decode(panel["values"]), "<f4")


@pytest.mark.parametrize("name", of_gallery(WITH_BODIES))
def test_every_model_of_the_gallery_runs_and_has_controls(bench, name):
    run, model = bench(name).first
    assert run["kind"] == "run", run
    assert json.loads(json.dumps(run, allow_nan=False))
    own = cardan.load(name)
    assert [one["name"] for one in model["controls"]["parameters"]] == list(own.parameters)
    for control in model["controls"]["parameters"]:
        assert control["text"] == str(own.parameters[control["name"]])


def test_a_coordinate_that_a_motion_prescribes_has_no_start_to_be_set(bench):
    _, model = bench("basket_arm").first
    names = {one["name"] for one in model["controls"]["initial"]}
    assert not names & {f"{name}{end}" for name in cardan.load("basket_arm").motions for end in ("", ".v")}


def test_a_fault_of_several_lines_keeps_them_and_hides_nothing_else(bench):
    """What the page shows of a loop that does not close: no written-out ends of lines."""
    (refused,) = bench("four_bar")("set", section="parameters", name="c", text="50 m")
    text = "".join(f"{issue['fault']}{issue['cure']}" for issue in refused["issues"])
    assert "\n" in text
    assert "\\n" not in text


@pytest.mark.parametrize(
    ("section", "name", "text"),
    [("parameters", "mp", "1.5 kg"), ("inputs", "drive", "8*sin(t)"), ("initial", "swing", "10 deg")],
)
def test_a_new_value_runs_as_the_library_does_and_stands_in_the_file(bench, section, name, text):
    on = bench("overhead_crane")
    run, model = on("set", section=section, name=name, text=text)
    own = cardan.load("overhead_crane")
    expected = cardan.simulate(own, **{section: {name: text}})
    np.testing.assert_allclose(_values(run, "load_x")[-1], expected.array("load_x")[-1], rtol=1e-6)  # single precision
    again = cardan.simulate(loads(on.text))
    np.testing.assert_allclose(again.array("load_x")[-1], expected.array("load_x")[-1], rtol=1e-12)
    control = next(one for one in model["controls"][section] if one["name"] == name)
    assert control["text"] == text
    assert "# wheel of the trolley" in on.text


@pytest.mark.parametrize(
    ("section", "name", "text", "fault"),
    [
        ("parameters", "mp", "1.5 s", "is a time"),
        ("parameters", "mp", "-1 kg", "a mass is zero or positive"),
        ("parameters", "mp", "[1", "not YAML"),
        ("parameters", "<b>", "1", "parameter"),
        ("inputs", "drive", "10 kg", "kg"),
        ("initial", "travel", "nowhere", "nowhere"),
        ("bodies", "payload", "1", "no values in 'bodies'"),
    ],
)
def test_a_wrong_value_is_refused_at_its_field_and_changes_nothing(bench, section, name, text, fault):
    on = bench("overhead_crane")
    before = on.text
    (refused,) = on("set", section=section, name=name, text=text)
    assert refused["kind"] == "refused"
    assert (refused["of"]["section"], refused["of"]["name"]) == (section, name)
    assert fault in " ".join(one["fault"] for one in refused["issues"])
    assert on.text == before
    assert _kinds(on.workbench.state()) == ["run", "model"]


def test_an_unknown_message_is_refused(bench):
    (refused,) = bench("compound_pendulum")("explode")
    assert refused["issues"][0]["fault"] == "the studio does not know 'explode'"


def test_a_loop_that_cannot_close_keeps_the_earlier_picture(bench):
    on = bench("four_bar")
    (refused,) = on("set", section="parameters", name="a", text="10 m")
    assert refused["kind"] == "refused"
    assert _kinds(on.workbench.state()) == ["run", "model"]
    run, _ = on("undo") or on("set", section="parameters", name="a", text="0.12 m")
    assert run["kind"] == "run"


def test_a_text_that_is_no_model_is_kept_with_its_faults_and_lines(bench):
    on = bench(loads(FREE_PENDULUM))
    refused, model = on("text", text=FREE_PENDULUM.replace("revolute", "revolut"))
    assert refused["kind"] == "refused"
    assert refused["issues"][0] | {"cure": ""} == {
        "path": ["joints", "hinge", "type"],
        "key": "joints.hinge.type",
        "line": 4,
        "fault": "there is no joint type 'revolut'",
        "cure": "",
    }
    assert "revolut," in model["text"]
    assert model["controls"] is None
    assert _kinds(on.workbench.state()) == ["run", "model", "refused"]
    run, model = on("undo")
    assert run["kind"] == "run"
    assert (model["undo"], model["redo"]) == (False, True)
    assert on("redo")[0]["kind"] == "refused"
    assert on("redo") == []


def test_a_model_without_an_end_runs_for_some_seconds(bench):
    run, model = bench(loads(FREE_PENDULUM)).first
    assert run["message"] == "completed at t = 5 s"
    assert model["until"] == "5 s"


def test_end_and_motors_of_a_run_can_be_changed(bench):
    on = bench("overhead_crane")
    run, model = on("settings", until="2 s", motors="simplified")
    assert run["message"] == "completed at t = 2 s"
    assert (model["until"], model["motors"]) == ("2 s", "simplified")
    for wrong in ({"until": "2 kg"}, {"motors": "half"}):
        (refused,) = on("settings", **wrong)
        assert refused["kind"] == "refused"
    assert "until: 2 s" in on.text


def test_an_empty_model_says_what_to_add():
    workbench = Workbench(file_of(loads(FREE_PENDULUM)))
    answers = list(workbench.answers({"do": "text", "text": "cardan: 1\n"}))
    assert "add a body" in answers[0]["empty"]


def test_a_long_run_gives_way_to_a_newer_change(bench, monkeypatch):
    monkeypatch.setattr("cardan.view.studio.workbench.PATIENCE", 0.0)
    on = bench("flyball_governor")
    message = {"do": "set", "section": "parameters", "name": "density", "text": "8000 kg/m^3"}
    with pytest.raises(Superseded):
        list(on.workbench.answers(message, lambda: True))
    run, model = on("set", section="parameters", name="g", text="9.7 m/s^2")  # finds the change that had no run
    assert run["kind"] == "run"
    assert {"8000 kg/m^3", "9.7 m/s^2"} <= {one["text"] for one in model["controls"]["parameters"]}
    assert "8000" in on.text
    assert PATIENCE > 0


def test_a_slider_that_was_drawn_is_undone_at_once(bench):
    on = bench("overhead_crane")
    before = on.text
    for name, text in (("mp", "0.9 kg"), ("mp", "1 kg"), ("mp", "1.1 kg"), ("L", "0.8 m"), ("L", "0.9 m")):
        on("set", section="parameters", name=name, text=text)
    on("set", section="parameters", name="L", text="0.9 m")
    on("undo")
    assert on.text == before.replace("0.85 kg", "1.1 kg")
    on("set", section="parameters", name="L", text="0.6 m")
    on("undo")
    assert on.text == before.replace("0.85 kg", "1.1 kg")
    on("undo")
    assert on.text == before


@pytest.mark.parametrize("section", ["simulate", "bodies", "initial", "parameters", "joints", "name"])
def test_any_text_has_an_answer(bench, section):
    on = bench("compound_pendulum")
    for value in ("5", "[]", "{}", "{x: [1]}", "text", "null", "{x: {y: 2}}"):
        answers = on("text", text=f"cardan: 1\n{section}: {value}\n")
        assert answers[0]["kind"] == "refused"
        assert json.dumps(on.workbench.state(), allow_nan=False)
        on("entry", path=[section, "x"], value="1")
        on("undo")


def test_a_run_that_ends_early_is_shown_with_its_reason(bench):
    run, _ = bench(loads(FREE_PENDULUM + "inputs: {hinge: 1000*exp(hinge.v)}\n")).first
    assert not run["ok"]
    assert "at t = " in run["message"]
    assert run["content"]["scene"]["bodies"]


def test_names_are_plain_text_in_every_message(bench):
    name = "<img src=x onerror=alert(1)>"
    run, _ = bench(loads(FREE_PENDULUM.replace("name: pendulum", f'name: "{name}"'))).first
    assert run["content"]["scene"]["title"] == name  # the page sets it as text


def test_full_and_simplified_motors_are_laid_over_each_other(bench):
    on = bench("overhead_crane")
    run, model = on("settings", overlay=True, plots=["drive.current", "load_x"])
    assert model["overlay"]
    assert [one["name"] for one in run["content"]["panels"]] == ["drive.current", "load_x"]
    panel = run["content"]["panels"][0]
    assert (panel["label"], panel["other label"]) == ("full", "simplified")
    t = np.frombuffer(base64.b64decode(run["content"]["scene"]["instants"]), "<f4")
    twin = cardan.simulate(cardan.load("overhead_crane"), motors="simplified", times=on.workbench.run.t)
    other = np.frombuffer(base64.b64decode(panel["other"]), "<f4")
    assert other.size == t.size
    np.testing.assert_allclose(other[-1], twin.array("drive.current")[-1], rtol=1e-6)  # single precision


def test_motors_that_cannot_be_modelled_the_other_way_are_a_warning(bench):
    on = bench("overhead_crane")
    on("text", text=on.text.replace("inductance: La, ", "").replace("  La: 1 mH\n", ""))
    refused, model = on("settings", until="1 s")
    assert "inductance" in refused["issues"][0]["fault"]
    assert model["driven"]  # so that the other way can be chosen
    run, _ = on("settings", motors="simplified", overlay=True)
    assert any("cannot be modelled the other way, full" in text for text in run["warnings"])
    assert "other" not in run["content"]["panels"][0]


def test_plots_that_are_not_there_are_refused_and_lost_ones_left_out(bench):
    on = bench("overhead_crane")
    assert on("settings", plots=["load_y"])[0]["kind"] == "refused"
    assert on("settings", plots=5)[0]["kind"] == "refused"
    on("settings", plots=["load_x", "load_z"])
    run, model = on("text", text=on.text.replace("load_x: payload.com.x, ", ""))
    assert [one["name"] for one in run["content"]["panels"]] == ["load_z"]
    assert "load_z" in model["results"]


@pytest.mark.parametrize(
    ("topic", "words"),
    [
        ("Results", "energy balance"),
        ("Results", "RMS torque"),
        ("Results", "V, the largest voltage"),
        ("Loads", "cubic mean"),
        ("Mobility", "Degrees of freedom: 2"),
        ("Equations", "<math"),
        ("Bond graph", "<svg"),
    ],
)
def test_what_can_be_read_beside_the_motion(bench, topic, words):
    (answer,) = bench("overhead_crane")("topic", topic=topic, dark=True)
    assert answer["kind"] == "topic"
    assert words in answer["html"]
    assert "<script" not in answer["html"]


@pytest.mark.parametrize("topic", ["Results", "Loads", "Mobility", "Equations", "Bond graph"])
def test_topics_show_texts_of_a_model_and_do_not_obey_them(bench, topic):
    evil = "</style><script>alert(1)</script><img src=x onerror=alert(2)>"
    model = cardan.load("overhead_crane").replace(name=evil, source=evil)
    (answer,) = bench(model)("topic", topic=topic)
    assert not re.search("<script|<img", answer["html"])


def test_topics_and_files_that_are_not_there_are_refused(bench):
    on = bench("compound_pendulum")
    assert "no topic 'Weather'" in on("topic", topic="Weather")[0]["issues"][0]["fault"]
    assert "nothing called 'money'" in on("save", what="money")[0]["issues"][0]["fault"]
    assert "no file of its own" in on("save", what="own file")[0]["issues"][0]["fault"]
    empty = Workbench(ModelFile("cardan: 1\n", Path()))
    empty.begin()
    for message in ({"do": "topic", "topic": "Loads"}, {"do": "save", "what": "run"}):
        assert "there is no run" in next(empty.answers(message))["issues"][0]["fault"]


@pytest.mark.parametrize("what", ["model", "run", "values", "animation", "report"])
def test_what_is_saved_is_what_is_shown(bench, tmp_path, what):
    on = bench("overhead_crane")
    on("set", section="parameters", name="mp", text="1.5 kg")
    (answer,) = on("save", what=what)
    assert answer["kind"] == "file"
    path = tmp_path / answer["name"]
    path.write_bytes(base64.b64decode(answer["data"]))
    if what == "model":
        assert str(cardan.load(path).parameters["mp"]) == "1.5 kg"
    elif what in ("run", "values"):
        saved = cardan.load_run(path).array("load_x")[-1]
        assert saved == pytest.approx(on.workbench.run.array("load_x")[-1], rel=1e-12)
    else:
        assert "1.5 kg" in path.read_text(encoding="utf-8") or what == "animation"


def test_a_file_of_the_user_is_written_back(bench, tmp_path):
    path = tmp_path / "pendulum.yaml"
    path.write_text(FREE_PENDULUM)
    on = bench(path)
    on("set", section="initial", name="hinge", text="20 deg")
    assert path.read_text() == FREE_PENDULUM
    (answer,) = on("save", what="own file")
    assert answer == {"kind": "saved", "name": "pendulum.yaml"}
    assert cardan.load(path).initial["hinge"].source == "20 deg"


def test_a_file_that_another_program_has_changed_is_written_over_only_when_that_is_wanted(bench, tmp_path):
    path = tmp_path / "pendulum.yaml"
    path.write_text(FREE_PENDULUM)
    on = bench(path)
    on("set", section="initial", name="hinge", text="20 deg")
    path.write_text(FREE_PENDULUM + "# theirs\n")
    assert on("save", what="own file") == [{"kind": "overtaken", "name": "pendulum.yaml"}]
    assert path.read_text() == FREE_PENDULUM + "# theirs\n"
    ours = on.text
    on("reread")
    assert on.text == path.read_text()
    on("undo")
    assert on.text == ours
    path.write_text(FREE_PENDULUM)
    assert on("save", what="own file", over=True)[0]["kind"] == "saved"
    assert path.read_text() == ours
    assert on("save", what="own file")[0]["kind"] == "saved"  # it is known now
    path.unlink()
    assert on("save", what="own file")[0]["kind"] == "saved"  # there is nothing to lose
    assert "no file of its own" in bench("compound_pendulum")("reread")[0]["issues"][0]["fault"]


@pytest.mark.skipif(os.name != "posix", reason="links and permissions of POSIX")
def test_a_file_behind_a_link_is_written_there_and_keeps_its_permissions(bench, tmp_path):
    path, link = tmp_path / "pendulum.yaml", tmp_path / "link.yaml"
    path.write_text(FREE_PENDULUM)
    path.chmod(0o600)
    link.symlink_to(path.name)
    on = bench(link)
    on("set", section="initial", name="hinge", text="20 deg")
    assert on("save", what="own file") == [{"kind": "saved", "name": "link.yaml"}]
    assert link.is_symlink()
    assert path.read_text() == on.text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_part_gets_another_name_with_all_that_refers_to_it_and_the_old_one_back(bench):
    table = bench("overhead_crane")
    before = table.text
    table("settings", plots=["travel.q", "load_z"])
    first, run, model = table("rename", path=["joints", "travel"], name="drive_way")
    assert [first["kind"], run["kind"]] == ["model", "run"]  # the text at once; its run takes a while
    assert first["text"] == model["text"]
    assert "drive_way: {type: prismatic" in model["text"]
    assert [one["name"] for one in run["content"]["panels"]] == ["drive_way.q", "load_z"]
    loads(model["text"])
    *_, model = table("rename", path=["joints", "drive_way"], name="travel")
    assert model["text"] == before
    assert "drive_way" in table("undo")[-1]["text"]
    assert table("undo")[-1]["text"] == before


@pytest.mark.parametrize(
    ("path", "name", "fault"),
    [
        (["joints", "travel"], "swing", "'swing' stands in joints already"),
        (["joints", "travel"], "trolley motor", "'trolley motor' cannot be a name"),
        (["motors", "drive"], "swing", "a motor has the name|a joint has the name 'swing' too"),
        (["initial", "swing"], "a", "'swing' has no name of its own there"),
        ([1], "a", "leads to no entry"),
    ],
)
def test_a_name_that_cannot_be_is_refused_and_changes_nothing(bench, path, name, fault):
    table = bench("overhead_crane")
    before = table.text
    (answer,) = table("rename", path=path, name=name)
    assert answer["kind"] == "refused"
    assert re.search(fault, answer["issues"][0]["fault"])
    assert answer["of"]["do"] == "rename"
    assert table.text == before


def test_parts_of_a_model_that_is_still_to_be_built_can_be_renamed():
    table = Workbench(ModelFile("cardan: 1\nbodies: {rod: {mass: 1}}\n", Path(".")))
    table.begin()
    *_, model = table.answers({"do": "rename", "path": ["bodies", "rod"], "name": "arm"})
    assert "bodies: {arm: {mass: 1}}" in model["text"]
