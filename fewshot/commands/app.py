"""``fewshot app`` and ``fewshot worker``: the annotation app, and a process that does its jobs."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
from pathlib import Path

from rich.console import Console

import fewshot
from annotate.store import Store
from annotate.store.database import ENVIRONMENT
from annotate.worker.queue import ELSEWHERE
from annotate.worker.run import serve as serve_queue
from fewshot.costs import prices
from fewshot.errors import FewshotError

SETTINGS = {
    "browser.gatherUsageStats": False,
    "client.showErrorDetails": "type",
    "client.toolbarMode": "minimal",  # with more of a toolbar, a bare c is Streamlit's key and not the editor's
    "runner.postScriptGC": False,  # a full collection after each save takes longer than the save
    "server.enableXsrfProtection": True,
    "server.fileWatcherType": "none",
    "server.headless": True,
    "server.maxUploadSize": 50,
    "theme.baseFontSize": 15,
    "theme.dark.primaryColor": "#4f66cf",
    "theme.light.primaryColor": "#3451b2",
    "theme.metricValueFontSize": "1.25rem",
    "theme.paddingTop": "2.5rem",
}
"""What the app changes of Streamlit's configuration."""


def script() -> Path:
    """Return the file that Streamlit runs: inside an installed package, or ``app.py`` of a checkout.

    Streamlit puts its folder before all others that Python imports from, so in a package it has one of its own.

    Raises:
        FewshotError: when there is none.
    """
    package = Path(fewshot.__file__).resolve().parent
    for file in (package / "app" / "app.py", package.parent / "app.py"):
        if file.is_file():
            return file
    raise FewshotError(f"{package.parent}: no app.py here; install fewshot again")


def serve(
    port: int, host: str, db: str | None, users: bool, worker: bool, rates: Path | None, console: Console
) -> None:
    """Run the app in this process until it is interrupted.

    Raises:
        FewshotError: when the address is taken, the database cannot be used, or the prices cannot be read.
    """
    from starlette.routing import Mount
    from starlette.staticfiles import StaticFiles
    from streamlit import App, get_option
    from streamlit.web import bootstrap

    from annotate.components import editor

    file = script()
    _check_address(host, port)
    if rates is not None:
        prices.load(rates)  # what is wrong with it is said now, not on a page
        os.environ["FEWSHOT_RATES"] = str(rates.resolve())
    _open_store(db)
    if worker:
        os.environ[ELSEWHERE] = "1"
    if users:
        os.environ["FEWSHOT_USERS"] = "1"
    elif host not in ("127.0.0.1", "localhost", "::1"):
        console.print("warning: everybody who reaches this machine can annotate; --users asks for passwords")
    settings = SETTINGS | {"server.address": host, "server.port": port}
    bootstrap.load_config_options(settings)
    path = f"{get_option('server.baseUrlPath').strip('/')}/{editor.path()}".strip("/")
    editors = Mount(f"/{path}", StaticFiles(directory=editor.FOLDER, follow_symlink=True))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    App(file, routes=[editors]).run(config=settings)


def work(db: str | None, console: Console) -> None:
    """Do the jobs of the app's queue until the process is interrupted.

    Raises:
        FewshotError: when the database cannot be used.
    """
    store = _open_store(db)
    os.environ[ELSEWHERE] = "1"  # what a job starts waits for a worker too
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("fewshot").setLevel(logging.INFO)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the end of a job is stored
    console.print(f"waiting for jobs in {store.place}; Ctrl-C ends", soft_wrap=True)
    serve_queue(store)


def _open_store(db: str | None) -> Store:
    """Open the database, and name it to this process and those that it starts."""
    if db:
        os.environ[ENVIRONMENT] = db
    return Store.open()


def _check_address(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FewshotError(f"{host}:{port} cannot be listened on ({reason}); choose another --port or --host") from None
