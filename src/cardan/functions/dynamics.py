"""`Dynamics`: the functions of a model in machine code, each compiled when it is first used."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from cardan.assembly.start import ready_system
from cardan.codegen import Compiled, cached_program
from cardan.errors import ModelError
from cardan.functions.catalogue import user_function
from cardan.functions.inertial import inertial_names, inertial_values
from cardan.functions.joint_reactions import JointReactions, joint_reactions
from cardan.functions.system_functions import SystemFunctions, origin, user_functions_of
from cardan.kinematics.build import MotorModel
from cardan.model.checks.values import range_issues
from cardan.model.model import Model, check_model
from cardan.model.quantities.parameters import resolve
from cardan.system.blocks.circuits import check_inductances
from cardan.system.system import System, motor_model

START = 0.0  # time of a call without `t` [s]


class Energy(NamedTuple):
    """Kinetic and potential energy [J]."""

    kinetic: np.ndarray
    potential: np.ndarray


def compile_model(model: Model, motors: MotorModel | None = None) -> Dynamics:
    """The functions of a model in machine code.

    Parameters
    ----------
    model : Model
        The mechanism.
    motors : "full", "simplified" or "none", optional
        How motors are modelled: with currents as states, with L di/dt = 0, or left out; by default full if the model
        has motors, else none.

    Example
    -------
    >>> import cardan
    >>> dyn = cardan.compile(cardan.load("compound_pendulum"))
    >>> dyn.mass_matrix([0.3]).round(4)
    array([[0.2773]])
    """
    return Dynamics(model, motors)


class Dynamics:
    """The functions of one model, of arrays with leading axes, which are broadcast against each other.

    The `options` of every method are `parameters={name: array}` (SI, or text with a unit; leading axes broadcast too),
    `t` [s], `threads` (default `$CARDAN_NUM_THREADS`, or 1) and `out`: an array of doubles of the shape of the result,
    which is filled and returned, or a tuple of arrays where there are several results. Shapes are those of one state:
    nq coordinates, n velocities, m inputs.

    Parameters
    ----------
    model : Model
        The mechanism.
    motors : "full", "simplified" or "none", optional
        How motors are modelled: with currents as states, with L di/dt = 0, or left out; by default full if the model
        has motors, else none.
    """

    def __init__(self, model: Model, motors: MotorModel | None = None) -> None:
        check_model(model)
        self.model = model
        self.motors = motor_model(model, motors)
        self._local = threading.local()
        self._p = parameter_array(model, {})  # values of the parameters as the model gives them (len(parameters),)
        self._functions: dict[tuple[str, str], tuple[Compiled, bool, bool]] = {}

    @cached_property
    def system(self) -> System:
        """The model with its motors as symbols, built when it is first needed."""
        return ready_system(self.model, self.motors)

    @cached_property
    def _laws(self) -> SystemFunctions:
        """The functions as CasADi Functions, from which machine code is compiled if it is not on disk."""
        return user_functions_of(self.system)

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the entries of x = (q, v, z): `travel.q`, `travel.v`, `drive.current`."""
        return self.system.state_names

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of the entries of u: the motors; without motors the velocities on which the efforts act."""
        return self.system.input_names

    def mass_matrix(self, q: Any, **options: Any) -> np.ndarray:
        """Mass matrix M (…, n, n) at q (…, nq), the rotors of the motors included."""
        return self._call("mass_matrix", "", (q,), **options)

    def bias(self, q: Any, v: Any, **options: Any) -> np.ndarray:
        """h = C v + D v + g − Q (…, n): the efforts that hold a = 0 at q (…, nq), v (…, n)."""
        return self._call("bias", "", (q, v), **options)

    def coriolis_matrix(self, q: Any, v: Any, **options: Any) -> np.ndarray:
        """Coriolis matrix C (…, n, n) with Ṁ − 2C skew."""
        return self._call("coriolis_matrix", "", (q, v), **options)

    def inverse_dynamics(self, q: Any, v: Any, a: Any, **options: Any) -> np.ndarray:
        """Efforts tau (…, n) on all velocities [N or N m] that give the accelerations a (…, n) at q and v."""
        return self._call("inverse_dynamics", "", (q, v, a), **options)

    def regressor(self, q: Any, v: Any, a: Any, **options: Any) -> np.ndarray:
        """Y (…, n, 10·bodies): Y π are the efforts for inertia and weight of the bodies, π the `inertial_parameters`.

        Source: docs/notation.md §5
        """
        return self._call("regressor", "", (q, v, a), **options)

    def inertial_parameters(self, parameters: Mapping[str, Any] | None = None) -> np.ndarray:
        """π (…, 10·bodies) in the order of `inertial_names`, per body about its own origin [kg, kg m, kg m²].

        Parameters
        ----------
        parameters : mapping, optional
            Other values of parameters, leading axes first.
        """
        p = parameter_array(self.model, parameters or {})
        count = int(np.prod(p.shape[:-1]))
        values = ca.densify(ca.SX(inertial_values(self.model, self.system.tree)))
        function = ca.Function("inertial", [self.system.tree.p], [values])
        columns = function.map(count)(p.reshape(count, p.shape[-1]).T)  # there may be no parameters
        return np.array(columns).T.reshape(*p.shape[:-1], -1)

    @property
    def inertial_names(self) -> tuple[str, ...]:
        """Names of the inertial parameters: `link1.mass`, `link1.mx`, … `link1.Iyz`, body by body."""
        return inertial_names(self.model)

    def forward_dynamics(self, q: Any, v: Any, tau: Any, **options: Any) -> np.ndarray:
        """Accelerations (…, n) under efforts tau (…, n) [N or N m], added to what the motors do at zero input."""
        return self._call("forward_dynamics", "", (q, v, tau), **options)

    def reactions(
        self,
        q: Any,
        v: Any,
        tau: Any = None,
        t: Any = START,
        *,
        a: Any = None,
        parameters: Mapping[str, Any] | None = None,
        threads: int | None = None,
    ) -> dict[str, np.ndarray]:
        """Reactions (…, 6) of all joints by name, moment [N m] before force [N], as results of a run have them.

        Of the parent on the child, about the child marker's origin, in world axes: constraint forces, and all efforts
        along the free axis. Where redundant equations leave a choice, the reactions with the least sum of squares;
        NaN for components that a planar model cannot know.

        Parameters
        ----------
        q : array_like (…, nq)
            Coordinates [m, rad, -], with closed loops.
        v : array_like (…, n)
            Velocities [m/s, rad/s].
        tau : array_like (…, n), optional
            Efforts on all velocities [N or N m], added to what the motors do at zero input.
        t : array_like (…), optional
            Time [s].
        a : array_like (…, n), optional
            Accelerations [m/s², rad/s²] in place of `tau`, for mechanisms without loops.
        parameters : mapping, optional
            Other values of parameters.
        threads : int, optional
            Threads for a batch.

        Raises
        ------
        ModelError
            Neither or both of `tau` and `a` are given, or `a` for a mechanism with loops.
        """
        if (tau is None) == (a is None):
            raise ModelError("reactions need either tau or a", "give the efforts tau, or the accelerations a")
        name, given = ("reactions", tau) if a is None else ("open_chain_reactions", a)
        w = self._call(name, "", (q, v, given), parameters, t, threads)
        p = self._p if parameters is None else parameter_array(self.model, parameters)
        return self._joint_reactions.by_joint(w, *(np.asarray(x, dtype=float) for x in (q, v, t, p)))

    @cached_property
    def _joint_reactions(self) -> JointReactions:
        return joint_reactions(self._laws)

    def forward_kinematics(self, q: Any, **options: Any) -> dict[str, np.ndarray]:
        """Poses T_WB (…, 4, 4) of all bodies in the world, by name in file order."""
        poses = self._call("forward_kinematics", "", (q,), **options)
        return dict(zip(self.model.bodies, poses if len(self.model.bodies) > 1 else [poses], strict=True))

    def jacobian(self, q: Any, place: str, **options: Any) -> np.ndarray:
        """Jacobian (…, 6, n) of a body or marker `place` such as "payload.com": (ω; velocity) per velocity, world axes.

        Raises
        ------
        ModelError
            There is no such body or marker.
        """
        return self._call("jacobian", place, (q,), **options)

    def energy(self, q: Any, v: Any, **options: Any) -> Energy:
        """Kinetic (rotors included) and potential energy (…) [J]."""
        return Energy(*self._call("energy", "", (q, v), **options))

    def constraint(self, q: Any, **options: Any) -> np.ndarray:
        """Φ (…, c) at q (…, nq); c = 0 for a tree."""
        return self._call("constraint", "", (q,), **options)

    def constraint_jacobian(self, q: Any, **options: Any) -> np.ndarray:
        """Φq (…, c, n) at q (…, nq); c = 0 for a tree."""
        return self._call("constraint_jacobian", "", (q,), **options)

    def drive_efforts(self, q: Any, v: Any, t: Any = START, **options: Any) -> np.ndarray:
        """Efforts (…, nv) of the drives that keep the motions and programs of the model, zero elsewhere; `t` in s."""
        return self.call("drive_efforts", q, v, t=t, **options)

    def state_derivative(self, x: Any, u: Any, t: Any = START, **options: Any) -> np.ndarray:
        """ẋ (…, nx) of the state x (…, nx) in the order of `state_names` under the inputs u (…, m)."""
        return self._call("state_derivative", "", (x, u), t=t, **options)

    def call(self, name: str, *given: Any, **options: Any) -> Any:
        """The results of the function `name` of the catalogue, also for functions without a method of their own.

        Parameters
        ----------
        name : str
            "mass_matrix", "bias" and so on.
        *given : array_like
            Its inputs in their order, then the place if it takes one.
        **options
            As for every method.

        Raises
        ------
        ModelError
            There is no such function.
        """
        count = len(user_function(name).inputs)
        (argument,) = given[count:] or ("",)
        return self._call(name, argument, given[:count], **options)

    def _call(
        self,
        name: str,
        argument: str,
        arrays: tuple[Any, ...],
        parameters: Mapping[str, Any] | None = None,
        t: Any = START,
        threads: int | None = None,
        out: Any = None,
    ) -> Any:
        if parameters is None and t is START and out is None:
            try:
                return self._local.singles[name, argument](*arrays)
            except (AttributeError, KeyError):
                if self._function(name, argument)[0].is_single(arrays):
                    self._prepare_single(name, argument)
            except (TypeError, ValueError):  # the arrays are not a single state of doubles
                pass
        function, takes_t, takes_p = self._function(name, argument)
        if takes_t:
            arrays = (*arrays, t)
        if takes_p:
            arrays = (*arrays, self._p if parameters is None else self._changed(name, parameters))
        elif parameters:
            resolve(self.model.parameters, parameters)
        return function(*arrays, threads=threads, out=out)

    def _changed(self, name: str, parameters: Mapping[str, Any]) -> np.ndarray:
        """Values of the parameters with changes; only functions of currents divide by inductances."""
        p = parameter_array(self.model, parameters)
        if "x" in user_function(name).inputs:
            values = dict(zip(self.model.parameters, np.moveaxis(p, -1, 0), strict=True))
            check_inductances(self.model, self.motors, values)
        return p

    def _function(self, name: str, argument: str) -> tuple[Compiled, bool, bool]:
        """A compiled function, and whether it takes the time and the parameters."""
        try:
            return self._functions[name, argument]
        except KeyError:
            made = self._functions[name, argument] = self._compiled(name, argument)
            return made

    def _prepare_single(self, name: str, argument: str) -> None:
        """Keep a function of one state for this thread, at t = 0 with the parameters of the model."""
        function, takes_t, takes_p = self._function(name, argument)
        fixed = [value for value, taken in ((START, takes_t), (self._p, takes_p)) if taken]
        self._local.__dict__.setdefault("singles", {})[name, argument] = function.single_state(*fixed)

    def _compiled(self, name: str, argument: str) -> tuple[Compiled, bool, bool]:
        """Machine code of a function; if it is on disk, no expression graph is built."""
        key = origin(self.model, self.motors, name, argument)
        compiled = cached_program(key, lambda: self._laws.interpreted(name, argument), user_function(name).shape)
        return compiled, "t" in compiled.input_names, "p" in compiled.input_names

    def __reduce__(self) -> tuple[Any, ...]:
        """Machine code is not pickled; the other process compiles it or reads it from disk."""
        return Dynamics, (self.model, self.motors)


def parameter_array(model: Model, overrides: Mapping[str, Any]) -> np.ndarray:
    """Values of all parameters (…, len(parameters)); derived ones follow those that are overridden."""
    values = resolve(model.parameters, overrides)
    if overrides and (issues := range_issues(model, values)):
        raise ModelError(issues)
    arrays = [np.asarray(value, dtype=float) for value in values.values()]
    return np.stack(np.broadcast_arrays(*arrays), axis=-1) if arrays else np.zeros(0)
