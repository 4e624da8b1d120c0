"""Folders and files that only the user and the administrator can write."""

import os
import sys
from pathlib import Path

import pytest

from cardan.safety import trust
from cardan.safety.trust import read_own, suspicion

posix = pytest.mark.skipif(sys.platform == "win32", reason="owners and permissions of POSIX")


@posix
def test_a_folder_of_ones_own_is_not_suspicious(tmp_path):
    tmp_path.chmod(0o755)
    assert suspicion(tmp_path) == ""
    assert suspicion(tmp_path / "not" / "there") == ""
    (tmp_path / "link").symlink_to(tmp_path)
    assert suspicion(tmp_path / "link") == ""


@posix
@pytest.mark.parametrize("mode", [0o777, 0o775, 0o722])
def test_a_folder_that_others_can_write_is_suspicious(tmp_path, mode):
    tmp_path.chmod(mode)
    assert suspicion(tmp_path) == "can be written by other users"


@posix
def test_a_folder_or_link_of_another_user_is_suspicious(tmp_path, monkeypatch):
    real, own = tmp_path / "real", os.lstat
    real.mkdir(mode=0o700)
    link = tmp_path / "link"
    link.symlink_to(real)

    class Strange:
        def __init__(self, found):
            self.st_mode, self.st_uid = found.st_mode, 4_000_000

    monkeypatch.setattr(os, "lstat", lambda path: Strange(own(path)) if Path(path) == link else own(path))
    assert suspicion(link) == f"is reached by a link of another user, {link}"
    monkeypatch.undo()
    of = os.stat
    monkeypatch.setattr(os, "stat", lambda path: Strange(of(path)) if Path(path) == real else of(path))
    assert suspicion(real) == "belongs to another user"


def test_on_windows_the_profile_is_trusted(tmp_path, monkeypatch):
    monkeypatch.setattr(trust, "sys", type("Sys", (), {"platform": "win32"}))
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert suspicion(tmp_path / "AppData" / "cardan") == ""
    assert suspicion(tmp_path.parent / "shared") == "lies outside of your profile"
    path = tmp_path / "f"
    path.write_bytes(b"code")
    path.chmod(0o666)
    assert read_own(path) == b"code"


@posix
def test_files_are_read_unless_others_can_have_written_them(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"code")
    path.chmod(0o600)
    assert read_own(path) == b"code"
    path.chmod(0o622)
    with pytest.raises(PermissionError, match="may have been written by somebody else"):
        read_own(path)
    path.chmod(0o600)
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(OSError, match="link"):
        read_own(tmp_path / "link")
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(PermissionError, match="may have been written by somebody else"):
        read_own(tmp_path / "pipe")
