"""Whether Label Studio itself gives back what was exported to it, in every task.

    python -m venv ls && ls/bin/pip install label-studio
    python tests/corpora/with_label_studio.py ls/bin/label-studio

Starts it with an empty database, makes a project of each task with the configuration that is exported, imports the
tasks, exports them again and compares what is read of both. Prints a line a project; fails where anything differs.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from making import examples
from waiting import wait_until

from fewshot.corpora.formats import label_studio
from fewshot.corpora.formats.label_studio.config import config
from fewshot.corpora.types import Sentence

TOKEN = "0123456789abcdef0123456789abcdef01234567"
CASES = {
    ("upos",): "sentences", ("heads", "deprels"): "sentences", ("entities",): "sentences",
    Sentence.columns: "sentences", ("label",): "pairs", ("answers",): "articles",
}  # fmt: skip
"""Kind of the examples, by the columns."""


@contextmanager
def running(command):
    """Start Label Studio in a folder of its own; yield a function that calls its interface."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        settings = {
            "LABEL_STUDIO_BASE_DATA_DIR": folder, "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
            "COLLECT_ANALYTICS": "false", "LATEST_VERSION_CHECK": "false",
        }  # fmt: skip
        arguments = f"start --no-browser --port {port} --username a@b.org --user-token {TOKEN} --password".split()
        server = subprocess.Popen(
            [command, *arguments, "correct horse"], env=os.environ | settings, stdout=subprocess.DEVNULL
        )

        def call(path, data=None):
            headers = {"Authorization": f"Token {TOKEN}", "Content-Type": "application/json"}
            body = None if data is None else json.dumps(data).encode()
            request = urllib.request.Request(f"http://127.0.0.1:{port}/{path}", body, headers)
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.loads(answer.read())

        def answers():
            with suppress(OSError):
                return call("api/version")

        try:
            wait_until(answers, 180)
            yield call
        finally:
            server.terminate()
            server.wait()


def labels(column, found):
    """Return the labels of a column that examples have."""
    columns = {
        "upos": lambda one: one.upos, "heads": lambda one: one.deprels,
        "entities": lambda one: [tag[2:] for tag in one.entities], "answers": lambda one: [],
    }  # fmt: skip
    return sorted({label for one in found for label in columns.get(column, lambda one: [one.label])(one)} - {"", "_"})


def there_and_back(call, kind, columns, found, folder):
    """Import examples into a project of their own; return what is read of what was sent and came back."""
    sent, back = folder / "sent.json", folder / "back.json"
    label_studio.write(found, sent, columns)
    controls = config(kind, {name: labels(name, found) for name in columns if name != "deprels"})
    project = call("api/projects", {"title": f"fewshot {'+'.join(columns)}", "label_config": controls})["id"]
    call(f"api/projects/{project}/import", json.loads(sent.read_text(encoding="utf-8")))
    back.write_text(json.dumps(call(f"api/projects/{project}/export?exportType=JSON")), encoding="utf-8")
    return [[replace(one, where="") for one in label_studio.read(file, kind, columns)] for file in (sent, back)]


def main():
    with running(sys.argv[1]) as call, tempfile.TemporaryDirectory() as folder:
        print("Label Studio", call("api/version")["release"])
        for columns, kind in [*CASES.items(), (("label",), "documents")]:
            found = examples(kind, 50, seed=1)
            sent, back = there_and_back(call, kind, columns, found, Path(folder))
            same = sorted(sent, key=repr) == sorted(back, key=repr)
            print(f"{'+'.join(columns)}: {len(back)} {kind} {'the same' if same else 'DIFFERENT'}")
            if not same:
                sys.exit(1)


if __name__ == "__main__":
    main()
