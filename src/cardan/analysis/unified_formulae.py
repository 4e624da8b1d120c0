"""The unified formulae of a mechanism's bond graph: X_i1 and its rate in, driving efforts and constraint forces out.

Where every direction of every body has inertia and no constraint is redundant, formula (13) applies. Otherwise its
equations with the unknown rates of flows without inertia are a saddle system; of constraint forces that are not
unique it gives the ones with the least sum of squares. Both run as machine code.

Source: Wang & Tao 2013, eqs. 13, 14
"""

from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any, Literal

import casadi as ca
import numpy as np

from cardan.assembly.assembler import Assembler
from cardan.assembly.start import start, system_of
from cardan.bond_graphs.causality import Causality
from cardan.bond_graphs.formulae import (
    Fields,
    UnifiedFormulae,
    field_laws,
    first_momenta,
    saddle_efforts,
    unified_formulae,
)
from cardan.bond_graphs.matrices import FieldEntry, JunctionStructure, junction_structure
from cardan.bond_graphs.records import Graph
from cardan.codegen import Compiled, compile_function
from cardan.errors import Issue, ModelError, few
from cardan.formulations.bond_graph.constraints import equations
from cardan.formulations.bond_graph.joints import velocity_rows
from cardan.frozen import dataclass, replace
from cardan.functions.dynamics import parameter_array
from cardan.kinematics.constraints import constraint_terms
from cardan.kinematics.motion import coordinate_rate
from cardan.kinematics.tree import Number
from cardan.model.quantities.parameters import resolve
from cardan.numerics import sparse_qr
from cardan.numerics.entries import column
from cardan.numerics.rank import independent_rows, null_space
from cardan.system.state import State
from cardan.system.system import System

Form = Literal["(13)", "(14)", "partitioned", "saddle"]


@dataclass(frozen=True)
class FormulaLoads:
    """Results of the formulae at N instants, or at one."""

    U1: np.ndarray  # driving efforts (…, m), in the order of `MechanismFormula.drives` [N, N m]
    U2: np.ndarray  # constraint forces (…, c), in the order of `MechanismFormula.forces`


