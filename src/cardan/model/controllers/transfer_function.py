"""Transfer function, in controllable canonical form.   Source: Kailath 1980, *Linear Systems*, §2.1"""

from typing import Literal, Self

from pydantic import model_validator

from cardan.errors import Issue, ModelError
from cardan.model.controllers.controller import LimitedLaw
from cardan.model.quantities.fields import Anything, Rate
from cardan.model.short_forms.sections import Sections
from cardan.model.short_forms.text import over, plus, text_of, times


class TransferFunction(LimitedLaw):
    """(b_m s^m + … + b_0)/(a_n s^n + … + a_0) of an input, m ≤ n; of a sampled one in powers of z."""

    type: Literal["transfer_function"] = "transfer_function"
    input: Rate
    numerator: tuple[Anything, ...]  # from the highest power on
    denominator: tuple[Anything, ...]  # likewise

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not self.numerator or len(self.denominator) < len(self.numerator):
            fault = "the numerator has a higher power than the denominator"
            raise ModelError(fault, "give the denominator as many coefficients or more")
        if self.denominator[0].value == 0:
            raise ModelError(Issue("the first coefficient is zero", "leave it out", ("denominator", 0)))
        return self

    def law(self, name: str, sections: Sections) -> str:
        n, lead = len(self.denominator) - 1, text_of(self.denominator[0])
        a = [over(text_of(entry), lead) for entry in self.denominator[1:]]  # of s^(n − 1) … 1
        b = ["0.0"] * (n + 1 - len(self.numerator)) + [over(text_of(entry), lead) for entry in self.numerator]
        x = [f"{name}.x{k + 1}" for k in range(n)]  # x1 of s^0 … xn of s^(n − 1)
        last = plus(text_of(self.input), *(times("-1", c, x[n - 1 - k]) for k, c in enumerate(a)))
        for k, state in enumerate(x):
            self.advanced(name, state.rpartition(".")[2], x[k + 1] if k + 1 < n else last, sections)
        terms = [times(plus(b[n - k], times("-1", b[0], a[n - 1 - k])), x[k]) for k in range(n)]
        return self.bounded(name, plus(times(b[0], text_of(self.input)), *terms), sections)
