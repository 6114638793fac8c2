"""A project of many sentences: how long its pages take to open, and what is looked for to be found.

    python tests/benchmarks/many_sentences.py [--pool 100000] [--db sqlite,postgresql] [--times 5]

The pool is the sample's, over and over, with its tags and trees, which the project continues; a tenth of it is saved by
an annotator. A page is timed from the request to the end of the run, lists by the store alone, queries until all hits
are counted. Prints a Markdown table of medians, in seconds.
"""

import sys
import tempfile
from itertools import cycle, islice
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.many_annotators import database
from benchmarks.side_by_side import arguments, print_head, print_row, seconds
from load.page import Page, window
from serving import App
from storing import made_project

from annotate import accounts
from annotate.cli.app import raise_gc_threshold
from annotate.editing import content
from annotate.search import queries
from annotate.store import Edit, ExampleFilter, NewItem, Store
from annotate.store.search import ORDERS
from fewshot import tasks
from fewshot.corpora.load import load

TASKS = ("pos", "dep")
PAGES = ("projects", "annotate", "sentences", "consistency", "train", "review", "data", "rounds", "compare")
QUERIES = (
    (queries.TEXT, "harbour"),
    (queries.EXPRESSION, r"\b\w+ing\b"),
    (queries.PATTERN, 'X [lemma="be", upos="AUX"]'),
    (queries.PATTERN, 'pattern { V [upos="VERB"]; V -[nsubj]-> S; V << S }'),
    (queries.PATTERN, 'pattern { V [upos="VERB"]; V -[obj]-> O } without { V -[nsubj]-> * }'),
    (queries.PATTERN, "X -[^punct]-> Y; X.upos = Y.upos"),
    (queries.PATTERN, "X [!upos]"),
    (queries.PATTERN, "A []; B []; C []; D []; C.form = D.Gloss"),
)


def prepare(url, pool):
    """Make a project and a curator; return the project and what lets the curator in."""
    store = Store.open(url)
    store.add_user("ana", accounts.hash_password("correct horse"), "curator")
    sentences = list(load("en", "sample", "sentences").pool)
    stored = [content.to_json(one) for one in sentences]
    rows = (("pool", f"s{n}", len(one["words"]), one) for n, one in enumerate(islice(cycle(stored), pool)))
    labels = {name: list(tasks.get(name).choices) for name in TASKS}
    project = made_project(store, rows, ["ana"], lang="en", tasks=TASKS, labels=labels, hides_gold=False)
    drawn = store.lengths(project.id, "pool")[::10]
    items = [NewItem(example, name, "ana") for name in TASKS for example, _ in drawn]
    made = store.add_round(project_id=project.id, purpose="shots", sampler="import", k=len(drawn), seed=0, items=items)
    keys = {row.id: sentences[row.position % len(sentences)] for row in store.examples(project.id)}
    edits = (
        Edit(item.id, 0, content.annotation_of(item.task, keys[item.example_id]), True)
        for item in store.items(project.id, round_id=made.id)
    )
    store.change("import", "ana", edits)
    token = accounts.open_session(store, "ana")
    store.close()
    return project, token


def measure(kind, pool, times):
    with tempfile.TemporaryDirectory() as folder, database(kind, folder) as url:
        project, token = prepare(url, pool)
        app = App(Path(folder), "--users", url=url)
        app.start()
        try:
            for name in PAGES:
                yield f"page {name} opens", typical(times, opened, app, project.id, token, name)
        finally:
            app.kill()
        raise_gc_threshold()  # as the app does
        store = Store.open(url)
        wanted = ExampleFilter("pos")
        for order in ORDERS:
            yield f"sorted by {order}", typical(times, store.list_examples, project.id, wanted, order)
        yield "counted", typical(times, store.count, project.id, wanted)
        yield "changes", typical(times, store.changes, project.id)
        for how, query in QUERIES:
            hits = queries.find(store, project, how, query, wanted).total
            yield f"`{query}`: {hits:,} hits", typical(times, queries.find, store, project, how, query, wanted)
        store.close()


def opened(app, project, token, name):
    """Open a page."""
    with window(app, token) as socket:
        Page(socket, name, f"project={project}").run()


def typical(times, work, *given):
    return median(seconds(lambda: work(*given)) for _ in range(times))


def main():
    given = arguments(__doc__, pool=100_000, db="sqlite,postgresql", times=5).parse_args()
    print_head("database", "what", "s", texts=2)
    for kind in given.db.split(","):
        for what, taken in measure(kind, given.pool, given.times):
            print_row(kind, what, f"{taken:.2f}")


if __name__ == "__main__":
    main()
