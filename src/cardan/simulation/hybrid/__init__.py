"""Events of a run: user events, samples, switchings, friction and stops, as the `Events` of the integrator's problem.

In: the model, the signals of a call, the functions of a system. Out: a model with states for held values, and crossing
functions and a reset as machine code. It does not know how the integrator locates events.
"""

__all__: list[str] = []
