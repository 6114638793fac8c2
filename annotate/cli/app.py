"""``fewshot app``: the annotation app in the browser."""

from __future__ import annotations

import gc
import os
import re
import signal
import socket
import sys
import tomllib
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated

import typer

import fewshot
from annotate.cli.base import Database, SuggestionOptions, export_language_model, export_rates, serve_database
from fewshot.cli.common.base import RatesFile, app, command, console
from fewshot.errors import FewshotError

SETTINGS = {
    "browser.gatherUsageStats": False,
    "client.showErrorDetails": "type",
    "client.toolbarMode": "minimal",  # otherwise Streamlit takes the key c from the editor
    "runner.postScriptGC": False,  # a full collection after each save takes longer than the save
    "server.enableXsrfProtection": True,
    "server.fileWatcherType": "none",
    "server.headless": True,
    "server.maxUploadSize": 50,
    "theme.baseFontSize": 15,
    "theme.dark.primaryColor": "#4f66cf",
    "theme.light.primaryColor": "#3451b2",
    "theme.light.textColor": "#1a1918",  # captions mix it with 40% of the background
    "theme.metricValueFontSize": "1.25rem",
    "theme.paddingTop": "2.5rem",
}
"""Options of Streamlit that differ from its defaults."""

FORWARDED = "FORWARDED_ALLOW_IPS"
"""Environment variable: the proxies that uvicorn trusts; default: this machine."""

HARMLESS = re.compile(
    r"(logger|runner|theme)\.\w+|client\.(toolbarMode|show\w+)|browser\.gatherUsageStats"
    r"|server\.(headless|runOnSave|fileWatcherType)"
)
"""Options that a Streamlit configuration in the current folder may set: none that opens the server."""

GC_THRESHOLD = 20_000
"""Number of new container objects after which Python searches for reference cycles."""


@command(app, "app", example="fewshot app\nfewshot app --users --host 0.0.0.0", stopped="all annotations are saved")
def open_app(  # noqa: PLR0913
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 8501,
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for other machines, too.")] = "127.0.0.1",
    name: Annotated[str, typer.Option(help="Host name in the browser, for example behind a proxy.")] = "",
    proxy: Annotated[str, typer.Option(help="Trusted proxies: IP addresses or networks, comma-separated.")] = "",
    db: Database = None,
    users: Annotated[bool, typer.Option("--users", help="Require users to sign in.")] = False,
    worker: Annotated[bool, typer.Option("--worker", help="Run no jobs here; fewshot worker runs them.")] = False,
    rates: RatesFile = None,
    *,
    suggesting: SuggestionOptions,
) -> None:
    """Annotate in the browser."""
    from annotate.worker.queue import JOBS_ELSEWHERE

    file = script()
    _check_address(host, port)
    _check_config(Path(".streamlit", "config.toml"))
    os.environ[FORWARDED] = ",".join(_addresses(proxy))
    export_rates(rates)
    export_language_model(suggesting)
    serve_database(db)
    if worker:
        os.environ[JOBS_ELSEWHERE] = "1"
    if users:
        os.environ["FEWSHOT_USERS"] = "1"
    elif host not in ("127.0.0.1", "localhost", "::1"):
        console().print("warning: everybody who can reach this machine can annotate; --users requires passwords")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    _serve(file, host, port, name)


def script() -> Path:
    """Return the file that Streamlit runs: in an installed package, or ``app.py`` of a checkout.

    Streamlit puts the file's folder first on the import path, so the package has a separate folder for it.
    """
    package = Path(fewshot.__file__).resolve().parent
    for file in (package / "app" / "app.py", package.parent / "app.py"):
        if file.is_file():
            return file
    raise FewshotError(f"{package.parent}: app.py is missing; reinstall fewshot")


def _check_address(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        if not 0 <= port <= 65535:  # `create_server` would leave its socket open
            raise OverflowError("ports are 0 to 65535")
        socket.create_server((host, port), family=family).close()
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FewshotError(f"cannot listen on {host}:{port} ({reason}); choose another --port or --host") from None


def _addresses(proxies: str) -> list[str]:
    """Return the addresses and networks of proxies as uvicorn expects them, networks without host bits."""
    addresses = []
    for name in filter(None, map(str.strip, proxies.split(","))):
        try:
            network = ip_network(name, strict=False)
        except ValueError:
            raise FewshotError(f"--proxy {name}: not an IP address or network; write 127.0.0.1 or 10.0.0.0/8") from None
        addresses.append(str(network) if "/" in name else name)
    return addresses


def _check_config(file: Path) -> None:
    """Raise if a Streamlit configuration in the current folder opens the server or cannot be read.

    Whoever may write into the folder could choose who reaches the app; the user's own configuration may set everything.
    """
    if not file.is_file() or file.resolve() == (Path.home() / ".streamlit" / "config.toml").resolve():
        return
    try:
        sections = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FewshotError(f"{file}: this file cannot be read ({error}); correct or remove it") from None
    keys = [f"{name}.{key}" for name, values in sections.items() if isinstance(values, dict) for key in values]
    keys += [name for name, values in sections.items() if not isinstance(values, dict)]
    if refused := [key for key in keys if not HARMLESS.fullmatch(key)]:
        raise FewshotError(
            f"{file}: {', '.join(refused)}: a file in the current folder may not open the server; "
            "move these options to ~/.streamlit/config.toml, or start the app in another folder"
        )


def raise_gc_threshold() -> None:
    """Search for reference cycles less often, which takes a fifth of a search's time by default."""
    gc.set_threshold(GC_THRESHOLD, *gc.get_threshold()[1:])


def _serve(file: Path, host: str, port: int, name: str) -> None:
    from streamlit import App

    from annotate.internals import keep_page, load_settings, log_refused_downloads
    from annotate.server.routes import middleware, routes

    settings = SETTINGS | {"server.address": host, "server.port": port}
    if name:
        settings["browser.serverAddress"] = name
    load_settings(settings)
    raise_gc_threshold()
    log_refused_downloads()
    keep_page()
    App(file, routes=routes(), middleware=middleware()).run(config=settings)
