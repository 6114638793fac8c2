"""Recordings of a project: whose files they are, which sentence means which, and that nothing else is ever touched."""

import io
import os
import shutil
import stat
import sys

import pytest
import sounds
import storing
from storing import made_project

from annotate.exchange import deletion, recordings
from annotate.store import Store
from annotate.store.backup import backup, restore
from fewshot.corpora.recordings import Recording
from fewshot.corpora.types import Sentence
from fewshot.errors import FewshotError


@pytest.fixture
def heard(store):
    """A project whose first two sentences are heard in one recording, the third in another, the last in none."""
    files = ["Mar.WAV", "Mar.WAV", "../../etc/passwd.mp3", None]
    made = [
        Sentence(f"s{n}", f"voy {n}", ("voy", str(n)), recording=file and Recording(file, 1, 2))
        for n, file in enumerate(files)
    ]
    return made_project(store, storing.split_rows(made[:3], made[3:]))


def test_a_name_means_a_recording_with_or_without_capitals_and_ending():
    for kept, file, found in (
        (["mar.wav"], "MAR.WAV", "mar.wav"),
        (["mar.mp3", "mar.wav"], "mar.wav", "mar.wav"),
        (["Mar.mp3"], "mar.mp4", "Mar.mp3"),
        (["883c5f61.mp3"], "883c5f61", "883c5f61.mp3"),
        (["n\u0303a.wav"], "\u00f1a.wav", "n\u0303a.wav"),
        *((["mar.wav"], file, None) for file in ("../mar.wav", "/mar.wav", "", "mar 2.wav")),
    ):
        assert recordings.find(kept, file) == found, file


def test_files_are_their_owners_alone_beside_the_database_or_in_the_users_folder(store, heard, tmp_path, monkeypatch):
    sounds.keep(store, heard, "mar.wav")
    place = recordings.folder(store, heard)
    assert place.parent == tmp_path / "recordings"
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert stat.S_IMODE((place / "mar.wav").stat().st_mode) == 0o600
    assert [path.name for path in place.iterdir()] == ["mar.wav"]
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    lab = Store("postgresql://lab@db.example/notes")
    assert recordings.folder(lab, heard).parent == tmp_path / "share" / "fewshot" / "recordings"
    lab.close()


def test_an_upload_lands_in_the_folder_or_is_refused_whatever_it_is_called(store, heard, tmp_path):
    for name in ("passwd", "mar.html", ".wav", ".hidden.wav", "..", "a\n.wav", "a\0.wav", "ñ" * 101 + ".wav"):
        with pytest.raises(FewshotError):
            sounds.keep(store, heard, name)
    assert not recordings.folder(store, heard).exists()
    for name in ("../../mar.wav", "/etc/mar.wav", "..\\..\\mar.wav", r"C:\x\mar.wav"):
        assert sounds.keep(store, heard, name) == "mar.wav"
    assert list(tmp_path.rglob("*.wav")) == [recordings.folder(store, heard) / "mar.wav"]


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems have no such names")
def test_a_file_whose_name_is_no_text_is_no_recording_and_hides_none(store, heard):
    sounds.keep(store, heard, "mar.wav")
    (recordings.folder(store, heard) / os.fsdecode(b"\xff.wav")).write_bytes(sounds.tone(0.1))
    assert list(recordings.kept(store, heard)) == ["mar.wav"]


class FullDisk(io.BytesIO):
    def read(self, size=-1):
        if size > 16:
            raise OSError(28, "No space left on device")
        return super().read(size)


def test_a_recording_takes_the_place_of_one_of_its_name_unless_it_is_another_kind_or_the_disk_is_full(store, heard):
    sounds.keep(store, heard, "mar.wav")
    with pytest.raises(FewshotError, match=r"does not begin like a \.wav file"):
        sounds.keep(store, heard, "mar.wav", b"<html><script>alert(1)</script>")
    with pytest.raises(FewshotError, match="No space left on device"):
        recordings.add(store, heard, "mar.wav", FullDisk(sounds.tone(0.1)))
    (path,) = recordings.folder(store, heard).iterdir()
    assert path.read_bytes() == sounds.tone(0.1)
    sounds.keep(store, heard, "Mar.WAV", sounds.tone(0.2))
    (path,) = recordings.kept(store, heard).values()
    assert path.read_bytes() == sounds.tone(0.2)


def test_all_kinds_that_browsers_play_are_taken(store, heard):
    for name, start in (
        ("a.mp3", b"ID3\x04"), ("b.mp3", b"\xff\xfb\x90"), ("a.ogg", b"OggS\x00"), ("a.flac", b"fLaC"),
        ("a.m4a", b"\x00\x00\x00 ftypM4A "), ("A.WAV", b"RF64\xff\xff\xff\xffWAVEds64"),
    ):  # fmt: skip
        assert sounds.keep(store, heard, name, start + bytes(20)) == name


def test_recordings_are_removed_one_by_one_and_with_their_project_and_links_are_none(store, heard, tmp_path):
    for name in ("mar.wav", "sol.wav"):
        sounds.keep(store, heard, name)
    secret = tmp_path / "secret.wav"
    secret.write_bytes(sounds.tone(0.1))
    place = recordings.folder(store, heard)
    (place / "Mar.WAV").symlink_to(secret)
    (place / "folder.wav").mkdir()
    for name in ("../mar.wav", "Mar.WAV"):
        with pytest.raises(FewshotError, match=r"no such recording; there are mar\.wav and sol\.wav"):
            recordings.remove(store, heard, name)
    recordings.remove(store, heard, "sol.wav")
    assert list(recordings.kept(store, heard)) == ["mar.wav"]
    assert "1 recording on this machine" in deletion.holdings(store, heard)
    deletion.delete(store, heard)
    assert not recordings.folder(store, heard).exists()
    assert secret.exists()


def test_recordings_of_a_restored_project_are_found_once_their_folder_is_copied(store, heard, tmp_path):
    sounds.keep(store, heard, "mar.wav")
    backup(store, tmp_path / "monday.backup")
    elsewhere = tmp_path / "elsewhere"
    restored = Store.open(f"sqlite:///{elsewhere}/other.db")
    restore(tmp_path / "monday.backup", restored)
    (project,) = restored.projects()
    named = restored.count_recordings(project.id)
    missing = {"../../etc/passwd.mp3": 1, "Mar.WAV": 2}
    assert recordings.coverage(named, recordings.kept(restored, project)) == recordings.Coverage(0, 3, missing)
    shutil.copytree(tmp_path / "recordings", elsewhere / "recordings")
    assert recordings.coverage(named, recordings.kept(restored, project)).heard == 2
    restored.close()
