"""Means over time of samples, and the instants that a mean as accurate as the steps needs."""

import numpy as np

from cardan.integration.events import RESOLUTION
from cardan.simulation.instants import FINEST

ORDER = 4  # nodes in each step; exact for polynomials of degree 7, as which the continuous extension of dop853 is made


def time_mean(t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean (*shape) over time of samples y (N, *shape) at ascending instants t (N,), and a bound of its error (*shape).

    Between jumps, at which two instants are equal or one rounding apart, y is the cubic spline through the samples; the
    bound is the difference to the splines through every second one.

    Example
    -------
    >>> t = np.array([0.0, 0.5, 1.0, 1.0, 2.0])
    >>> float(time_mean(t, np.array([0.0, 0.25, 1.0, 5.0, 5.0]))[0])  # t² up to a jump, then 5: (1/3 + 5)/2
    2.6666666666666665
    """
    if not t[-1] > t[0]:
        return np.asarray(y[-1]), np.zeros_like(y[-1])
    if not np.isfinite(y).all():
        mean = np.asarray(np.trapezoid(y, t, axis=0) / (t[-1] - t[0]))
        return mean, np.zeros_like(mean)
    ends = np.flatnonzero(_same(t)) + 1
    pieces = [slice(*between) for between in zip([0, *ends], [*ends, len(t)], strict=True)]
    fine, coarse = (sum(_integral(t[k], y[k], every) for k in pieces) / (t[-1] - t[0]) for every in (1, 2))
    return np.asarray(fine), np.abs(fine - coarse)


def nodes(t: np.ndarray, rtol: float) -> tuple[np.ndarray, np.ndarray]:
    """Instants (M,) of Gauss's rule between ends of steps t (N,), and the weights (M,) of a mean over the time.

    Ends of steps that are close together are not returned by a run. After its begin and after jumps, where fast parts
    decay, distances are therefore halved down to the part `rtol` of the time, in which no decay changes the mean.
    """
    places, weights = np.polynomial.legendre.leggauss(ORDER)
    long = ~_same(t)
    begins = long & [True, *~long[:-1]]
    shares = rtol * (t[-1] - t[0]) / np.diff(t)[begins]
    parts = np.exp2(-np.arange(1.0, max(0.0, -np.log2(np.min(shares, initial=1.0))) + 1))
    if parts.size * shares.size <= FINEST:
        t = np.sort(np.concatenate([t, np.ravel(t[:-1][begins, None] + np.diff(t)[begins, None] * parts)]))
        long = ~_same(t)
    begin, end = t[:-1][long], t[1:][long]
    middle, half = (end + begin) / 2, (end - begin) / 2
    return np.ravel(middle[:, None] + half[:, None] * places), np.ravel(half[:, None] * weights) / (t[-1] - t[0])


def _same(t: np.ndarray) -> np.ndarray:
    """Between which instants a jump may lie (N − 1,)."""
    return np.diff(t) <= RESOLUTION * np.abs(t[1:])


def _integral(t: np.ndarray, y: np.ndarray, every: int) -> np.ndarray:
    """Integral (*shape) of the spline through every so many samples and the last one."""
    from scipy.interpolate import CubicSpline

    kept = np.unique([*range(0, len(t), every), len(t) - 1])
    return CubicSpline(t[kept], y[kept]).integrate(t[0], t[-1]) if len(kept) > 1 else np.zeros_like(y[0])
