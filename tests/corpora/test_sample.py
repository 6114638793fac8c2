"""The sample treebank that ships with the package."""

import pytest

from fewshot import tasks
from fewshot.corpora.embedded import sample_dir, sample_languages
from fewshot.corpora.load import load, read

LEAST = {"ja": 200, "en": 80, "ar": 80, "sw": 80}
FILES = [sample_dir(lang) / f"{part}.conllu" for lang in sample_languages() for part in ("pool", "test")]


def test_languages_and_sizes():
    sizes = {lang: sum(len(read(f)) for f in FILES if f.parent.name == lang) for lang in sample_languages()}
    assert sizes.keys() == LEAST.keys()
    assert all(sizes[lang] >= least for lang, least in LEAST.items())


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_official_validator_passes_at_level_3(file):
    udtools = pytest.importorskip("udtools")
    state = udtools.Validator(lang="ud", level=3, output=None).validate_files([str(file)])
    assert state.passed(), [str(incident) for incident in state.error_tracker]


@pytest.mark.parametrize("lang", sample_languages())
def test_every_sentence_has_tags_trees_and_entities(lang):
    corpus = load(lang)
    for sentence in (*corpus.pool, *corpus.test):
        assert sentence.heads
        assert sentence.deprels


@pytest.mark.parametrize("task", tasks.registry().values(), ids=tasks.registry())
def test_every_task_has_a_pool_and_a_test_set_in_english_and_in_other_languages(task):
    kind = task.example.kind
    assert {"en"} < set(sample_languages(kind))
    for lang in sample_languages(kind):
        corpus = load(lang, kind=kind)
        tasks.check_gold(task, corpus.pool)
        tasks.check_gold(task, corpus.test)


@pytest.mark.parametrize("lang", sample_languages())
def test_no_test_sentence_is_in_the_pool(lang):
    assert load(lang).count.in_test == 0


def test_one_language_is_written_from_right_to_left_in_multiword_tokens():
    text = (sample_dir("ar") / "pool.conllu").read_text(encoding="utf-8")
    assert any(line.split("\t")[0].count("-") == 1 for line in text.splitlines() if line and line[0].isdigit())
