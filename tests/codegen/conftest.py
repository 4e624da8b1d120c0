"""A cache of machine code of its own for these tests."""

import pytest


@pytest.fixture(scope="session")
def _code_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _own_cache(_code_folder, monkeypatch):
    monkeypatch.setenv("CARDAN_CACHE_DIR", str(_code_folder))
    monkeypatch.delenv("CARDAN_NUM_THREADS", raising=False)
