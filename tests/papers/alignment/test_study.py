from dataclasses import replace

import pandas as pd
import pytest
import torch
from making import made_up, write
from making import result as made_result
from papers.making import analyze, changed

from fewshot import tasks
from fewshot.corpora.formats import conllu
from fewshot.errors import FewshotError
from fewshot.experiments.data_folders import DataFolders
from fewshot.papers.alignment import page, study
from fewshot.papers.alignment.study import translations
from fewshot.papers.statistics import debiased_cka, linear_cka
from fewshot.source_choice.criteria import vectors
from fewshot.training import sources
from fewshot.training.model import load_model

CPU = torch.device("cpu")
LANGS = ("fi", "sv", "de", "ja")


@pytest.fixture
def data(tmp_path):
    """Test sets of the same ids: in each language some of the words are other ones; Turkish has ids of its own."""
    for number, lang in enumerate(("en", *LANGS)):
        shuffled = made_up(30, seed=7)[:: -1 if number % 2 else 1]  # the order in the file says nothing
        write(tmp_path / "data" / f"{lang}_pud", [changed(sentence, number) for sentence in shuffled])
    write(tmp_path / "data" / "tr_imst", [replace(s, id=f"tr-{s.id}") for s in made_up(12, seed=9)])
    return tmp_path / "data"


@pytest.fixture
def call(data, tmp_path, encoder_folder, source_model):
    source_model.save(sources.user_dir() / "pos-encoder")
    values = {"data": data, "task": "pos", "langs": ",".join(LANGS), "model": encoder_folder, "seeds": 2}
    return lambda **options: analyze("alignment", **{**values, "device": "cpu", "out": tmp_path / "out", **options})


def test_translations_have_the_same_id_in_the_same_place(data):
    langs = ["en", *LANGS, "tr"]
    found = translations(DataFolders([data], langs, pytest.fail), tasks.get("pos"), "en", langs[1:], most=1000)
    assert list(found) == list(LANGS)  # Turkish has none
    expected = {s.id: s.words for s in made_up(30, seed=7)}
    for lang, (english, theirs) in found.items():
        assert list(english) == list(theirs) and {key: tuple(words) for key, words in english.items()} == expected
        number = 1 + LANGS.index(lang)
        assert all(theirs[s.id] == changed(s, number).words for s in made_up(30, seed=7))
    few = translations(DataFolders([data], langs, pytest.fail), tasks.get("pos"), "en", langs[1:], most=12)
    assert len({tuple(english) for english, _ in few.values()}) == 1 and len(few["fi"][0]) == 12


def test_training_sentences_count_only_beside_the_test_set(data):
    extra = [replace(s, id=f"more-{s.id}") for s in made_up(11, seed=3)]
    write(data / "en_pud", extra, "train")
    write(data / "fi_pud", extra, "train")
    write(data / "sv_other", extra, "train")
    write(data / "sv_other", made_up(3, seed=4, name="own"), "test")
    folders = DataFolders([data], ["en", "fi", "sv"], pytest.fail)
    found = translations(folders, tasks.get("pos"), "en", ["fi", "sv"], most=1000)
    assert {lang: len(english) for lang, (english, _) in found.items()} == {"fi": 41, "sv": 30}


def test_ids_that_readers_made_are_no_evidence(tmp_path):
    for number, lang in enumerate(("en", "fi")):
        path = tmp_path / f"{lang}_own" / "test.conllu"
        write(path.parent, made_up(30, seed=number, shortest=5, longest=5))
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(line for line in lines if "sent_id" not in line), encoding="utf-8")
    folders = DataFolders([tmp_path], ["en", "fi"], pytest.fail)
    english, finnish = ({s.id for s in folders.find_test(tasks.get("pos"), lang).examples} for lang in ("en", "fi"))
    assert english == finnish  # by the lines that they begin in
    assert translations(folders, tasks.get("pos"), "en", ["fi"], most=1000) == {}


