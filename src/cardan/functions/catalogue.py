"""The catalogue of a model's functions: the law, arguments, shapes and description of each.

A new function is one entry, in `user_functions` or in `solver_functions`. docs/functions.md lists the kinds of callable
made from an entry, and who uses each.
"""

from collections import ChainMap
from collections.abc import Mapping

from cardan.errors import ModelError, nearest
from cardan.functions.entry import Entry
from cardan.functions.solver_functions import SOLVER_FUNCTIONS
from cardan.functions.user_functions import USER_FUNCTIONS

CATALOGUE: Mapping[str, Entry] = ChainMap(USER_FUNCTIONS, SOLVER_FUNCTIONS)
"""Every function by name."""


def user_function(name: str) -> Entry:
    """The entry of the function `name` that users may call."""
    if name not in USER_FUNCTIONS:
        raise ModelError(f"there is no function {name!r}", nearest(name, USER_FUNCTIONS))
    return USER_FUNCTIONS[name]
