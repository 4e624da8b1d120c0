"""Files that are no models: an error with file, line, key, fault and cure; never a crash, never a long wait."""

import os
import random
import time

import pytest

from cardan.errors import ModelError
from cardan.formats import gallery, load
from cardan.formats.gallery import gallery_path
from cardan.formats.yaml import loads
from cardan.formats.yaml_text import MAX_SIZE
from cardan.formats.yaml_tree import MAX_DEPTH, MAX_OPEN, read_tree
from tests.selection import each

PIECES = [
    *"{}[]:,\n-#0?|>%^~()\t\"'\x00",
    "",
    "&a ",
    "*a",
    "!!str ",
    "1e999",
    ".nan",
    "null",
    "atan2(y, x)",
    " m",
    "x: ",
    "str",
    "--- ",
]
HEAD = "cardan: 1\nbodies: {rod: {mass: 1}}\njoints: {j: {type: free, parent: ground, child: rod}}\n"


def issues(call, *arguments):
    with pytest.raises(ModelError) as error:
        call(*arguments)
    return error.value.issues


def faults(text):
    try:
        loads(text)
    except ModelError as error:
        return error.issues
    return ()


def test_faults_have_file_line_key_and_cure(tmp_path):
    path = tmp_path / "crane.yaml"
    path.write_text(
        "cardan: 1\n"
        "bodies:\n"
        "  rod:\n"
        "    masss: 1\n"
        "joints:\n"
        "  swing: {type: revolut, parent: ground, child: rod}\n"
        "  travel:\n"
        "    type: prismatic\n"
        "    parent: ground\n"
        "    child: rod\n"
        "    axis: [0, 0, 0]\n"
    )
    with pytest.raises(ModelError) as error:
        load(path)
    assert str(error.value).splitlines() == [
        f"3 errors in {path}",
        f"{path}:4: bodies.rod.masss: unknown key 'masss'",
        "    did you mean 'mass'?",
        f"{path}:6: joints.swing.type: there is no joint type 'revolut'",
        "    did you mean 'revolute'?",
        f"{path}:11: joints.travel.axis: the direction has length 0",
        "    give a non-zero vector, such as [0, 0, 1]",
    ]


