"""Random graphs keep their power balance: d(stored)/dt = power of sources − power lost in resistors."""

import casadi as ca
import numpy as np
import pytest

from cardan.bond_graphs import Bond, GraphElement, checked_graph, state_equations
from cardan.errors import ModelError


def random_graph(rng):
    """A tree of junctions with one-port elements on them, and transformers or gyrators between some."""
    elements, bonds = [], []
    count = int(rng.integers(2, 6))
    for k in range(count):
        elements.append(GraphElement(f"j{k}", "01"[rng.integers(2)]))
        if k:
            before = f"j{rng.integers(k)}"
            if rng.random() < 0.5:
                kind = ("TF", "GY")[rng.integers(2)]
                elements.append(GraphElement(f"m{k}", kind, modulus=float(rng.uniform(0.5, 2))))
                bonds += [(before, f"m{k}"), (f"m{k}", f"j{k}")]
            else:
                bonds.append((before, f"j{k}"))
    for k in range(int(rng.integers(4, 9))):
        kind = ("I", "C", "R", "I", "C", "R", "Se")[rng.integers(7)]
        if kind == "Se":
            elements.append(GraphElement(f"s{k}", kind, value=float(rng.uniform(-1, 1))))
            bonds.append((f"s{k}", f"j{rng.integers(count)}"))
        else:
            elements.append(GraphElement(f"{kind}{k}", kind, modulus=float(rng.uniform(0.5, 2))))
            bonds.append((f"j{rng.integers(count)}", f"{kind}{k}"))
    return elements, [Bond(f"{a}>{b}", a, b, "translation") for a, b in bonds]


def graphs(number):
    """Random graphs that have state equations; the others are refused."""
    rng, found, refused = np.random.default_rng(1), [], 0
    while len(found) < number:
        elements, bonds = random_graph(rng)
        try:
            found.append(state_equations(checked_graph(elements, bonds)))
        except ModelError:
            refused += 1
    assert refused < 20 * number
    return found, rng


def test_what_is_stored_is_what_comes_in_less_what_is_lost():
    found, rng = graphs(60)
    assert sum(bool(each.causality.derivative) for each in found) > 10
    assert any(each.causality.free for each in found)
    for each in found:
        others = [name for name, x in each.graph.elements.items() if x.kind in ("Se", "R")]
        change = ca.jtimes(sum(each.stored.values(), ca.SX(0)), each.x, each.x_dot) if each.state else ca.SX(0)
        powers = [each.power_into(name) for name in others]
        law = ca.Function("balance", [each.x], [change + sum(powers), ca.vertcat(1, change, *powers)])
        error, sizes = law(rng.uniform(-1, 1, each.x.numel()))
        assert float(error) == pytest.approx(0, abs=1e-10 * float(ca.norm_inf(sizes)))


def test_junctions_hold_at_every_state():
    """At a 0-junction efforts are equal and flows add up to zero; at a 1-junction the other way around."""
    found, rng = graphs(30)
    for each in found:
        x = rng.uniform(-1, 1, each.x.numel())
        values = {
            name: [float(ca.Function("v", [each.x], [side[name]])(x)) for side in (each.efforts, each.flows)]
            for name in each.graph.bonds
        }
        scale = max(1.0, *(abs(entry) for pair in values.values() for entry in pair))
        for name, element in each.graph.elements.items():
            if element.kind in ("0", "1"):
                common, summed = (0, 1) if element.kind == "0" else (1, 0)
                signs = [1 if bond.head == name else -1 for bond in each.graph.ports[name]]
                at = np.array([values[bond.name] for bond in each.graph.ports[name]])
                assert np.ptp(at[:, common]) == pytest.approx(0, abs=1e-10 * scale)
                assert signs @ at[:, summed] == pytest.approx(0, abs=1e-10 * scale)
