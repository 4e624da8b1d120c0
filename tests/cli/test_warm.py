"""`cardan warm`: fills the caches and says how long it took."""

import cardan.simulation


def test_warm_fills_the_caches(cardan_cli, monkeypatch):
    calls = []
    monkeypatch.setattr(cardan.simulation, "warm", lambda: calls.append("filled"))
    result = cardan_cli("warm")
    assert result.exit_code == 0
    assert calls == ["filled"]
    assert "compiled" in result.stdout
