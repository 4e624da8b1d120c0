"""Modal data of a flexible body from a file, as natural modes and points of mass.

In: an `.npz` file with the fields of `FIELDS`. Out: mode shapes at its interface nodes, stiffness and mass of each
mode, and points of mass with the same kinetic energy. It knows no joints.

A point at r moves with p + R (r + Φ q): its velocity is linear in the functions 1, x, y, z and the components of Φ.
With the Gram matrix G = ∫ f fᵀ dm of these k functions, any F with F Fᵀ = G gives particles of equal energy: its
columns, over the first row. An orthogonal matrix behind F makes the first row constant, so that rank(G) ≤ 4 + 3n
points of equal mass have every inertia integral of the body, those that change with q too.

Source: Shabana 2020, §5.3 (inertia shape integrals); Craig & Bampton 1968
"""

import io
import zipfile
from pathlib import Path

import numpy as np

from cardan.errors import ModelError
from cardan.frozen import dataclass
from cardan.model.records.section import check_name
from cardan.numerics.rank import DEPENDENT
from cardan.numerics.round_off import EPSILON, ROUND_OFF
from cardan.safety.reading import read_bounded

FIELDS = {
    "positions": "N, 3",
    "mass": "N or N, N",
    "modes": "n, N, 3",
    "stiffness": "n, n",
    "interfaces": "k",
    "interface_positions": "k, 3",
    "interface_modes": "n, k, 6",
}
"""Fields of a file and their shapes for N points, n modes and k interface nodes."""
MOST_MODES = 60  # equations of more take minutes to compile
_MOST = 200_000_000  # bytes of the file, and of its arrays
_CURE = "write the seven fields with numpy.savez: " + ", ".join(f"{name} ({shape})" for name, shape in FIELDS.items())


@dataclass(frozen=True)
class ModalData:
    """Natural modes of a body, each scaled so that its largest displacement is 1, from the lowest on."""

    mass: np.ndarray  # of each mode (n,) [kg]
    stiffness: np.ndarray  # (n,) [N/m]
    interfaces: tuple[str, ...]  # names of the interface nodes
    positions: np.ndarray  # of the interface nodes (k, 3) [m]
    shapes: np.ndarray  # displacement and rotation of each node per mode (k, n, 6)
    points: np.ndarray  # points of mass (rank, 4 + 3n): mass [kg], position [m], displacement by each mode


def read_modal_data(path: Path, most: int | None = None) -> ModalData:
    """The `most` lowest modes of the body in a file; all without a number."""
    fields = _checked(path, _arrays(path))
    X, Phi, K = fields["positions"], fields["modes"], fields["stiffness"]
    values, V = _natural(path, X, fields["mass"], Phi, K)
    V = V[:, : most or len(K)]
    shapes, nodes = (np.einsum("kn,k...->n...", V, x) for x in (Phi, fields["interface_modes"]))
    scale = 1 / np.maximum(*(np.linalg.norm(x[:, :, :3], axis=2).max(axis=1) for x in (shapes, nodes)))
    shapes, nodes = shapes * scale[:, None, None], nodes * scale[:, None, None]
    return ModalData(
        scale**2,
        values[: len(scale)] * scale**2,
        tuple(map(str, fields["interfaces"])),
        fields["interface_positions"],
        nodes.transpose(1, 0, 2),
        _equivalent(path, X, fields["mass"], shapes),
    )


def _arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays in a file; nothing in it is run."""
    try:
        content = read_bounded(path, _MOST, "keep fewer points")
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > _MOST:
                raise ModelError(f"{path} unpacks to more than {_MOST / 1e6:g} MB", "keep fewer points")
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            return {name: stored[name] for name in FIELDS if name in stored}
    except ModelError:
        raise
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}", "give the path of an .npz file") from None
    except Exception as error:  # what its parsers meet in a stranger's file: of zip, of headers as Python, of numbers
        raise ModelError(f"{path} is no .npz file of plain arrays: {error}", _CURE) from None


def _checked(path: Path, found: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The fields as numbers, of shapes that fit to each other."""
    missing = [name for name in FIELDS if name not in found]
    if missing:
        raise ModelError(f"{path} has no field {missing[0]!r}", _CURE)
    sizes: dict[str, int] = {}
    for name, shape in FIELDS.items():
        field = found[name]
        if name != "interfaces":
            if field.dtype.kind not in "fiu" or not np.isfinite(field).all():
                raise ModelError(f"{name} in {path} are not finite real numbers", "write an array of floats")
            found[name] = field = field.astype(float)
        forms = [[part.strip() for part in form.split(",")] for form in shape.split(" or ")]
        fitting = next((form for form in forms if len(form) == field.ndim), None)
        wanted = (
            []
            if fitting is None
            else [int(one) if one.isdigit() else sizes.setdefault(one, field.shape[k]) for k, one in enumerate(fitting)]
        )
        if fitting is None or list(field.shape) != wanted:
            known = ", ".join(f"{key} = {size}" for key, size in sizes.items())
            raise ModelError(f"{name} in {path} has the shape {field.shape}, not ({shape}) with {known}", _CURE)
    if not 1 <= sizes["n"] <= MOST_MODES or not sizes["N"] or not sizes["k"]:
        fault = f"{path} has {sizes['n']} modes, {sizes['N']} points and {sizes['k']} interface nodes"
        raise ModelError(fault, f"write 1 to {MOST_MODES} modes, and at least one point and one interface node")
    names = [str(name) for name in found["interfaces"]]
    for name in names:
        check_name(name)
    if len(set(names)) < len(names) or "com" in names:
        raise ModelError(f"interfaces in {path} are not different names, com apart", "give each node a name of its own")
    return found


