"""Runs in .nc files keep the contract of formats."""

from tests.contracts.run_format_contract import RunFormatContract


class TestNetcdf(RunFormatContract):
    extension = ".nc"
