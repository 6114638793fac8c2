import json
import os
import socket
import threading

import pytest

from fewshot.corpora.ud import cache
from fewshot.corpora.ud.cache import Transfer
from fewshot.corpora.ud.download import DownloadError, NoNetworkError, NotFoundError, TransientError
from fewshot.corpora.ud.treebanks import Treebank, find
from fewshot.errors import CorpusError, FewshotError

JA = find("ja")
YO = find("yo")
PARTED = Treebank("ru", "Russian", "UD_Russian-Test", "ru_test", ("a", "b"))


def no_wait(seconds):
    pass


QUICK = Transfer(timeout=2.0, attempts=2, wait=no_wait)


def text(name):
    return f"# sent_id = {name}\n1\t{name}\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n".encode()


def publish(server, treebank, *splits, release="r2.16"):
    for split in splits:
        name = f"{treebank.code}-ud-{split}.conllu"
        server.files[f"/{treebank.name}/{release}/{name}"] = text(split)


@pytest.fixture
def get(server, tmp_path):
    def get(treebank=JA, splits=cache.SPLITS, release="r2.16", **options):
        options = {"transfer": QUICK, **options}
        return cache.get(treebank, splits, release, tmp_path, server.url, **options)

    return get


@pytest.fixture
def ja(server, get):
    publish(server, JA, "train", "dev", "test")
    return get()


def test_all_splits_arrive_in_the_folder_of_release_and_treebank(ja, tmp_path):
    folder = tmp_path / "r2.16" / "UD_Japanese-GSD"
    assert ja == {s: folder / f"ja_gsd-ud-{s}.conllu" for s in ("train", "dev", "test")}
    assert ja["dev"].read_bytes() == text("dev")
    assert cache.folder_of(JA, "2.16", tmp_path) == folder


def test_the_manifest_says_where_files_came_from(ja, server):
    manifest = json.loads((ja["dev"].parent / "manifest.json").read_text())
    assert (manifest["treebank"], manifest["code"], manifest["release"]) == ("UD_Japanese-GSD", "ja_gsd", "r2.16")
    entry = manifest["files"]["ja_gsd-ud-dev.conllu"]
    assert entry["urls"] == [f"{server.url}/UD_Japanese-GSD/r2.16/ja_gsd-ud-dev.conllu"]
    assert entry["bytes"] == len(text("dev"))
    assert len(entry["sha256"]) == 64
    assert entry["date"].startswith("20")


def test_what_is_there_is_not_asked_for_again(ja, get, server):
    before = len(server.requests)
    assert get() == ja
    assert get(splits=["test"]) == {"test": ja["test"]}
    assert len(server.requests) == before


def test_what_is_there_needs_no_network_and_no_right_to_write(ja, tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "FileLock", None)
    assert cache.get(JA, root=tmp_path, base_url="http://127.0.0.1:1") == ja


def test_a_file_put_there_by_hand_is_used(get, server, tmp_path):
    folder = cache.folder_of(JA, root=tmp_path)
    folder.mkdir(parents=True)
    (folder / "ja_gsd-ud-test.conllu").write_bytes(text("mine"))
    assert get(splits=["test"])["test"].read_bytes() == text("mine")
    assert server.requests == []


def test_only_the_asked_splits_are_fetched(get, server):
    publish(server, JA, "train", "dev", "test")
    assert set(get(splits=["dev"])) == {"dev"}
    assert len(server.requests) == 1


def test_a_treebank_without_train_and_dev_is_no_error_and_is_remembered(get, server, tmp_path):
    publish(server, YO, "test")
    assert set(get(YO)) == {"test"}
    before = len(server.requests)
    assert set(get(YO)) == {"test"}
    assert get(YO, ["train"]) == {}
    assert len(server.requests) == before
    assert cache.listing(tmp_path)[0].absent == ("train", "dev")


def test_a_split_that_appears_later_is_found_by_refreshing(get, server):
    publish(server, YO, "test", release="master")
    assert set(get(YO, release="master")) == {"test"}
    publish(server, YO, "dev", release="master")
    assert set(get(YO, release="master", refresh=True)) == {"dev", "test"}


def test_asking_only_for_a_split_that_does_not_exist_gives_nothing(get, server):
    publish(server, YO, "test")
    assert get(YO, ["train"]) == {}
    assert [method for method, _, _ in server.requests] == ["GET", "HEAD"]


