"""Sizes of a drawing in pixels: two are chosen, of symbols and of letters; most others are multiples of them."""

UNIT = 6.0
"""Half the width of a joint's symbol."""
LETTERS = 2 * UNIT
"""Size of the letters: a name is as high as a joint."""
WIDTH, HEIGHT = 460.0, 340.0
"""Room for the mechanism: a column of a page."""
MARGIN = LETTERS
"""Round the drawing."""
APART = 34.0
"""Distance of joints below which the mechanism is drawn larger: two symbols and a line of letters between them."""

BLOCK = 4.2 * UNIT
"""Length of the block or sleeve of a joint that slides."""
MASS = 5 / 6 * UNIT
"""Radius of the mark of a centre of mass."""
MOTOR = 1.5 * UNIT
"""Radius of a motor."""
TOOTH = 0.45 * UNIT
"""Height of a tooth of a rough line."""
SHORTEST_SPRING = 7 * UNIT
"""Length of a spring below which its end on the ground is drawn farther away."""

FORCE = 44.0
"""Arrow of a force."""
FRAME_ARM = 5 * UNIT
"""Axis of a body's frame."""
COMPASS_ARM = 26.0
"""Arrow of gravity, and axes of the world."""
ANGLE_LINE = APART
"""Line from which an angle counts."""
COORDINATE_OFFSET = 20.0
"""From the axis along which a length counts to its arrow."""
DIMENSION_OFFSET = 22.0
"""From a line to its dimension; more than that of a coordinate, so that both may stand beside one line."""
SHORTEST_DIMENSION = 2.5 * UNIT
"""Line that gets a dimension."""

TREE_BOX = 26.0
"""Height of a body in a tree."""
TREE_LEVEL = 4 * TREE_BOX
"""From a body to the next one."""
TREE_CIRCLE = 11.0
"""Radius of a joint in a tree."""
TREE_GAP = TREE_BOX
"""Between neighbours."""
