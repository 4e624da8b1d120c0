"""Sine and cosine of one angle together, inline, with the same steps for one number and for lanes.

    k = round(2|x|/π),   r = |x| − k π/2,   polynomials in r² on |r| ≤ π/4,   quadrant from the last two bits of k

π/2 is the sum of three doubles P1 + P2 + P3, subtracted by fused multiply-adds. The first step is exact, because
x − k P1 is a multiple of 2⁻⁵³ below 1; P2 and P3 carry π/2 on to 161 bits. So r is right to its last bits for |x| ≤ 2³⁰
also where it nearly vanishes: no double is closer than 2⁻⁶² to a multiple of π/2. Larger arguments, infinities and NaN
take a branch to the C library. Against exact values the largest error found is 1.5 units in the last place.

Source: W. J. Cody & W. Waite, Software Manual for the Elementary Functions (1980), ch. 8, and J.-M. Muller, Elementary
Functions (3rd ed., 2016), §11.2, for the reduction; fdlibm 5.3, `k_sin.c` and `k_cos.c`, for the polynomials, whose own
error is below 2⁻⁵⁸.
"""

from cardan.codegen.llvm.widths import Width

LIMIT = 2.0**30
"""Largest argument that is reduced inline."""
ROUND = 1.5 * 2.0**52
"""Adding and subtracting it rounds to a whole number; the last bits of the sum are the bits of that number."""
TWO_OVER_PI = 0.6366197723675814
HALF_PI = (
    float.fromhex("0x1.921fb54442d18p+0"),
    float.fromhex("0x1.1a62633145c07p-54"),
    float.fromhex("-0x1.f1976b7ed8fbcp-110"),
)
SIN = (
    *(-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04),
    *(2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10),
)
"""sin r = r + r³ (S1 + S2 r² + …)"""
COS = (
    *(4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05),
    *(-2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11),
)
"""cos r = 1 − r²/2 + r⁴ (C1 + C2 r² + …)"""


def sincos(width: Width, s: str, c: str, x: str, label: str) -> list[str]:
    """Lines that make `s` = sin x and `c` = cos x."""
    T, pair = width.number, f"{{{width.number}, {width.number}}}"
    lines = [
        *_reduction(width, x),
        *_polynomials(width),
        *_quadrant(width, x),
        f"$ok = fcmp ole {T} $abs, {width.constant(LIMIT)}",
        *width.all("$all", "$ok"),
        "br i1 $all, label $common, label $rare, !prof !0",
        f"{label}.rare:",
        f"$both = call {pair} @sincos.rare.{width.suffix}({T} {x}, {T} $sin, {T} $cos)",
        f"$sin.rare = extractvalue {pair} $both, 0",
        f"$cos.rare = extractvalue {pair} $both, 1",
        "br label $next",
        f"{label}.common:",
        "br label $next",
        f"{label}.next:",
        f"{s} = phi {T} [ $sin, $common ], [ $sin.rare, $rare ]",
        f"{c} = phi {T} [ $cos, $common ], [ $cos.rare, $rare ]",
    ]
    return [line.replace("$", f"%{label}.") for line in lines]


def _fma(width: Width, r: str, a: str, b: str, c: str) -> str:
    T = width.number
    return f"{r} = call {T} @llvm.fma.{width.suffix}({T} {a}, {T} {b}, {T} {c})"


def _reduction(width: Width, x: str) -> list[str]:
    """|x|, k (as `$rounded`, in its last bits) and r."""
    T = width.number
    lines = [
        f"$abs = call {T} @llvm.fabs.{width.suffix}({T} {x})",
        _fma(width, "$rounded", "$abs", width.constant(TWO_OVER_PI), width.constant(ROUND)),
        f"$k = fsub {T} $rounded, {width.constant(ROUND)}",
        f"$minus = fneg {T} $k",
    ]
    rest = "$abs"
    for i, part in enumerate(HALF_PI):
        lines.append(_fma(width, f"$r{i}", "$minus", width.constant(part), rest))
        rest = f"$r{i}"
    return lines


