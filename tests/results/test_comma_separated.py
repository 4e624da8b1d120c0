"""Runs in .csv files keep the contract of formats."""

from tests.contracts.run_format_contract import RunFormatContract

import cardan
from cardan.model.signal import Table
from cardan.results import save_run


class TestCommaSeparated(RunFormatContract):
    extension = ".csv"


def test_numbers_without_unit_have_one_form_in_headers_that_tables_read(tmp_path):
    """One state has the unit 1, a state of the user's own without unit has none."""
    model = cardan.Model(
        bodies={"body": {"mass": 1, "inertia": [1, 1, 1]}},
        joints={"ball": {"type": "spherical", "parent": "ground", "child": "body"}},
        states={"n": {"rate": 1}},
    )
    run = cardan.simulate(model, times=[0.0, 1.0])
    save_run(run, tmp_path / "run.csv")
    lines = (tmp_path / "run.csv").read_text().splitlines()
    header = next(line for line in lines if not line.startswith("#")).split(",")
    assert {"n [-]", "ball.qw.q [-]"} <= {*header}
    assert Table(file=str(tmp_path / "run.csv"), column="ball.qw.q").samples() == ((0, 1), (1, 1))