def test_cross_references_have_their_line(tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text(HEAD + "inputs:\n  drive: 10 V\n")
    with pytest.raises(ModelError, match=r"m.yaml:5: inputs.drive: no motor and no joint takes the input 'drive'"):
        load(path)


@each(
    "text, line, fault, cure",
    [
        ('cardan: 1\nname: "\\UFFFFFFFF"', 1, "this is not YAML", "escape"),
        ('cardan: 1\nname: "\\ud800"', 2, "half of a surrogate pair", "the character itself"),
        ("", 1, "this is not a model file: it holds no keys", "cardan: 1"),
        ("just some prose", 1, "this is not a model file", "cardan: 1"),
        ("- a\n- b\n", 1, "this is not a model file", "cardan: 1"),
        ("bodies: {}\n", 1, "the key 'cardan' is missing", "cardan: 1"),
        ("cardan: 1\nbodies: {a: {mass: 1}\n", 3, "this is not YAML", "check brackets"),
        ("cardan: 1\nbodies:\n\ta: 1\n", 3, "this is not YAML", "spaces, not with tabs"),
        ("cardan: 1\nname: @home\n", 2, "this is not YAML", "between quotes"),
        ("cardan: 1\nname: a: b\n", 2, "this is not YAML", "check brackets"),
        ("cardan: 1\n--- \ncardan: 1\n", 2, "this is not YAML", "check brackets"),
        ("cardan: 1\nname: *nobody\n", 2, "this is not YAML: found undefined alias", "between quotes"),
        ("cardan: 1\nname: \x00\n", 2, "this is not YAML: the character #x0000 is not allowed", "delete it"),
        ("cardan: 1\nna(me: x\n", 2, "unknown key 'na(me'", "did you mean 'name'?"),
        (
            "cardan: 1\nname: a\ngravity: [0, 0, 0]\nname: b\n",
            4,
            "'name' stands here a second time, first in line 2",
            "keep one",
        ),
        ("cardan: 1\ngravity: [0, 0, .nan]\n", 2, ".nan is not a finite number", "finite"),
        ("cardan: 1\ngravity: [0, 0, -.inf]\n", 2, "-.inf is not a finite number", "finite"),
        ("cardan: 1\ngravity: [0, 0, 1e999]\n", 2, "1e999 is not a finite number", "finite"),
        ("cardan: 1\ngravity: [0, 0, 1" + "0" * 400 + "]\n", 2, "is not a finite number", "finite"),
        ("cardan: 1\ngravity: [0, 0, 1" + "0" * 5000 + "]\n", 2, "is not a finite number", "finite"),
        ("cardan: 1\nname: !!python/object:os.system {}\n", 2, "tag", "leave the tag out"),
        ("cardan: 1\nname: !secret x\n", 2, "the tag !secret is not allowed", "leave the tag out"),
        ("cardan: 1\nname: !!binary aGVsbG8=\n", 2, "is not allowed", "leave the tag out"),
        ("cardan: 1\nbodies: !!set {a, b}\n", 2, "is not allowed", "leave the tag out"),
        ("cardan: 1\n1: 2\n", 2, "1 cannot be a key", "keys are names"),
        ("cardan: 1\nparameters: {p: 0,5}\n", 2, "5 cannot be a key", "a number has a decimal point"),
        ("cardan: 1\n[a, b]: 2\n", 2, "a list or a table cannot be a key", "keys are names"),
        ("cardan: 1\nbodies:\n  a: {<<: 5}\n", 3, "<< merges tables only", "<<: *anchor"),
        ("cardan: 1\nbodies:\n  a: {<<: [{mass: 1}, [2]]}\n", 3, "<< merges tables only", "<<: *anchor"),
        ("cardan: 1\nbodies:\n  a: {<<: !!set {mass}}\n", 3, "is not allowed", "leave the tag out"),
        ("cardan: 1\nbodies:\n  a: {<<: {mass: 1}, mass: 2, mass: 3}\n", 3, "'mass' stands here a second time", "keep"),
        (
            "cardan: 1\nparameters: {a: atan2(y, x), b: 1}\n",
            2,
            "the comma splits the expression atan2(y, x)",
            '"atan2(y, x)"',
        ),
        (
            "cardan: 1\nparameters: {a: min(1, max(2, b), c)}\n",
            2,
            "expression min(1, max(2, b), c)",
            '"min(1, max(2, b), c)"',
        ),
        ("cardan: 1\ngravity: [0, hypot(a, b), 0]\n", 2, "expression hypot(a, b)", '"hypot(a, b)"'),
        ("cardan: 1\nparameters:\n  a: {b: [if(t > 1,\n    2, 3)]}\n", 3, "expression if(t > 1, 2, 3)", "quotes"),
    ],
)
def test_texts_that_are_no_models(text, line, fault, cure):
    issue = issues(loads, text)[0]
    assert fault in issue.fault
    assert cure in issue.cure
    assert issue.line == line


def test_an_expression_in_block_style_needs_no_quotes():
    assert loads(HEAD + "parameters:\n  x: 1\n  a: atan2(x, 2)\n").parameters["a"].names == {"x"}


def test_a_billion_laughs_are_cut_short():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 10)]
    start = time.monotonic()
    (issue,) = issues(loads, "cardan: 1\n" + "\n".join(lines))
    assert "unfolds into more than" in issue.fault
    assert "do not nest aliases" in issue.cure
    assert time.monotonic() - start < 20  # the full 10^10 entries would take an hour


@each(
    "text",
    [
        "a: " + "[" * 100_000,
        "a: " + "{b: " * 100_000,
        "a: " + "[" * (MAX_OPEN - 1) + "]" * (MAX_OPEN - 1),
        "a: &a [*a]",
        "a: &a {<<: *a}",
        "\n".join(f"a{i}: &a{i} {{<<: {f'*a{i - 1}' if i else '{b: 1}'}}}" for i in range(MAX_DEPTH + 2)),
        "\n".join("  " * i + "a:" for i in range(MAX_DEPTH + 2)),
        "\n".join(" " * i + "a:" for i in range(1500)),
        "- " * 3000,
    ],
)
def test_deep_nesting_is_refused(text):
    (issue,) = issues(read_tree, text)
    assert "nested too deeply" in issue.fault
    assert f"at most {MAX_DEPTH}" in issue.cure


