"""Functional mock-up units as controllers: one written by hand in C, against the same law in the model."""

import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tests.c_compiler import CC
from tests.selection import each

import cardan
from cardan import ModelError, SolveError
from cardan.formats import renaming, yaml
from cardan.simulation.programs import MockupUnit

SOURCES = Path(__file__).parent / "programs"
MODEL = """
cardan: 1
name: position control by a program
parameters: {kp: 3.0, ki: 8.0}
bodies: {arm: {mass: 1 kg, com: [0.3, 0, 0], inertia: [0.01, 0.02, 0.02]}}
joints: {swing: {type: revolute, parent: ground, child: arm, axis: y, damping: 0.5 N*m*s}}
"""
BY_UNIT = """
controllers:
  plc:
    type: fmu
    file: pi.fmu
    every: 5 ms
    inputs: {y: swing, r: 0.4 + 0.1*t}
    outputs: {u: u}
    parameters: {kp: kp*pi/180, ki: ki*pi/180}
inputs: {swing: plc.u}
simulate: {until: 2 s}
"""
BY_LAW = """
let: {e: 0.4 + 0.1*t - swing}
states:
  sum: {next: "if(t > 1e-9, sum + ki*0.005*e, 0)", every: 5 ms}
  u: {next: "kp*e + if(t > 1e-9, sum + ki*0.005*e, 0)", every: 5 ms}
inputs: {swing: u}
simulate: {until: 2 s}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    fmpy = pytest.importorskip("fmpy", reason="FMPy is not installed")
    if CC is None:
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("unit")
    library = folder / f"pi{fmpy.sharedLibraryExtension}"
    subprocess.run([CC, "-shared", "-fPIC", "-w", "-o", library, SOURCES / "pi.c"], check=True)
    with zipfile.ZipFile(folder / "pi.fmu", "w") as archive:
        archive.write(SOURCES / "pi.xml", "modelDescription.xml")
        archive.write(library, f"binaries/{fmpy.platform}/{library.name}")
    (folder / "arm.yaml").write_text(MODEL + BY_UNIT)
    return folder


def test_a_unit_written_by_hand_moves_as_the_law_in_the_model(folder):
    """Angles go to the unit in degrees, which it declares; each run begins it anew."""
    model = cardan.load(folder / "arm.yaml")
    times = np.linspace(0, 2, 401)
    runs = [cardan.simulate(model, trust=True, times=times) for _ in range(2)]
    law = cardan.simulate(yaml.loads(MODEL + BY_LAW), times=times)
    assert runs[0].ok
    np.testing.assert_array_equal(runs[0].x, runs[1].x)
    np.testing.assert_allclose(runs[0]["swing.q"], law["swing.q"], atol=1e-11)  # round-off of the units of angles
    np.testing.assert_allclose(runs[0]["plc.u"], law["u"], atol=1e-10)


def changed(folder, old, new):
    """The model with another text in it."""
    text = MODEL + BY_UNIT
    assert old in text
    return yaml.loads(text.replace(old, new), folder)


def test_a_program_runs_only_where_it_is_trusted(folder):
    model = cardan.load(folder / "arm.yaml")
    with pytest.raises(ModelError, match=r"programs\.plc: .*pi\.fmu is a program(?s:.*)trust=True"):
        cardan.simulate(model)


@each(
    "old, new, message",
    [
        ("    every: 5 ms\n", "", "'every' is missing"),
        ("every: 5 ms", "every: 5 ms\n    computing_delay: 5 ms", "the unit computes its delay itself"),
        ("outputs: {u: u}", "outputs: {}", "the unit gives nothing"),
        ("outputs: {u: u}", "outputs: {u: u, v: u}\n    drive: swing", "a drive has one input"),
    ],
)
def test_what_cannot_be_written_out(folder, old, new, message):
    with pytest.raises(ModelError, match=message):
        changed(folder, old, new)


@each(
    "old, new, message",
    [
        ("pi.fmu", "other.fmu", "there is no file"),
        ("pi.fmu", "arm.yaml", "cannot be read"),
        ("pi.fmu", "exchange.fmu", "without co-simulation"),
        ("pi.fmu", "elsewhere.fmu", "has no binary for"),
        ("{y: swing,", "{z: swing,", "no input 'z'(?s:.*)known: y, r"),
        ("{kp: kp*", "{kq: kp*", "no parameter 'kq'"),
        ("{u: u}", "{u: w}", "no output 'w'"),
    ],
)
def test_what_a_unit_cannot_do(folder, old, new, message):
    described, steps = (SOURCES / "pi.xml").read_text(), ' canHandleVariableCommunicationStepSize="true"'
    exchange = described.replace("CoSimulation", "ModelExchange").replace(steps, "")
    for name, text in (("exchange", exchange), ("elsewhere", described)):
        with zipfile.ZipFile(folder / f"{name}.fmu", "w") as archive:
            archive.writestr("modelDescription.xml", text)
    with pytest.raises(ModelError, match=message):
        cardan.simulate(changed(folder, old, new), trust=True)


@each(
    "inputs, outputs, message",
    [
        ("{y: lost}", "{plc.u: u}", "'lost' is nothing in this model"),
        ("{y: swing}", "{plc.w: u}", r"programs.plc.outputs.plc.w: there is no state 'plc.w'"),
    ],
)
def test_programs_that_are_written_out_by_hand_are_checked(folder, inputs, outputs, message):
    states = "states: {plc.u: {next: plc.u, every: 1 ms}}\n"
    program = f"programs: {{plc: {{file: pi.fmu, every: 1 ms, inputs: {inputs}, outputs: {outputs}}}}}\n"
    with pytest.raises(ModelError, match=message):
        cardan.simulate(yaml.loads(MODEL + states + program, folder), 0.1, trust=True)


def test_a_unit_that_fails_ends_the_run_and_says_when(folder):
    with pytest.raises(SolveError, match=r"unit fails at t = 0\.175 s: fmi2DoStep") as caught:
        cardan.simulate(changed(folder, "0.4 + 0.1*t", "1e5*t"), trust=True)
    assert "programs.plc, called at t = 0.175 s" in caught.value.__notes__[0]


def test_a_part_has_its_own_unit_and_a_joint_may_get_another_name(folder):
    """Variables of the unit keep their names, here `swing` as one of the mechanism's."""
    body = BY_UNIT.replace("{y: swing,", "{y: 2*swing,")
    text = MODEL.replace("swing:", "lever:") + body.replace("2*swing", "2*lever").replace("{swing: plc", "{lever: plc")
    other = renaming.renamed(text, ("joints", "lever"), "y")
    assert "{y: 2*y, r:" in other
    assert "{u: u}" in renaming.renamed(text.replace("lever", "u"), ("joints", "u"), "swing")


