"""Values that laws compute at multiples of a period, and that hold in between: inputs, states, given reactions."""

__all__: list[str] = []
