"""A panel of finite elements that slews: Craig–Bampton modes of a thin plate, by scikit-fem, ride on a turning hub.

A square aluminium plate is clamped to a hub along its edge x = 0, which is the frame of the body. Its interface node is
the corner in which a small camera sits. Elements of Bogner, Fox and Schmit have the deflection and its slopes as nodal
values, so that the rotation of the corner is read off. The modes are the three static shapes of the corner — one of w,
∂w/∂x, ∂w/∂y is 1 there, the others 0 — and natural modes of the plate with the corner held (Craig & Bampton 1968). The
points of the file are those at which the elements are integrated: its inertia is that of the elements.

What must come out, whatever the program:

* The natural frequencies ω a² √(ρh/D) of the clamped plate stay below those of Leissa, *J. Sound Vib.* 31 (1973) 257,
  upper bounds with few functions of Ritz, by less than 0.7 %. Those of the reduction stay above those of the mesh.
* A force at the corner bends the plate as it bends the mesh.
* In a slow slewing motion the corner follows the linear equations of the mesh, M ẅ + K w = −M x φ̈, without the camera.

Run it: ``python examples/modal_plate.py``; it needs scikit-fem, and draws out/modal_plate.png.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import eigh
from skfem import Basis, BilinearForm, ElementQuadBFS, MeshQuad, asm
from skfem.helpers import dd, ddot, trace

import cardan

A, H, E, NU, RHO = 0.5, 2e-3, 70e9, 0.3, 2700.0  # edge and thickness [m], aluminium
D = E * H**3 / (12 * (1 - NU**2))
FIXED = 6  # modes with the corner held
LEISSA = np.array([3.492, 8.525, 21.43, 27.33])  # at ν = 0.3
TIMES = np.linspace(0, 1, 401)
OUT = Path("out")


@BilinearForm
def bending(u, v, _):
    """Kirchhoff's plate: D ((1 − ν) κ:κ' + ν tr κ tr κ')."""
    return D * ((1 - NU) * ddot(dd(u), dd(v)) + NU * trace(dd(u)) * trace(dd(v)))


@BilinearForm
def inertia(u, v, _):
    """ρ h w w'."""
    return RHO * H * u * v


mesh = MeshQuad.init_tensor(np.linspace(0, A, 9), np.linspace(-A / 2, A / 2, 9))
basis = Basis(mesh, ElementQuadBFS(), intorder=6)
K_all, M_all = (asm(form, basis).toarray() for form in (bending, inertia))
free = basis.complement_dofs(basis.get_dofs(lambda x: np.isclose(x[0], 0)))
K, M = K_all[np.ix_(free, free)], M_all[np.ix_(free, free)]

corner = int(np.argmin(np.hypot(mesh.p[0] - A, mesh.p[1] - A / 2)))
held = np.searchsorted(free, basis.nodal_dofs[:3, corner])  # w, ∂w/∂x, ∂w/∂y
inner = np.setdiff1d(np.arange(len(free)), held)

T = np.zeros((len(free), 3 + FIXED))  # Craig and Bampton's modes as columns
T[held, :3] = np.eye(3)
T[inner, :3] = -np.linalg.solve(K[np.ix_(inner, inner)], K[np.ix_(inner, held)])
T[inner, 3:] = eigh(K[np.ix_(inner, inner)], M[np.ix_(inner, inner)])[1][:, :FIXED]

points = np.asarray(basis.global_coordinates()).reshape(2, -1)
modes, at_corner = np.zeros((T.shape[1], points.shape[1], 3)), np.zeros((T.shape[1], 1, 6))
for k, mode in enumerate(T.T):
    whole = np.zeros(basis.N)
    whole[free] = mode
    modes[k, :, 2] = np.asarray(basis.interpolate(whole)).ravel()
w, w_x, w_y = T[held]
at_corner[:, 0, 2], at_corner[:, 0, 3], at_corner[:, 0, 4] = w, w_y, -w_x

OUT.mkdir(exist_ok=True)
np.savez(
    OUT / "panel.npz",
    positions=np.column_stack([*points, np.zeros(points.shape[1])]),
    mass=RHO * H * basis.dx.ravel(),
    modes=modes,
    stiffness=T.T @ K @ T,
    interfaces=np.array(["corner"]),
    interface_positions=np.array([[A, A / 2, 0]]),
    interface_modes=at_corner,
)