def test_a_unit_that_ends_early_is_told(folder):
    unit = MockupUnit(str(folder / "pi.fmu"), ["y"], ["u"], {})
    unit._is_new = True  # as one of FMI 3.0
    unit._running.t = 0.0
    unit._running.instance = SimpleNamespace(setFloat64=list.__eq__, doStep=lambda t, h: (False, True, False, 0.5))
    with pytest.raises(SolveError, match=r"^the functional mock-up unit ends at t = 0\.5 s; look"):
        unit(1.0, 0.0)


def test_without_its_library_a_unit_says_what_to_install(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "fmpy", None)
    with pytest.raises(ModelError, match=r"need FMPy(?s:.*)pip install fmpy"):
        cardan.simulate(changed(folder, "ki: 8.0", "ki: 9.0"), trust=True)


def test_controllers_with_a_unit_are_not_exported(folder):
    with pytest.raises(ModelError, match=r"programs\.plc: it computes plc\.u beside the equations"):
        cardan.export(cardan.load(folder / "arm.yaml"), folder / "out.c", functions=["controllers"])


def test_a_sweep_begins_the_unit_for_every_run(folder):
    model = cardan.load(folder / "arm.yaml")
    found = cardan.sweep(model, parameters={"ki": [2.0, 8.0]}, trust=True, outputs=["swing.q"], until=1)
    one = cardan.simulate(model, parameters={"ki": 8.0}, trust=True, until=1)
    np.testing.assert_allclose(found["swing.q"][1, -1], one["swing.q"][-1], rtol=1e-6)


SERVO = """
cardan: 1
name: servo valve
bodies: {spool: {mass: 0.2 kg}}
joints: {slide: {type: prismatic, parent: ground, child: spool, axis: x, damping: 8 N*s/m, stiffness: 300 N/m}}
"""


def test_a_mechanism_exported_by_cardan_is_an_actuator_in_another(folder):
    """Its inputs hold over a period, so that the error against both in one model is proportional to it."""
    valve = SERVO + "inputs: {slide: 0}\noutputs: {opening: slide}\n"
    cardan.export_fmu(yaml.loads(valve), folder / "valve.fmu", kind="CoSimulation")
    whole = MODEL.replace("bodies: {", "bodies: {spool: {mass: 0.2 kg}, ").replace(
        "joints: {", SERVO[SERVO.index("joints: {") :].strip()[:-1] + ", "
    )
    whole += "inputs: {slide: 60*(0.4 - swing), swing: 300*slide - 1*swing.v}\nsimulate: {until: 0.5 s}\n"
    truth = cardan.simulate(yaml.loads(whole))["swing.q"][-1].item()

    def error(period):
        ends = "inputs: {slide: 60*(0.4 - swing)}, outputs: {x: opening}"
        text = f"controllers: {{v: {{type: fmu, file: valve.fmu, every: {period}, {ends}}}}}\n"
        text = MODEL + text + "inputs: {swing: 300*v.x - 1*swing.v}\nsimulate: {until: 0.5 s}\n"
        return abs(cardan.simulate(yaml.loads(text, folder), trust=True)["swing.q"][-1].item() - truth)

    coarse, fine = error("4 ms"), error("1 ms")
    assert fine < 0.01 * abs(truth)
    assert 3 < coarse / fine < 5
