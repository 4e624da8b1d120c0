"""Identifiers that C, C++ and Python accept, made from any text."""

import keyword
import re
import sys
from collections.abc import Iterable
from unicodedata import normalize

_C = """auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while"""
_CPP = """alignas alignof and and_eq asm bitand bitor bool catch char8_t char16_t char32_t class co_await co_return
co_yield compl concept const_cast consteval constexpr constinit decltype delete dynamic_cast explicit export false
friend mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast
requires static_assert static_cast template this thread_local throw true try typeid typename using virtual wchar_t xor
xor_eq"""
_HEADERS = """assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdarg stdbool
stddef stdint stdio stdlib string tgmath time wchar wctype fmi2 fmi3"""
_CALLED = """acos acosh asin asinh atan atan2 atanh ceil cos cosh exp expm1 fabs floor fmax fmin fmod hypot
log log1p pow sin sinh sqrt tan tanh INFINITY NAN np batch lowest"""
_KEYWORDS = frozenset([*f"{_C} {_CPP}".split(), *keyword.kwlist, *keyword.softkwlist])
_LIBRARIES = frozenset([*_HEADERS.split(), *sys.stdlib_module_names, "numpy", "casadi", "cardan"])
_TAKEN = frozenset(_CALLED.split())
_OWN = re.compile(r"[sw]\d*|table\d+")  # what generated functions call their own values


def identifier(text: str, otherwise: str = "model") -> str:
    """An identifier that reads like `text`: letters without accents, digits and underscores.

    Example
    -------
    >>> identifier("Kurbel-Schwinge (4 Glieder)"), identifier("3-RRR"), identifier("manège"), identifier("曲柄")
    ('Kurbel_Schwinge_4_Glieder', 'model_3_RRR', 'manege', 'model')
    """
    ascii_text = normalize("NFKD", text).encode("ascii", "ignore").decode()
    word = re.sub(r"_*[^A-Za-z0-9_]+_*", "_", ascii_text).strip("_") or otherwise
    word = f"{otherwise}_{word}" if word[0].isdigit() else word
    return f"{word}_" if word in _KEYWORDS else word


def module_name(text: str) -> str:
    """An identifier that can also be the name of a file without hiding a standard header or module.

    Example
    -------
    >>> module_name("overhead crane"), module_name("math")
    ('overhead_crane', 'math_model')
    """
    word = identifier(text)
    return f"{word}_model" if word.casefold() in _LIBRARIES else word


def argument_names(texts: Iterable[str]) -> list[str]:
    """Different identifiers for the arguments of one function, each as similar to its text as possible.

    Example
    -------
    >>> argument_names(["q", "hand.tip", "hand_tip", "int"])
    ['q', 'hand_tip', 'hand_tip_2', 'int_']
    """
    made: dict[str, None] = {}
    for text in texts:
        word = identifier(text, "argument")
        word = f"{word}_" if word in _TAKEN or _OWN.fullmatch(word) else word
        name, count = word, 1
        while name in made:
            count += 1
            name = f"{word}_{count}"
        made[name] = None
    return list(made)
