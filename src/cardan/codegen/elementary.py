"""Functions that are no single machine instruction, as LLVM text for one number or for W lanes.

sin and cos are computed together and inline, with the same steps for one number and for lanes:

    k = round(2|x|/π),   r = |x| − k π/2 with π/2 = P1 + P2 + P3 (three doubles, fused multiply-add),   polynomials in r² on |r| ≤ π/4

x − k P1 is exact: it is a multiple of 2⁻⁵³ below 1. P2 and P3 carry π/2 on to 161 bits, so r is right to the last bit for |x| ≤ 2³⁰ even where it nearly
vanishes (no double there is closer than 2⁻⁶² to a multiple of π/2). Larger arguments, infinities and NaN take a branch to the C library.
All other functions call the C library, lane by lane.

Source: W. J. Cody & W. Waite, Software Manual for the Elementary Functions (1980), ch. 8, for the reduction; fdlibm 5.3, `k_sin.c` and `k_cos.c`, for the
polynomials and their error bound 2⁻⁵⁸; J.-M. Muller, Elementary Functions (2016), §11.2, for the reduction with fused multiply-adds.
"""

from __future__ import annotations

from .operations import LIBM
from .widths import Width

__all__ = ["erfinv", "lookup_reader", "lookup_search", "per_lane", "rare_sincos", "sincos"]

LIMIT = 2.0**30
ROUND = 1.5 * 2.0**52
TWO_OVER_PI = 0.6366197723675814
HALF_PI = (float.fromhex("0x1.921fb54442d18p+0"), float.fromhex("0x1.1a62633145c07p-54"), float.fromhex("-0x1.f1976b7ed8fbcp-110"))
SIN = (
    *(-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04),
    *(2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10),
)
COS = (
    *(4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05),
    *(-2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11),
)


def sincos(t: Width, s: str, c: str, x: str, label: str) -> list[str]:
    """Lines that make `s` = sin x and `c` = cos x.

    Parameters
    ----------
    t : Width
        One number or lanes.
    s, c : str
        Names of the two results.
    x : str
        The angle [rad].
    label : str
        A name that is unique in the function, for temporaries and blocks.
    """
    n, T, I = label, t.number, t.integer

    def fma(r: str, a: str, b: str, c: str) -> str:
        return f"%{n}.{r} = call {T} @llvm.fma.{t.suffix}({T} {a}, {T} {b}, {T} {c})"

    def horner(r: str, coefficients: tuple[float, ...]) -> list[str]:
        last = t.constant(coefficients[-1])
        lines = []
        for i in range(len(coefficients) - 2, -1, -1):
            lines.append(fma(f"{r}{i}", last, f"%{n}.z", t.constant(coefficients[i])))
            last = f"%{n}.{r}{i}"
        return lines

    return [
        f"%{n}.abs = call {T} @llvm.fabs.{t.suffix}({T} {x})",
        fma("kr", f"%{n}.abs", t.constant(TWO_OVER_PI), t.constant(ROUND)),
        f"%{n}.k = fsub {T} %{n}.kr, {t.constant(ROUND)}",
        f"%{n}.m = fneg {T} %{n}.k",
        fma("r1", f"%{n}.m", t.constant(HALF_PI[0]), f"%{n}.abs"),
        fma("r2", f"%{n}.m", t.constant(HALF_PI[1]), f"%{n}.r1"),
        fma("r", f"%{n}.m", t.constant(HALF_PI[2]), f"%{n}.r2"),
        f"%{n}.z = fmul {T} %{n}.r, %{n}.r",
        *horner("s", SIN),
        f"%{n}.rz = fmul {T} %{n}.r, %{n}.z",
        fma("sr", f"%{n}.rz", f"%{n}.s0", f"%{n}.r"),
        *horner("c", COS),
        f"%{n}.h = fmul {T} %{n}.z, {t.constant(0.5)}",
        f"%{n}.w = fsub {T} {t.constant(1.0)}, %{n}.h",
        f"%{n}.e = fsub {T} {t.constant(1.0)}, %{n}.w",
        f"%{n}.e1 = fsub {T} %{n}.e, %{n}.h",
        f"%{n}.zz = fmul {T} %{n}.z, %{n}.z",
        fma("e2", f"%{n}.zz", f"%{n}.c0", f"%{n}.e1"),
        f"%{n}.cr = fadd {T} %{n}.w, %{n}.e2",
        *_quadrant(t, n, x),
        f"%{n}.ok = fcmp ole {T} %{n}.abs, {t.constant(LIMIT)}",
        *t.all(f"%{n}.all", f"%{n}.ok"),
        f"br i1 %{n}.all, label %{n}.common, label %{n}.rare, !prof !0",
        f"{n}.rare:",
        f"%{n}.both = call {{{T}, {T}}} @sincos.rare({T} {x}, {T} %{n}.sf, {T} %{n}.cf)",
        f"%{n}.sl = extractvalue {{{T}, {T}}} %{n}.both, 0",
        f"%{n}.cl = extractvalue {{{T}, {T}}} %{n}.both, 1",
        f"br label %{n}.next",
        f"{n}.common:",
        f"br label %{n}.next",
        f"{n}.next:",
        f"{s} = phi {T} [ %{n}.sf, %{n}.common ], [ %{n}.sl, %{n}.rare ]",
        f"{c} = phi {T} [ %{n}.cf, %{n}.common ], [ %{n}.cl, %{n}.rare ]",
    ]


