"""Runs in .parquet files keep the contract of formats."""

from tests.contracts.run_format_contract import RunFormatContract


class TestParquet(RunFormatContract):
    extension = ".parquet"
