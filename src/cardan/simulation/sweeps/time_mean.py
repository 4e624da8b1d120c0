"""Means over time of samples."""

from __future__ import annotations

import numpy as np

__all__ = ["time_mean"]

SAME = 1024 * np.finfo(float).eps  # distance of two instants over t at which they are the two sides of a jump [-]


def time_mean(t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Mean (*shape) over time of samples y (N, *shape) at ascending instants t (N,): ∫ y dt / (t_end − t_0).

    Between jumps, at which two instants are equal or one rounding apart, y is the cubic spline through the samples.

    Example
    -------
    >>> t = np.array([0.0, 0.5, 1.0, 1.0, 2.0])
    >>> float(time_mean(t, np.array([0.0, 0.25, 1.0, 5.0, 5.0])))  # t² up to a jump, then 5: (1/3 + 5)/2
    2.6666666666666665
    """
    from scipy.interpolate import CubicSpline

    if not t[-1] > t[0]:
        return np.asarray(y[-1])
    if not np.isfinite(y).all():
        return np.asarray(np.trapezoid(y, t, axis=0) / (t[-1] - t[0]))
    ends = np.flatnonzero(np.diff(t) <= SAME * np.abs(t[1:])) + 1
    pieces = [slice(*between) for between in zip([0, *ends], [*ends, len(t)], strict=True)]
    parts = [CubicSpline(t[k], y[k]).integrate(t[k][0], t[k][-1]) for k in pieces if k.stop - k.start > 1]
    return np.asarray(sum(parts) / (t[-1] - t[0]))
