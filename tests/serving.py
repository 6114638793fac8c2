"""What tests of the running app share: the app in a process of its own, and a PostgreSQL of their own."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine
from waiting import wait_until

ROOT = Path(__file__).resolve().parents[1]
ME = "tester"
"""Who annotates where nobody signs in."""

GONE = re.compile(
    r"Exception in ASGI application\n"
    r"Traceback \(most recent call last\):\n"
    r'  File "[^"]*starlette_websocket\.py", line \d+, in _websocket_endpoint\n'
    r"    data = await websocket\.receive_bytes\(\)\n"
    r"(?:(?!Exception in ASGI).)*?"
    r'starlette\.websockets\.WebSocketDisconnected: Cannot call "send" once a close message has been sent\.',
    re.DOTALL,
)
"""What Streamlit logs of a browser that leaves while its connection is made, and is then told twice to close."""


STAND_IN = """
import sys

if "annotate.worker" in sys.orig_argv:
    from types import SimpleNamespace
    from annotate.worker import run

    def work(store, job, report, place):
        for pipe in job.args.get("pipes", ()):
            with open(pipe) as file:
                file.read()

    run.KINDS.update(dict.fromkeys([*run.KINDS, "test"], "stand_in"))
    sys.modules["stand_in"] = SimpleNamespace(run=work)
    sys.modules["fewshot.experiments.executors.place"] = SimpleNamespace(this_machine=lambda *_, **__: None)
"""
"""A module that Python imports before all others: a worker loads no torch, stops at pipes, and does nothing else."""


def without_torch(folder):
    """Return the environment of processes whose workers have nothing to compute."""
    (folder / "sitecustomize.py").write_text(STAND_IN)
    return {"PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}


class App:
    """The server; killing and starting it again keeps port and database."""

    def __init__(self, folder, *arguments, url=None):
        self.folder = folder
        self.arguments = list(arguments)
        self.url = url or f"sqlite:///{folder}/fewshot.db"
        home = {"HOME": str(folder), "XDG_DATA_HOME": str(folder / ".local" / "share")}
        self.environment = os.environ | home | {"FEWSHOT_DB_URL": self.url, "LOGNAME": ME}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.process = None

    @property
    def command(self):
        return [sys.executable, "-c", "from fewshot.cli import main; main()", "app", "--port", str(self.port)]

    def start(self):
        """Start the server and wait until it answers."""
        with (self.folder / "app.log").open("a") as log:
            command = self.command + self.arguments
            self.process = subprocess.Popen(
                command, cwd=ROOT, stdout=log, stderr=log, env=self.environment, start_new_session=True
            )
        try:
            wait_until(self.is_healthy, seconds=180)
        except AssertionError:
            raise AssertionError(self.log()) from None

    def is_healthy(self):
        try:
            with urllib.request.urlopen(f"{self.address}/_stcore/health", timeout=5):
                return True
        except OSError:
            assert self.process.poll() is None, "the server has ended"
            return False

    def stop(self):
        """End the server as an administrator does."""
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self):
        """End the server as a power cut does."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def log(self):
        return (self.folder / "app.log").read_text()

    def has_failed(self, start=0):
        """Return whether a traceback is in the log, from a character on."""
        return "Traceback" in GONE.sub("", self.log()[start:])


class NoPostgres(Exception):
    """PostgreSQL is not installed, or does not start."""


@contextmanager
def with_accounts(folder):
    """The app with accounts, from which no traceback may come."""
    served = App(folder, "--users")
    served.start()
    yield served
    served.stop()
    assert not served.has_failed(), served.log()


@contextmanager
def postgres(sync=False):
    """Run a server in a folder of its own, reached through a socket there; PostgreSQL does not start as root.

    Args:
        sync: whether what is committed is on the disk, as with a lab's server; without it tests are faster.

    Yields:
        The URL of a database on it, with ``{name}`` for its name.
    """
    binaries = _newest_binaries()
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # a socket's path has at most 107 characters
    if user:
        shutil.chown(folder, "postgres")

    def call(name, *arguments):
        command = [*user, str(binaries / name), "-D", str(folder / "data"), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd="/", timeout=120)
        if done.returncode:
            shutil.rmtree(folder, ignore_errors=True)
            raise NoPostgres(f"PostgreSQL does not start here: {done.stderr or done.stdout}")

    call("initdb", "-A", "trust", "-U", "tester", "--encoding=UTF8", "--locale=C", "--no-sync")
    settings = f"-c listen_addresses='' -c unix_socket_directories={folder} -c port=54329"
    call("pg_ctl", "-w", "-l", str(folder / "log"), "-o", f"{settings} -c fsync={'on' if sync else 'off'}", "start")
    try:
        yield f"postgresql+psycopg://tester@/{{name}}?host={folder}&port=54329"
    finally:
        call("pg_ctl", "-w", "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


def _newest_binaries():
    folders = Path("/usr/lib/postgresql").glob("*/bin")
    found = sorted((folder for folder in folders if (folder / "initdb").exists()), key=lambda f: float(f.parent.name))
    if not found:
        raise NoPostgres("needs Debian's package postgresql")
    return found[-1]


def run_alone(server, statement):
    """Run a statement that no transaction may hold, such as CREATE DATABASE."""
    engine = create_engine(server.format(name="postgres"), isolation_level="AUTOCOMMIT")
    with engine.connect() as db:
        db.exec_driver_sql(statement)
    engine.dispose()
