import json

from cli.calls import FEW_UPDATES, call
from making import made_up, with_morphology

from fewshot import tasks
from fewshot.corpora.documents import comments
from fewshot.corpora.formats import bio, conllu
from fewshot.curves.results import read_results
from fewshot.training import presets

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
    asked = ["--task", "ner", "--k", "8", "--seeds", "1", "--shot-sets", "1", "--sampler", "random", "--updates", "2"]
    result = call("run", "--lang", "xx", "--data", tmp_path, *tiny, *asked, "--out", tmp_path / "out", ends=0)
    notice = "DATE and KIN are new to the source model; at k = 0 every DATE and KIN counts as an error"
    assert result.output.splitlines().count(notice) == 1
    assert notice in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    labels = json.loads((tmp_path / "out" / "model" / "model.json").read_text())["labels"]
    assert {"B-LOC", "B-KIN", "B-DATE"} <= {*labels}
    call("predict", tmp_path / "out" / "model", tmp_path / "test.iob2", "--out", tmp_path / "new.iob2", ends=0)


def write_morphology(path, n, seed, first=None):
    """Write sentences with lemmas and features; the first word of each may have features of its own."""
    made = [with_morphology(one) for one in made_up(n, seed, name=path.stem)]
    path.parent.mkdir(exist_ok=True)
    conllu.write([one.annotated(feats=(first or one.feats[0], *one.feats[1:])) for one in made], path)


def test_three_sentences_buy_features_and_lemmas_also_where_the_test_set_has_others(place, tmp_path, monkeypatch):
    monkeypatch.setattr(presets, "SOURCE", FEW_UPDATES)
    write_morphology(tmp_path / "xx" / "pool.conllu", 20, seed=5)
    write_morphology(tmp_path / "xx" / "test.conllu", 8, seed=6, first="Only=Here")
    write_morphology(tmp_path / "english.conllu", 20, seed=7)
    task, out = tasks.get("pos+feats+lemma+xpos"), tmp_path / "out"
    fixed = ["--task", task.name, "--model", place / "encoder"]
    english = ["--data", tmp_path / "english.conllu", "--updates", "100", "--out", tmp_path / "source"]
    call("source", *fixed, *english, ends=0)
    fixed += ["--source", tmp_path / "source", "--lang", "xx", "--data", tmp_path / "xx", "--out", out]
    result = call("run", *fixed, *["--k", "3", "--updates", "2", "--seeds", "1", "--shot-sets", "1"], ends=0)
    assert task.score_label in " ".join(result.output.split())  # a long one takes two lines
    results = read_results(out / "results.jsonl")
    assert [(one.k, one.metric) for one in results] == [(0, task.metric), (3, task.metric)]
    assert {"accuracy", task.metric} <= results[0].metrics.keys()
    (tmp_path / "new.txt").write_text("iso talo nukkuu .\n", encoding="utf-8")
    assert call("predict", out / "model", tmp_path / "new.txt", "--out", tmp_path / "new.conllu").exit_code == 0
    (labelled,) = conllu.read(tmp_path / "new.conllu", columns=task.columns)
    assert labelled.predicted == tuple(column for column in comments.COLUMN_NAMES if column in task.columns)
    for column in ("feats", "lemmas", "xpos"):
        values = getattr(labelled, column)
        assert len(values) == 4 and "_" not in values
