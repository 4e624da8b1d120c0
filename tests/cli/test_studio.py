"""`cardan studio`: a page in the browser, or its address alone."""

import signal
import socket
import subprocess
import sys
import webbrowser
from urllib.request import urlopen

import pytest

from cardan.view.studio import Studio

pytest.importorskip("websockets")


@pytest.fixture
def soon_over(monkeypatch):
    """A studio that is closed as soon as it is open."""
    monkeypatch.setattr(Studio, "wait", lambda self: None)


def test_the_browser_is_opened_and_the_address_printed(cardan_cli, monkeypatch, soon_over):
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda address: not opened.append(address))
    done = cardan_cli("studio", "compound_pendulum", "--port", "0")
    assert done.exit_code == 0, done.output
    assert "The studio is at http://127.0.0.1:" in done.stdout
    assert "open that address" in done.stdout
    assert opened[0].startswith("file://")
    assert cardan_cli("studio", "--port", "0").exit_code == 0  # an empty model


def test_wrong_input_is_refused(cardan_cli, monkeypatch):
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = cardan_cli("studio", "compound_pendulum", "--no-browser", "--port", str(port))
    assert (done.exit_code, f"the port {port} is in use" in done.stderr) == (2, True)
    for words, said in (
        (("compound_pendulun",), "did you mean 'compound_pendulum'?"),
        (("rig.yaml",), "rig.yaml cannot be read"),
        (("compound_pendulum", "--port", "70000"), "70000 is not a port"),
        (("compound_pendulum", "--port", "0"), "no browser could be opened"),
    ):
        done = cardan_cli("studio", *words)
        assert (done.exit_code, said in done.stderr) == (2, True), done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="another way to interrupt a program")
def test_ctrl_c_ends_it():
    start = "import signal, runpy; signal.signal(signal.SIGINT, signal.default_int_handler); "  # a shell may ignore it
    words = [sys.executable, "-c", start + "runpy.run_module('cardan', run_name='__main__')"]
    words += ["studio", "compound_pendulum", "--no-browser", "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as program:
        try:
            address = program.stdout.readline().split()[-1]
            with urlopen(address) as page:
                assert b"Cardan studio" in page.read()
            program.send_signal(signal.SIGINT)
            assert program.wait(20) == 0
        finally:
            program.kill()
