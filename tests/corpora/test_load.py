import pytest
from making import made_up

from fewshot import tasks
from fewshot.corpora.embedded import sample_languages
from fewshot.corpora.formats import conllu
from fewshot.corpora.load import load, read
from fewshot.errors import FewshotError


@pytest.fixture
def treebank(tmp_path):
    conllu.write(made_up(30, seed=1, name="train"), tmp_path / "xx_made-ud-train.conllu")
    conllu.write(made_up(20, seed=2, name="test"), tmp_path / "xx_made-ud-test.conllu")
    return tmp_path


def test_folder_gives_pool_and_test_and_one_file_is_split(treebank):
    corpus, split = load("xx", treebank), load("xx", treebank / "xx_made-ud-train.conllu")
    assert len(corpus.test) == 20
    assert {s.id.partition("-")[0] for s in corpus.pool} == {"train"}
    assert {s.key for s in corpus.pool}.isdisjoint({s.key for s in corpus.test})
    assert len(split.pool) + len(split.test) + split.count.repeated == 30


def test_pool_file_comes_before_train_file_and_two_test_files_are_ambiguous(treebank):
    conllu.write(made_up(10, seed=3, name="pool"), treebank / "pool.conllu")
    assert {s.id.partition("-")[0] for s in load("xx", treebank).pool} == {"pool"}
    conllu.write(made_up(3, seed=3), treebank / "other-test.conllu")
    with pytest.raises(FewshotError, match="several test files"):
        load("xx", treebank)


def test_fingerprint_follows_the_labels_not_the_place(treebank, tmp_path_factory):
    before = load("xx", treebank).fingerprint
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for name in ("train", "test"):
        (elsewhere / f"{name}.conllu").write_bytes((treebank / f"xx_made-ud-{name}.conllu").read_bytes())
    assert load("xx", elsewhere).fingerprint == before
    text = (elsewhere / "test.conllu").read_text()
    (elsewhere / "test.conllu").write_text(text.replace("\tNOUN\t", "\tPROPN\t", 1))
    assert load("xx", elsewhere).fingerprint != before


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda folder: folder / "nothing", "no such file or folder"),
        (lambda folder: folder, "no test file"),
        (lambda folder: (folder / "test.txt").write_bytes("x".encode("utf-16")) and folder, "no test file"),
        (lambda folder: (folder / "x.pdf").write_text("x") and folder / "x.pdf", "unknown file type '.pdf'"),
    ],
)
def test_what_cannot_be_loaded(tmp_path, make, message):
    with pytest.raises(FewshotError, match=message):
        load("xx", make(tmp_path))


def test_a_file_is_read_as_what_its_task_is_about_and_refused_where_an_id_comes_twice(upload):
    topic = tasks.get("topic")
    path = upload('{"id": "1", "text": "a"}\n{"id": "2", "text": "b", "label": "x"}\n', "a.jsonl")
    assert [one.label for one in read(path, kind=topic.example.kind, task=topic)] == ["_", "x"]
    upload('{"id": "1", "text": "a", "label": "x"}\n{"id": "1", "text": "b", "label": "x"}\n', "a.jsonl")
    with pytest.raises(FewshotError, match=r"a.jsonl:2: the id '1' is used twice"):
        read(path, kind=topic.example.kind, task=topic)


def test_embedded_samples_load():
    for lang in sample_languages():
        corpus = load(lang)
        assert min(len(corpus.pool), len(corpus.test)) >= 30
        assert corpus.source == f"embedded sample ({lang})"
    with pytest.raises(FewshotError, match="unknown language of the embedded sample 'jaa'"):
        load("jaa")
