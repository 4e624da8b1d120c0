"""Only a page of the studio itself, on this machine and with the token, is answered."""

from tests.selection import each

from cardan.view.studio.server import Gate

GATE = Gate(8100, "s3cret")
HOME = {"Host": "127.0.0.1:8100", "Origin": "http://127.0.0.1:8100"}


@each("page", [True, False])
def test_a_page_of_the_studio_passes(page):
    assert GATE.fault("/?token=s3cret", HOME, page=page) == ""
    local = {"Host": "localhost:8100", "Origin": "http://localhost:8100"}
    assert GATE.fault("/talk?token=s3cret", local, page=page) == ""


@each(
    "path, change, fault",
    [
        ("/talk?token=s3cret", {"Host": "rebound.example:8100"}, "another host"),
        ("/talk?token=s3cret", {"Host": "127.0.0.1:8101"}, "another host"),
        ("/talk?token=s3cret", {"Host": "127.0.0.1:8100,rebound.example"}, "another host"),
        ("/talk?token=s3cret", {"Origin": "https://evil.example"}, "another page"),
        ("/talk?token=s3cret", {"Origin": "http://127.0.0.1:8101"}, "another page"),
        ("/talk?token=s3cret", {"Origin": "null"}, "another page"),
        ("/talk?token=s3cre", {}, "token"),
        ("/talk?token=s3crét", {}, "token"),
        ("/talk", {}, "token"),
    ],
)
def test_all_others_are_refused(path, change, fault):
    for page in (True, False):
        assert fault in GATE.fault(path, HOME | change, page=page)


def test_only_the_page_may_come_without_an_origin():
    alone = {"Host": HOME["Host"]}
    assert GATE.fault("/?token=s3cret", alone, page=True) == ""
    assert "another page" in GATE.fault("/talk?token=s3cret", alone, page=False)
    assert "another host" in GATE.fault("/?token=s3cret", {}, page=True)
