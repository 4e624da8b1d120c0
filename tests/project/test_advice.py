"""Advice that exists: every function, command, option and extra that a message or a page names can be used."""

import ast
import inspect
import re
import tomllib
from pathlib import Path

import pytest
import typer

import cardan
from cardan.cli.program import COMMANDS, program
from cardan.formats.gallery import gallery

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
MODULES = sorted((ROOT / "src" / "cardan").rglob("*.py"))
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)


def _texts(tree):
    """Texts of a module that are no docstrings; those of an f-string with … for its values."""
    silent = {
        id(node.body[0].value) for node in ast.walk(tree) if isinstance(node, _DOCUMENTED) and _has_docstring(node)
    }
    silent |= {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node.value


def _has_docstring(node):
    return bool(node.body) and isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)


@pytest.fixture(scope="module")
def said():
    """What Cardan says, and what its pages say: pairs of a file and a text."""
    messages = [(path, text) for path in MODULES for text in _texts(ast.parse(path.read_text(encoding="utf-8")))]
    return messages + [(path, path.read_text(encoding="utf-8")) for path in PAGES]


def _is_there(name, member):
    """Whether `cardan.name` exists, and what it returns has a member."""
    if name not in cardan.__all__:
        return any((ROOT / "src" / "cardan" / one).exists() for one in (name, f"{name}.py"))
    if not member:
        return True
    function = getattr(cardan, name)
    made = str(inspect.signature(function).return_annotation)
    kind = getattr(inspect.getmodule(function), made, None)
    return kind is None or hasattr(kind, member) or member in kind.__annotations__


def test_functions_that_are_named_exist(said):
    pattern = re.compile(r"(?<![\w.])cardan\.(\w+)(?:\([^()]*\)\.(\w+))?")
    wrong = [
        (str(path), found[0])
        for path, text in said
        for found in pattern.finditer(text)
        if not _is_there(*found.groups())
    ]
    assert wrong == []


def test_commands_that_are_named_exist_with_their_options(said):
    """In a text a command stands in a line of its own, behind [bold] or [dim], or between `marks`."""
    every = typer.main.get_command(program([*COMMANDS]))
    wrong = []
    for path, text in said:
        for line in re.findall(r"(?:^ {4}|`|\[bold\]|\[dim\])cardan ([a-z][^`\[\n#]*)", text, re.MULTILINE):
            command = every.commands.get(line.split()[0])
            known = {name for one in command.params for name in (*one.opts, *one.secondary_opts)} if command else {}
            options = re.findall(r"(?<!\S)(--?[a-z][a-z-]*)", line)
            if command is None or {*options} - {*known, "--help"}:
                wrong.append((str(path), line))
    assert wrong == []


def test_what_the_demo_tells_a_newcomer_to_try_next_works():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    tried = re.findall(r'"\$\(BIN\)/cardan ([a-z-]+) (\w+)', text)
    assert len(tried) == 2
    assert all(command in COMMANDS and model in gallery() for command, model in tried)
    assert '"make studio"' in text


def test_options_that_messages_name_exist(said):
    """Apart from options of a browser, which stand alone, and from variables of style sheets."""
    every = typer.main.get_command(program([*COMMANDS]))
    known = {name for one in every.commands.values() for p in one.params for name in (*p.opts, *p.secondary_opts)}
    wrong = [
        (str(path), option)
        for path, text in said
        if path.suffix == ".py" and re.search(r"\s", text)
        for option in re.findall(r"(?<![\w-])(?<!var\()--[a-z][a-z-]*[a-z](?![\w:-])", text)
        if option not in {*known, "--help"}
    ]
    assert wrong == []


def test_packages_that_are_to_be_installed_are_those_of_an_extra_or_the_checkout_with_one(said):
    """Cardan has no name at a package registry: what is installed there under that name is another program."""
    packages = {re.split(r"[>=;]", one)[0].strip() for extra in EXTRAS.values() for one in extra}
    for path, text in said:
        for words in re.findall(r"pip install ([^`;,\n)#]*)", text):
            for word in words.replace('"', " ").replace("'", " ").split():
                extra = re.fullmatch(r"\.\[(\w+)\]", word)
                assert extra[1] in EXTRAS if extra else word in {*packages, ".", "-e", "…"}, (path, words)
