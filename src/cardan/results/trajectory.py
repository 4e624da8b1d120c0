"""A motion over time: the record that every simulation returns."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.displays import shown
from cardan.errors import ModelError, SolveError, in_words, nearest
from cardan.frozen import dataclass, field
from cardan.results.channel import Channel
from cardan.results.deferred import Deferred
from cardan.results.extent import Extent, extent_of
from cardan.results.run_records import Occurrence, Passage, Provenance, Report
from cardan.results.status import Status

if TYPE_CHECKING:
    import xarray

Evaluate = Callable[[Sequence[str]], Mapping[str, np.ndarray]]
FindExtremes = Callable[[Sequence[str]], Mapping[str, Extent]]

_OF_MOTORS = (".current", ".voltage", ".torque", ".speed", ".power", ".input_torque", ".output_torque")
_AXES = ("x", "y", "z")


def _no_more_channels(names: Sequence[str]) -> Mapping[str, np.ndarray]:
    """Refuse every name: each channel of the trajectory is a state or a work."""
    raise KeyError(", ".join(names))


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Instants, states and works of one run, and every result that follows from them, by name.

    ``run["travel.q"]`` is an `xarray.DataArray` over time with its unit; `array` gives the bare numbers. Results other
    than the state are evaluated on first use, for all instants at once. Arrays are read-only.

    Parameters
    ----------
    t : ndarray, shape (N,)
        The returned instants [s].
    x : ndarray, shape (N, n)
        State at each instant, in the units of `state_units`.
    state_names : tuple of str
        Name of every entry of the state, ``"travel.q"``.
    state_units : tuple of str
        SI unit of every entry of the state.
    w : ndarray, shape (N, nw)
        Integrated works since the start [J].
    work_names : tuple of str
        Name of every work.
    channels : mapping of str to Channel
        All further results, beyond the state and the works.
    find_on_request : callable
        Gives the names of the channels that are found by name but not listed in `names`; called on first use.
    evaluate : callable
        ``evaluate(names) -> {name: ndarray (N, *shape)}`` for the names of `channels`.
    status : Status
        How the run ended, equal to its text: ``"completed"`` if it reached its end; with `ok` and `advice`.
    message : str
        For a run that ended early: when and where it ended, and what to try.
    statistics : mapping
        Plain figures of the computation: method, steps, evaluations, `wall` time of the steps and of their
        `preparation`, such as compiling [s], …; `independent` coordinates, where all others are linear in them and only
        they were integrated.
    find_report, find_passages : callable
        Give the `report` and the `passages`; called on first use.
    find_extremes : callable, optional
        ``find_extremes(names) -> {name: Extent}`` over the whole motion, between its instants too; without
        it extremes are those of the returned instants.
    provenance : Provenance
        The model and the settings that made the run.
    events : tuple of Occurrence
        Events of the model that have happened, in order: time, name, what was done.

    Raises
    ------
    ValueError
        If arrays and names do not fit together, or there is no such status.

    Examples
    --------
    >>> import numpy as np
    >>> run = Trajectory(np.array([0.0, 0.5]), np.array([[0.0, 1.0], [0.5, 1.0]]), ("s.q", "s.v"), ("m", "m/s"))
    >>> run.array("s.q")
    array([0. , 0.5])
    >>> len(run), run.names, run.ok
    (2, ('s.q', 's.v'), True)
    """

    t: np.ndarray
    x: np.ndarray
    state_names: tuple[str, ...]
    state_units: tuple[str, ...]
    w: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    work_names: tuple[str, ...] = ()
    channels: Mapping[str, Channel] = field(default_factory=dict)
    find_on_request: Callable[[], Collection[str]] = frozenset
    evaluate: Evaluate = field(default=_no_more_channels)
    status: Status = Status.COMPLETED
    message: str = ""
    statistics: Mapping[str, Any] = field(default_factory=dict)
    find_report: Callable[[], Report] = Report
    find_passages: Callable[[], tuple[Passage, ...]] = tuple
    find_extremes: FindExtremes | None = None
    provenance: Provenance = field(default_factory=Provenance)
    events: tuple[Occurrence, ...] = ()

    def __post_init__(self) -> None:
        w = self.w if self.work_names else np.empty((np.size(self.t), 0))
        object.__setattr__(self, "t", _read_only(self.t))
        object.__setattr__(self, "x", _read_only(self.x))
        object.__setattr__(self, "w", _read_only(w))
        object.__setattr__(self, "status", Status(self.status))
        _check(self)
        object.__setattr__(self, "channels", _all_channels(self))

    def __len__(self) -> int:
        """Return the number of instants."""
        return int(self.t.size)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of all channels."""
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        """Return whether a channel is called `name`, listed or not."""
        return name in self.channels

    def __repr__(self) -> str:
        """Describe the run in one line."""
        span = f" from {self.t[0]:g} to {self.t[-1]:g} s" if len(self) else ""
        model = f" of {self.provenance.model!r}" if self.provenance.model else ""
        return f"<Trajectory{model}: {len(self)} instants{span}, {len(self.names)} results, {self.status}>"

    def __str__(self) -> str:
        """Return the summary of the run: status, extremes, balances, cost."""
        from cardan.results.summary import summary

        return summary(self).text

    def _repr_html_(self) -> str | None:
        """Show the motion in a notebook; None, for which it prints the summary, where the run carries no model."""
        return shown(self)

    def __getitem__(self, name: str) -> "xarray.DataArray":
        """Return one channel over time as an `xarray.DataArray` with its unit."""
        from cardan.results.dataset import data_array

        return data_array(self, name)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the listed channels: states, works, and what is evaluated on demand; others are found by name."""
        on_request = self.find_on_request()
        return tuple(name for name in self.channels if name not in on_request)

    @property
    def ok(self) -> bool:
        """Whether the run reached its end, or an event that stops it."""
        return self.status.ok

    @cached_property
    def report(self) -> Report:
        """Energy balance and violation of the constraints along the run; computed on first use."""
        return self.find_report()

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """Singular positions that the motion has passed, in order; computed on first use."""
        return self.find_passages()

    def array(self, name: str) -> np.ndarray:
        """Return the numbers of one channel, shape (N, *shape), in its SI unit.

        Parameters
        ----------
        name : str
            One of `names`.

        Raises
        ------
        KeyError
            If there is no such channel; the message gives the nearest names.
        """
        return self.arrays([name])[name]

    def arrays(self, names: Iterable[str] | None = None) -> dict[str, np.ndarray]:
        """Return the numbers of several channels; what must be evaluated is evaluated in one batch.

        Parameters
        ----------
        names : iterable of str, optional
            Names of channels; all of them by default.

        Raises
        ------
        KeyError
            If there is no such channel; the message gives the nearest names.
        """
        wanted = list(self.names if names is None else names)
        integrated = _integrated(self)
        for name in wanted:
            if name not in integrated and name not in self.channels:
                raise KeyError(f'no result is called "{name}"; {_cure(self, name)}')
        further = [name for name in dict.fromkeys(wanted) if name not in integrated]
        values = {**integrated, **self.evaluate(further)} if further else integrated
        return {name: values[name] for name in wanted}

    def extremes(self, names: Iterable[str] | None = None) -> dict[str, Extent]:
        """Return the smallest and the largest values (*shape) of several channels, in their SI units, and when.

        They are those of the whole motion whatever instants are returned, with the values on both sides of each jump;
        of runs that call Python functions at samples, or were read from a file, those of the returned instants. They
        are NaN where a value is NaN at an instant. ``low, high = run.extremes(["swing.q"])["swing.q"]``; their instants
        are the attributes `t_smallest` and `t_largest` [s].

        Parameters
        ----------
        names : iterable of str, optional
            Names of channels; the states by default.

        Raises
        ------
        KeyError
            If there is no such channel; the message gives the nearest names.
        SolveError
            If the run has no instants.
        """
        wanted = list(dict.fromkeys(self.state_names if names is None else names))
        values = self.arrays(wanted)
        if not len(self):
            text = f"no result has a smallest or largest value, since the run has no instants ({self.status}); "
            raise SolveError(f"{text}{self.message or 'look at its status'}")
        if self.find_extremes is not None and wanted:
            return dict(self.find_extremes(wanted))
        return {name: extent_of(self.t, y) for name, y in values.items()}

    def reaction(self, name: str, frame: str = "world") -> "xarray.Dataset":
        """Return the load of a joint, constraint or force element: what its parent exerts on its child, over time.

        `force` [N] and, where there is one, `moment` [N m] about the child marker's origin. The attribute `unique` of
        each says, component by component, whether the equations of motion determine it.

        Parameters
        ----------
        name : str
            Name of a joint, in the tree or cut, of a constraint, or of a force element.
        frame : "world", "parent", "child" or "path"
            Axes in which both are written: the world's, those of the marker on the parent or child, or, of a constraint
            that leaves its point a path, tangent, normal and binormal of this path.

        Raises
        ------
        ValueError
            If there is no such frame.
        KeyError
            If there is no such joint, constraint or force element; it has no direction in space, and another frame than
            the world is asked for; or the run was read from a file that stores its loads in other frames only.
        """
        if frame not in ("world", "parent", "child", "path"):
            raise ValueError(f'frame "{frame}" is none of world, parent, child, path')
        suffix = "" if frame == "world" else f".{frame}"
        found = {
            what: channel
            for what in ("force", "moment")
            for channel in (f"{name}.{what}{suffix}", f"{name}.reaction_{what}{suffix}")
            if channel in self.channels
        }
        if not found:
            ends = (".reaction_force", ".force", ".moment")
            known = [n.removesuffix(end) for n in self.names for end in ends if n.endswith(end)]
            if name in known:
                axes = "of a path" if frame == "path" else "of a marker"
                raise KeyError(f'"{name}" is not known in the axes {axes}; use frame="world"')
            raise KeyError(f'no joint, constraint or force is called "{name}"; {nearest(name, known)}')
        from cardan.results.dataset import dataset

        return dataset(self, found.values()).rename_vars({channel: what for what, channel in found.items()})

    def to_dataset(self, names: Iterable[str] | None = None) -> "xarray.Dataset":
        """Return channels as one `xarray.Dataset` over time, with units, status, model and version as attributes.

        Parameters
        ----------
        names : iterable of str, optional
            Names of channels; all of them by default.

        Raises
        ------
        KeyError
            If there is no such channel; the message gives the nearest names.
        """
        from cardan.results.dataset import dataset

        return dataset(self, names)


