"""Events of contacts: joints stick, slide and turn, meet their stops and leave them, and shapes touch.

In: the state before an event, which crossing functions have passed zero, the solutions of complementarity problems.
Out: crossing functions, these problems, the state after the event, what has happened to each contact. `kinds` puts them
one after another: `sticking` and `turning` decide what friction holds, `impacts` about stops by impact, `stopping`
about elastic ones, `indeterminacy` whether friction has one solution, `touching` about shapes.
"""

__all__: list[str] = []
