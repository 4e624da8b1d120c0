"""Symbolic entries against the equations printed in the papers, typed in by hand, with docs/errata.md applied.

Every entry is equal (at fifty digits, at random rational numbers: Schwartz 1980, two different functions of this kind
agree there with probability zero) and has no more operations than the printed one in the same parameters.
"""

import random

import sympy
from sympy import Matrix, Rational, cos, diag, pi, sin, sqrt, symbols, zeros

import cardan
from tests.selection import each

HALF = Rational(1, 2)


def symbol(names):
    return symbols(names)


def crane(motors):
    """Hoang & Vuong, eqs. (29)-(34); full: the mechanical and electrical rows of (33)."""
    mt, mp, L, rw, g, d1, r, Im, dm, Km, Ke, Ra, La = symbol("mt mp L rw g d1 r Im dm Km Ke Ra La")
    q2, v2 = symbol("swing swing.v")
    terms = {
        "M": Matrix([[mt + mp + (r / rw) ** 2 * Im, mp * L * cos(q2)], [mp * L * cos(q2), mp * L**2]]),
        "C": Matrix([[0, -mp * L * v2 * sin(q2)], [0, 0]]),
        "g": Matrix([0, mp * g * L * sin(q2)]),
    }
    if motors == "full":
        return terms | {
            "D": diag(d1 + dm * (r / rw) ** 2, 0),
            "B": Matrix([(r / rw) * Km, 0]),
            "L": Matrix([La]),
            "R": Matrix([Ra]),
            "E": Matrix([[Ke * (r / rw), 0]]),
        }
    return terms | {
        "D": diag(d1 + dm * (r / rw) ** 2 + r**2 * Km / Ra * Ke / rw**2, 0),
        "B": Matrix([r * Km / Ra / rw, 0]),
    }


def manipulator(motors):
    """Hoang & Vuong, section 3.2, below (36); Ds with dm."""
    m1, m2, l1, a1, a2, I1, I2, d1, d2, g = symbol("m1 m2 l1 a1 a2 I1 I2 d1 d2 g")
    r, Im, dm, Km, Ke, Ra = symbol("r Im dm Km Ke Ra")
    q1, q2, v1, v2 = symbol("shoulder elbow shoulder.v elbow.v")
    M12 = I2 + m2 * (a2**2 + l1 * a2 * cos(q2))
    damping = r**2 * Km / Ra * Ke + r**2 * dm
    return {
        "M": Matrix(
            [
                [I1 + m1 * a1**2 + I2 + m2 * (l1**2 + a2**2 + 2 * l1 * a2 * cos(q2)) + r**2 * Im, M12],
                [M12, I2 + m2 * a2**2 + r**2 * Im],
            ]
        ),
        "C": Matrix(
            [
                [-m2 * l1 * a2 * v2 * sin(q2), -m2 * l1 * a2 * (v1 + v2) * sin(q2)],
                [m2 * l1 * a2 * v1 * sin(q2), 0],
            ]
        ),
        "D": diag(d1 + damping, d2 + damping),
        "g": Matrix([m1 * g * a1 * cos(q1) + m2 * g * (l1 * cos(q1) + a2 * cos(q1 + q2)), m2 * g * a2 * cos(q1 + q2)]),
        "B": diag(r * Km / Ra, r * Km / Ra),
    }


def slider_crank(motors):
    """Hoang & Vuong, section 3.3, below (38): flywheel in M11, dm in D; centres of mass at mid-length."""
    l1, l2, m1, m2, m3, Jw, IC1, IC2, g = symbol("l1 l2 m1 m2 m3 Jw IC1 IC2 g")
    r, Im, dm, Km, Ke, Ra = symbol("r Im dm Km Ke Ra")
    q1, q2, q3, v1, v2 = symbol("q1 q2 q3 q1.v q2.v")
    a1, a2 = l1 / 2, l2 / 2
    M12 = -m2 * l1 * a2 * cos(q1 + q2)
    return {
        "M": Matrix(
            [
                [IC1 + Jw + m1 * a1**2 + m2 * l1**2 + r**2 * Im, M12, 0],
                [M12, IC2 + m2 * a2**2, 0],
                [0, 0, m3],
            ]
        ),
        "C": Matrix([[0, m2 * l1 * a2 * v2 * sin(q1 + q2), 0], [m2 * l1 * a2 * v1 * sin(q1 + q2), 0, 0], [0, 0, 0]]),
        "D": diag(r**2 * Km / Ra * Ke + r**2 * dm, 0, 0),
        "g": Matrix([g * (m1 * a1 * cos(q1) + m2 * l1 * cos(q1)), -m2 * g * a2 * cos(q2), 0]),
        "B": Matrix([r * Km / Ra, 0, 0]),
        "Phi": Matrix([l1 * cos(q1) + l2 * cos(q2) - q3, l1 * sin(q1) - l2 * sin(q2)]),
        "Phi_q": Matrix([[-l1 * sin(q1), -l2 * sin(q2), -1], [l1 * cos(q1), -l2 * cos(q2), 0]]),
    }