@pytest.mark.parametrize("splits", [("train", "dev", "test"), ("test",), ("dev",)])
def test_a_treebank_or_release_that_does_not_exist_is_an_error(get, server, tmp_path, splits):
    publish(server, JA, "train", "dev", "test")
    with pytest.raises(NotFoundError) as error:
        get(splits=splits, release="r9.99")
    message = str(error.value)
    assert "\n" not in message
    for part in ("UD_Japanese-GSD r9.99", f"{server.url}/UD_Japanese-GSD", "r2.16"):
        assert part in message
    assert cache.listing(tmp_path) == []


def test_a_train_file_in_parts_is_joined(get, server, tmp_path):
    publish(server, PARTED, "train-a", "train-b", "test")
    paths = get(PARTED)
    assert paths["train"].read_bytes() == text("train-a") + text("train-b")
    assert sorted(p.suffix for p in paths["train"].parent.iterdir() if p.name != ".lock") == [
        ".conllu",
        ".conllu",
        ".json",
    ]
    assert cache.check(tmp_path) == []
    train = cache.listing(tmp_path)[0].files[0]
    assert [url[-8:] for url in train.entry.urls] == ["a.conllu", "b.conllu"]


def test_parts_that_arrived_are_kept_when_a_later_one_fails(get, server):
    publish(server, PARTED, "train-a", "train-b", "test")
    server.faults.extend(["", "", "503", "503"])
    with pytest.raises(TransientError):
        get(PARTED)
    get(PARTED)
    fetched = [path[-8:] for method, path, _ in server.requests if "train-" in path]
    assert fetched == ["a.conllu", "b.conllu", "b.conllu", "b.conllu"]


def test_a_cut_off_download_is_continued_and_earlier_splits_are_kept(get, server, tmp_path):
    publish(server, JA, "train", "dev", "test")
    big = server.files["/UD_Japanese-GSD/r2.16/ja_gsd-ud-dev.conllu"] = text("dev") * 5000
    server.faults.extend(["", "cut:100000"])
    with pytest.raises(TransientError):
        get(transfer=Transfer(attempts=1, wait=no_wait))
    assert [f.split for f in cache.listing(tmp_path)[0].files] == ["train"]
    assert [(f.kind, f.path.name) for f in cache.check(tmp_path)] == [("partial", "ja_gsd-ud-dev.conllu.partial")]
    assert get()["dev"].read_bytes() == big
    assert server.bytes_sent == len(big) + len(text("train")) + len(text("test"))
    assert cache.check(tmp_path) == []


def test_progress_names_the_file(get, server):
    publish(server, JA, "test")
    calls = []
    get(splits=["test"], progress=lambda name, done, total: calls.append((name, done, total)))
    assert calls[-1] == ("ja_gsd-ud-test.conllu", len(text("test")), len(text("test")))


def test_no_network_names_the_folder_and_file(tmp_path):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
    with pytest.raises(NoNetworkError) as error:
        cache.get(JA, root=tmp_path, base_url=url, transfer=QUICK)
    message = str(error.value)
    for part in ("UD_Japanese-GSD r2.16", "ja_gsd-ud-train.conllu", str(tmp_path / "r2.16" / "UD_Japanese-GSD")):
        assert part in message


def test_two_at_once_fetch_each_file_once(get, server):
    publish(server, JA, "train", "dev", "test")
    server.pause = threading.Event()
    results, faults = [], []

    def run():
        try:
            results.append(get())
        except FewshotError as error:
            faults.append(error)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    threading.Timer(0.1, server.pause.set).start()
    for thread in threads:
        thread.join(10)
    assert faults == []
    assert len(results) == 3
    assert all(result == results[0] and len(result) == 3 for result in results)
    assert len(server.requests) == 3


def test_a_lock_that_is_not_released_ends_in_an_error(get, server, tmp_path):
    publish(server, JA, "test")
    folder = cache.folder_of(JA, root=tmp_path)
    with cache._alone(folder, 1.0), pytest.raises(DownloadError, match="another process"):
        get(transfer=Transfer(lock_timeout=0.01))


def test_a_cache_in_the_place_of_a_file_is_named(server, tmp_path):
    publish(server, JA, "test")
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DownloadError, match="cannot be written") as error:
        cache.get(JA, root=tmp_path / "file", base_url=server.url, transfer=QUICK)
    assert str(tmp_path / "file") in str(error.value)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="this user may write everywhere")
