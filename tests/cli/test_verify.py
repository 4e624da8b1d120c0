"""`cardan verify`: a table of residuals; exit code 1 if a law is broken."""

import casadi as ca

from cardan.formulations import trace_lagrange


def test_a_mechanism_that_agrees(cardan_cli):
    result = cardan_cli("verify", "slider_crank", "--states", "2", "--seed", "7", "--motors", "simplified")
    assert result.exit_code == 0
    assert "everything agrees, 2 random states, seed 7" in result.stdout
    for words in ("lagrange agrees with composite_body", "Phi_q is the derivative of Phi", "1e-11", "round-off"):
        assert words in result.stdout


def test_a_broken_law_is_exit_code_1(cardan_cli, monkeypatch):
    monkeypatch.setattr(trace_lagrange, "_gravity", lambda tree, bodies: ca.SX.ones(tree.nv))
    result = cardan_cli("verify", "scara", "--states", "1")
    assert result.exit_code == 1
    assert "FAILED: 1 of 14 checks" in result.stdout
    assert "Traceback" not in result.output


def test_what_is_no_number_of_states_is_wrong_input(cardan_cli):
    assert cardan_cli("verify", "scara", "--states", "0").exit_code == 2