def robot_3rrr(motors):
    """Hoang & Vuong, section 3.4: (39) and what follows, (40); D with dm. Lumped masses by the model's parameters."""
    R, b, l1, l2, m1, m2, m3, IC1, IC3 = symbol("R b l1 l2 m1 m2 m3 IC1 IC3")
    r, Im, dm, Km, Ke, Ra = symbol("r Im dm Km Ke Ra")
    x, y, phi = symbol("platform.x platform.y platform.rz")
    crank = Im * r**2 + IC1 + m1 * l1**2 / 4 + m2 * l1**2 / 2
    platform = m3 + 3 * HALF * m2
    Phi = []
    for k, alpha in enumerate((7 * pi / 6, -pi / 6, pi / 2)):
        theta = symbol(f"crank{k + 1}")
        dx = x + b * cos(phi + alpha) - R * cos(alpha) - l1 * cos(theta)
        dy = y + b * sin(phi + alpha) - R * sin(alpha) - l1 * sin(theta)
        Phi.append(dx**2 + dy**2 - l2**2)
    damping = r**2 * Km / Ra * Ke + r**2 * dm
    return {
        "M": diag(crank, crank, crank, platform, platform, IC3 + 3 * HALF * m2 * b**2),
        "C": zeros(6, 6),
        "D": diag(damping, damping, damping, 0, 0, 0),
        "g": zeros(6, 1),
        "B": diag(r * Km / Ra, r * Km / Ra, r * Km / Ra).col_join(zeros(3, 3)),
        "Phi": Matrix(Phi),
    }


def compound_pendulum(motors):
    """Wojtusch, section 1.3."""
    m, l, g, q = symbol("m l g pendulum")
    return {"M": Matrix([m * l**2 / 3]), "C": zeros(1, 1), "g": Matrix([m * g * l * sin(q) / 2])}


def spring_pendulum(motors):
    """Wojtusch, section 2.3."""
    m, k, d, g, q = symbol("m k d g slider")
    return {"M": Matrix([m]), "C": zeros(1, 1), "D": Matrix([d]), "g": Matrix([k * q - m * g])}


def trolley_pendulum(motors):
    """Wojtusch, section 3.3, with + m l² q̈2 / 3; the term with q̇2² as a column of C."""
    m, l, k, d, g, q2, v2 = symbol("m l k d g pendulum pendulum.v")
    coupling = m * l * cos(q2) / 2
    return {
        "M": Matrix([[m, coupling], [coupling, m * l**2 / 3]]),
        "C": Matrix([[0, -v2 * m * l * sin(q2) / 2], [0, 0]]),
        "D": diag(0, d),
        "g": Matrix([0, q2 * k + g * m * l * sin(q2) / 2]),
    }


def scara(motors):
    """Wojtusch, section 4.4, M11 with − 2 l1 r2y sin q2."""
    m1, m2, l1, l2, I1, I2, r1x, r1y, r2x, r2y, g = symbol("m1 m2 l1 l2 I1 I2 r1x r1y r2x r2y g")
    q1, q2 = symbol("joint1 joint2")
    M12 = m2 * ((r2x + l2) ** 2 + r2y**2 + l1 * l2 * cos(q2) + l1 * (r2x * cos(q2) - r2y * sin(q2))) + I2
    M11 = (
        m1 * (l1**2 + r1x**2 + r1y**2 + 2 * l1 * r1x)
        + m2 * (l1**2 + l2**2 + r2x**2 + r2y**2 + 2 * l2 * r2x)
        + m2 * (2 * l1 * l2 * cos(q2) + 2 * l1 * r2x * cos(q2) - 2 * l1 * r2y * sin(q2))
        + I1
        + I2
    )
    first = m1 * g * ((l1 + r1x) * cos(q1) - r1y * sin(q1)) + m2 * g * (
        l1 * sin(q2) * sin(q1 + q2) + l1 * cos(q2) * cos(q1 + q2) + (r2x + l2) * cos(q1 + q2) - r2y * sin(q1 + q2)
    )
    return {
        "M": Matrix([[M11, M12], [M12, m2 * ((r2x + l2) ** 2 + r2y**2) + I2]]),
        "g": Matrix([first, m2 * g * ((r2x + l2) * cos(q1 + q2) - r2y * sin(q1 + q2))]),
    }


