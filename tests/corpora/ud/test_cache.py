import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from fewshot.corpora.ud import cache
from fewshot.corpora.ud.cache import CachedTreebank, Transfer
from fewshot.corpora.ud.treebanks import Treebank, find
from fewshot.corpora.ud.web import DownloadError, NotFoundError, TransientError
from fewshot.errors import CorpusError, FewshotError

JA = find("ja")
YO = find("yo")
PARTED = Treebank("ru", "Russian", "UD_Russian-Test", "ru_test", ("a", "b"))


QUICK = Transfer(timeout=20.0, attempts=2, wait=lambda seconds: None)


def text(name):
    return f"# sent_id = {name}\n1\t{name}\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n".encode()


def publish(server, treebank, *splits, release="r2.16"):
    for split in splits:
        name = f"{treebank.code}-ud-{split}.conllu"
        server.files[f"/{treebank.name}/{release}/{name}"] = text(split)


@pytest.fixture
def get(server, tmp_path):
    def get(treebank=JA, release="r2.16", **options):
        options = {"transfer": QUICK, **options}
        return cache.get(treebank, release, tmp_path, server.url, **options)

    return get


@pytest.fixture
def ja(server, get):
    publish(server, JA, "train", "dev", "test")
    return get()


def test_all_splits_arrive_in_one_folder_with_a_manifest_and_need_no_network_then(ja, server, tmp_path, monkeypatch):
    folder = tmp_path / "r2.16" / "UD_Japanese-GSD"
    assert ja == {s: folder / f"ja_gsd-ud-{s}.conllu" for s in ("train", "dev", "test")}
    assert ja["dev"].read_bytes() == text("dev")
    assert cache.folder_of(JA, "2.16", tmp_path) == folder
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["treebank"], manifest["code"], manifest["release"]) == ("UD_Japanese-GSD", "ja_gsd", "r2.16")
    entry = manifest["files"]["ja_gsd-ud-dev.conllu"]
    assert entry["urls"] == [f"{server.url}/UD_Japanese-GSD/r2.16/ja_gsd-ud-dev.conllu"]
    assert (entry["bytes"], len(entry["sha256"]), entry["date"][:2]) == (len(text("dev")), 64, "20")
    monkeypatch.setattr(cache, "FileLock", None)  # nor the right to write
    assert cache.get(JA, root=tmp_path, base_url="http://127.0.0.1:1") == ja


def test_a_file_put_there_by_hand_is_used(get, server, tmp_path):
    folder = cache.folder_of(JA, root=tmp_path)
    folder.mkdir(parents=True)
    (folder / "ja_gsd-ud-test.conllu").write_bytes(text("mine"))
    assert get()["test"].read_bytes() == text("mine")
    assert not any("test" in path for _, path, _ in server.requests)


def test_a_treebank_without_train_and_dev_is_no_error_and_is_remembered(get, server):
    publish(server, YO, "test")
    calls = []
    assert set(get(YO, progress=lambda *call: calls.append(call))) == {"test"}
    assert calls[-1] == ("yo_ytb-ud-test.conllu", len(text("test")), len(text("test")))
    before = len(server.requests)
    assert set(get(YO)) == {"test"}
    assert len(server.requests) == before


def test_a_treebank_or_release_that_does_not_exist_is_an_error(get, server, tmp_path):
    publish(server, JA, "train", "dev", "test")
    with pytest.raises(NotFoundError) as error:
        get(release="r9.99")
    message = str(error.value)
    assert "\n" not in message
    for part in ("UD_Japanese-GSD r9.99", f"{server.url}/UD_Japanese-GSD", "r2.16"):
        assert part in message
    assert cache.listing(tmp_path) == []


def test_a_train_file_in_parts_is_joined_and_parts_that_arrived_are_kept_when_a_later_one_fails(get, server, tmp_path):
    publish(server, PARTED, "train-a", "train-b", "test")
    server.faults.extend(["", "", "503", "503"])
    with pytest.raises(TransientError):
        get(PARTED)
    paths = get(PARTED)
    fetched = [path[-8:] for _, path, _ in server.requests if "train-" in path]
    assert fetched == ["a.conllu", "b.conllu", "b.conllu", "b.conllu"]
    assert paths["train"].read_bytes() == text("train-a") + text("train-b")
    left = sorted(path.suffix for path in paths["train"].parent.iterdir() if path.name != ".lock")
    assert left == [".conllu", ".conllu", ".json"]
    assert cache.check(tmp_path) == []
    entry = json.loads((paths["train"].parent / "manifest.json").read_text())["files"][paths["train"].name]
    assert [url[-8:] for url in entry["urls"]] == ["a.conllu", "b.conllu"]


