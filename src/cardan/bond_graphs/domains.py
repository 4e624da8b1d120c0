"""Domains of energy: names and units of effort, flow and what they accumulate to; a domain is data, not code.

Source: Karnopp, Margolis & Rosenberg 2012, *System Dynamics*, 5th ed., Tables 2.1–2.6
"""

from cardan.frozen import dataclass


@dataclass(frozen=True)
class Variable:
    """A physical quantity as people write it."""

    name: str  # "torque"
    symbol: str  # "τ"
    unit: str  # "N*m"


@dataclass(frozen=True)
class Domain:
    """One domain of energy; effort times flow is a power [W]."""

    name: str
    effort: Variable
    flow: Variable
    momentum: Variable  # integral of the effort
    displacement: Variable  # integral of the flow


def _domain(name: str, *quantities: str) -> Domain:
    """A domain from four texts "name symbol unit"; words of a name are joined by underscores."""
    parts = (text.split() for text in quantities)
    return Domain(name, *(Variable(word.replace("_", " "), symbol, unit) for word, symbol, unit in parts))


DOMAINS = {
    domain.name: domain
    for domain in (
        _domain("translation", "force F N", "velocity v m/s", "momentum p N*s", "displacement x m"),
        _domain("rotation", "torque τ N*m", "angular_velocity ω rad/s", "angular_momentum L N*m*s", "angle θ rad"),
        _domain("electrical", "voltage u V", "current i A", "flux_linkage λ V*s", "charge q A*s"),
        _domain("hydraulic", "pressure P Pa", "flow_rate Q m^3/s", "pressure_momentum Γ Pa*s", "volume V m^3"),
        _domain("pneumatic", "pressure P Pa", "flow_rate Q m^3/s", "pressure_momentum Γ Pa*s", "volume V m^3"),
        _domain("magnetic", "magnetomotive_force M A", "flux_rate φ̇ V", "impulse – A*s", "flux φ V*s"),
        _domain("thermal", "temperature T K", "entropy_flow Ṡ W/K", "impulse – K*s", "entropy S J/K"),
    )
}
"""Domains by name: one line each."""
