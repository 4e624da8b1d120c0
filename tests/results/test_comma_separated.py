"""Runs in .csv files keep the contract of formats."""

from tests.contracts.run_format_contract import RunFormatContract


class TestCommaSeparated(RunFormatContract):
    extension = ".csv"
