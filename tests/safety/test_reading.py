"""Files that somebody else names: read if they are regular, bounded and inside; else refused at once."""

import os
import sys
from pathlib import Path

import pytest

from cardan.errors import ModelError
from cardan.safety.reading import is_inside, read_bounded

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and devices of POSIX")


def test_files_below_a_folder_are_inside(tmp_path):
    (tmp_path / "a").mkdir()
    assert is_inside(tmp_path / "a" / "b.csv", [tmp_path])
    assert is_inside(tmp_path / "a" / ".." / "b.csv", [tmp_path / "a", tmp_path])
    assert not is_inside(tmp_path / "b.csv", [tmp_path / "a"])
    assert not is_inside(tmp_path / "a" / ".." / "b.csv", [tmp_path / "a"])
    assert not is_inside(tmp_path / "ab.csv", [tmp_path / "a"])
    assert not is_inside(tmp_path / "b.csv", [])


@posix
def test_links_are_followed_before_a_file_is_judged(tmp_path):
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    inner.mkdir()
    outer.mkdir()
    (inner / "link.csv").symlink_to(outer / "u.csv")
    (inner / "folder").symlink_to(outer)
    (inner / "circle").symlink_to(inner / "circle")
    (outer / "back.csv").symlink_to(inner / "u.csv")
    assert not is_inside(inner / "link.csv", [inner])
    assert not is_inside(inner / "folder" / "u.csv", [inner])
    assert is_inside(inner / "folder" / "u.csv", [inner, outer])
    assert is_inside(inner / "circle", [inner])
    assert is_inside(outer / "back.csv", [inner])
    assert is_inside(outer / "u.csv", [inner / "folder"])


def test_content_up_to_the_limit(tmp_path):
    path = tmp_path / "u.csv"
    path.write_bytes(b"t,u\r\n0,1\r\n")
    assert read_bounded(path, 10, "") == b"t,u\r\n0,1\r\n"
    with pytest.raises(ModelError, match="has more than 9e-06 MB\n    thin it out"):
        read_bounded(path, 9, "thin it out")
    with pytest.raises(FileNotFoundError):
        read_bounded(tmp_path / "no.csv", 9, "")


@posix
@pytest.mark.parametrize("name", ["/dev/zero", "pipe", "folder"])
def test_what_is_no_regular_file_is_never_read(tmp_path, name):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with pytest.raises(ModelError, match="is not a regular file"):
        read_bounded(tmp_path / name, 100, "")


@posix
def test_a_file_that_is_exchanged_for_a_pipe_is_not_waited_for(tmp_path, monkeypatch):
    regular = tmp_path / "u.csv"
    regular.write_text("t,u\n")
    seen = os.stat(regular)
    regular.unlink()
    os.mkfifo(regular)
    monkeypatch.setattr(os, "stat", lambda path: seen)
    with pytest.raises(ModelError, match="is not a regular file"):
        read_bounded(regular, 100, "")


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="needs /proc")
def test_a_file_without_a_size_is_bounded_too():
    with pytest.raises(ModelError, match="has more than"):
        read_bounded(Path("/proc/self/maps"), 100, "")
