"""The law of the drives of motions and programs as a function of t, q and v: in Python, and as exported C."""

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from tests.c_compiler import call, library, needs_c_compiler
from tests.selection import few

MODELS = ("basket_arm", "digging_machine", "digging_machine_minimum_norm", "crane_load_path")
ROUND_OFF = 1e-11  # relative: projected states in both, some hundred operations


def recorded(name):
    """Instants, coordinates, velocities and efforts of a run."""
    run = cardan.simulate(cardan.load(name), times=np.linspace(0, 0.3, 7), motors="none")
    dyn = cardan.compile(cardan.load(name), "none")
    nq = len(dyn.system.tree.coordinates)
    names = [entry.name for entry in dyn.system.tree.velocities]
    efforts = np.column_stack([run.array(f"{name}.effort") for name in names])
    return dyn, run.t, run.x[:, :nq], run.x[:, nq : nq + len(names)], efforts


@pytest.mark.parametrize("name", MODELS)
def test_they_are_the_efforts_of_a_run(name):
    dyn, t, q, v, expected = recorded(name)
    scale = np.abs(expected).max()
    assert dyn.drive_efforts(q, v, t) == pytest.approx(expected, abs=ROUND_OFF * scale)


@needs_c_compiler
@pytest.mark.parametrize("name", few(MODELS, 2))
def test_exported_c_gives_the_same(name, tmp_path):
    dyn, t, q, v, _ = recorded(name)
    _, source = cardan.export(cardan.load(name), tmp_path / "law.c", motors="none")
    text = source.read_text(encoding="utf-8")
    signature = text[text.index("void law_drive_efforts(") :].split(")")[0]
    function = library(source).law_drive_efforts
    p = np.array([float(x) for x in dyn._p])
    for k in range(len(t)):
        effort = np.zeros(v.shape[1])
        known = {"q": q[k].copy(), "v": v[k].copy(), "t": float(t[k]), "p": p, "effort": effort}
        words = [word.split()[-1].lstrip("*") for word in signature.split("(")[1].split(",")]
        call(function, *(known[word] for word in words))
        expected = dyn.drive_efforts(q[k], v[k], t[k])
        assert effort == pytest.approx(expected, abs=ROUND_OFF * np.abs(expected).max())


def test_a_model_without_motions_has_none(tmp_path):
    with pytest.raises(ModelError, match="the model has no motions"):
        cardan.export(cardan.load("scara"), tmp_path / "law.c", functions=["drive_efforts"])
