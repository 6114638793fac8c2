import json

import pytest
from cli.calls import call

from fewshot.corpora.embedded import data_dir
from fewshot.corpora.formats import conllu, tsv
from fewshot.corpora.load import load
from fewshot.evaluation import predict
from fewshot.training.model import load_model

SOURCES = data_dir() / "models" / "sources"


def test_raw_text_becomes_conllu_with_what_the_model_predicts(tmp_path):
    (tmp_path / "new.txt").write_text("The cat sleeps.\n\nBirds fly.\n", encoding="utf-8")
    out, sure = tmp_path / "new.conllu", tmp_path / "sure.jsonl"
    call("predict", SOURCES / "pos", tmp_path / "new.txt", "--out", out, "--confidence", sure, ends=0)
    sentences = conllu.read(out)
    assert [sentence.words for sentence in sentences] == [("The", "cat", "sleeps", "."), ("Birds", "fly", ".")]
    assert sentences == predict(load_model(SOURCES / "pos"), [one.unannotated() for one in sentences])
    lines = [json.loads(line) for line in sure.read_text(encoding="utf-8").splitlines()]
    assert [len(line["confidence"]) for line in lines] == [4, 3]
    assert all(0 < share <= 1 for line in lines for share in line["confidence"])


def test_documents_are_labelled_in_their_own_format(tmp_path):
    tsv.write([one.unannotated() for one in load("sw", "sample", "documents").test[:3]], tmp_path / "new.tsv")
    assert call("predict", SOURCES / "topic", tmp_path / "new.tsv", "--out", tmp_path / "out.tsv").exit_code == 0
    assert all(one.label != "_" for one in tsv.read(tmp_path / "out.tsv"))


def test_nested_entities_that_a_format_cannot_hold_are_named(tmp_path):
    row = {"words": ["Dakar", "FC", "wins"], "entities": ["B-ORG|B-LOC", "I-ORG", "O"]}
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    lost = call("predict", SOURCES / "pos", tmp_path / "a.jsonl", "--out", tmp_path / "o.conllu", ends=0).output
    assert "CoNLL-U has no place for entities inside others: 1 left out, Dakar (LOC)" in lost
    kept = call("predict", SOURCES / "pos", tmp_path / "a.jsonl", "--out", tmp_path / "o.jsonl", ends=0).output
    assert "left out" not in kept
    assert json.loads((tmp_path / "o.jsonl").read_text(encoding="utf-8"))["entities"] == row["entities"]


@pytest.mark.parametrize(
    ("model", "file", "out", "reason"),
    [
        ("nowhere", "new.txt", "out.conllu", "no saved model here"),
        (SOURCES / "pos", "nothing.txt", "out.conllu", "no such file"),
        (SOURCES / "pos", "new.txt", "../{folder}/new.txt", "must be different files; give --out another name"),
        (SOURCES / "pos", "new.txt", "out.docx", "no format of pos has this suffix; give --to, or one of .conllu"),
    ],
)
def test_what_cannot_be_done_is_one_line(tmp_path, model, file, out, reason):
    (tmp_path / "new.txt").write_text("Birds fly.\n", encoding="utf-8")
    result = call("predict", model, tmp_path / file, "--out", tmp_path / out.format(folder=tmp_path.name))
    assert (tmp_path / "new.txt").read_text(encoding="utf-8") == "Birds fly.\n"
    assert (result.exit_code, len(result.output.strip().splitlines())) == (2, 1)
    assert reason in result.output
