"""State equations of bond graphs made by hand as they are printed: against Newton's law and against the simulation."""

import json
import math

import numpy as np
import pytest
import sympy

import cardan
from cardan.errors import ModelError
from cardan.matrix_form.terms import FORMULATIONS
from cardan.model.quantities.parameters import resolve
from tests.selection import each

ROUND_OFF = 1e-12  # some ten operations, relative to the largest rate


def test_a_quarter_car_is_the_matrix_of_two_masses():
    """x = (tyre, wheel's momentum, spring, body's momentum): stretched by velocities, forces change momenta."""
    mb, mw, kb, db, kw, g, length, t, s = sympy.symbols("mb mw kb db kw g length t speed")
    eq = cardan.equations(cardan.load("quarter_car"))
    assert eq.states == ("car.tyre.x", "car.m1.p", "car.spring.x", "car.m2.p")
    assert eq.M.shape == (0, 0)
    x = sympy.Matrix([sympy.Symbol(name) for name in eq.states])
    A = sympy.Matrix([
        [0, -1 / mw, 0, 0],
        [kw, -db / mw, -kb, db / mb],
        [0, 1 / mw, 0, -1 / mb],
        [0, db / mw, kb, -db / mb],
    ])  # fmt: skip
    road = sympy.Symbol("height") / 2 * (1 - sympy.cos(2 * sympy.pi * s * t / length))
    on_the_bump = (eq.rates - A * x).subs(s, length / t / 4)
    expected = sympy.Matrix([sympy.diff(road, t).subs(s, length / t / 4), -mw * g, 0, -mb * g])
    assert sympy.simplify(on_the_bump.subs({length: 5, t: 1}) - expected.subs({length: 5, t: 1})) == sympy.zeros(4, 1)


@each("formulation", FORMULATIONS)
def test_a_graph_alone_has_the_same_document_by_every_formulation(formulation):
    """A formulation has nothing to derive without bodies; what only bodies have is refused by name."""
    eq, same = (cardan.equations(cardan.load("quarter_car"), formulation=f) for f in (formulation, "lagrange"))
    assert eq.render() == same.render()
    for ask in (lambda: eq.compatibility, eq.trace_coefficients):
        with pytest.raises(ModelError, match=r"no bodies(?s:.*)cardan\.equations"):
            ask()


def test_all_formats_have_the_rates():
    eq = cardan.equations(cardan.load("motor_flexible_shaft"))
    assert "drive_L_p\N{COMBINING DOT ABOVE} = u₁ − k drive_J1_p/Jₘ − Rₐ drive_L_p/Lₐ" in eq.render()
    assert "Equations of motion" not in eq.render()
    assert "input of the bond graph drive" in eq.render()
    assert r"\dot{\mathrm{drive\_shaft\_x}} &= \frac{\mathrm{drive\_J1\_p}}{J_{m}}" in eq.render("latex")
    assert "State equations of bond graphs" in eq.render("html")
    data = json.loads(eq.render("json"))
    assert data["rated"] == ["drive.L.p", "drive.J1.p", "drive.shaft.x", "drive.J2.p"]
    assert data["matrices"]["rates"]["entries"][2] == ["drive.J1.p/Jm - drive.J2.p/Jl"]
    made = {}
    exec(eq.render("sympy"), made)
    assert made["rates"] == eq.rates
    assert "drive_L_p\N{COMBINING DOT ABOVE} = 24" in eq.render(at={"drive.u": "24 V"}, only=["rates"])
    with pytest.raises(ModelError, match=r"did you mean 'drive\.u'"):
        eq.render(at={"drive.v": 24})


