"""Messages of the library in the language of the command line: `--max-step`, not `max_step=`."""

import re

from cardan.cli.options import READING

_OPTIONS = {
    "client": "--cluster",
    "initial": "--initial",
    "inputs": "--input",
    "motions": "--motion",
    "parameters": "--set",
    **{
        name: f"--{name.replace('_', '-')}"
        for name in (
            *("alpha", "atol", "beta", "max_step", "method", "motors", "outputs", "resume", "rtol", "run_limit"),
            *READING,
            *("seed", "stabilization", "states", "step", "store", "threads", "times", "until"),
        )
    },
}
"""Option by the argument of the library that it stands for."""

_NAMES = "|".join(_OPTIONS)
_ARGUMENT = re.compile(
    rf"(?<![\w.'\"])(?P<name>{_NAMES})=(?P<value>\[\"\w+\"\]|'\w+'|\"\w+\"|\"[^\"]*\"|\{{[^{{}}]*\}}|-?[\w.+]+(?:-\d+)?)?"
)
_PAIR = re.compile(r"""['"](\w+)['"]: ['"]?([^'",}]*)['"]?""")
_BARE = re.compile(r"(?<![\w.'\"=-])(?P<name>max_step|rtol|atol)(?![\w='\"])")
_FUNCTION = re.compile(r"\bcardan\.(?P<name>sweep|simulate|verify|equations|export|plot)\b(?:\(…?\))?")


def in_options(text: str) -> str:
    """Return a message in which options of the command line stand in place of arguments of the library.

    Example
    -------
    >>> in_options('leave step= out, bound the steps with max_step, or choose method="rk4"')
    'leave --step out, bound the steps with --max-step, or choose --method rk4'
    """
    text = _ARGUMENT.sub(_option, text)
    text = _BARE.sub(lambda match: _OPTIONS[match["name"]], text)
    return _FUNCTION.sub(lambda match: f"cardan {match['name']}", text)


def _option(match: re.Match[str]) -> str:
    value = match["value"] or ""
    if value.startswith("{"):
        pairs = " ".join(f"'{name}={law}'" for name, law in _PAIR.findall(value))
        return f"{_OPTIONS[match['name']]} {pairs}".rstrip()
    value = value.strip("[]")
    plain = value[1:-1] if value[1:-1].isidentifier() and value[0] in "'\"" else value
    return f"{_OPTIONS[match['name']]} {plain.removesuffix('True')}".rstrip()
