"""The server gives its page and its messages to nobody but a browser on this machine that has the token."""

import http.client
import json
import os
import re
import socket
import stat
import time
import webbrowser
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from urllib.request import url2pathname

import pytest
from tests.selection import each

import cardan
from cardan.errors import ModelError
from cardan.formats.gallery import gallery_path
from cardan.view.studio import session

websockets = pytest.importorskip("websockets.sync.client")


@pytest.fixture(scope="module")
def opened():
    with cardan.studio("compound_pendulum", browser=False) as studio:
        yield studio


def _get(url, **headers):
    at = urlsplit(url)
    connection = http.client.HTTPConnection(at.hostname, at.port, timeout=10)
    connection.request("GET", f"{at.path}?{at.query}", headers=headers)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response, text


def _talk(url, **options):
    at = urlsplit(url)
    options = {"origin": f"http://{at.netloc}", "proxy": None, "max_size": None} | options
    return websockets.connect(f"ws://{at.netloc}/talk?{at.query}", **options)


def _next(socket, kind):
    while (answer := json.loads(socket.recv(timeout=20)))["kind"] != kind:
        pass
    return answer


def test_the_page_comes_with_its_policy(opened):
    response, text = _get(opened.url)
    assert response.status == 200
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert text.startswith("<!doctype html>")
    assert "default-src 'none'" in text
    assert "http://" not in text[: text.index("<script>")]
    assert _get(opened.url.replace("/?", "/else?"))[0].status == 404


def test_a_request_from_elsewhere_gets_nothing(opened):
    assert _get(opened.url + "x")[0].status == 403
    assert _get(opened.url, Host="rebound.example")[0].status == 403
    response, text = _get(opened.url, Origin="https://evil.example")
    assert response.status == 403
    assert text == "the request comes from another page\n"


@each("change", ["token", "origin", "no origin"])
def test_a_socket_from_elsewhere_is_refused(opened, change):
    options = {"origin": {"origin": "https://evil.example"}, "no origin": {"origin": None}}.get(change, {})
    url = opened.url + "x" if change == "token" else opened.url
    with pytest.raises(Exception, match="403"), _talk(url, **options):
        pass


def test_only_this_machine_can_connect(opened):
    """It listens on one address; another address of this machine, if it has one, has no such port."""
    port = urlsplit(opened.url).port
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing; finds this machine's own address
        except OSError:
            pytest.skip("this machine has no other address")
        own = probe.getsockname()[0]
    if own.startswith("127."):
        pytest.skip("this machine has no other address")
    with pytest.raises(OSError, match=r"refused|timed out"):
        socket.create_connection((own, port), timeout=2)


def test_two_tabs_see_the_same(opened):
    with _talk(opened.url) as one, _talk(opened.url) as two:
        _next(one, "run")  # before the model: its results are then known, which the page offers as plots
        before = _next(one, "model")
        assert _next(two, "model") == before
        parameter = before["controls"]["parameters"][0]
        text = f"{parameter['number'] * 1.5:g} {parameter['suffix']}"
        one.send(
            json.dumps({"do": "set", "section": "parameters", "name": parameter["name"], "text": text, "id": "a 1"})
        )
        for tab in (one, two):
            assert _next(tab, "model")["controls"]["parameters"][0]["text"] == text
            assert _next(tab, "done")["id"] == "a 1"


def test_a_tab_that_does_not_read_is_dropped_and_no_other_one_waits_for_it(opened, monkeypatch):
    """A change sends each tab about 95 kB: what the system holds back for the stalled tab is full after some 30."""
    monkeypatch.setattr(session, "LARGEST", 100_000)
    at, tabs = urlsplit(opened.url), lambda: opened._server._session._tabs
    with socket.socket() as stalled, _talk(opened.url) as tab:
        stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stalled.connect((at.hostname, at.port))
        words = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Host: {at.netloc}"]
        words += ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", f"Origin: http://{at.netloc}", "", ""]
        stalled.sendall("\r\n".join([f"GET /talk?{at.query} HTTP/1.1", *words]).encode())
        _next(tab, "model")
        waits = []
        for k in range(200):
            begun = time.monotonic()
            tab.send(json.dumps({"do": "settings", "until": f"{1 + k % 2} s", "id": f"c {k}"}))
            while _next(tab, "done")["id"] != f"c {k}":
                pass
            waits.append(time.monotonic() - begun)
            if k > 1 and len(tabs()) == 1:
                break
        assert len(tabs()) == 1
        assert max(waits) < 10  # a ping without an answer ends a connection after 20 s


@each("text", ["", "[", "[]", '"do"', "{}", '{"do": []}', '{"do": "set"}', "[" * 100_000])
def test_a_message_that_makes_no_sense_does_no_harm(opened, text):
    with _talk(opened.url) as tab:
        _next(tab, "run")
        tab.send(text)
        tab.send(json.dumps({"do": "undo", "id": "b 1"}))
        while _next(tab, "done")["id"] != "b 1":
            pass


