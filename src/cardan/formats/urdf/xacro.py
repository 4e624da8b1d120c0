"""xacro: the macros from which URDF files are made, written out by the library of that name.

Its expressions are Python's, so that only trusted files are given to it.
"""

from pathlib import Path

from cardan.errors import ModelError
from cardan.formats.xml.tree import XmlElement, parse


def written_out(path: Path) -> XmlElement:
    """The outermost element of a xacro file whose macros have been run."""
    try:
        import xacro
    except ImportError:
        cure = "pip install xacro, or write its macros out elsewhere: xacro FILE > robot.urdf"
        raise ModelError("xacro files need the library xacro", cure) from None
    try:
        text = xacro.process_file(str(path)).toxml()
    except Exception as error:  # of whatever its expressions do
        cure = (
            "run xacro FILE > robot.urdf where its packages are known, in a shell with ROS for $(find …), and give that"
        )
        raise ModelError(f"xacro cannot write it out: {error}", cure) from None
    return parse(text.encode())