def check_run(run: Any) -> None:
    """Refuse what is not a `Trajectory`, such as its file."""
    if not isinstance(run, Trajectory):
        named = isinstance(run, str | PathLike)
        cure = f"load it first: cardan.load_run({str(run)!r})" if named else "give what cardan.simulate returns"
        raise ModelError(f"{in_words(run)} is not a run", cure)


def _cure(run: Trajectory, name: str) -> str:
    """Advice about a result that a run does not have."""
    if not isinstance(name, str):
        return "results are named by texts; rows of instants are in t and x"
    if name.endswith(_OF_MOTORS) and run.provenance.settings.get("motors") == "none":
        return 'this run has motors="none", and motors have results with motors="full" or "simplified" only'
    point, _, axis = name.rpartition(".")
    if axis in _AXES and f"{point}.position" in run.channels:
        return f'"{point}.position" has it in column {_AXES.index(axis)}'
    return nearest(name, run.channels)


def _read_only(array: np.ndarray) -> np.ndarray:
    """View of an array of floats that cannot be written through."""
    view = np.asarray(array, dtype=float).view()
    view.setflags(write=False)
    return view


def _all_channels(run: Trajectory) -> Mapping[str, Channel]:
    """Channels of states and works first, then those given; a given one describes its state or work better."""
    states, units, works, given = run.state_names, run.state_units, run.work_names, run.channels

    def make(name: str) -> Channel:
        if name in given:
            return given[name]
        if name in states:
            return Channel(name, units[states.index(name)], kind="coordinate")
        return Channel(name, "J", kind="work")

    return Deferred(lambda: [*states, *works, *given], make)  # these do not refer to the run, so that it can be freed


def _integrated(run: Trajectory) -> dict[str, np.ndarray]:
    """Channels that are columns of the state or of the works."""
    states = {name: run.x[:, i] for i, name in enumerate(run.state_names)}
    return {**states, **{name: run.w[:, i] for i, name in enumerate(run.work_names)}}


def _check(run: Trajectory) -> None:
    """Refuse arrays and names that do not fit together."""
    count = run.t.shape
    if len(count) != 1:
        raise ValueError(f"t has shape {count}; one instant per entry is needed, shape (N,)")
    if len(run.state_units) != len(run.state_names):
        raise ValueError(f"{len(run.state_names)} names of states, but {len(run.state_units)} units")
    for symbol, array, names in (("x", run.x, run.state_names), ("w", run.w, run.work_names)):
        if array.shape != (*count, len(names)):
            raise ValueError(f"{symbol} has shape {array.shape}; {(*count, len(names))} follows from t and the names")
