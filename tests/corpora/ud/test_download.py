import hashlib
import json
import socket

import pytest

from fewshot.corpora.ud.download import (
    DownloadError,
    NoNetworkError,
    NotFoundError,
    TransientError,
    exists,
    fetch,
    file_hash,
)

BODY = b"".join(b"line %d\n" % i for i in range(40_000))
SHA256 = hashlib.sha256(BODY).hexdigest()


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


def test_a_file_arrives_with_its_hash(url, target):
    got = fetch(url, target)
    assert target.read_bytes() == BODY
    assert (got.url, got.sha256, got.bytes) == (url, SHA256, len(BODY))
    assert got.sha256 == file_hash(target)
    assert leftovers(target) == []


def test_progress_runs_from_nothing_to_everything(url, target):
    calls = []
    fetch(url, target, progress=lambda done, total: calls.append((done, total)))
    assert calls[0] == (0, len(BODY))
    assert calls[-1] == (len(BODY), len(BODY))
    assert calls == sorted(calls)


def test_progress_without_a_length_has_no_total(server, url, target):
    server.faults.append("no length")
    calls = []
    fetch(url, target, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (len(BODY), None)
    assert target.read_bytes() == BODY


def test_an_existing_file_is_replaced(url, target):
    target.parent.mkdir()
    target.write_bytes(b"old")
    fetch(url, target)
    assert target.read_bytes() == BODY


def test_a_missing_file_is_said_once_and_not_asked_for_again(server, target, waits):
    with pytest.raises(NotFoundError) as error:
        fetch(server.url + "/none", target, what="UD_Test-Test r2.16", wait=waits.append)
    message = one_line(error)
    for part in ("UD_Test-Test r2.16", target.name, server.url + "/none", "404"):
        assert part in message
    assert len(server.requests) == 1
    assert waits == []
    assert leftovers(target) == []


def test_a_cut_off_file_is_continued_within_one_call(server, url, target, waits):
    server.faults.append("cut:100000")
    got = fetch(url, target, wait=waits.append)
    assert target.read_bytes() == BODY
    assert server.ranges == ["", "bytes=100000-"]
    assert server.bytes_sent == len(BODY)
    assert got.sha256 == SHA256
    assert waits == [1.0]


def test_a_cut_off_file_is_continued_by_the_next_call(server, url, target):
    server.faults.append("cut:100000")
    with pytest.raises(TransientError, match=f"100000 of {len(BODY)} bytes") as error:
        fetch(url, target, attempts=1)
    one_line(error)
    assert not target.exists()
    assert (target.parent / f"{target.name}.partial").read_bytes() == BODY[:100_000]
    calls = []
    fetch(url, target, progress=lambda done, total: calls.append((done, total)))
    assert calls[0] == (100_000, len(BODY))
    assert target.read_bytes() == BODY
    assert server.bytes_sent == len(BODY)
    assert leftovers(target) == []


def test_a_length_that_promises_too_much_is_never_taken_for_a_whole_file(server, url, target, waits):
    server.faults.extend(["promise:500"] * 9)
    with pytest.raises(DownloadError):
        fetch(url, target, attempts=3, wait=waits.append)
    assert not target.exists()
    assert waits == [1.0, 2.0]


def test_a_server_that_ignores_ranges_is_read_from_the_beginning(server, url, target, waits):
    server.faults.extend(["cut:100000", "ignore range"])
    fetch(url, target, wait=waits.append)
    assert target.read_bytes() == BODY
    assert server.bytes_sent == len(BODY) + 100_000


def test_a_file_that_changed_between_attempts_is_begun_again(server, url, target):
    server.faults.append("cut:100000")
    with pytest.raises(TransientError):
        fetch(url, target, attempts=1)
    server.files["/file"] = changed = BODY.replace(b"line", b"LINE") + b"more\n"
    fetch(url, target, attempts=1)
    assert target.read_bytes() == changed


def test_a_changed_file_is_begun_again_even_if_the_server_overlooks_the_condition(server, url, target):
    server.faults.extend(["cut:100000", "ignore condition"])
    with pytest.raises(TransientError):
        fetch(url, target, attempts=1)
    server.files["/file"] = changed = BODY.replace(b"line", b"LINE")
    fetch(url, target, attempts=1)
    assert target.read_bytes() == changed


def test_a_file_that_became_shorter_than_what_had_arrived_is_begun_again(server, url, target):
    server.faults.extend(["cut:100000", "ignore condition"])
    with pytest.raises(TransientError):
        fetch(url, target, attempts=1)
    server.files["/file"] = b"short\n"
    fetch(url, target, attempts=1)
    assert target.read_bytes() == b"short\n"


def test_a_partial_file_of_unknown_version_is_not_continued(server, url, target):
    server.faults.append("cut:100000")
    with pytest.raises(TransientError):
        fetch(url, target, attempts=1)
    (target.parent / f"{target.name}.partial.json").write_text(json.dumps({"url": url, "version": ""}))
    fetch(url, target)
    assert target.read_bytes() == BODY
    assert server.ranges == ["", ""]


def test_without_a_version_from_the_server_every_attempt_begins_again(server, url, target, waits):
    server.faults.extend(["no version cut:100000", ""])
    fetch(url, target, wait=waits.append)
    assert target.read_bytes() == BODY
    assert server.ranges == ["", ""]


def test_the_partial_file_of_another_address_is_not_continued(server, url, target):
    server.files["/other"] = other = b"x" * 50_000
    server.faults.append("cut:100")
    with pytest.raises(TransientError):
        fetch(url, target, attempts=1)
    fetch(server.url + "/other", target)
    assert target.read_bytes() == other


def test_a_damaged_note_means_beginning_again(url, server, target):
    server.faults.append("cut:100")
    with pytest.raises(TransientError):
        fetch(url, target, attempts=1)
    (target.parent / f"{target.name}.partial.json").write_bytes(b"\xff[")
    fetch(url, target)
    assert target.read_bytes() == BODY


@pytest.mark.parametrize("fault", ["503", "500", "429", "hang up"])
def test_trouble_that_passes_is_waited_out(server, url, target, waits, fault):
    server.faults.extend([fault, fault])
    fetch(url, target, wait=waits.append)
    assert target.read_bytes() == BODY
    assert waits == [1.0, 2.0]


def test_trouble_that_stays_ends_with_the_file_and_folder_to_fill_by_hand(server, url, target, waits):
    server.faults.extend(["503"] * 9)
    with pytest.raises(TransientError) as error:
        fetch(url, target, wait=waits.append)
    message = one_line(error)
    for part in ("503", target.name, str(target.parent)):
        assert part in message
    assert waits == [1.0, 2.0, 4.0]


def test_a_refusal_is_not_tried_again(server, url, target, waits):
    server.faults.append("403")
    with pytest.raises(DownloadError, match="403"):
        fetch(url, target, wait=waits.append)
    assert waits == []


def test_no_server_names_the_folder_to_put_the_file_into(target, waits):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    with pytest.raises(NoNetworkError) as error:
        fetch(f"http://127.0.0.1:{port}/file", target, what="UD_Test-Test r2.16", wait=waits.append)
    message = one_line(error)
    for part in ("UD_Test-Test r2.16", f"127.0.0.1:{port}", target.name, str(target.parent)):
        assert part in message
    assert waits == []


def test_an_unknown_host_is_no_network(target, monkeypatch):
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


def test_a_login_page_is_not_kept_as_data(server, url, target):
    server.faults.append("html")
    with pytest.raises(DownloadError, match="login"):
        fetch(url, target)
    assert not target.exists()


@pytest.mark.parametrize("address", ["ftp://host/file", "file:///etc/hostname", "no address", "http://[x/file"])
def test_only_web_addresses_are_fetched(address, target):
    with pytest.raises(DownloadError) as error:
        fetch(address, target)
    one_line(error)


def test_a_folder_that_cannot_be_made_is_named(url, tmp_path):
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


def test_exists_tells_yes_from_no(server, url):
    assert exists(url)
    assert not exists(server.url + "/none")
    assert [method for method, _, _ in server.requests] == ["HEAD", "HEAD"]
