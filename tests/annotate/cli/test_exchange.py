import pytest

from annotate.exchange.importing import Imported
from fewshot.corpora.formats import BadRows


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
