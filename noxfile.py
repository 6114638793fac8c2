"""The five checks of a change, each in an environment of its own: ``nox``, or one of them with ``nox -s tests``."""

import nox

nox.options.sessions = ["lint", "types", "tests", "docs"]
nox.options.default_venv_backend = "uv"


def install(session: nox.Session) -> None:
    """Install the project for development, at the versions of uv.lock."""
    environment = {"UV_PROJECT_ENVIRONMENT": session.virtualenv.location}
    session.run_install("uv", "sync", "--locked", "--extra=dev", "--quiet", env=environment)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and format with ruff, and spelling with codespell."""
    install(session)
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("codespell")


@nox.session
def types(session: nox.Session) -> None:
    """Check types with mypy."""
    install(session)
    session.run("mypy")


@nox.session
def tests(session: nox.Session) -> None:
    """Run the unit tests, or the tests that the arguments name: ``nox -s tests -- tests/samplers``."""
    install(session)
    session.run("pytest", *(session.posargs or ["-n", "auto", "--maxprocesses", "8", "--dist", "worksteal"]))


@nox.session
def system(session: nox.Session) -> None:
    """Run the tests that need Chromium, PostgreSQL, Node.js, several processes or a cluster."""
    install(session)
    session.run("pytest", "-m", "app or system", "-n", "2", "--dist", "worksteal", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation and fail on any warning; ``nox -s docs -- --serve`` shows it."""
    install(session)
    session.run("python", "docs/build.py", *session.posargs)