def _quadrant(t: Width, n: str, x: str) -> list[str]:
    """Odd k swaps sine and cosine; bit 1 of k and the sign of x turn the sine, bit 1 of k + 1 the cosine."""
    T, I = t.number, t.integer
    return [
        f"%{n}.q = bitcast {T} %{n}.kr to {I}",
        f"%{n}.odd = and {I} %{n}.q, {t.whole(1)}",
        f"%{n}.swap = icmp ne {I} %{n}.odd, {t.whole(0)}",
        f"%{n}.sa = select {t.boolean} %{n}.swap, {T} %{n}.cr, {T} %{n}.sr",
        f"%{n}.ca = select {t.boolean} %{n}.swap, {T} %{n}.sr, {T} %{n}.cr",
        f"%{n}.q1 = add {I} %{n}.q, {t.whole(1)}",
        f"%{n}.xb = bitcast {T} {x} to {I}",
        *(f"%{n}.{u}t = shl {I} %{n}.{q}, {t.whole(62)}" for u, q in (("s", "q"), ("c", "q1"))),
        f"%{n}.su = xor {I} %{n}.st, %{n}.xb",
        *(f"%{n}.{u}g = and {I} %{n}.{v}, {t.whole(-(2**63))}" for u, v in (("s", "su"), ("c", "ct"))),
        *(f"%{n}.{u}b = bitcast {T} %{n}.{u}a to {I}" for u in "sc"),
        *(f"%{n}.{u}x = xor {I} %{n}.{u}b, %{n}.{u}g" for u in "sc"),
        *(f"%{n}.{u}f = bitcast {I} %{n}.{u}x to {T}" for u in "sc"),
    ]


def rare_sincos(t: Width) -> str:
    """The branch of `sincos` for arguments beyond its limit: those lanes are computed by the C library, the others kept."""
    T = t.number
    lines = [f"define internal {{{T}, {T}}} @sincos.rare({T} %x, {T} %s0, {T} %c0) cold noinline nounwind {{"]
    for lane in range(t.count):
        lines += t.take(f"%x{lane}", "%x", lane)
        lines += [
            f"%a{lane} = call double @llvm.fabs.f64(double %x{lane})",
            f"%b{lane} = fcmp ole double %a{lane}, {Width(0).constant(LIMIT)}",
        ]
        for u, name in (("s", "sin"), ("c", "cos")):
            lines += t.take(f"%{u}.old{lane}", f"%{u}{lane}", lane)
            lines += [
                f"%{u}.lib{lane} = call double @{name}(double %x{lane})",
                f"%{u}.new{lane} = select i1 %b{lane}, double %{u}.old{lane}, double %{u}.lib{lane}",
            ]
            lines += t.put(f"%{u}{lane + 1}", f"%{u}{lane}", f"%{u}.new{lane}", lane)
    return "\n".join(
        [
            *lines,
            f"%p = insertvalue {{{T}, {T}}} undef, {T} %s{t.count}, 0",
            f"%r = insertvalue {{{T}, {T}}} %p, {T} %c{t.count}, 1",
            f"ret {{{T}, {T}}} %r\n}}",
        ]
    )


def per_lane(t: Width, name: str) -> str:
    """A function of lanes, `lanes.name`, that calls the function `name` of numbers for each lane."""
    arity = LIBM.get(name, 1)
    args = "ab"[:arity]
    lines = [f"define internal {t.number} @lanes.{name}({', '.join(f'{t.number} %{a}' for a in args)}) noinline nounwind {{"]
    last = "undef"
    for lane in range(t.count):
        for a in args:
            lines += t.take(f"%{a}{lane}", f"%{a}", lane)
        lines.append(f"%y{lane} = call double @{name}({', '.join(f'double %{a}{lane}' for a in args)})")
        lines += t.put(f"%r{lane}", last, f"%y{lane}", lane)
        last = f"%r{lane}"
    return "\n".join([*lines, f"ret {t.number} {last}\n}}"])


