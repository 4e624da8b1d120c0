"""What model files of the future have: keys and kinds that do not exist yet, each with what there is today instead."""

_MOTOR = (
    "motors: have the type dc; a machine of another kind is a source of drives: dc, pmsm, induction, torque or speed"
)

_PLANNED = {**dict.fromkeys(("bldc", "induction", "stepper", "torque_motor"), _MOTOR)}


def not_yet(word: str) -> str:
    """What to write today instead of a key or kind that does not exist yet; empty for all other words."""
    return _PLANNED.get(word, "")