LIFTED_ARM = """
cardan: 1
parameters: {m: 2 kg, I: 1 A, k: 5 N*m/rad}
bodies:
  ground: {markers: {foot: {position: [0.2, 0, -0.5]}}}
  arm: {mass: m, com: [0.3, 0, 0], inertia: [0, 0.1, 0.1], markers: {eye: {position: [0.3, 0, 0]}}}
  tip: {mass: 1, com: [0.2, 0, 0], inertia: [0, 0.1, 0.1]}
joints:
  a: {type: revolute, parent: ground, child: arm, axis: y}
  b: {type: revolute, parent: arm, child: tip, axis: y}
motors:
  drive: {type: dc, joint: a, resistance: 1, inductance: 0.1, torque_constant: 0.2, back_emf_constant: 0.2}
states: {filtered: {rate: (a - filtered)/0.1, initial: 0}}
graphs:
  ram:
    elements:
      pump: {type: Se}
      inlet: 1 hydraulic
      valve: {type: R, flow: 1e-3*e*(1 + filtered**2)*(2 + drive.current/I)}
      chamber: 0 hydraulic
      oil: {type: C, stiffness: 200}
      piston: {type: TF, modulus: 2}
      line: {type: port, parent: ground.foot, child: arm.eye}
    bonds: [pump -> inlet -> chamber -> piston -> line, inlet -> valve, chamber -> oil]
  clutch:
    elements:
      elbow: {type: port, joint: b}
      w: 0 rotation
      shaft: {type: C, effort: k*x*(1 + x**2)}
      gear: {type: TF, modulus: 2 + sin(a)}
      w2: 1 rotation
      J: {type: I, inertia: 0.3}
      drag: {type: R, effort: (0.2 + sin(b)**2)*f}
    bonds: [elbow -> w -> gear -> w2 -> J, w -> shaft, w2 -> drag]
"""


@pytest.mark.parametrize("motors", ["full", "simplified"])
def test_the_rates_are_those_of_the_simulation(tmp_path, motors):
    """Names, symbols and numbers, of graphs that follow a motion, a current, a state and each other."""
    (tmp_path / "arm.yaml").write_text(LIFTED_ARM, encoding="utf-8")
    for model in (cardan.load(tmp_path / "arm.yaml"), *map(cardan.load, ("hydraulic_boom", "motor_flexible_shaft"))):
        eq, dynamics = cardan.equations(model, motors), cardan.compile(model, motors=motors)
        rng = np.random.default_rng(3)
        names = [name for name in eq.states if "." in name]
        assert len(eq.rates) == len(names)
        for _ in range(3):
            x, u, t = rng.normal(size=len(dynamics.state_names)), rng.normal(size=len(dynamics.input_names)), 0.3
            f = dict(zip(dynamics.state_names, dynamics.state_derivative(x, u, t), strict=True))
            expected = np.array([f[name] for name in names])
            at = dict(zip(dynamics.state_names, x, strict=True)) | dict(zip(dynamics.input_names, u, strict=True))
            at |= {name: at[f"{name}.q"] for name in eq.coordinates} | {"t": t, **resolve(model.parameters)}
            q, v, i, s = (
                [at[name] for name in group] for group in (eq.coordinates, eq.velocities, eq.currents, eq.states)
            )
            close = pytest.approx(expected, rel=0, abs=ROUND_OFF * np.abs(expected).max())
            assert eq.evaluate(q, v, t=t, currents=i, inputs=u, states=s)["rates"] == close
            symbols = {symbol: at[symbol.name] for symbol in eq.rates.free_symbols}
            assert [float(entry.subs(symbols)) for entry in eq.rates] == close


def test_a_graph_alone_has_no_accelerations():
    graph = cardan.BondGraph(
        elements={"v": "1 translation", "m": {"type": "I", "inertia": 2}, "k": {"type": "C", "stiffness": 8}},
        bonds=["v -> m, k"],
    )
    eq = cardan.equations(graph)
    assert str(eq.rates.T) == "Matrix([[-8*graph.k.x, graph.m.p/2]])"
    assert math.isclose(eq.evaluate([], [], states=[3, 1])["rates"][1], 1.5)
    with pytest.raises(ModelError, match=r"no velocities(?s:.*)rates"):
        eq.render(only=["accelerations"])