def test_a_defect_is_reported_and_the_studio_goes_on(monkeypatch):
    from cardan.view.studio.workbench import Workbench

    with cardan.studio("compound_pendulum", browser=False) as studio, _talk(studio.url) as tab:
        _next(tab, "run")
        with monkeypatch.context() as patch:
            patch.setattr(Workbench, "answers", lambda self, message, newer: 1 / 0)
            tab.send(json.dumps({"do": "undo"}))
            assert "unexpected error in Cardan: ZeroDivisionError" in _next(tab, "refused")["issues"][0]["fault"]
        tab.send(json.dumps({"do": "settings", "until": "1 s"}))
        assert _next(tab, "run")["message"] == "completed at t = 1 s"


def test_a_studio_with_an_endless_run_can_be_left():
    model = cardan.load("overhead_crane")
    endless = model.replace(simulate={"until": "1e7 s"})
    studio = cardan.studio(endless, browser=False)
    time.sleep(2)
    begun = time.monotonic()
    studio.close()
    assert time.monotonic() - begun < 20


def test_a_tab_that_is_opened_does_not_end_a_run(monkeypatch):
    monkeypatch.setattr("cardan.view.studio.workbench.PATIENCE", 0.0)
    with (
        cardan.studio("flyball_governor", browser=False) as studio,
        _talk(studio.url) as tab,
        _talk(studio.url) as other,
    ):
        assert _next(tab, "run")["ok"]
        assert _next(other, "run")["ok"]


def test_a_port_in_use_and_what_is_no_port_are_refused(opened):
    port = urlsplit(opened.url).port
    with pytest.raises(ModelError, match=rf"the port {port} is in use\n.*--port 0"):
        cardan.studio("compound_pendulum", port=port, browser=False)
    with pytest.raises(ModelError, match=r"-1 is not a port\n.*from 1024 to 65535"):
        cardan.studio("compound_pendulum", port=-1, browser=False)


def test_a_missing_browser_is_said(monkeypatch):
    def broken(url):
        raise webbrowser.Error("none")

    for way in (lambda url: False, broken):
        monkeypatch.setattr(webbrowser, "open", way)
        with pytest.raises(ModelError, match=r"no browser could be opened .*\n.*--no-browser"):
            cardan.studio("compound_pendulum")


def test_the_words_that_start_the_browser_do_not_hold_the_token(monkeypatch):
    """They name a file that leads to the page, that no other user can read, and that goes with the studio."""
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda address: not opened.append(address))
    with cardan.studio("compound_pendulum") as studio:
        token = parse_qs(urlsplit(studio.url).query)["token"][0]
        assert token not in opened[0]
        path = Path(url2pathname(urlsplit(opened[0]).path))
        if os.name == "posix":
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
        led = re.search(r'content="0; url=([^"]+)"', path.read_text(encoding="utf-8"))
        assert _get(led[1])[0].status == 200
    assert not path.exists()


def test_a_missing_package_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "websockets.sync.server", None)
    with pytest.raises(ModelError, match=r"needs the package websockets.*\n.*pip install websockets"):
        cardan.studio("compound_pendulum", browser=False)


@each(
    "model, fault",
    [
        ("overhead_cran", "did you mean 'overhead_crane'"),
        ("nowhere.yaml", "nowhere.yaml cannot be read"),
        ("rig.txt", "no extension of a model file"),
        (5, "5 is not a model"),
    ],
)
def test_what_is_no_model_is_refused(model, fault):
    with pytest.raises(ModelError, match=fault):
        cardan.studio(model, browser=False)


def test_a_folder_is_not_a_model_file(tmp_path):
    (tmp_path / "rig.yaml").mkdir()
    with pytest.raises(ModelError, match=r"rig.yaml"):
        cardan.studio(tmp_path / "rig.yaml", browser=False)


def test_a_model_file_that_is_wrong_opens_with_its_faults(tmp_path):
    file = tmp_path / "rig.yaml"
    file.write_text("cardan: 1\nbodies: {b: {mas: 2 kg}}\n")
    with cardan.studio(file, browser=False) as studio, _talk(studio.url) as tab:
        assert _next(tab, "refused")["issues"][0]["line"] == 2
    assert repr(studio).startswith("<Studio at http://127.0.0.1:")


def test_a_model_may_not_read_files_elsewhere(tmp_path):
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "drive.csv").write_text("t,u\n0,1\n1,2\n")
    text = gallery_path("overhead_crane").read_text(encoding="utf-8")
    (inside / "rig.yaml").write_text(text.replace("inputs: {drive: 10 V}", "inputs: {drive: {file: ../out/drive.csv}}"))
    with cardan.studio(inside / "rig.yaml", browser=False) as studio, _talk(studio.url) as tab:
        assert "lies outside of the model's folder" in _next(tab, "refused")["issues"][0]["fault"]
    with cardan.studio(inside / "rig.yaml", browser=False, allow=outside) as studio, _talk(studio.url) as tab:
        assert _next(tab, "run")["ok"]