def test_each_language_is_read_where_most_of_its_sentences_are_translations(data):
    covering = ("en", "ja", "el", "hu", "et", "lv")  # more languages than have translations
    for lang in covering:
        write(data / f"{lang}_aaa", made_up(12, seed=3, name=lang))
    write(data / "el_bbb", [changed(s, 2) for s in made_up(30, seed=7)])
    langs = ["ja", "el", "hu", "et", "lv"]
    found = translations(DataFolders([data], ["en", *langs], pytest.fail), tasks.get("pos"), "en", langs, most=1000)
    assert {lang: len(english) for lang, (english, _) in found.items()} == {"ja": 30, "el": 30}


def test_sentences_of_one_id_in_two_folders_are_not_taken_for_each_other(call, data, tmp_path):
    write(data / "fi_pud", made_up(30, seed=7))  # the English ones
    write(data / "en_zzz", [changed(s, 3) for s in made_up(40, seed=8)])
    write(data / "el_zzz", made_up(40, seed=8))
    assert call(langs="fi,el").exit_code == 0
    table = pd.read_csv(tmp_path / "out" / "table.csv")
    embeddings = table[(table.encoder == "pretrained") & (table.layer == 0)].set_index("lang").cka
    assert embeddings["fi"] == pytest.approx(1, abs=1e-4) and embeddings["el"] < 0.99


def test_each_figure_is_that_of_the_definition_and_the_report_shows_it_beside_the_papers(call, data, tmp_path, encoder):
    result = call(langs="en,fi,sv,de,ja,tr", ends=0)
    table = pd.read_csv(tmp_path / "out" / "table.csv", keep_default_na=False)
    assert len(table) == (1 + 1 + 2) * 4 * 3  # states, languages, layers
    tuned = load_model(sources.find(tasks.get("pos"), encoder), encoder).encoder
    by_id = {lang: {s.id: s.words for s in conllu.read(data / f"{lang}_pud" / "test.conllu")} for lang in ("en", "ja")}
    ids = sorted(by_id["en"])
    for name, one in (("pretrained", encoder), ("fine-tuned", tuned)):
        english, japanese = (vectors(one, [by_id[lang][key] for key in ids], CPU) for lang in ("en", "ja"))
        rows = table[(table.encoder == name) & (table.lang == "ja")]
        expected = [linear_cka(x, y) for x, y in zip(english, japanese, strict=True)]
        assert rows.cka.tolist() == pytest.approx(expected, abs=1e-4)
        assert rows.debiased.iloc[1] == pytest.approx(debiased_cka(english[1], japanese[1]), abs=1e-4)
    untrained = table[table.encoder == "untrained"].groupby("seed").cka.mean()
    assert untrained[0] != untrained[1]

    assert "warning: left out, with no translations of en sentences: tr" in result.output
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    mean = table[(table.encoder == "pretrained") & (table.layer == 1)].cka.agg(["mean", "min", "max"])
    for text in (page, result.output):
        assert f"{mean['mean']:.2f} [{mean['min']:.2f}, {mean['max']:.2f}]" in text
        assert "pos 0.74 (n = 17" in text and "gap pos (accuracy)" in text
    assert page.count('role="img"') == 3


def test_better_aligned_and_smaller_gap_correlate_positively():
    similarity = pd.Series({"a": 0.9, "b": 0.7, "c": 0.5, "d": 0.1, "of no test set": 0.2})
    gaps = pd.DataFrame({"task": "pos", "lang": list("dcba"), "gap": [40.0, 30.0, 20.0, 10.0]})
    found = page.correlation(similarity, gaps, "pos")
    assert found.r == pytest.approx(1) and found.n == 4
    assert page.correlation(similarity, gaps.assign(gap=-gaps.gap), "pos").r == pytest.approx(-1)


def test_gaps_are_points_below_the_source_language():
    def score(lang, value, task="pos"):
        return replace(made_result(0, value), task=task, lang=lang)

    said = []
    found = study.gaps([score("en", 90.0), score("fi", 60.5), score("ja", 40.0, "ner")], "en", said.append)
    assert found.to_dict("records") == [{"task": "pos", "lang": "fi", "score": 60.5, "gap": 29.5}]
    assert said == ["no test set of ner in en: it has no gaps"]
    with pytest.raises(FewshotError, match="no task has a test set both in en and in another language"):
        study.gaps([score("ja", 40.0)], "en", said.append)