def test_a_cut_off_download_is_continued_and_earlier_splits_are_kept(get, server, tmp_path):
    publish(server, JA, "train", "dev", "test")
    big = server.files["/UD_Japanese-GSD/r2.16/ja_gsd-ud-dev.conllu"] = text("dev") * 5000
    server.faults.extend(["", "cut:100000"])
    with pytest.raises(TransientError):
        get(transfer=Transfer(attempts=1))
    assert cache.listing(tmp_path)[0].splits == ("train",)
    assert [f.path.name for f in cache.check(tmp_path)] == ["ja_gsd-ud-dev.conllu.partial"]
    assert get()["dev"].read_bytes() == big
    assert server.bytes_sent == len(big) + len(text("train")) + len(text("test"))
    assert cache.check(tmp_path) == []


def test_several_at_once_fetch_each_file_once(get, server):
    publish(server, JA, "train", "dev", "test")
    server.pause = threading.Event()
    with ThreadPoolExecutor(3) as pool:
        calls = [pool.submit(get) for _ in range(3)]
        assert server.asked.wait(60)  # the first is waiting for its file, and the others for the first
        server.pause.set()
        first, *others = [call.result(60) for call in calls]
    assert len(first) == 3
    assert others == [first] * 2
    assert len(server.requests) == 3


def test_a_cache_that_is_locked_or_cannot_be_written_is_named(server, get, tmp_path, monkeypatch):
    with cache._alone(cache.folder_of(JA, root=tmp_path), 1.0), pytest.raises(DownloadError, match="another process"):
        get(transfer=Transfer(lock_timeout=0.01))
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DownloadError, match=f"{tmp_path / 'file'}.*cannot be written"):
        cache.get(JA, root=tmp_path / "file", base_url=server.url, transfer=QUICK)

    def refuse(*_, **__):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("filelock.FileLock.acquire", refuse)
    with pytest.raises(DownloadError, match="Read-only file system"):
        get()


def test_check_finds_changed_cut_missing_and_unknown_files_and_nothing_in_a_whole_cache(ja, tmp_path):
    parsed = []
    assert cache.check(tmp_path, parse=parsed.append) == []
    assert sorted(parsed) == sorted(ja.values())

    def parse(path):
        if "dev" in path.name:
            raise CorpusError("head 7 of 3 words", path, 2)

    ((path, message),) = [(one.path, one.message) for one in cache.check(tmp_path, parse=parse)]
    assert path == ja["dev"] and "head 7 of 3 words" in message
    whole = ja["train"].read_bytes()
    ja["train"].write_bytes(whole.replace(b"NOUN", b"VERB"))
    ja["dev"].write_bytes(whole[:10])
    ja["test"].unlink()
    ja["dev"].with_name("ja_other-ud-dev.conllu").write_bytes(whole)
    found = {f.path.name: f.message for f in cache.check(tmp_path)}
    assert "is not what was downloaded" in found["ja_gsd-ud-train.conllu"]
    assert "has 10 bytes" in found["ja_gsd-ud-dev.conllu"]
    assert "is gone" in found["ja_gsd-ud-test.conllu"]
    assert "has no record" in found.pop("ja_other-ud-dev.conllu")
    for name, message in found.items():
        assert str(ja["dev"].with_name(name)) in message and "get it again" in message and "\n" not in message


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"files": {"a": 1}}', b"\xff"])
def test_a_broken_manifest_is_named(ja, get, tmp_path, content):
    path = ja["dev"].parent / "manifest.json"
    path.write_bytes(content)
    assert [f.path for f in cache.check(tmp_path)] == [path]
    with pytest.raises(CorpusError, match=r"manifest\.json"):
        get()


def test_listing_shows_releases_and_splits(ja, get, server, tmp_path):
    publish(server, YO, "test", release="r2.15")
    get(YO, "2.15")
    assert cache.listing(tmp_path) == [
        CachedTreebank("UD_Yoruba-YTB", "r2.15", ("test",)),
        CachedTreebank("UD_Japanese-GSD", "r2.16", ("train", "dev", "test")),
    ]
    assert cache.listing(tmp_path / "none") == cache.check(tmp_path / "none") == []
    assert {"fewshot", "ud"} <= set(cache.default_root().parts)
    assert cache.folder_of(JA).is_relative_to(cache.default_root())


@pytest.mark.parametrize("release", ["", "../r2.16", "r2.16/..", "a b", "-x", ".git"])
def test_what_is_no_release_is_refused(get, release):
    with pytest.raises(FewshotError, match=r"named like r2\.16"):
        get(release=release)
