"""A planetary gear of a train, or a differential.   Source: Willis 1841, Principles of Mechanism"""

from typing import Literal, Self

from pydantic import model_validator

from cardan.errors import Issue, ModelError
from cardan.model.drives.elements.element import TrainElement
from cardan.model.drives.train import Train
from cardan.model.quantities.fields import Teeth
from cardan.model.records.section import check_name
from cardan.model.short_forms.text import negative, over, plus, text_of, times

Way = Literal["sun", "carrier", "ring"]


class PlanetaryElement(TrainElement):
    """A planetary gear without losses, with i = z_ring/z_sun: ω_sun + i ω_ring = (1 + i) ω_carrier.

    The train comes in by the first of `ways` and goes on by the second; the third one is the place `to` of other
    trains, and stands still without such a name. With as many teeth of the sun as of the ring it is a bevel
    differential.
    """

    type: Literal["planetary"] = "planetary"
    teeth: tuple[Teeth, Teeth]  # of the sun and of the ring
    ways: tuple[Way, Way] = ("sun", "carrier")
    to: str = ""

    moves = "turning"

    @model_validator(mode="after")
    def _check(self) -> Self:
        sun, ring = (entry.value for entry in self.teeth)
        for k, z in enumerate((sun, ring)):
            if z is not None and z != round(z):
                raise ModelError(Issue(f"a wheel with {z:g} teeth", "write a whole number", ("teeth", k)))
        if None not in (sun, ring) and ring < sun:
            fault = f"the sun has {sun:g} teeth, the ring {ring:g}"
            raise ModelError(Issue(fault, "the ring has more: write teeth: [sun, ring]", ("teeth",)))
        if self.ways[0] == self.ways[1]:
            raise ModelError(Issue("a planetary gear has both ways at one shaft", "name two of them", ("ways",)))
        if self.to:
            check_name(self.to)
        return self

    def add(self, train: Train) -> None:
        i = over(text_of(self.teeth[1]), text_of(self.teeth[0]))
        shares = {"sun": "1.0", "ring": i, "carrier": negative(plus("1.0", i))}
        into, out = (shares.pop(way) for way in self.ways)
        if not self.to:
            train.gear(over(negative(out), into))
            return
        before, name = train.place, f"{train.name}_{self.called}"
        train.next_segment()
        train.segment.coordinate, train.whole = f"{train.name}_{self.to}", ""
        train.mark(self.to)
        third, (share,) = train.place, shares.values()
        train.next_segment()
        train.relate(self.called, (into, before), (out, train.place), (share, third))
        train.show(f"{self.called}.torque", lambda: times(negative(into), f"{name}.force"), is_let=False)
