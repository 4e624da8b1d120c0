"""How the names of a model are set in type: `mt` is m with the index t, `phi1` is φ with the index 1."""

import re
from collections.abc import Collection, Mapping, Sequence

from cardan.frozen import dataclass, replace

GREEK = {
    **{"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ"},
    **{"iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "rho": "ρ", "sigma": "σ"},
    **{"tau": "τ", "upsilon": "υ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω"},
    **{"Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ"},
    **{"Psi": "Ψ", "Omega": "Ω"},
}
"""Letters by their English names."""
_LETTER = re.compile(rf"({'|'.join(sorted(GREEK, key=len, reverse=True))}|[A-Za-z])(\d*[A-Za-z]?\d*|_\w+)")
_WORD = re.compile(r"(.+?)_?(\d*)")


@dataclass(frozen=True)
class Glyph:
    """A symbol as it is set."""

    base: str  # one letter, the English name of a Greek one, or a word
    index: str = ""  # below right
    dots: int = 0  # above: derivatives with respect to time

    @property
    def is_word(self) -> bool:
        """Whether it is set upright."""
        return len(self.base) > 1 and self.base not in GREEK


def glyph(name: str) -> Glyph:
    """A letter with an index, where `name` looks like one; else a word.

    Example
    -------
    >>> glyph("IC1"), glyph("density")
    (Glyph(base='I', index='C1', dots=0), Glyph(base='density', index='', dots=0))
    """
    match = _LETTER.fullmatch(name)
    if match:
        return Glyph(match[1], match[2].lstrip("_"))
    word = _WORD.fullmatch(name.replace(".", "_"))
    return Glyph(name) if word is None else Glyph(word[1], word[2])


def primed(one: Glyph, taken: Collection[Glyph]) -> Glyph:
    """The glyph with as many primes as it needs to differ from all others."""
    while one in taken:
        one = replace(one, base=f"{one.base}'")
    return one


def numbered(
    letter: str, names: Sequence[str], taken: Mapping[str, Glyph], dots: int = 0, keep: bool = False
) -> dict[str, Glyph]:
    """Glyphs of a vector: the names themselves if all of them are letters with an index,
    else the letter with numbers.
    """
    own = [glyph(name) for name in names]
    used = set(taken.values())
    if keep and not any(one.is_word or one in used for one in own) and len(set(own)) == len(own):
        return {name: replace(one, dots=dots) for name, one in zip(names, own, strict=True)}
    made = [Glyph(letter, str(k + 1) if len(names) > 1 or not keep else "", dots) for k in range(len(names))]
    while used & set(made):
        made = [replace(one, base=f"{one.base}'") for one in made]
    return dict(zip(names, made, strict=True))
