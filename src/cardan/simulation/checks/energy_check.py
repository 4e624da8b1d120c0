"""Energy balance of a run, and the warning where it gains or loses more than its method explains."""

import numpy as np

from cardan.channels import RunChannels
from cardan.errors import warn
from cardan.frozen import dataclass
from cardan.functions.energy_balance import balance, energy_of, turnover
from cardan.functions.system_functions import SystemFunctions
from cardan.integration import Solution
from cardan.integration.methods import METHODS
from cardan.results.run_records import Report
from cardan.simulation.settings import IntegrationSettings
from cardan.singular import StepLog
from cardan.system.constrained import has_constraints
from cardan.system.energies import SIGNS

VISIBLE = 0.01  # share of the energies that is visible in a plot [-]: a larger error is reported for every method


@dataclass(frozen=True)
class Balance:
    """Makes the report of a run on first use."""

    steps: StepLog  # log of the run's steps
    channels: RunChannels  # channels at the returned instants
    w: np.ndarray  # works at the returned instants (N, nw) [J]
    atol: float  # absolute tolerance of the run: the energies are uncertain by what it changes

    def __call__(self) -> Report:
        """Energy balance E(t) − E(0) = input + conversion + forces − dissipation over the returned instants."""
        if not len(self.w):
            return Report()
        functions = self.steps.functions
        lacking, parts = balance(functions, self.channels.instants, self.w)
        violation = self._violation() if has_constraints(functions.system.tree) else (0.0, 0.0)
        scale = max(turnover(parts), energy_of(self.atol, functions, self.channels.instants))
        return Report(float(np.max(np.abs(lacking))), scale, *violation)

    def _violation(self) -> tuple[float, float]:
        """Largest |Φ| and |Φ̇| over the returned instants and the ends of steps; neither depends on the inputs."""
        steps, (t, x, u, p) = self.steps, self.channels.instants
        parts = np.concatenate([t, steps.t]), np.concatenate([x, steps.x]), np.zeros(u.shape[1:]), p
        Phi, rate, rounding = steps.functions.compiled("violation")(*parts)
        return float(np.max([Phi, rounding])), float(np.max(rate))


def is_doubtful(functions: SystemFunctions, solution: Solution, p: np.ndarray, settings: IntegrationSettings) -> bool:
    """Whether the balance at the end of a run is off by more than its tolerances explain; states below `atol` count.

    It costs two evaluations of the energies, so that every run can be checked.
    """
    rows, works = _rows(functions, solution, p, [0, -1]), solution.w[-1] - solution.w[0]
    before, after = np.concatenate(functions.batch("energies")(*rows), axis=1).tolist()
    lacking = after[0] - before[0] - works @ SIGNS
    scale = max(before[1], after[1], abs(after[2] - before[2]), *np.abs(works).tolist())
    return bool(abs(lacking) > _share(solution, settings) * scale)


def check_energy(solution: Solution, settings: IntegrationSettings, report: Report, channels: RunChannels) -> None:
    """Warn of a run whose energy balance is off by more than its tolerances explain.

    With error control each step may change energies by 2 rtol of their scale, because they are quadratic, and by what
    atol in the states changes them. Fixed steps promise no accuracy. No run may be off by a visible share.
    """
    steps = solution.statistics.steps
    error, scale = report.energy_error, report.energy_scale
    uncertain = energy_of(settings.atol, channels.solver.functions, channels.instants)
    allowed = _share(solution, settings) * scale + steps * uncertain
    if not error > allowed:
        return
    lost = f"{error:.4g} J, {report.relative_energy_error:.2g} of the {scale:.4g} J turned over"
    if METHODS[solution.method].fixed_step:
        cure = f'take a smaller step than {settings.step:g} s, or method="dop853", which chooses its steps'
    else:
        smaller = "" if settings.follows else f" and a smaller atol than {settings.atol:g}"
        cure = f"take a smaller rtol than {settings.rtol:g}{smaller}"
    other = "" if settings.stabilization == "projection" else ', or stabilization="projection"'
    warn(f"the energy balance is off by {lost}, of which the method explains {allowed:.2g} J; {cure}{other}")


def check_given_powers(channels: RunChannels, settings: IntegrationSettings) -> None:
    """Warn of given parts of reactions that feed energy into the mechanism, beyond the tolerance of the run."""
    system = channels.solver.functions.system
    given = [load.name for load in system.tree.loads if load.given and "given_power" not in system.model.accept]
    found = channels.evaluate([f"{name}.power" for name in given]) if given else {}
    for name in given:
        power = found[f"{name}.power"].ravel()
        feeding = power > settings.rtol * np.abs(power).max(initial=0)
        if not feeding.any():
            continue
        first = int(np.argmax(feeding))
        span = feeding[first:]
        last = first + (len(span) if span.all() else int(np.argmin(span)))
        when = f"at t = {channels.t[first]:.6g} s"
        if last - first > 1:
            energy = np.trapezoid(power[first:last], channels.t[first:last])
            when = f"from t = {channels.t[first]:.6g} to {channels.t[last - 1]:.6g} s, {energy:.4g} J"
        warn(
            f"the given part of the reaction of {name!r} feeds energy into the mechanism {when}: check its signs; "
            "if it is meant, add accept: [given_power] to the model"
        )


def _share(solution: Solution, settings: IntegrationSettings) -> float:
    """Largest share of the energies that the tolerances of all steps explain [-]."""
    if METHODS[solution.method].fixed_step:
        return VISIBLE
    return min(2 * solution.statistics.steps * settings.rtol, VISIBLE)


def _rows(functions: SystemFunctions, solution: Solution, p: np.ndarray, k: list[int]) -> tuple[np.ndarray, ...]:
    """t, x, u, p of some instants; the energies do not depend on the inputs u."""
    return solution.t[k], solution.x[k], np.zeros(len(functions.system.input_names)), p
