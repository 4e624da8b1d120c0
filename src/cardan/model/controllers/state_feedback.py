"""State feedback u = −Σ k (x − x_ref)."""

from typing import Literal

from cardan.errors import Issue, ModelError
from cardan.model.controllers.controller import LimitedLaw
from cardan.model.quantities.fields import Anything, Rate
from cardan.model.records.section import PathSection
from cardan.model.short_forms.sections import Sections
from cardan.model.short_forms.text import plus, text_of, times


class StateFeedback(LimitedLaw):
    """u = −Σ gain (x − reference), and what is fed forward."""

    type: Literal["state_feedback"] = "state_feedback"
    gains: PathSection[Anything]  # by the name of the state, such as `swing.v`
    reference: PathSection[Rate] = PathSection()  # set-points of some of them; zero of the others
    feed_forward: Rate | None = None  # is added to its result

    def law(self, name: str, sections: Sections) -> str:
        if not self.gains:
            raise ModelError(Issue("the feedback has no gains", "write {swing: 8, swing.v: 2}", ("gains",)))
        for other in self.reference:
            if other not in self.gains:
                raise ModelError(Issue(f"{other!r} has a reference and no gain", "give it one", ("reference", other)))
        terms = [] if self.feed_forward is None else [text_of(self.feed_forward)]
        for state, gain in self.gains.items():
            wanted = f"({state} - {text_of(self.reference[state])})" if state in self.reference else state
            terms.append(times("-1", text_of(gain), wanted))
        return self.bounded(name, plus(*terms), sections)