def _natural(
    path: Path, X: np.ndarray, mass: np.ndarray, Phi: np.ndarray, K: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Squares of the natural frequencies (n,), and the modes (n, n) of modal mass 1 as columns."""
    for name, A in (("stiffness", K), ("mass", mass)):
        if A.ndim == 2 and np.abs(A - A.T).max() > DEPENDENT * np.abs(A).max():
            raise ModelError(f"{name} in {path} is not symmetric", "write the symmetric matrix of the reduction")
    if (mass.ndim == 1 and mass.min() < 0) or mass.sum() <= 0:
        raise _not_positive(path)
    flat = Phi.reshape(len(Phi), -1)
    M = flat @ _weighted(mass, Phi).reshape(len(Phi), -1).T
    size = np.sqrt(np.abs(np.diag(M)))
    if not size.all() or np.linalg.eigvalsh(M / np.outer(size, size))[0] < ROUND_OFF:
        fault = f"modes in {path} are not independent: a combination of them moves no mass"
        raise ModelError(fault, "leave such modes out")
    L = np.linalg.inv(np.linalg.cholesky(M))
    values, V = np.linalg.eigh(L @ (K + K.T) @ L.T / 2)
    V = L.T @ V
    if values[0] <= 0 or _has_rigid_motion(X, mass, np.einsum("kn,k...->n...", V, Phi)):
        fault = f"the modes in {path} contain a motion without strain, or the stiffness is not positive"
        raise ModelError(fault, "hold the body at its frame before the reduction, or leave its rigid modes out")
    return values, V * np.where(V[np.argmax(np.abs(V), axis=0), range(len(V))] < 0, -1, 1)


def _not_positive(path: Path) -> ModelError:
    return ModelError(f"mass in {path} is not positive", "write the masses of the points in kg")


def _weighted(mass: np.ndarray, fields: np.ndarray) -> np.ndarray:
    """Fields (…, N, 3) times the masses of the points."""
    return fields * mass[:, None] if mass.ndim == 1 else np.einsum("ij,...jk->...ik", mass, fields)


def _has_rigid_motion(X: np.ndarray, mass: np.ndarray, modes: np.ndarray) -> bool:
    """Whether a combination of modes of mass 1 is a rigid motion of the points."""
    shifts = np.broadcast_to(np.eye(3)[:, None, :], (3, *X.shape))
    rigid = np.concatenate([shifts, [np.cross(axis, X - X.mean(axis=0)) for axis in np.eye(3)]]).reshape(6, -1)
    weighted = _weighted(mass, rigid.reshape(6, *X.shape)).reshape(6, -1)
    sizes, U = np.linalg.eigh(rigid @ weighted.T)
    kept = sizes > ROUND_OFF * sizes[-1]
    along = (U[:, kept] / np.sqrt(sizes[kept])).T @ weighted @ modes.reshape(len(modes), -1).T
    return bool(np.linalg.norm(along, 2) ** 2 > 1 - DEPENDENT)


def _equivalent(path: Path, X: np.ndarray, mass: np.ndarray, shapes: np.ndarray) -> np.ndarray:
    """Points (rank, 4 + 3n) of equal mass with the inertia integrals of all points."""
    functions = np.concatenate([np.ones((1, len(X))), X.T, shapes.transpose(0, 2, 1).reshape(-1, len(X))])
    G = functions @ (functions * mass if mass.ndim == 1 else functions @ mass).T
    size = np.sqrt(np.maximum(np.diag(G), 0))
    size[size <= ROUND_OFF * size.max()] = 0
    used = np.flatnonzero(size)
    values, U = np.linalg.eigh(G[np.ix_(used, used)] / np.outer(size[used], size[used]))
    if values[0] < -ROUND_OFF * values[-1]:
        raise _not_positive(path)
    kept = values > len(used) * EPSILON * values[-1]
    F = np.zeros((len(functions), kept.sum()))
    F[used] = size[used, None] * U[:, kept] * np.sqrt(values[kept])
    each = np.sqrt(G[0, 0] / F.shape[1])
    mirror = F[0] / np.linalg.norm(F[0]) - 1 / np.sqrt(F.shape[1])
    if mirror @ mirror > EPSILON**2:
        F = F - 2 * np.outer(F @ mirror, mirror) / (mirror @ mirror)
    return np.column_stack([np.full(F.shape[1], each**2), F[1:].T / each])
