"""Build these pages: ``python docs/build.py`` writes ``site/`` and fails on any warning; ``--serve`` shows them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import commands
import tables

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "generated" / "commands.md"
"""Which ``reference/commands.md`` includes; git does not keep it, so that it is never behind the commands."""

SITE = ROOT / "site"

FETCHED = "https://unpkg.com/iframe-worker/shim"
"""What Zensical has pages fetch so that their search works from the disk; ``worker.js`` does it without a network."""


def main() -> int:
    """Make what is made, and build or serve the site."""
    tables.main()
    REFERENCE.parent.mkdir(exist_ok=True)
    REFERENCE.write_text(commands.reference(), encoding="utf-8")
    if "--serve" in sys.argv[1:]:
        return _zensical("serve")
    failed = _zensical("build", "--clean", "--strict")
    if not failed:
        _fetch_nothing()
    return failed


def _zensical(*arguments: str) -> int:
    return subprocess.run([sys.executable, "-m", "zensical", *arguments], cwd=ROOT, check=False).returncode


def _fetch_nothing() -> None:
    for page in SITE.rglob("*.html"):
        own = "../" * (len(page.relative_to(SITE).parts) - 1) + "worker.js"
        page.write_text(page.read_text(encoding="utf-8").replace(FETCHED, own), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
