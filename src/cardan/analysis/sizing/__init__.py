"""Sizing of a drive: what a motion asks of it, and which motors and gears of a catalogue can give it."""

from cardan.analysis.sizing.catalogue import CatalogueMotor, read_catalogue
from cardan.analysis.sizing.duty import Duty, duty_of
from cardan.analysis.sizing.size import Choice, Sizing, size

__all__ = ["CatalogueMotor", "Choice", "Duty", "Sizing", "duty_of", "read_catalogue", "size"]