CASES = [
    ("overhead_crane", "full", crane),
    ("overhead_crane", "simplified", crane),
    ("planar_manipulator", "simplified", manipulator),
    ("slider_crank", "simplified", slider_crank),
    ("planar_3rrr", "simplified", robot_3rrr),
    ("compound_pendulum", "none", compound_pendulum),
    ("spring_pendulum", "none", spring_pendulum),
    ("trolley_pendulum", "none", trolley_pendulum),
    ("scara", "none", scara),
]


def lumped():
    """The 3RRR model's parameters for lumped masses, in those of the paper."""
    m1, m2, l1, b, IC1, IC3 = symbol("m1 m2 l1 b IC1 IC3")
    mc = m1 + m2 / 2
    xc = l1 * (m1 + m2) / (2 * mc)
    own = {"mc": mc, "xc": xc, "Ic": IC1 + m1 * l1**2 / 4 + m2 * l1**2 / 2 - mc * xc**2, "Ip": IC3 + 3 * m2 * b**2 / 2}
    return {symbol(name): value for name, value in own.items()}


def equal(ours, printed, seed=3):
    """Whether two expressions have the same fifty digits at random rational numbers."""
    difference = (ours - printed).subs(lumped())
    rng = random.Random(seed)
    for _ in range(2):
        names = sorted(difference.free_symbols, key=str)
        at = {name: Rational(rng.randrange(1, 997), 997) for name in names}
        if abs(sympy.N(difference.subs(at), 60)) > sympy.Float("1e-50"):
            return False
    return True


@each("name, motors, paper", CASES)
def test_entries_are_the_printed_ones_and_not_longer(name, motors, paper):
    eq = cardan.equations(cardan.load(name), motors=motors)
    for term, printed in paper(motors).items():
        ours = getattr(eq, term)
        assert ours.shape == printed.shape
        for place, entry in enumerate(printed):
            assert equal(ours[place], entry), f"{term}[{place}]: {ours[place]} is not {entry}"
            assert sympy.count_ops(ours[place]) <= sympy.count_ops(entry), f"{term}[{place}]: {ours[place]}"


def test_the_velocity_terms_of_the_scara():
    """Wojtusch, section 4.4 prints C q̇ alone."""
    m2, l1, l2, r2x, r2y, q2, v1, v2 = symbol("m2 l1 l2 r2x r2y joint2 joint1.v joint2.v")
    printed = [
        -m2 * l1 * v2 * (2 * v1 + v2) * (r2y * cos(q2) + l2 * sin(q2) + r2x * sin(q2)),
        m2 * l1 * ((r2x + l2) * sin(q2) + r2y * cos(q2)) * v1**2,
    ]
    C = cardan.equations(cardan.load("scara"), motors="none").C
    for row, entry in enumerate(printed):
        assert equal((C[row, :] * Matrix([v1, v2]))[0], entry)
        assert max(map(sympy.count_ops, C[row, :])) <= sympy.count_ops(entry)


def test_the_jacobian_of_the_3rrr_robot_is_the_derivative_of_its_printed_constraints():
    """(40) is printed; Φq is only named."""
    eq = cardan.equations(cardan.load("planar_3rrr"), motors="simplified")
    printed = robot_3rrr("simplified")["Phi"].jacobian([symbol(name) for name in eq.coordinates])
    for place, entry in enumerate(printed):
        assert equal(eq.Phi_q[place], entry)
        assert sympy.count_ops(eq.Phi_q[place]) <= sympy.count_ops(entry)


def test_a_wrong_sign_is_seen():
    """The comparison can fail: the erratum of SCARA's M11 put back."""
    m2, l1, r2y, q2 = symbol("m2 l1 r2y joint2")
    eq = cardan.equations(cardan.load("scara"), motors="none")
    assert not equal(eq.M[0, 0] + 4 * m2 * l1 * r2y * sin(q2), scara("none")["M"][0, 0])
    assert equal(sqrt(3) * eq.M[0, 0] / sqrt(3), scara("none")["M"][0, 0])