def test_a_read_only_cache_is_named(server, tmp_path):
    publish(server, JA, "test")
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(DownloadError, match="cannot be written") as error:
            cache.get(JA, root=tmp_path, base_url=server.url, transfer=QUICK)
        assert str(tmp_path) in str(error.value)
    finally:
        tmp_path.chmod(0o755)


def test_a_file_system_that_refuses_the_lock_file_is_named(get, server, monkeypatch):
    class ReadOnly:
        def __init__(self, path, timeout):
            pass

        def acquire(self):
            raise OSError(30, "Read-only file system")

    publish(server, JA, "test")
    monkeypatch.setattr(cache, "FileLock", ReadOnly)
    with pytest.raises(DownloadError, match="Read-only file system"):
        get()


def test_a_whole_cache_has_no_findings(ja, tmp_path):
    parsed = []
    assert cache.check(tmp_path, parse=parsed.append) == []
    assert sorted(parsed) == sorted(ja.values())


def test_check_finds_changed_cut_and_missing_files(ja, tmp_path):
    whole = ja["train"].read_bytes()
    ja["train"].write_bytes(whole.replace(b"NOUN", b"VERB"))
    ja["dev"].write_bytes(whole[:10])
    ja["test"].unlink()
    found = {f.path.name: f for f in cache.check(tmp_path)}
    kinds = {name: f.kind for name, f in found.items()}
    assert kinds == {
        "ja_gsd-ud-train.conllu": "changed",
        "ja_gsd-ud-dev.conllu": "changed",
        "ja_gsd-ud-test.conllu": "missing",
    }
    for finding in found.values():
        assert str(finding.path) in finding.message
        assert "get it again" in finding.message
        assert "\n" not in finding.message


def test_check_passes_on_what_the_parser_finds(ja, tmp_path):
    def parse(path):
        if "dev" in path.name:
            raise CorpusError("head 7 of 3 words", path, 2)

    found = cache.check(tmp_path, parse=parse)
    assert [(f.kind, f.path) for f in found] == [("parse", ja["dev"])]
    assert "head 7 of 3 words" in found[0].message


def test_check_tells_files_without_a_record(ja, tmp_path):
    extra = ja["dev"].with_name("ja_other-ud-dev.conllu")
    extra.write_bytes(text("dev"))
    assert [(f.kind, f.path) for f in cache.check(tmp_path)] == [("unrecorded", extra)]


def test_check_of_one_treebank_leaves_the_others_alone(ja, get, server, tmp_path):
    publish(server, YO, "test")
    get(YO)["test"].write_bytes(b"changed")
    assert cache.check(tmp_path, treebank=JA) == []
    assert len(cache.check(tmp_path, treebank=YO)) == 1


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"files": {"a": 1}}', b"\xff"])
def test_a_broken_manifest_is_named(ja, get, tmp_path, content):
    path = ja["dev"].parent / "manifest.json"
    path.write_bytes(content)
    assert [(f.kind, f.path) for f in cache.check(tmp_path)] == [("manifest", path)]
    with pytest.raises(CorpusError, match=r"manifest\.json"):
        get()
    with pytest.raises(CorpusError, match=r"manifest\.json"):
        cache.listing(tmp_path)


def test_listing_shows_releases_sizes_and_records(ja, get, server, tmp_path):
    publish(server, YO, "test", release="r2.15")
    get(YO, ["test"], "2.15")
    listed = cache.listing(tmp_path)
    assert [(t.release, t.name, t.code) for t in listed] == [
        ("r2.15", "UD_Yoruba-YTB", "yo_ytb"),
        ("r2.16", "UD_Japanese-GSD", "ja_gsd"),
    ]
    assert [f.split for f in listed[1].files] == ["train", "dev", "test"]
    assert listed[1].files[1].bytes == listed[1].files[1].entry.bytes == len(text("dev"))


def test_an_empty_or_missing_cache_has_nothing(tmp_path):
    assert cache.listing(tmp_path / "none") == []
    assert cache.check(tmp_path / "none") == []


@pytest.mark.parametrize("release", ["", "../r2.16", "r2.16/..", "a b", "-x", ".git"])
def test_what_is_no_release_is_refused(get, release):
    with pytest.raises(FewshotError, match=r"named like r2\.16"):
        get(release=release)


def test_what_is_no_split_is_refused(get):
    with pytest.raises(FewshotError, match="train, dev, test"):
        get(splits=["trian"])


def test_the_default_cache_is_the_users():
    assert {"fewshot", "ud"} <= set(cache.default_root().parts)
    assert cache.folder_of(JA).is_relative_to(cache.default_root())