def test_a_billion_merges_are_cut_short():
    lines = ["a0: &a0 {x: 1}"] + [f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 10)}]}}" for i in range(1, 10)]
    (issue,) = issues(loads, "cardan: 1\n" + "\n".join(lines))
    assert "unfolds into more than" in issue.fault


def test_damaged_files_are_refused_with_a_line_and_nothing_else():
    """Gallery files with letters lost, doubled and mixed in: read, or refused; no other exception, no missing line."""
    rng = random.Random(1)
    texts = [gallery_path(name).read_text() for name in gallery()]
    refused = 0
    for _ in range(150):
        text = rng.choice(texts)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice(PIECES) + text[at + rng.choice([0, 0, 1, 5]) :]
        found = faults(text)
        refused += bool(found)
        assert all(issue.line is not None for issue in found), text
    assert refused > 100


def test_a_huge_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "huge.yaml"
    with path.open("wb") as stream:
        stream.truncate(100_000_000)
    (issue,) = issues(load, path)
    assert f"has more than {MAX_SIZE / 1e6:g} MB" in issue.fault
    assert "CSV" in issue.cure


def test_a_file_that_is_not_there_is_looked_for_among_its_neighbours(tmp_path):
    (tmp_path / "crane.yaml").write_text(HEAD)
    (issue,) = issues(load, tmp_path / "crnae.yaml")
    assert "cannot be read: No such file" in issue.fault
    assert issue.cure == "did you mean 'crane.yaml'?"
    (issue,) = issues(load, tmp_path / "crane.yml")
    assert issue.cure == f"there is no .yml file in {tmp_path}"
    (issue,) = issues(load, tmp_path / "none" / "crane.yaml")
    assert "there is no folder" in issue.cure


def test_binary_files_folders_and_devices_are_refused(tmp_path):
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(bytes(range(256)))
    (issue,) = issues(load, binary)
    assert "is not a text file: byte 128 is not UTF-8" in issue.fault
    assert issue.cure == "save it as UTF-8"
    folder = tmp_path / "folder.yaml"
    folder.mkdir()
    assert "is not a regular file" in issues(load, folder)[0].fault
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)
    assert "is not a regular file" in issues(load, pipe)[0].fault


def test_a_byte_order_mark_and_windows_lines_are_no_fault(tmp_path):
    path = tmp_path / "windows.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + HEAD.replace("\n", "\r\n").encode())
    assert list(load(path).bodies) == ["rod"]


JOINTS = "joints: {j: {type: free, parent: ground, child: rod}}\n"


@each(
    "bodies, line, cure",
    [
        ("bodies:\n  rod:\n    mass:0.2 kg\n", 3, "put a blank after the colon: mass: 0.2 kg"),
        ("bodies:\n  rod:\n    com: [0, 0, 0]\n    mass:0.2 kg\n", 6, "put a blank after the colon: mass: 0.2 kg"),
        ("bodies: {rod: {mass:0.2 kg}}\n", 2, "put a blank after the colon: mass: 0.2 kg"),
        ("bodies:\n  rod:\n    mass 0.2 kg\n", 3, "put a colon after the key: mass: 0.2 kg"),
        ("bodies:\n  rod:\n    com: [0, 0, 0]\n    mass 0.2 kg\n", 6, "put a colon after the key: mass: 0.2 kg"),
        ("bodies:\n  rod\n    mass: 0.2 kg\n", 4, "put a colon after the key: rod:"),
        ("bodies: {rod: {mass 0.2 kg}}\n", 2, "put a colon after the key: mass: 0.2 kg"),
        ("bodies: {rod: {mass: 0,2 kg}}\n", 2, "a number has a decimal point"),
        ("bodies:\n  rod:\n    mass: 0,2 kg\n", 4, "a number has a decimal point"),
    ],
)
def test_colons_blanks_and_decimal_commas(bodies, line, cure):
    (issue,) = issues(loads, f"cardan: 1\n{bodies}{JOINTS}")
    assert (issue.line, cure in issue.cure) == (line, True), issue