panel = {"type": "modal", "file": str(OUT / "panel.npz")}
clamp = {"type": "fixed", "parent": "ground", "child": "panel"}

# natural frequencies of the clamped panel
still = cardan.Model(gravity=[0, 0, 0], bodies={"panel": panel}, joints={"clamp": clamp})
found = np.sort(cardan.linearize(still).eigenvalues.imag)[-len(T.T) :] * A**2 * np.sqrt(RHO * H / D)
of_mesh = np.sqrt(eigh(K, M, eigvals_only=True)[:4]) * A**2 * np.sqrt(RHO * H / D)
print("frequency numbers:", found[:4].round(3), "of the mesh:", of_mesh.round(3), "Leissa:", LEISSA)
assert (of_mesh < LEISSA).all()
assert (of_mesh > 0.993 * LEISSA).all()
assert (found[:4] > (1 - 1e-9) * of_mesh).all()
assert (found[:4] < 1.005 * of_mesh).all()

# a force at the corner
load = {"type": "force", "child": "panel.corner", "value": [0, 0, 1]}
loaded = still.replace(forces={"load": load}, initial={"equilibrium": True})
deflection = cardan.simulate(loaded, times=[0]).array("panel.corner.position")[0, 2]
of_mesh = np.linalg.inv(K)[held[0], held[0]]
print(f"deflection of the corner under 1 N: {1e3 * deflection:.4f} mm, of the mesh: {1e3 * of_mesh:.4f} mm")
assert abs(deflection / of_mesh - 1) < 1e-6

# the hub turns by 0.02 rad about y within 0.3 s
hub = {"type": "revolute", "parent": "ground", "child": "panel", "axis": "-y"}
slew = {"profile": "quintic", "points": [["0 s", 0], ["0.3 s", 0.02]]}
turning = {"gravity": [0, 0, 0], "motions": {"hub": slew}}
slewing = cardan.Model(bodies={"panel": panel}, joints={"hub": hub}, **turning)
run = cardan.simulate(slewing, times=TIMES)
angle, tip = run.array("hub.q"), run.array("panel.corner.position")
lag = tip[:, 2] * np.cos(angle) - tip[:, 0] * np.sin(angle)

values, V = eigh(K, M, subset_by_index=[0, 19])
x_of_nodes = np.zeros(basis.N)  # the field x in the nodal values: itself, and its slope along x
x_of_nodes[basis.nodal_dofs[0]], x_of_nodes[basis.nodal_dofs[1]] = mesh.p[0], 1
push = V.T @ (M_all @ x_of_nodes)[free]


def rates(t, y):
    """Modal equations of the whole mesh under φ̈ of the quintic, 0.02 (60 s − 180 s² + 120 s³)/T²."""
    s = min(t / 0.3, 1.0)
    phi = 0.02 * (60 * s - 180 * s**2 + 120 * s**3) / 0.3**2
    return np.concatenate([y[20:], -values * y[:20] - push * phi])


whole = solve_ivp(rates, (0, 1), np.zeros(40), t_eval=TIMES, rtol=1e-8, atol=1e-12, method="DOP853")
linear = V[held[0]] @ whole.y[:20]
print(f"largest lag of the corner: {1e3 * np.abs(lag).max():.4f} mm, of the mesh: {1e3 * np.abs(linear).max():.4f} mm")
assert np.abs(lag - linear).max() < 0.01 * np.abs(linear).max()

# with a camera of 50 g in the corner
camera = {"mass": "50 g", "inertia": [1e-5, 1e-5, 1e-5]}
grip = {"type": "fixed", "parent": "panel.corner", "child": "camera"}
heavy = cardan.Model(bodies={"panel": panel, "camera": camera}, joints={"hub": hub, "grip": grip}, **turning)
loaded = cardan.simulate(heavy, times=TIMES)
angle, tip = loaded.array("hub.q"), loaded.array("camera.position")

plt.figure(figsize=(7, 3.5), layout="constrained")
plt.plot(TIMES, 1e3 * lag, label="corner")
plt.plot(TIMES, 1e3 * linear, "k:", label="corner, all of the mesh")
plt.plot(TIMES, 1e3 * (tip[:, 2] * np.cos(angle) - tip[:, 0] * np.sin(angle)), label="with a camera of 50 g")
plt.xlabel("t [s]")
plt.ylabel("lag behind the hub [mm]")
plt.legend()
plt.savefig(OUT / "modal_plate.png", dpi=120)