@dataclass(frozen=True, eq=False)
class MechanismFormula:
    """The formulae of one mechanism, compiled; X_i1 are `first`."""

    kind: Form  # formula that applies: (13), (14), partitioned; or the saddle system
    why: str  # a sentence on the kind
    first: tuple[FieldEntry, ...]  # momenta X_i1
    drives: tuple[str, ...]  # elements whose efforts are U1
    forces: tuple[FieldEntry, ...]  # elements and components whose efforts are U2
    system: System  # mechanism
    state: State  # its symbols
    structure: JunctionStructure  # matrices, X_i1 chosen
    fields: Fields  # laws of the fields; without F for a saddle system
    values: Mapping[str, Number]  # flows of the inertias in the state, by element
    kept: tuple[int, ...]  # independent constraint rows
    inertias: Number  # inertia matrix of all momenta (n, n)

    def __repr__(self) -> str:
        """What applies, in a line."""
        counts = f"{len(self.drives)} driving efforts, {len(self.forces)} constraint forces"
        return f"formula {self.kind}: {counts} ({self.why})"

    def momenta(self, t: Any, q: Any, v: Any, a: Any, parameters: Mapping[str, Any] | None = None) -> Any:
        """X_i1 and Ẋ_i1 (…, d) of a motion."""
        return self._momenta(t, q, v, a, parameter_array(self.system.model, parameters or {}))

    def __call__(
        self,
        t: Any,
        q: Any,
        first: Any,
        first_rates: Any,
        *,
        z: Any = None,
        u: Any = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> FormulaLoads:
        """Driving efforts U1 and constraint forces U2; leading axes broadcast,
        NaN of a saddle system that is singular.
        """
        p = parameter_array(self.system.model, parameters or {})
        z = np.zeros(self.system.nz) if z is None else z
        u = np.zeros(len(self.system.input_names)) if u is None else u
        return FormulaLoads(*self.compiled(t, q, first, first_rates, z, u, p))

    def rates(self, t: Any, q: Any, v: Any, *, z: Any = None, u: Any = None, parameters: Any = None) -> np.ndarray:
        """Rates of the flows of all inertias (…, n), in the order of the columns of `structure`:
        the state equations.
        """
        if self.drives:
            fault = f"the efforts of {', '.join(self.drives)} are unknown, and the rates depend on them"
            raise ModelError(Issue(fault, "make the graph with drives=[], and give inputs u"))
        z = np.zeros(self.system.nz) if z is None else z
        u = np.zeros(len(self.system.input_names)) if u is None else u
        A, b = self._numbers(
            t, q, v, np.zeros(len(self.first)), z, u, parameter_array(self.system.model, parameters or {})
        )
        n, c = self.inertias.shape[0], len(self.forces)
        rows = [k for k in range(A.shape[-2] - len(self.first)) if not n <= k < n + c or k - n in self.kept]
        columns = [k for k in range(A.shape[-1]) if k >= c or k in self.kept]
        return _least(A[..., rows, :][..., columns], b[..., rows])[..., len(self.kept) : len(self.kept) + n]

    def _numbers(self, *arguments: Any) -> tuple[np.ndarray, np.ndarray]:
        """Matrix and right-hand side of the saddle system."""
        pattern, function = self._saddle
        entries, b = function(*arguments)
        A = np.zeros((*b.shape, pattern.shape[1]))
        A[(..., *pattern.get_triplet())] = entries
        return A, b

    @cached_property
    def compiled(self) -> Compiled:
        """Function (t, q, X_i1, Ẋ_i1, z, u, p) → U1, U2 as machine code."""
        s, p, count = self.state, self.system.tree.p, len(self.first)
        first, rates = ca.SX.sym("first", count), ca.SX.sym("rates", count)
        efforts = self._by_saddle if self.kind == "saddle" else self._by_formulae
        outputs = [ca.densify(ca.SX(x)) for x in efforts(first, rates)]
        inputs, names = [s.t, s.q, first, rates, s.z, s.u, p], ["t", "q", "first", "rates", "z", "u", "p"]
        return compile_function(ca.Function("formula", inputs, outputs, names, ["U1", "U2"]), {"t": ()})

    def _by_formulae(self, first: Number, rates: Number) -> tuple[Number, Number]:
        """U1 and U2 by (13) and (14)."""
        s, tree = self.state, self.system.tree
        formulae = unified_formulae(self.structure, self.fields, self.kept)
        Z = ca.densify(self.fields.F @ formulae.momenta(first))
        v = velocity_rows(tree, s.motion, dict(zip(self.structure.given["i"], ca.vertsplit(Z), strict=True)))
        f, flows = self.fields, ca.SX.sym("flows", Z.shape[0])
        K, springs, u3 = ca.substitute([f.K, f.s, f.u3], [s.v], [ca.densify(v)])
        drift = self._drift(formulae.unbalanced(flows))
        drift = ca.substitute([drift], [flows, s.v], [Z, ca.densify(v)])[0]
        return replace(formulae, fields=Fields(f.F, K, springs, u3)).unknowns(Z, rates, drift)

    def _by_saddle(self, first: Number, rates: Number) -> tuple[Number, Number]:
        """U1 and U2 of the saddle system: velocities from X_i1, accelerations from its rate, then the efforts."""
        s, tree = self.state, self.system.tree
        terms, kept = constraint_terms(tree, s.motion), {self.forces[k] for k in self.kept}
        own = [k for k, entry in _loop_rows(self.system, s).items() if entry in kept]
        X = self._all_momenta
        slope = ca.vertcat(ca.jacobian(X, s.v)[self._rows, :], ca.SX(terms.Phi_q)[own, :])
        at_rest = ca.DM.zeros(tree.nv)  # momenta and equations are linear in v
        slope, flow = ca.substitute([slope, ca.SX(terms.Phi_t)[own]], [s.v], [at_rest])
        factors = sparse_qr.factor(ca.sparsify(slope))
        v = sparse_qr.solve(factors, ca.vertcat(first, -flow))
        a = sparse_qr.solve(factors, ca.vertcat(rates - self._drift(X)[self._rows], ca.SX(terms.gamma)[own]))
        X_dot = self._drift(X) + ca.jacobian(X, s.v) @ a
        Z, w = (
            column([ca.SX(self.values[name])[k] for name, k in self.structure.given[field]]) for field in ("i", "u4")
        )
        found = saddle_efforts(self.structure, self.fields, self.kept, Z, w, X_dot)
        U1, U2 = ca.substitute([ca.SX(x) for x in found], [s.v], [ca.densify(v)])
        return U1, U2

    def _drift(self, sums: Number) -> Number:
        """Rate of sums of flows at constant flows, along the motion."""
        s = self.state
        q_dot = coordinate_rate(self.system.tree, s.q, s.v)
        return ca.jtimes(ca.SX(sums), s.q, ca.SX(q_dot)) + ca.jacobian(ca.SX(sums), s.t)

    @cached_property
    def _momenta(self) -> Compiled:
        """(t, q, v, a, p) → X_i1, Ẋ_i1."""
        s, a = self.state, ca.SX.sym("a", self.system.tree.nv)
        X = self._all_momenta[self._rows]
        rate = self._drift(X) + ca.jacobian(X, s.v) @ a
        function = ca.Function(
            "momenta",
            [s.t, s.q, s.v, a, self.system.tree.p],
            [ca.densify(X), ca.densify(rate)],
            list("tqvap"),
            ["X", "rate"],
        )
        return compile_function(function, {"t": ()})

    @property
    def _all_momenta(self) -> Number:
        """X of the state (n,)."""
        return self.inertias @ column([ca.SX(self.values[name])[k] for name, k in self.structure.given["i"]])

    @property
    def _rows(self) -> list[int]:
        own = set(self.first)
        return [k for k, entry in enumerate(self.structure.given["i"]) if entry in own]

    @cached_property
    def _saddle(self) -> tuple[ca.Sparsity, Compiled]:
        """Pattern of the matrix of (U1, U2, Ż, rates of flows without inertia), and (t, q, v, Ẋ_i1, z, u, p) → its
        non-zeros and the right-hand side.
        """
        s, tree, block, f = self.state, self.system.tree, self.structure.block, self.fields
        rates = ca.SX.sym("rates", len(self.first))
        Z = column([ca.SX(self.values[name])[k] for name, k in self.structure.given["i"]])
        w = column([ca.SX(self.values[name])[k] for name, k in self.structure.given["u4"]])
        n, d = Z.shape[0], len(self.first)
        T = UnifiedFormulae("(13)", self.structure, f, (), ()).T
        known = {
            row: T(row, "i") @ Z + T(row, "u4") @ w + T(row, "s") @ f.s + T(row, "u3") @ f.u3
            for row in ("i", "C", "u4")
        }
        U = [T("i", "u1"), T("i", "u2")]
        flows = ca.SX.sym("flows", n + w.shape[0])
        sums = ca.horzcat(block("C", "i"), block("C", "u4")) @ flows + block("C", "u3") @ f.u3
        drift = ca.substitute(self._drift(sums), flows, ca.densify(ca.vertcat(Z, w)))
        m, c, k = U[0].shape[1], U[1].shape[1], w.shape[0]
        first = self.inertias[self._rows, :]
        A = ca.vertcat(
            ca.horzcat(U[0], U[1], -self.inertias, ca.SX(n, k)),
            ca.horzcat(ca.SX(c, m + c), block("C", "i"), block("C", "u4")),
            ca.horzcat(T("u4", "u1"), T("u4", "u2"), ca.SX(k, n + k)),
            ca.horzcat(ca.SX(d, m + c), first, ca.SX(d, k)),
        )
        b = ca.vertcat(-known["i"], -drift, -known["u4"], rates)
        inputs, names = [s.t, s.q, s.v, rates, s.z, s.u, tree.p], ["t", "q", "v", "rates", "z", "u", "p"]
        A = ca.sparsify(A)
        function = ca.Function("saddle", inputs, [A.nz[:], ca.densify(b)], names, ["A", "b"])
        return A.sparsity(), compile_function(function, {"t": ()})


def _least(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Shortest x (…, n) with the smallest |A x − b|, rows scaled to one."""
    size = np.linalg.norm(A, axis=-1)
    size = np.where(size > 0, size, 1.0)
    A, b = A / size[..., None], (b / size)[..., None]
    if A.shape[-2] == A.shape[-1]:
        with suppress(np.linalg.LinAlgError):  # singular at an instant
            return np.linalg.solve(A, b)[..., 0]
    return (np.linalg.pinv(A) @ b)[..., 0]


def mechanism_formula(system: System, state: State, graph: Graph, causality: Causality) -> MechanismFormula:
    """The formulae of a mechanism, X_i1 chosen near its initial position."""
    electrical = [
        x.head for x in graph.bonds.values() if x.domain == "electrical" and graph.elements[x.head].kind == "I"
    ]
    structure = junction_structure(graph, causality, known=electrical)
    entries, values = structure.given["i"], {x.name: x.value for x in graph.elements.values() if x.kind in ("I", "Sf")}
    inertia = ca.diagcat(*(ca.SX(graph.elements[name].modulus) for name in dict.fromkeys(name for name, _ in entries)))
    Z = column([ca.SX(values[name])[k] for name, k in entries])
    N, J, moved, dropped = _independent(system, state, inertia @ Z, structure, inertia)
    kept = tuple(k for k, entry in enumerate(structure.given["u2"]) if entry not in dropped)
    names = tuple(dict.fromkeys(name for name, _ in structure.given["u1"]))
    if np.linalg.matrix_rank(moved) < len(names):
        fault = f"{len(names)} drives do not follow from the motion of {N.shape[1]} freedoms: {', '.join(names)}"
        raise ModelError(Issue(fault, "give drives= with as many velocities as the mechanism has freedoms"))
    first = first_momenta(N, J, entries)
    structure = replace(structure, first=first)
    bare = sorted({name for name, _ in structure.given["u4"]})
    kind: Form = "saddle" if bare or dropped else "(13)"
    why = "all inertias are positive, joints are rigid"
    if bare:
        why = f"without inertia: {few(name.removesuffix('.none') for name in bare)}"
    elif dropped:
        why = f"redundant constraints: {', '.join(dict.fromkeys(name.split('.')[0] for name, _ in dropped))}"
    fields = _fields(graph, causality, structure, invert=kind != "saddle")
    if kind != "saddle":
        kind = unified_formulae(structure, fields, kept).kind
    return MechanismFormula(
        kind, why, first, names, structure.given["u2"], system, state, structure, fields, values, kept, inertia
    )


def _fields(graph: Graph, causality: Causality, structure: JunctionStructure, *, invert: bool) -> Fields:
    """Laws of stores and resistors; the inertia matrix is inverted only where the saddle system is not used."""
    found = field_laws(graph, causality, structure)
    return found if invert else Fields(ca.SX(*found.F.shape), found.K, found.s, found.u3)


def _loop_rows(system: System, state: State) -> dict[int, FieldEntry]:
    """Index, among all equations, of those that the graph has, and the constraint force that keeps it."""
    found = equations(system.tree, state.motion)
    return {index: (f"{rows.owner}.closure.force", k) for rows in found for k, index in enumerate(rows.indices)}


def _independent(
    system: System, state: State, X: Number, structure: JunctionStructure, inertia: Number
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[FieldEntry]]:
    """∂X and velocities of the drives by independent velocities, how the drives act on X in units of flows, and the
    constraint forces that are redundant.

    Drives that act on directions without inertia act on no momentum: then all momenta count alike.
    """
    tree = system.tree
    assembling, values = system_of(system.model, system.motors)[1], resolve(system.model.parameters)
    begin = start(system, assembling, system.model.initial, values)
    p = np.array([float(x) for x in values.values()])
    q = Assembler(assembling, p).neighbours(begin.x[: tree.nq])[-1] if begin.choice.kept else _moved(system, begin.x)
    loops = _loop_rows(system, state)
    own = list(loops)
    scale = ca.diag(1 / ca.diag(inertia))
    outputs = [
        ca.jacobian(X, state.v),
        scale @ structure.block("i", "u1"),
        ca.SX(constraint_terms(tree, state.motion).Phi_q)[own, :],
    ]
    function = ca.Function("start", [state.t, state.q, state.v, tree.p], [ca.densify(ca.SX(x)) for x in outputs])
    N, J, Phi_q = (np.array(x) for x in function(0, q, np.zeros(tree.nv), p))
    kept = independent_rows(Phi_q) if len(own) else ()
    free = null_space(Phi_q[list(kept)]) if kept else np.eye(tree.nv)
    velocities = [entry.name for entry in tree.velocities]
    driven = [velocities.index(name.removesuffix(".drive")) for name, _ in structure.given["u1"]]
    N = N @ free
    if np.linalg.matrix_rank(J.T @ N) < len(driven):
        J = np.array(ca.evalf(ca.substitute(ca.SX(scale), tree.p, ca.DM(p)))) @ N
    return N, J, free[driven], [entry for k, entry in enumerate(loops.values()) if k not in kept]


def _moved(system: System, x: np.ndarray) -> np.ndarray:
    """A position of an open mechanism in which nothing is at right angles by chance."""
    q = x[: system.tree.nq].copy()
    for link in system.tree.links:
        if len(link.q) == len(link.v):
            q[list(link.q)] += np.random.default_rng(0).uniform(0.2, 0.5, len(link.q))
    return q
