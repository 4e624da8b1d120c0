"""A mechanism whose blocks are all of the kinds there are."""

from cardan.model.model import Model

__all__ = ["driven_pendulum"]


def driven_pendulum(**more):
    """A pendulum on a slide, a motor for each, and a state that follows the angle of one and the other's current."""
    motor = {"type": "dc", "resistance": 0.7, "inductance": 0.1, "torque_constant": 0.6, "back_emf_constant": 0.5}
    keys = {
        "parameters": {"T": "0.2 s", "u": "3 V", "start": 0.3},
        "bodies": {"slide": {"mass": 2}, "rod": {"mass": 1, "com": [0, 0, "-0.5 m"], "inertia": [0.02, 0.02, 0]}},
        "joints": {
            "x": {"type": "prismatic", "parent": "ground", "child": "slide", "axis": "x", "damping": 1},
            "swing": {"type": "revolute", "parent": "slide", "child": "rod", "axis": "y"},
        },
        "motors": {
            "drive": {**motor, "joint": "x", "ratio": "3 rad/m"},
            "turn": {**motor, "joint": "swing", "ratio": 2},
        },
        "states": {
            "lag": {"rate": "(swing - lag)/T", "initial": "start"},
            "heat": {"rate": "x.v**2 + rod.com.vz - 0.1*heat*lag + t"},
        },
        "inputs": {"drive": "u", "turn": "0.5*cos(3*t)"},
        "initial": {"swing": 0.4},
    }
    return Model(**(keys | more))
