"""Published sheets of three makers give their derived figures from their primary ones, within the printed digits."""

from itertools import product

from cardan.model.drives.sources.datasheet import Datasheet
from cardan.model.quantities.scalar import Scalar
from tests.selection import each

MAXON = (  # 48 V motor; sheet of maxon's product page as it stands in a public reader of such sheets (E. Pezent, 2016)
    {
        "voltage": (48, 0, "V"),
        "resistance": (2.45, 0.01, "ohm"),
        "constant": (53.8, 0.1, "mN*m/A"),
        "no_load_current": (78.6, 0.1, "mA"),
        "inductance": (0.513, 0.001, "mH"),
        "inertia": (34.7, 0.1, "g*cm^2"),
    },
    {
        "no_load_speed": (8490, 10, "rpm"),
        "stall_torque": (1050, 10, "mN*m"),
        "stall_current": (19.6, 0.1, "A"),
        "max_efficiency": (0.88, 0.01, ""),
        "speed_constant": (178, 1, "rpm/V"),
        "speed_torque_gradient": (8.09, 0.01, "rpm/(mN*m)"),
        "mechanical_time_constant": (2.94, 0.01, "ms"),
    },
)
FAULHABER = (  # 1331 T 006 SR, sheet "DC-Micromotors 3,2 mNm" (paperzz.com/doc/7782699)
    {
        "voltage": (6, 0, "V"),
        "resistance": (2.83, 0.01, "ohm"),
        "constant": (5.35, 0.01, "mN*m/A"),
        "no_load_current": (22.0, 0.1, "mA"),
        "inertia": (0.71, 0.01, "g*cm^2"),
    },
    {
        "no_load_speed": (10600, 100, "rpm"),
        "starting_torque": (11.20, 0.01, "mN*m"),  # "stall torque": without that of the friction
        "friction": (0.12, 0.01, "mN*m"),
        "max_efficiency": (0.81, 0.01, ""),
        "speed_constant": (1790, 10, "rpm/V"),
        "speed_torque_gradient": (946, 1, "rpm/(mN*m)"),
        "mechanical_time_constant": (7, 1, "ms"),
    },
)
MAGMOTOR = (  # S28 F2-300FX, calculation data sheet 500280454 rev. A of 2018, on whose primary figures is an asterisk
    {
        "voltage": (24, 0, "V"),
        "constant": (11.5, 0.1, "V/krpm"),
        "resistance": (0.32, 0.01, "ohm"),
        "no_load_current": (1.45, 0.01, "A"),
    },
    {
        "stall_current": (75.0, 0.1, "A"),
        "stall_torque": (1166, 1, "ozf*inch"),
        "constant": (15.6, 0.1, "ozf*inch/A"),
        "ideal_speed": (2087, 1, "rpm"),  # "no-load velocity": of the voltage alone
    },
)


@each("primary, printed", [MAXON, FAULHABER, MAGMOTOR])
def test_a_sheet_gives_its_derived_figures(primary, printed):
    """Each figure lies within half of its last digit, for some values of the primary ones within half of theirs."""
    ranges = dict[str, list[float]]()
    for signs in product((-0.5, 0.5), repeat=len(primary)):
        parts = zip(primary.items(), signs, strict=True)
        found = Datasheet(**{key: f"{x + s * digit!r} {unit}" for (key, (x, digit, unit)), s in parts}).figures()
        found["starting_torque"] = found["stall_torque"] - found["friction"]
        found["ideal_speed"] = found["voltage"] / found["constant"]
        for key in printed:
            ranges.setdefault(key, []).append(found[key])
    for key, (value, digit, unit) in printed.items():
        low, high = (Scalar.read(f"{value + s * digit!r} {unit}".strip()).value for s in (-0.5, 0.5))
        assert min(ranges[key]) <= high, key
        assert max(ranges[key]) >= low, key


@each("primary, printed", [MAXON, FAULHABER])
def test_a_whole_sheet_does_not_contradict_itself(primary, printed):
    whole = {key: f"{value!r} {unit}" for key, (value, _, unit) in (printed | primary).items()}
    Datasheet(**{key: text for key, text in whole.items() if key in Datasheet.model_fields})
