"""``fewshot app`` and ``fewshot worker``, as far as they go before Streamlit and the queue take over."""

import os
import socket

import pytest
import torch
import uvicorn
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from annotate.cli.app import FORWARDED, SETTINGS, script
from annotate.worker import settings
from fewshot.costs import prices

LLM = ("FEWSHOT_LLM", "FEWSHOT_LLM_URL", "FEWSHOT_LLM_CAP", "FEWSHOT_LLM_KEY")
KEY = "sk-canary-77e1"


@pytest.fixture
def started(tmp_path, monkeypatch):
    """What Streamlit is started with, without starting it; environment and settings are put back."""
    calls = []
    for name in ("FEWSHOT_DB_URL", "FEWSHOT_USERS", "FEWSHOT_JOBS_ELSEWHERE", "FEWSHOT_RATES", FORWARDED, *LLM):
        monkeypatch.setenv(name, "")
    (tmp_path / "app.py").touch()
    monkeypatch.setattr("annotate.cli.app.script", lambda: tmp_path / "app.py")
    monkeypatch.setattr("streamlit.config._config_options", None)
    monkeypatch.setattr("streamlit.config._main_script_path", None)
    monkeypatch.setattr("streamlit.App.run", lambda self, config: calls.append((self.script_path, config)))
    return calls


@pytest.fixture
def call(run):
    """Begins the app, at a port that is free unless one is given, or a worker."""

    def call(name, *arguments):
        return run(name, *([] if name == "worker" or "--port" in arguments else ["--port", free_port()]), *arguments)

    return call


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return str(server.getsockname()[1])


def test_app_starts_streamlit_here_only_with_what_was_asked_for(call, started, url, tmp_path):
    port = free_port()
    assert call("app", "--port", port, "--db", url, "--users").exit_code == 0
    ((file, config),) = started
    assert file == tmp_path / "app.py"
    assert (config["server.port"], config["server.address"]) == (int(port), "127.0.0.1")
    assert config["client.toolbarMode"] == "minimal"
    assert (os.environ["FEWSHOT_DB_URL"], os.environ["FEWSHOT_USERS"]) == (url, "1")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('[theme]\nprimaryColor = "#ff0000"\n[theme.sidebar]\nbaseRadius = "none"\n', ""),
        ("[browser]\ngatherUsageStats = false\n[server]\nheadless = true\nrunOnSave = false\n", ""),
        ('[server]\nheadless = true\nallowedHosts = ["*"]\n', "server.allowedHosts: a file in the current folder may"),
        ('server.corsAllowedOrigins = ["http://evil.example"]\n', "server.corsAllowedOrigins: a file in the current"),
        ('browser.serverAddress = "evil"\nserver.enableCORS = false\n', "serverAddress, server.enableCORS"),
        ('foo = 1\n"server.address" = "0.0.0.0"\n', "foo, server.address: a file in the current folder"),
        ('[client]\nshowErrorDetails = true\nallowedOrigins = ["*"]\n', "client.allowedOrigins: a file"),
        ("[server\n", "cannot be read"),
        ("\udcff", "cannot be read"),
    ],
)
def test_a_file_of_the_folder_does_not_open_the_server(call, started, url, tmp_path, monkeypatch, content, reason):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text(content, encoding="utf-8", errors="surrogateescape")
    result = call("app", "--db", url)
    assert (result.exit_code, len(started)) == ((2, 0) if reason else (0, 1))
    assert reason in " ".join(result.output.split())
    monkeypatch.setenv("HOME", str(tmp_path))  # the file of this user
    if reason.startswith(("browser", "client", "server")):  # the others Streamlit cannot read either
        assert call("app", "--db", url).exit_code == 0


@pytest.mark.parametrize(
    ("proxy", "believed"), [("", ""), ("127.0.0.1, 10.0.0.5/8", "127.0.0.1,10.0.0.0/8"), ("*", None), ("lab", None)]
)
def test_only_proxies_that_are_named_are_believed(call, started, url, monkeypatch, proxy, believed):
    monkeypatch.setenv(FORWARDED, "*")
    result = call("app", "--db", url, "--proxy", proxy)
    if believed is None:
        assert result.exit_code == 2 and "not an IP address or network" in result.output
        return
    assert os.environ[FORWARDED] == believed
    scope = {"type": "http", "client": ("127.0.0.1", 1), "headers": [(b"x-forwarded-for", b"203.0.113.9")]}
    seen = []

    async def answer(scope, receive, send):
        seen.append(scope["client"][0])

    with pytest.raises(StopIteration):  # nothing here waits
        ProxyHeadersMiddleware(answer, uvicorn.Config(None).forwarded_allow_ips)(scope, None, None).send(None)
    assert seen == ["203.0.113.9" if proxy else "127.0.0.1"]


def test_every_setting_is_one_that_streamlit_knows():
    from streamlit import config

    sections = {name: name.rpartition(".") for name in SETTINGS}  # such as theme.dark.primaryColor
    assert all(key in config.get_options_for_section(section) for section, _, key in sections.values())


