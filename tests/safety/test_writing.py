"""Files appear whole or not at all; drafts are private, cannot be foreseen, and do not stay."""

import errno
import os
import signal
import subprocess
import sys
import time

import pytest

from cardan.safety.writing import _LONGEST, replacing

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, permissions and signals of POSIX")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_when_it_is_complete(tmp_path):
    path = tmp_path / "run.nc"
    path.write_bytes(b"old")
    with replacing(path) as stream:
        stream.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["run.nc"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_the_old_file(tmp_path, error):
    path = tmp_path / "run.nc"
    path.write_bytes(b"old")

    def broken_off():
        with replacing(path) as stream:
            stream.write(b"new")
            raise error

    with pytest.raises(error):
        broken_off()
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["run.nc"]


@posix
def test_permissions_are_those_that_the_process_gives_to_new_files(tmp_path):
    mask = os.umask(0o027)
    try:
        for wanted, found in ((0o666, 0o640), (0o600, 0o600)):
            with replacing(tmp_path / "f", wanted):
                pass
            assert (tmp_path / "f").stat().st_mode & 0o777 == found
    finally:
        os.umask(mask)


@posix
def test_a_file_that_is_replaced_keeps_its_permissions_and_a_link_passes_none_on(tmp_path):
    path = tmp_path / "run.nc"
    path.write_bytes(b"old")
    for mode in (0o600, 0o666):
        path.chmod(mode)
        with replacing(path) as stream:
            assert max(p.stat().st_mode & 0o777 & ~mode for p in tmp_path.iterdir()) == 0  # drafts show no more
            stream.write(b"new")
        assert path.stat().st_mode & 0o777 == mode
    (tmp_path / "link").symlink_to(path)
    mask = os.umask(0o027)
    try:
        with replacing(tmp_path / "link"):
            pass
    finally:
        os.umask(mask)
    assert (tmp_path / "link").stat().st_mode & 0o777 == 0o640
    assert not (tmp_path / "link").is_symlink()


@posix
def test_a_draft_never_goes_through_a_link_that_lies_there_already(tmp_path, monkeypatch):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    monkeypatch.setattr("secrets.token_hex", lambda n: "known")
    (tmp_path / ".cardan-known.part").symlink_to(precious)
    with pytest.raises(FileExistsError), replacing(tmp_path / "run.nc"):
        raise AssertionError("opened")
    assert precious.read_text() == "mine"


def test_drafts_have_other_names_each_time(tmp_path):
    found = set()
    for _ in range(3):
        with replacing(tmp_path / "run.nc"):
            found |= {name for name in names(tmp_path) if name != "run.nc"}
    assert len(found) == 3


def test_drafts_of_processes_that_were_killed_are_removed(tmp_path):
    left, active, other = (tmp_path / name for name in (".cardan-1.part", ".cardan-2.part", ".other.part"))
    for path in (left, active, other):
        path.write_text("half")
    long_ago = time.time() - 2 * _LONGEST
    for path in (left, other):
        os.utime(path, (long_ago, long_ago))
    with replacing(tmp_path / "run.nc"):
        pass
    assert names(tmp_path) == [".cardan-2.part", ".other.part", "run.nc"]


@posix
def test_a_terminated_program_leaves_no_draft(tmp_path):
    code = f"""
import sys, time
from pathlib import Path
from cardan.cli import main
from cardan.safety.writing import replacing

def write():
    with replacing(Path({str(tmp_path / "run.nc")!r})):
        print("ready", flush=True)
        time.sleep(60)

sys.modules["cardan.cli.program"].program = lambda names: write
main()
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout.readline() == "ready\n"
        assert names(tmp_path) != []
        run.send_signal(signal.SIGTERM)
        assert run.wait(30) == 128 + signal.SIGTERM
    assert names(tmp_path) == []


def test_a_full_disk_names_the_file(tmp_path):
    with pytest.raises(OSError, match=r"run\.nc") as caught, replacing(tmp_path / "run.nc"):
        raise OSError(errno.EFBIG, "File too large")
    assert caught.value.errno == errno.EFBIG
    assert not [*tmp_path.iterdir()]


def test_a_missing_folder_names_the_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"run\.nc"), replacing(tmp_path / "nowhere" / "run.nc"):
        pass
