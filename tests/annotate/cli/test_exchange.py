"""``fewshot export`` and ``import``."""

import pytest

from annotate.exchange.importing import Imported
from fewshot.corpora.formats import BadRows, conllu
from fewshot.corpora.load import load


def test_what_is_exported_is_what_was_annotated(ok, project, tmp_path):
    ok("export", "Japanese pilot", "--task", "pos,dep", "--to", "conllu", "--out", str(tmp_path / "x.conllu"))
    exported = conllu.read(tmp_path / "x.conllu")
    original = {one.id: one for one in load("ja", "sample").pool[:2]}
    assert {one.id: (one.upos, one.heads, one.deprels) for one in exported} == {
        key: (one.upos, one.heads, one.deprels) for key, one in original.items()
    }


def test_an_import_is_a_revision_of_the_annotator(ok, store, project, tmp_path):
    changed = [one.annotated(upos=("X",) * one.length) for one in load("ja", "sample").pool[:3]]
    conllu.write(changed, tmp_path / "x.conllu")
    said = ok("import", "1", str(tmp_path / "x.conllu"), "--task", "pos", "--annotator", "ana")
    assert said == "2 saved, 1 not in Japanese pilot, 0 not valid"
    newest = store.latest_of(project.id, "pos")
    assert {tag for revision in newest.values() for tag in revision.annotation["upos"]} == {"X"}
    assert all(len(store.history(item)) == 2 for item in newest)


def test_what_an_import_leaves_open_is_said(ok, project, monkeypatch):
    taken = Imported(BadRows(), [], 0, saved=3, unfinished=2)
    monkeypatch.setattr("annotate.exchange.importing.import_annotations", lambda *_: taken)
    said = ok("import", "1", "x.json", "--task", "pos", "--annotator", "ana")
    assert said == "3 saved (2 of them left open), 0 not in Japanese pilot, 0 not valid"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("export nope --task pos --to conllu --out x", "unknown project 'nope'"),
        ("export 1 --task ner --to conllu --out x", "unknown task of Japanese pilot 'ner'"),
        ("export 1 --task pos --to docx --out x", "unknown format 'docx'"),
        ("export 1 --task pos --to squad --out x", "SQuAD 1.1 cannot hold annotation"),
        ("import 1 nope.conllu --task pos --annotator ana", "no such file"),
    ],
)
def test_what_cannot_be_done_is_one_line(refused, project, words, reason):
    assert reason in refused(*words.split())
