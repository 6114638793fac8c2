"""Labels of one's own, from a file to predictions in a file."""

import json

from cli.calls import call
from making import examples, made_up

from fewshot.corpora.formats import bio, tsv

TYPES = {"metsa": "LOC", "kala": "KIN", "vesi": "DATE"}


def write_entities(path, n, seed):
    made = made_up(n, seed, name=path.stem)
    tags = [tuple(f"B-{TYPES[word]}" if word in TYPES else "O" for word in one.words) for one in made]
    bio.FORMAT.write([one.annotated(entities=row) for one, row in zip(made, tags, strict=True)], path, ["entities"])


def test_a_run_takes_entities_of_new_types(trained, tmp_path):
    for name, n, seed in (("pool", 20, 1), ("test", 10, 2)):
        write_entities(tmp_path / f"{name}.iob2", n, seed)
    checked = call("data", "check", tmp_path / "pool.iob2", "--task", "ner")
    assert "no error; labels LOC, DATE and KIN" in checked.output
    tiny = ("--model", trained.folder("encoder", None), "--source", trained.source_folder("ner"))
    asked = ("--task", "ner", "--k", "8", "--seeds", "1", "--shot-sets", "1", "--sampler", "random", "--updates", "2")
    result = call("run", "--lang", "xx", "--data", tmp_path, *tiny, *asked, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    notice = "DATE and KIN are new to the source model; at k = 0 every DATE and KIN counts as an error"
    assert result.output.splitlines().count(notice) == 1
    assert notice in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    labels = json.loads((tmp_path / "out" / "model" / "model.json").read_text())["labels"]
    assert {"B-LOC", "B-KIN", "B-DATE"} <= {*labels}
    result = call("predict", tmp_path / "out" / "model", tmp_path / "test.iob2", "--out", tmp_path / "new.iob2")
    assert result.exit_code == 0, result.output


def test_topics_that_the_source_model_does_not_know_have_a_run_without_zero_shot(trained, tmp_path):
    for name, n, seed in (("pool", 20, 1), ("test", 10, 2)):
        tsv.FORMAT.write(examples("documents", n, seed), tmp_path / f"{name}.tsv", ["label"])
    for path in tmp_path.glob("*.tsv"):
        path.write_text(path.read_text().replace("sports", "pelit").replace("health", "terveys"))
    tiny = ("--model", trained.folder("encoder", None), "--source", trained.source_folder("topic"))
    asked = (*tiny, "--task", "topic", "--k", "8", "--seeds", "1", "--shot-sets", "1", "--updates", "2")
    result = call("run", "--lang", "xx", "--data", tmp_path, *asked, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "pelit and terveys are new to the source model, which knows no label of the test set" in result.output
    assert "With 8 xx documents" in result.output
    assert call("compare", tmp_path / "out", "--out", tmp_path / "both").exit_code == 0


def test_source_models_learn_the_labels_of_their_data(place, tmp_path):
    write_entities(tmp_path / "english.iob2", 40, 1)
    result = call(
        "source", "--data", tmp_path / "english.iob2", "--task", "ner", "--model", place / "encoder",
        "--updates", "2", "--out", tmp_path / "source",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    labels = json.loads((tmp_path / "source" / "model.json").read_text())["labels"]
    assert labels == ["O", "B-LOC", "I-LOC", "B-DATE", "I-DATE", "B-KIN", "I-KIN"]
