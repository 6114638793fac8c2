import json

import pytest
from cli.calls import call

from fewshot.corpora.formats import conllu, tsv
from fewshot.corpora.load import load
from fewshot.evaluation import predict
from fewshot.training.model import load_model


@pytest.fixture(scope="module")
def tagger(trained):
    return trained.source_folder("pos")


def test_raw_text_becomes_conllu_with_what_the_model_predicts(tmp_path, tagger):
    (tmp_path / "new.txt").write_text("The cat sleeps.\n\nBirds fly.\n", encoding="utf-8")
    out, sure = tmp_path / "new.conllu", tmp_path / "sure.jsonl"
    call("predict", tagger, tmp_path / "new.txt", "--out", out, "--confidence", sure, ends=0)
    sentences = conllu.read(out)
    assert [sentence.words for sentence in sentences] == [("The", "cat", "sleeps", "."), ("Birds", "fly", ".")]
    assert sentences == predict(load_model(tagger), [one.unannotated() for one in sentences])
    lines = [json.loads(line) for line in sure.read_text(encoding="utf-8").splitlines()]
    assert [len(line["confidence"]) for line in lines] == [4, 3]
    assert all(0 < share <= 1 for line in lines for share in line["confidence"])


def test_documents_are_labelled_in_their_own_format(tmp_path, trained):
    tsv.write([one.unannotated() for one in load("sw", "sample", "documents").test[:3]], tmp_path / "new.tsv")
    call("predict", trained.source_folder("topic"), tmp_path / "new.tsv", "--out", tmp_path / "out.tsv", ends=0)
    assert all(one.label != "_" for one in tsv.read(tmp_path / "out.tsv"))


def test_nested_entities_that_a_format_cannot_hold_are_named(tmp_path, tagger):
    row = {"words": ["Dakar", "FC", "wins"], "entities": ["B-ORG|B-LOC", "I-ORG", "O"]}
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    lost = call("predict", tagger, tmp_path / "a.jsonl", "--out", tmp_path / "o.conllu", ends=0).output
    assert "CoNLL-U has no place for entities inside others: 1 left out, Dakar (LOC)" in lost
    kept = call("predict", tagger, tmp_path / "a.jsonl", "--out", tmp_path / "o.jsonl", ends=0).output
    assert "left out" not in kept
    assert json.loads((tmp_path / "o.jsonl").read_text(encoding="utf-8"))["entities"] == row["entities"]


@pytest.mark.parametrize(
    ("model", "file", "out", "reason"),
    [
        ("nowhere", "new.txt", "out.conllu", "no saved model here"),
        ("", "nothing.txt", "out.conllu", "no such file"),
        ("", "new.txt", "../{folder}/new.txt", "must be different files; give --out another name"),
        ("", "new.txt", "out.docx", "no format of pos has this suffix; give --to, or one of .conllu"),
    ],
)
def test_what_cannot_be_done_is_one_line(tmp_path, tagger, model, file, out, reason):
    (tmp_path / "new.txt").write_text("Birds fly.\n", encoding="utf-8")
    result = call("predict", model or tagger, tmp_path / file, "--out", tmp_path / out.format(folder=tmp_path.name))
    assert (tmp_path / "new.txt").read_text(encoding="utf-8") == "Birds fly.\n"
    assert (result.exit_code, len(result.output.strip().splitlines())) == (2, 1)
    assert reason in result.output
