"""A project with nested entities, from its files to its exports."""

import json

import pytest
from desk import new_project

from annotate.exchange.importing import import_annotations
from fewshot.corpora.types import Sentence
from fewshot.errors import FewshotError

SPANS = [{"start": 0, "end": 19, "label": "ORG"}, {"start": 14, "end": 19, "label": "LOC"}]
TAGS = ["B-ORG", "I-ORG", "I-ORG|B-LOC", "O", "O"]


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("annotate.worker.queue.start", lambda *job: True)
    rows = [
        {"id": f"s{number}", "text": f"University of Dakar sings {number}", "entities": SPANS, "other": [1.50]}
        for number in range(6)
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_project_allows_nested_entities_or_refuses_them_with_their_place(ok, run, store, file):
    new = f"projects new {file} --lang en --task ner --name p --test-size 2 --continue".split()
    refused_rows = run(*new).output
    assert f"{file}:1: Dakar (LOC) overlaps another entity; keep one of the two, or allow nested" in refused_rows
    assert "6 bad rows" in refused_rows
    assert not store.projects()
    ok(*new, "--nested")
    (project,) = store.projects()
    (item, *_) = store.items(project.id, annotator=None) or store.items(project.id)
    assert (project.nested, store.latest(item.id).annotation["entities"]) == (True, TAGS)
    ok("export", "p", "--to", "jsonl", "--out", "b.jsonl", "--part", "all")
    assert (file.parent / "b.jsonl").read_bytes() == file.read_bytes()
    for name in ("spans", "webanno", "label-studio"):
        assert "no place" not in ok("export", "p", "--to", name, "--out", name)
    printed = ok("export", "p", "--to", "bio", "--out", "b.bio", "--part", "all")
    assert "BIO with tabs has no place for entities inside others: 6 left out, Dakar (LOC), " in printed
    assert "|" not in (file.parent / "b.bio").read_text(encoding="utf-8")
    (file.parent / "c.jsonl").write_text(file.read_text(encoding="utf-8").replace("sings", "runs"), encoding="utf-8")
    assert "6 sentences added" in ok("projects", "add", "p", "c.jsonl")
    store.update_project(project.id, nested=False)
    (file.parent / "d.jsonl").write_text(file.read_text(encoding="utf-8").replace("sings", "sits"), encoding="utf-8")
    assert "d.jsonl:1: Dakar (LOC) overlaps another entity" in run("projects", "add", "p", "d.jsonl").output


def test_a_project_without_entities_takes_sentences_with_nested_entities(ok, store, file):
    ok(*f"projects new {file} --lang en --task pos --name p --test-size 2".split())
    (project,) = store.projects()
    more = [json.loads(line.replace("sings", "runs")) for line in file.read_text(encoding="utf-8").splitlines()]
    (file.parent / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in more), encoding="utf-8")
    assert "6 sentences added" in ok("projects", "add", "p", "c.jsonl")
    tagged = [row | {"words": row["text"].split(), "upos": ["X"] * 5, "entities": TAGS} for row in more]
    (file.parent / "d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in tagged), encoding="utf-8")
    taken = import_annotations(store, project, "pos", file.parent / "d.jsonl", "ana")
    assert (taken.saved, taken.problems) == (6, [])


def test_annotations_with_nested_entities_are_imported_where_a_project_allows_them(store, file):
    words = ("University", "of", "Dakar", "sings", "0")
    project = new_project(store, [Sentence("s0", " ".join(words), words)], "ner")
    with pytest.raises(FewshotError, match=r"a.jsonl:1: Dakar .LOC. overlaps another entity; keep one of the two, or"):
        import_annotations(store, project, "ner", file, "ana")
    project = store.update_project(project.id, nested=True)
    assert import_annotations(store, project, "ner", file, "ana").saved == 1
    (item,) = store.items(project.id, annotator="ana")
    assert store.latest(item.id).annotation["entities"] == TAGS