def test_prices_of_ones_own_hold_in_the_app_and_unreadable_ones_are_refused(call, started, url, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text("[compute.cuda]\ndollars_per_hour = 9.0\n")
    assert call("app", "--db", url, "--rates", str(file)).exit_code == 0
    assert settings.rates().compute["cuda"].dollars_per_hour == 9.0
    assert settings.rates().compute["cuda"].watts == prices.load().compute["cuda"].watts
    file.write_text("[compute.cuda]\ndollars = 9.0\n")
    assert "must hold exactly" in call("app", "--db", url, "--rates", str(file)).output
    assert len(started) == 1


@pytest.mark.parametrize(("host", "warned"), [("0.0.0.0", True), ("127.0.0.1", False)])
def test_app_without_users_on_the_network_warns(call, started, host, warned):
    assert ("--users" in call("app", "--host", host).output) == warned
    assert not os.environ["FEWSHOT_USERS"]


def test_port_or_database_that_cannot_be_used_is_refused(call, started, url):
    with socket.create_server(("127.0.0.1", 0)) as server:
        for port in (str(server.getsockname()[1]), "99999"):  # the first is taken
            result = call("app", "--port", port, "--db", url)
            assert result.exit_code == 2
            assert "choose another --port" in result.output
    for name in ("app", "worker"):
        result = call(name, "--db", "mysql://host/name")
        assert result.exit_code == 2
        assert result.output.startswith("error: unsupported database 'mysql'")
    assert not started


def test_the_script_of_a_package_comes_before_that_of_a_checkout(call, tmp_path, monkeypatch):
    monkeypatch.setattr("fewshot.__file__", str(tmp_path / "fewshot" / "__init__.py"))
    result = call("app")
    assert result.exit_code == 2 and "app.py is missing" in result.output
    (tmp_path / "app.py").touch()
    assert script() == tmp_path / "app.py"
    (tmp_path / "fewshot" / "app").mkdir(parents=True)
    (tmp_path / "fewshot" / "app" / "app.py").touch()
    assert script() == tmp_path / "fewshot" / "app" / "app.py"


@pytest.fixture
def waiting(monkeypatch):
    given = []

    def interrupted(store, share):
        given.append((store.place, share.jobs, share.cores, os.environ["FEWSHOT_JOBS_ELSEWHERE"]))
        raise KeyboardInterrupt

    monkeypatch.setattr("annotate.worker.serve.serve", interrupted)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    return given


def test_worker_serves_the_queue_until_interrupted(call, started, waiting, url, tmp_path):
    result = call("worker", "--db", url, "--jobs", "3")
    assert result.exit_code == 130
    assert "waiting for jobs in" in result.output and ": 3 at once, " in result.output
    ((place, jobs, cores, elsewhere),) = waiting
    assert (place, jobs, cores) == (str(tmp_path / "fewshot.db"), 3, max(1, torch.get_num_threads() // 3))
    assert elsewhere  # or what a job starts computes beside it


@pytest.mark.parametrize(
    ("name", "place", "said"),
    [
        ("app", "http://localhost:9/v1", "are read by gpt-5-mini at http://localhost:9/v1, on this machine"),
        ("worker", "http://elsewhere.example/v1", "LEAVE THIS MACHINE, UNENCRYPTED: they are sent to gpt-5-mini at"),
        ("app", "https://elsewhere.example/v1", "LEAVE THIS MACHINE: they are sent to gpt-5-mini at"),
    ],
)
def test_one_line_says_where_a_language_model_gets_texts(call, started, waiting, url, monkeypatch, name, place, said):
    monkeypatch.setenv("FEWSHOT_LLM_KEY", KEY)
    result = call(name, "--db", url, "--llm", "gpt-5-mini", "--llm-url", place, "--llm-cap", "2.5")
    (line,) = [line for line in result.output.splitlines() if line.startswith("LLM")]
    assert said in line and line.endswith("; at most $2.5 in each project (--llm-cap)")
    known = settings.language_model()
    assert (known.server.model, known.server.url, known.server.key, known.cap) == ("gpt-5-mini", place, KEY, 2.5)
    assert KEY not in result.output
    assert [variable for variable, value in os.environ.items() if KEY in value] == ["FEWSHOT_LLM_KEY"]


@pytest.mark.parametrize("name", ["app", "worker"])
def test_without_the_option_no_language_model_is_known_whatever_the_environment_says(
    call, started, waiting, url, monkeypatch, name
):
    for variable, value in zip(LLM, ("gpt-5-mini", "https://elsewhere.example/v1", "9.0"), strict=False):
        monkeypatch.setenv(variable, value)
    assert "LLM" not in call(name, "--db", url).output
    assert settings.language_model() is None


def test_a_language_model_that_cannot_be_asked_is_refused(call, started, waiting, url):
    for name, model, place, reason in (
        ("app", "nobody", "https://elsewhere.example/v1", "no price of nobody"),
        ("worker", "tiny", "elsewhere", "invalid --llm-url"),
        ("app", "tiny", f"https://user:{KEY}@elsewhere.example/v1", "without user, password or query"),
    ):
        result = call(name, "--db", url, "--llm", model, "--llm-url", place)
        assert result.exit_code == 2
        assert reason in result.output and KEY not in result.output
        assert not started and settings.language_model() is None
