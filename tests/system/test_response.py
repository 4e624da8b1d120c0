"""What a system answers in a state: it is written once for all laws that need it."""

from dataclasses import replace

import casadi as ca
import numpy as np

import cardan
from cardan.assembly.start import ready_system
from cardan.system.response import response
from cardan.system.state import symbolic_state


def test_what_a_system_answers_in_a_state_is_written_once():
    """Another system and the same state under other forces have answers of their own."""
    system = ready_system(cardan.load("stick_slip_slider"), "none")
    state, same = symbolic_state(system), replace(system)
    found = response(system, state)
    assert response(system, state) is found
    others = [response(same, state), response(system, state, under=state)]
    symbols = [state.t, state.q, state.v, state.z, state.u, system.tree.p]
    values = ca.Function("a", symbols, [ca.densify(ca.SX(each.a)) for each in (found, *others)])
    rng = np.random.default_rng(2)
    first, *rest = values(*(rng.standard_normal(x.shape) for x in symbols))
    assert all(each is not found for each in others)
    for each in rest:
        np.testing.assert_array_equal(np.array(each), np.array(first))
