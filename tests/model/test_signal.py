"""Signals: constants, expressions in t, tables inline and from CSV files."""

import pytest

from cardan.errors import ModelError
from cardan.model.signal import MAX_FILE_SIZE, Table
from tests.selection import each


def issue(make, *arguments, **data):
    with pytest.raises(ModelError) as error:
        make(*arguments, **data)
    return error.value.issues[0]


def write(folder, text):
    path = folder / "u.csv"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_inline_samples_may_jump():
    table = Table(table=[[0, 0], ["10 ms", "2 V"], [0.01, 5], [1, 5]], interpolation="step")
    assert table.samples() == ((0, 0), (0.01, 2), (0.01, 5), (1, 5))


@pytest.mark.parametrize(
    ("text", "column", "samples"),
    [
        ("t,u\n0,1\n1,2\n", None, ((0, 1), (1, 2))),
        ("t [s],slip [-]\n0,1\n1,2\n", "slip", ((0, 1), (1, 2))),
        ("t [s],slip [1]\n0,1\n1,2\n", "slip", ((0, 1), (1, 2))),
        ("# made by hand\nu, t, w\n1,0,5\n2,1,6\n\n", None, ((0, 1), (1, 2))),
        ("time,u,w\n0,1,5\n1,2,6\n", "w", ((0, 5), (1, 6))),
    ],
)
def test_samples_from_a_file(tmp_path, text, column, samples):
    assert Table(file=write(tmp_path, text), column=column).samples() == samples


@each(
    "data, key, fault, cure",
    [
        ({}, "", "either inline or as a file", "table: [[t, value], …]"),
        ({"table": [[0, 1]], "file": "u.csv"}, "", "either inline or as a file", "table: [[t, value], …]"),
        ({"table": [[0, 1]], "column": "u"}, "column", "a column without a file", "add file"),
        ({"table": []}, "table", "the table is empty", "at least one"),
        ({"table": [[0, 1], [2, 1], [1, 1]]}, "table[2]", "out of order: 1 s comes after 2 s", "sort the rows"),
        ({"table": [[0, 1], [0, 2], [0, 3]]}, "table[2]", "the time 0 s occurs three times", "a jump has two rows"),
        ({"table": [[0, "2*a"]]}, "table[0][1]", "'2*a' is not a plain number", "numbers and quantities only"),
        ({"table": [["3 V", 1]]}, "table[0][0]", "'3 V' is a voltage, but a time", '"5 s"'),
        ({"table": [[0, 1, 2]]}, "table[0]", "too many entries", "write 2"),
        (
            {"table": [[0, 1]], "interpolation": "square"},
            "interpolation",
            "'square' is not possible",
            "'linear', 'cubic' or 'step'",
        ),
        (
            {"table": [[0, 1], [1, 1], [2, 1]], "interpolation": "cubic"},
            "table",
            "cubic interpolation needs four rows or more, and there are 3",
            "interpolation: linear",
        ),
        (
            {"table": [[0, 1], [1, 1], [1, 2], [2, 1]], "interpolation": "cubic"},
            "table[2]",
            "the time 1 s occurs twice, and a cubic spline does not jump",
            "one value for each time",
        ),
    ],
)
def test_wrong_tables_are_refused(data, key, fault, cure):
    found = issue(Table, **data)
    assert found.key == key
    assert fault in found.fault
    assert cure in found.cure


@pytest.mark.parametrize(
    ("text", "column", "key", "fault", "cure"),
    [
        ("", None, "file", "is empty", "first line names the columns"),
        ("t\n0\n", None, "file", "one column only", "columns for t and the values, separated by commas"),
        ("t;u\n0,5;1\n", "u", "file", "one column only: semicolons stand where commas", "columns for t and u"),
        ("t,u [kNN]\n0,1\n", None, "file", "u.csv, column 'u': 'kNN' is not a unit", 'such as "u [kN]"'),
        ("t,u [degC]\n0,1\n", None, "file", "column 'u': the unit 'degC' does not begin at zero", "begins at zero"),
        ("t,drive\n0,1\n", "drve", "column", "has no column 'drve'", "did you mean 'drive'?"),
        ("t,u\n0,1\n1,x\n", None, "file", "row 3, column 2: no finite number", "leave the row out"),
        ("t,u\n0,nan\n", None, "file", "row 2, column 2: no finite number", "leave the row out"),
        ("t,u\n0\n", None, "file", "row 2, column 2: no entry", "leave the row out"),
        ("t,u\n0,1_0\n", None, "file", "row 2, column 2: no finite number", "leave the row out"),
        ("t,u\n0,１\n", None, "file", "row 2, column 2: no finite number", "leave the row out"),
        ("t,u,u\n0,1,2\n", "u", "file", "has 2 columns 'u'", "its own name"),
        ("t,u,t\n0,1,2\n", None, "file", "has 2 columns 't'", "its own name"),
        ("t,u\x00\n0,1\n", None, "file", "does not name columns", "such as t,u"),
        ("t,u\n1,1\n0,1\n", None, "file", "u.csv: the times are out of order: 0 s comes after 1 s", "sort the rows"),
        ("0,0\n0.5,3\n", None, "file", "u.csv: its first line holds numbers, not the names", "such as t,u"),
        ("t,u\n", None, "file", "the table is empty", "at least one"),
    ],
)
def test_wrong_files_are_refused(tmp_path, text, column, key, fault, cure):
    found = issue(Table(file=write(tmp_path, text), column=column).samples)
    assert found.key == key
    assert fault in found.fault
    assert cure in found.cure


def test_a_file_with_too_few_rows_for_a_spline_is_refused(tmp_path):
    found = issue(Table(file=write(tmp_path, "t,u\n0,1\n1,2\n"), interpolation="cubic").samples)
    assert found.key == "file"
    assert "u.csv: cubic interpolation needs four rows or more, and there are 2" in found.fault


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path):
    path = write(tmp_path, "\ufeffu,t\n5,0\n7,1\n")
    assert Table(file=path, column="u").samples() == ((0, 5), (1, 7))


def test_files_that_are_no_csv_are_refused(tmp_path):
    missing = issue(Table(file=str(tmp_path / "no.csv")).samples)
    assert "cannot be read as CSV" in missing.fault
    binary = tmp_path / "b.csv"
    binary.write_bytes(b"\xff\xfe\x00")
    assert "cannot be read as CSV" in issue(Table(file=str(binary)).samples).fault
    large = tmp_path / "large.csv"
    with large.open("wb") as stream:
        stream.truncate(MAX_FILE_SIZE + 1)
    assert "more than 50 MB" in issue(Table(file=str(large)).samples).fault
