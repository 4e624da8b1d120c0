"""Ranges and lists of values on the command line: ``0:0.9m:20``, ``2V,5V,10V``."""

import typer

from cardan.cli.options import check_count, listed, number

Choices = list[float | str]


def range_values(text: str, option: str) -> Choices:
    """Values from a range `begin:end:count`, both ends included, or from a list with commas.

    The ends of a range stay texts, so that their units are judged with what they are for.
    """
    if ":" not in text:
        values = [number(part) for part in listed(text)]
        _check_units(values, text, option)
        return values
    parts = text.split(":")
    if len(parts) != 3 or not parts[2].strip().isdigit() or int(parts[2]) < 2:
        fault = f'"{text}" is not of the form begin:end:count, with a count of two or more'
        raise typer.BadParameter(fault, param_hint=option)
    check_count(int(parts[2]), text, option)
    begin, end = number(parts[0]), number(parts[1])
    _check_units([begin, end], text, option)
    low, high, count = _si(begin, option), _si(end, option), int(parts[2])
    between = [low + (high - low) * k / (count - 1) for k in range(1, count - 1)]
    return [begin, *between, end]


def _check_units(values: Choices, text: str, option: str) -> None:
    """Refuse numbers with a unit beside numbers without one, which would be read in SI; zero needs none."""
    plain = [x for x in values if not isinstance(x, str) and x != 0]
    if plain and any(isinstance(x, str) for x in values):
        fault = f'"{text}" has numbers with and without a unit; write the unit at all of them'
        raise typer.BadParameter(fault, param_hint=option)


def _si(given: float | str, option: str) -> float:
    """A number with or without a unit, in SI."""
    from cardan.errors import ModelError
    from cardan.model.quantities.scalar import Scalar

    try:
        value = Scalar.read(given).value
    except ModelError as error:
        raise typer.BadParameter(str(error), param_hint=option) from None
    if value is None:
        raise typer.BadParameter(f'"{given}" is an expression; give numbers', param_hint=option)
    return float(value)
