"""Noise of sampled measurements: the same numbers from one seed on every machine, in sweeps and in exported code.

Two multiplicative generators of whole numbers x ← a x mod m, whose products stay below 2⁵³ and are therefore exact in
any floating-point arithmetic, give a normal number by the method of Box and Muller.

Source: L'Ecuyer 1988, Commun. ACM 31(6), p. 742 (a and m); Box & Muller 1958, Ann. Math. Stat. 29, p. 610
"""

import zlib
from random import Random
from typing import Any

_GENERATORS = ((40014, 2147483563), (40692, 2147483399))  # (a, m)


def gaussian(name: str, seed: int) -> tuple[dict[str, dict[str, Any]], str]:
    """Sampled states of a source of noise, and its normal number of mean 0 and variance 1; each name has its own."""
    begin = Random(zlib.crc32(name.encode()) ^ seed << 32)
    states = {
        f"{name}.noise_{k}": {"next": f"mod({a}*{name}.noise_{k}, {m})", "initial": 1 + int(begin.random() * (m - 1))}
        for k, (a, m) in enumerate(_GENERATORS, start=1)
    }
    (first, m1), (second, m2) = zip(states, (m for _, m in _GENERATORS), strict=True)
    return states, f"sqrt(-2*log({first}/{m1}))*cos(2*pi*{second}/{m2})"
