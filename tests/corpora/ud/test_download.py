import hashlib
import socket
import time

import pytest

from fewshot.corpora.files import file_hash
from fewshot.corpora.ud import download
from fewshot.corpora.ud.web import DownloadError, NoNetworkError, NotFoundError, Source, TransientError

BODY = b"".join(b"line %d\n" % i for i in range(40_000))
SHA256 = hashlib.sha256(BODY).hexdigest()


def fetch(url, target, what="UD_Test-Test r2.16", timeout=30.0, progress=None, attempts=4, wait=time.sleep):
    return download.fetch(Source(url, target, what, timeout), progress, attempts, wait)


@pytest.fixture
def target(tmp_path):
    return tmp_path / "folder" / "xx_test-ud-dev.conllu"


@pytest.fixture
def url(server):
    server.files["/file"] = BODY
    return server.url + "/file"


@pytest.fixture
def waits():
    return []


def leftovers(target):
    return sorted(p.name for p in target.parent.iterdir() if p != target)


def one_line(error):
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.fixture
def cut_off(server, url, target):
    """A download of which the first 100,000 bytes have arrived."""
    server.faults.append("cut:100000")
    with pytest.raises(TransientError, match=f"100000 of {len(BODY)} bytes") as error:
        fetch(url, target, attempts=1)
    one_line(error)
    assert not target.exists()
    assert (target.parent / f"{target.name}.partial").read_bytes() == BODY[:100_000]


def test_a_file_arrives_with_its_hash_in_the_place_of_an_older_one(server, url, target):
    calls = []
    target.parent.mkdir()
    target.write_bytes(b"old")
    got = fetch(url, target, progress=lambda done, total: calls.append((done, total)))
    assert target.read_bytes() == BODY
    assert (got.url, got.sha256, got.bytes) == (url, SHA256, len(BODY))
    assert got.sha256 == file_hash(target)
    assert leftovers(target) == []
    assert (calls[0], calls[-1]) == ((0, len(BODY)), (len(BODY), len(BODY)))
    assert calls == sorted(calls)
    server.faults.append("no length")
    fetch(url, target, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (len(BODY), None)
    assert target.read_bytes() == BODY


def test_a_missing_file_is_said_once_and_not_asked_for_again(server, target, waits):
    with pytest.raises(NotFoundError) as error:
        fetch(server.url + "/none", target, wait=waits.append)
    message = one_line(error)
    for part in ("UD_Test-Test r2.16", target.name, server.url + "/none", "404"):
        assert part in message
    assert len(server.requests) == 1
    assert waits == []
    assert leftovers(target) == []


RECOVERED = {
    "cut off": (["cut:100000"], ["", "bytes=100000-"], 0, [1.0]),
    "ranges ignored": (["cut:100000", "ignore range"], ["", "bytes=100000-"], 100_000, [1.0]),
    "no version": (["no version cut:100000"], ["", ""], 100_000, [1.0]),
    **{fault: ([fault] * 2, [""] * 3, 0, [1.0, 2.0]) for fault in ("503", "500", "429", "hang up")},
}
"""Faults of the server, the ranges that are asked for, the bytes that are sent twice, and the waits."""


@pytest.mark.parametrize(("faults", "ranges", "twice", "waited"), RECOVERED.values(), ids=RECOVERED)
def test_trouble_that_passes_is_waited_out(server, url, target, waits, faults, ranges, twice, waited):
    server.faults.extend(faults)
    assert fetch(url, target, wait=waits.append).sha256 == SHA256
    assert target.read_bytes() == BODY
    assert (server.ranges, server.bytes_sent - len(BODY), waits) == (ranges, twice, waited)


@pytest.mark.parametrize("fault", ["", "ignore condition"])
@pytest.mark.parametrize("changed", [BODY.replace(b"line", b"LINE") + b"more\n", b"short\n"], ids=["longer", "shorter"])
def test_a_file_that_changed_between_attempts_is_begun_again(cut_off, server, url, target, fault, changed):
    server.faults.append(fault)
    server.files["/file"] = changed
    fetch(url, target, attempts=1)
    assert target.read_bytes() == changed
    assert len(server.ranges) == (3 if fault else 2)  # who heeds the condition sends the whole file at once


@pytest.mark.parametrize("text", [b'{"url": "%s", "version": ""}', b"\xff["], ids=["unknown version", "damaged note"])
def test_a_partial_file_whose_version_is_not_known_is_not_continued(cut_off, server, url, target, text):
    (target.parent / f"{target.name}.partial.json").write_bytes(text.replace(b"%s", url.encode()))
    fetch(url, target)
    assert target.read_bytes() == BODY
    assert server.ranges == ["", ""]


def test_the_partial_file_of_another_address_is_not_continued(cut_off, server, target):
    server.files["/other"] = other = b"x" * 50_000
    fetch(server.url + "/other", target)
    assert target.read_bytes() == other


@pytest.mark.parametrize(
    ("fault", "message", "waited"),
    [
        ("503", "503", [1.0, 2.0, 4.0]),
        ("promise:500", "kept: do the same again", [1.0, 2.0, 4.0]),
        ("403", "403", []),
        ("html", "login", []),
    ],
)
def test_trouble_that_stays_ends_with_the_file_and_folder_to_fill_by_hand(
    server, url, target, waits, fault, message, waited
):
    server.faults.extend([fault] * 9)
    with pytest.raises(DownloadError) as error:
        fetch(url, target, wait=waits.append)
    for part in (message, target.name, *([] if "kept" in message else [str(target.parent)])):
        assert part in one_line(error)
    assert not target.exists()
    assert waits == waited


def test_no_server_or_host_names_the_folder_to_put_the_file_into(target, waits, monkeypatch):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    with pytest.raises(NoNetworkError) as error:
        fetch(f"http://127.0.0.1:{port}/file", target, wait=waits.append)
    message = one_line(error)
    for part in ("UD_Test-Test r2.16", f"127.0.0.1:{port}", target.name, str(target.parent)):
        assert part in message
    assert waits == []

    def unknown(*args, **kwargs):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(NoNetworkError, match="Name or service not known"):
        fetch("http://fewshot.invalid/file", target)


def test_a_silent_server_is_given_up_on(target, waits):
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/file"
        with pytest.raises(TransientError, match="no answer in time"):
            fetch(url, target, timeout=0.1, attempts=2, wait=waits.append)
    assert waits == [1.0]


def test_only_web_addresses_are_fetched_and_a_folder_that_cannot_be_made_is_named(url, target, tmp_path):
    for address in ("ftp://host/file", "file:///etc/hostname", "no address", "http://[x/file"):
        with pytest.raises(DownloadError) as error:
            fetch(address, target)
        one_line(error)
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DownloadError, match="cannot be written") as error:
        fetch(url, tmp_path / "file" / "data.conllu")
    assert str(tmp_path / "file") in one_line(error)


def test_an_interruption_keeps_what_arrived(server, url, target):
    def interrupt(done, total):
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(url, target, progress=interrupt)
    fetch(url, target)
    assert target.read_bytes() == BODY
    assert server.ranges[1].startswith("bytes=")


def test_exists_tells_yes_from_no(server, url, target):
    sources = [Source(address, target, "x", 30.0) for address in (url, server.url + "/none")]
    assert list(map(download.exists, sources)) == [True, False]
    assert [method for method, _, _ in server.requests] == ["HEAD", "HEAD"]
