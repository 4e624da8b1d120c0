"""Trains of drives from their records, in the order in which they begin and end in each other."""

from collections.abc import Mapping

from cardan.errors import Issue, ModelError, nearest, within
from cardan.model.drives.drive import Drive
from cardan.model.drives.train import Train


def others_first(drives: Mapping[str, Drive]) -> list[str]:
    """Names of the drives, those in which others begin or end before these."""
    out, left = list[str](), dict(drives)
    while left:
        needs = {name: {drive_of(x) for x in (each.begin, each.to) if x} & left.keys() for name, each in left.items()}
        ready = [name for name, others in needs.items() if not others]
        if not ready:
            names = ", ".join(repr(name) for name in left)
            fault = f"the trains of {names} begin or end in each other"
            raise ModelError(Issue(fault, "let one of them stand alone", ("drives",)))
        out += ready
        left = {name: each for name, each in left.items() if name not in ready}
    return out


def drive_of(place: str) -> str:
    """The drive of a place a1.name."""
    return place.partition(".")[0]


def _other(trains: Mapping[str, Train], key: str, where: str) -> tuple[Train, str]:
    """The train that has a place a1.name, and the name there."""
    drive, _, at = where.partition(".")
    if drive not in trains:
        raise ModelError(Issue(f"there is no drive {drive!r}", nearest(drive, trains), (key,)))
    places = trains[drive].places
    if at not in places:
        fault = f"the train of {drive!r} has no place {at!r}"
        known = ", ".join(f"{drive}.{each}" for each in places)
        cure = f"write one of {known}" if known else "add {branch: name} to it"
        raise ModelError(Issue(fault, cure, (key,)))
    return trains[drive], at


def built_train(name: str, drive: Drive, trains: Mapping[str, Train]) -> Train:
    """The train of a drive, from its source or from a place of another train on."""
    train = Train.begun(name, drive.linear, *(_other(trains, "from", drive.begin) if drive.begin else ()))
    if drive.source is not None:
        drive.source.add(train)
    for k, element in enumerate(drive.train):
        with within("train", k):
            element.add(train)
    if drive.to is not None:
        train.end_in(*_other(trains, "to", drive.to))
    if drive.joint is not None:
        if train.segment.clutch is not None or train.segment.drive != name:
            train.turn_with()
        train.refer()
        train.segment.is_joint = True
    return train