def _polynomials(width: Width) -> list[str]:
    """`$sr` and `$cr`, sine and cosine of r; 1 − r²/2 is rounded and its rounding error carried along."""
    T, one, half = width.number, width.constant(1.0), width.constant(0.5)
    r = f"$r{len(HALF_PI) - 1}"
    return [
        f"$z = fmul {T} {r}, {r}",
        *_horner(width, "$s", SIN),
        f"$rz = fmul {T} {r}, $z",
        _fma(width, "$sr", "$rz", "$s0", r),
        *_horner(width, "$c", COS),
        f"$h = fmul {T} $z, {half}",
        f"$w = fsub {T} {one}, $h",
        f"$lost = fsub {T} {one}, $w",
        f"$error = fsub {T} $lost, $h",
        f"$zz = fmul {T} $z, $z",
        _fma(width, "$tail", "$zz", "$c0", "$error"),
        f"$cr = fadd {T} $w, $tail",
    ]


def _horner(width: Width, name: str, coefficients: tuple[float, ...]) -> list[str]:
    last = width.constant(coefficients[-1])
    lines = []
    for i in range(len(coefficients) - 2, -1, -1):
        lines.append(_fma(width, f"{name}{i}", last, "$z", width.constant(coefficients[i])))
        last = f"{name}{i}"
    return lines


def _quadrant(width: Width, x: str) -> list[str]:
    """`$sin` and `$cos`: odd k swaps the two; bit 1 of k and the sign of x turn the sine, bit 1 of k + 1 the cosine."""
    T, N, B = width.number, width.integer, width.boolean
    return [
        f"$q = bitcast {T} $rounded to {N}",
        f"$last = and {N} $q, {width.whole(1)}",
        f"$odd = icmp ne {N} $last, {width.whole(0)}",
        f"$sin.size = select {B} $odd, {T} $cr, {T} $sr",
        f"$cos.size = select {B} $odd, {T} $sr, {T} $cr",
        f"$x.bits = bitcast {T} {x} to {N}",
        f"$sin.top = shl {N} $q, {width.whole(62)}",
        f"$sin.turn = xor {N} $sin.top, $x.bits",
        f"$q1 = add {N} $q, {width.whole(1)}",
        f"$cos.turn = shl {N} $q1, {width.whole(62)}",
        *(line for name in ("sin", "cos") for line in _turn(width, name)),
    ]


def _turn(width: Width, name: str) -> list[str]:
    """The sign bit of `turn` reverses the sign of `size`."""
    T, N = width.number, width.integer
    return [
        f"${name}.sign = and {N} ${name}.turn, {width.whole(-(2**63))}",
        f"${name}.bits = bitcast {T} ${name}.size to {N}",
        f"${name}.turned = xor {N} ${name}.bits, ${name}.sign",
        f"${name} = bitcast {N} ${name}.turned to {T}",
    ]


def rare_sincos(width: Width) -> str:
    """The branch of `sincos` for arguments beyond its limit: the C library computes those lanes,
    the others are kept.
    """
    T = width.number
    pair, limit = f"{{{T}, {T}}}", Width(0).constant(LIMIT)
    lines = [f"define internal {pair} @sincos.rare.{width.suffix}({T} %x, {T} %s0, {T} %c0) cold noinline nounwind {{"]
    for lane in range(width.count):
        lines += width.take(f"%x{lane}", "%x", lane)
        lines.append(f"%abs{lane} = call double @llvm.fabs.f64(double %x{lane})")
        lines.append(f"%small{lane} = fcmp ole double %abs{lane}, {limit}")
        for u, name in (("s", "sin"), ("c", "cos")):
            lines += width.take(f"%{u}.inline{lane}", f"%{u}{lane}", lane)
            lines.append(f"%{u}.library{lane} = call double @{name}(double %x{lane})")
            lines.append(
                f"%{u}.new{lane} = select i1 %small{lane}, double %{u}.inline{lane}, double %{u}.library{lane}"
            )
            lines += width.put(f"%{u}{lane + 1}", f"%{u}{lane}", f"%{u}.new{lane}", lane)
    lines.append(f"%first = insertvalue {pair} undef, {T} %s{width.count}, 0")
    lines.append(f"%result = insertvalue {pair} %first, {T} %c{width.count}, 1")
    return "\n".join([*lines, f"ret {pair} %result\n}}"])
