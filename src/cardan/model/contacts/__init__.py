"""Kinds of contacts by their law of the normal force, one file each, named as the `type` of the contact.

In: gap, normal and relative velocity where shapes touch. Out: normal force, elastic energy, friction. It knows no body
but by name.
"""

from cardan.model.contacts.contact import Contact
from cardan.model.records.kinds import Kinds

__all__ = ["CONTACTS", "Contact"]

CONTACTS = Kinds(__name__, "hunt_crossley", "hertz", "impact")
"""All kinds of contacts by their `type`; hunt_crossley where none is written."""
