"""The structure of the source: no ring of imports, no public type with two homes, no overcrowded folder."""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from collections import defaultdict
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

import cardan

ROOT = Path(cardan.__file__).parent
FULL = 17  # largest number of source files in a folder


def test_no_module_imports_itself_by_way_of_others():
    """Also inside rooms; imports for type checking alone do not count."""
    graph = grimp.build_graph("cardan", exclude_type_checking_imports=True, cache_dir=None)
    packages = {name for name in graph.modules if graph.find_children(name)}
    imports = {
        name: {other for other in graph.find_modules_directly_imported_by(name) if other not in packages}
        for name in graph.modules - packages
    }
    assert list(TopologicalSorter(imports).static_order())  # raises where there is a ring, and names it


def _public_types(path: Path) -> set[str]:
    """Names of a module's classes, and of the aliases that its `__all__` offers to others."""
    name = ".".join(["cardan", *path.relative_to(ROOT).with_suffix("").parts]).removesuffix(".__init__")
    body = ast.parse(path.read_text(encoding="utf-8")).body
    classes = {node.name for node in body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")}
    targets = [node.target for node in body if isinstance(node, ast.AnnAssign)]
    targets += [target for node in body if isinstance(node, ast.Assign) for target in node.targets]
    assigned = {target.id for target in targets if isinstance(target, ast.Name)}
    offered = assigned & set(getattr(importlib.import_module(name), "__all__", ()))
    return classes | {alias for alias in offered if alias[0].isupper() and not alias.isupper()}


def test_every_public_type_has_one_home():
    homes = defaultdict(list)
    for path in ROOT.rglob("*.py"):
        if path.stem == "__main__":
            continue
        for name in _public_types(path):
            homes[name].append(str(path.relative_to(ROOT)))
    twice = {name: sorted(paths) for name, paths in homes.items() if len(paths) > 1}
    assert not twice, twice


def test_records_are_made_by_one_decorator():
    """A frozen class of the standard decorator cannot inherit from one of `cardan.frozen`."""
    files = [path for path in ROOT.rglob("*.py") if path.name != "frozen.py"]
    imports = r"from dataclasses import [^\n]*\bdataclass\b|dataclasses\.dataclass\("
    assert not [str(path.relative_to(ROOT)) for path in files if re.search(imports, path.read_text(encoding="utf-8"))]


def test_no_folder_is_crowded():
    folders = {folder for folder in ROOT.rglob("*") if folder.is_dir()}
    counts = {str(folder.relative_to(ROOT)): len(list(folder.glob("*.py"))) for folder in folders}
    assert not {name: count for name, count in counts.items() if count > FULL}


def test_the_licences_of_the_package_are_those_of_its_files():
    project = tomllib.loads((ROOT.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license"] == "BSD-3-Clause AND MIT AND OFL-1.1"
    texts = [(ROOT.parents[1] / file).read_text(encoding="utf-8") for file in project["license-files"]]
    assert "Redistribution and use" in texts[0]
    assert "SIL Open Font License, Version 1.1" in texts[1]
    assert all("The MIT License" in text for text in texts[2:])  # of the bundles in pages