def lookup_search(name: str, grid: tuple[float, ...]) -> str:
    """A function that returns the interval of the grid that holds x, by bisection: the number of inner knots that are not above x.

    A NaN is not below any knot, so that it lands in the last interval as in CasADi.

    Parameters
    ----------
    name : str
        Name of the function.
    grid : tuple of float
        Increasing knots.
    """
    inner = grid[1:-1]
    return f"""{_array(name, inner)}
define internal double @{name}(double %x) noinline nounwind {{
entry:
br label %loop
loop:
%low = phi i64 [ 0, %entry ], [ %low.next, %body ]
%high = phi i64 [ {len(inner)}, %entry ], [ %high.next, %body ]
%more = icmp slt i64 %low, %high
br i1 %more, label %body, label %done
body:
%sum = add i64 %low, %high
%middle = lshr i64 %sum, 1
%place = getelementptr double, ptr @{name}.data, i64 %middle
%knot = load double, ptr %place
%below = fcmp olt double %x, %knot
%above = add i64 %middle, 1
%low.next = select i1 %below, i64 %low, i64 %above
%high.next = select i1 %below, i64 %middle, i64 %high
br label %loop
done:
%r = sitofp i64 %low to double
ret double %r
}}"""


def lookup_reader(name: str, entries: tuple[float, ...]) -> str:
    """A function that returns the table's entry at an index, which is a whole number held in a double.

    Parameters
    ----------
    name : str
        Name of the function.
    entries : tuple of float
        The table.
    """
    return f"""{_array(name, entries)}
define internal double @{name}(double %index) noinline nounwind {{
%i = fptosi double %index to i64
%place = getelementptr double, ptr @{name}.data, i64 %i
%r = load double, ptr %place
ret double %r
}}"""


def _array(name: str, numbers: tuple[float, ...]) -> str:
    one = Width(0)
    body = ", ".join(f"double {one.constant(number)}" for number in numbers)
    return f"@{name}.data = internal constant [{len(numbers)} x double] [{body}]"


def erfinv() -> str:
    """The inverse error function as CasADi computes it: a rational start, then two Newton steps on erf (`casadi/core/calculus.hpp`)."""
    one = Width(0).constant
    body: list[str] = []

    def make(operation: str, *args: str) -> str:
        name = f"%t{len(body)}"
        body.append(f"{name} = {operation} double {', '.join(args)}")
        return name

    def call(function: str, x: str) -> str:
        name = f"%t{len(body)}"
        body.append(f"{name} = call double @{function}(double {x})")
        return name

    def polynomial(x: str, *coefficients: float) -> str:
        y = one(coefficients[0])
        for coefficient in coefficients[1:]:
            y = make("fadd", make("fmul", y, x), one(coefficient))
        return y

    def select(condition: str, a: str, b: str) -> str:
        test = f"%t{len(body)}"
        body.append(f"{test} = fcmp {condition}")
        name = f"%t{len(body)}"
        body.append(f"{name} = select i1 {test}, double {a}, double {b}")
        return name

    size = call("llvm.fabs.f64", "%x")
    square = make("fmul", "%x", "%x")
    inner = make(
        "fdiv",
        make("fmul", "%x", polynomial(square, -0.140543331, 0.914624893, -1.645349621, 0.886226899)),
        polynomial(square, -0.329097515, 0.012229801, 1.442710462, -2.118377725, 1.0),
    )
    tail = make("fdiv", make("fsub", one(1.0), size), one(2.0))
    z = call("llvm.sqrt.f64", make("fneg", call("log", tail)))
    ratio = make(
        "fdiv", polynomial(z, 1.641345311, 3.429567803, -1.624906493, -1.970840454), polynomial(z, 1.637067800, 3.543889200, 1.0)
    )
    y = select(f"olt double %x, {one(0.7)}", inner, ratio)
    for _ in range(2):
        slope = make("fmul", one(1.1283791670955126), call("exp", make("fneg", make("fmul", y, y))))
        y = make("fsub", y, make("fdiv", make("fsub", call("erf", y), "%x"), slope))
    y = select(f"olt double %x, {one(-0.7)}", make("fneg", ratio), y)
    pole = select(f"oeq double {size}, {one(1.0)}", make("fdiv", "%x", one(0.0)), one(float("nan")))
    y = select(f"oge double {size}, {one(1.0)}", pole, y)
    return "\n".join(["define internal double @erfinv(double %x) noinline nounwind {", *body, f"ret double {y}\n}}"])
