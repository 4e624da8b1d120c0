"""Kinds answer for themselves: no module outside their folders asks which kind a joint, force or motor is."""

import ast
from pathlib import Path

from tests.selection import each

import cardan
from cardan.model.constraints import CONSTRAINTS
from cardan.model.contacts import CONTACTS
from cardan.model.forces import FORCES
from cardan.model.joints import JOINTS
from cardan.model.motors import MOTORS

SOURCE = Path(cardan.__file__).parent
TABLES = {"constraints": CONSTRAINTS, "contacts": CONTACTS, "forces": FORCES, "joints": JOINTS, "motors": MOTORS}
FOLDERS = [SOURCE / "model" / name for name in TABLES]
CLASSES = {
    cls.__name__
    for table in TABLES.values()
    for kind in table.values()
    for cls in kind.__mro__
    if cls.__module__.startswith(tuple(f"cardan.model.{name}" for name in TABLES))
} | {"Reversed"}
BESIDE = {"modal": "flexible.joint"}  # written by bodies of type modal alone
TYPES = {kind for table in TABLES.values() for kind in table}
QUESTIONS = ("isinstance", "issubclass", "type")


def questions(tree: ast.AST):
    """Lines that ask for the class or the `type` of a joint, force, constraint or motor."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in QUESTIONS:
            asked = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            if asked & CLASSES:
                yield node.lineno
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            constants = {part.value for part in ast.walk(node) if isinstance(part, ast.Constant)}
            of_type = any(isinstance(side, ast.Attribute) and side.attr == "type" for side in sides)
            asked = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            if of_type or asked & CLASSES or (any(isinstance(side, ast.Call) for side in sides) and constants & TYPES):
                yield node.lineno
        if isinstance(node, ast.Match | ast.MatchClass):
            asked = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            if asked & CLASSES:
                yield node.lineno


def test_nobody_asks_for_kinds():
    asked = [
        f"{path.relative_to(SOURCE)}:{line}"
        for path in SOURCE.rglob("*.py")
        if path.parent not in FOLDERS
        for line in questions(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not asked


@each(
    "text",
    [
        "isinstance(joint, Screw)",
        "issubclass(kind, (Distance, PointOnLine))",
        "joint.type == 'fixed'",
        "str(joint.type) in ('fixed', 'free')",
        "type(link.law) is Reversed",
        "match joint:\n    case Revolute(): pass",
    ],
)
def test_questions_are_found(text):
    assert list(questions(ast.parse(text)))


@each("folder", FOLDERS)
def test_a_kind_is_one_file_and_one_line(folder):
    """The table of a folder names its files, or one beside the folder; what else stands there is no kind."""
    table = TABLES[folder.name]
    for kind, record in table.items():
        home = BESIDE.get(kind, f"{folder.name}.{kind}")
        assert record.__module__ == f"cardan.model.{home}"
        assert record.model_fields["type"].default == kind
    lines = (folder / "__init__.py").read_text(encoding="utf-8").splitlines()
    assert all(sum(f'"{kind}"' in line or f"{kind}=" in line for line in lines) == 1 for kind in table)
