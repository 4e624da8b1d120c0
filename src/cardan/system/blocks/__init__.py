"""Blocks of the state z: circuits of motors, efforts of joints, states of users, end stops, hand-made graphs."""

__all__: list[str] = []
