import pytest
import torch
from making import made_up

from fewshot import tasks
from fewshot.corpora.formats import conllu
from fewshot.corpora.load import fingerprint
from fewshot.errors import FewshotError
from fewshot.source_choice.models import choose
from fewshot.training.model import build_model

CPU = torch.device("cpu")


@pytest.fixture
def save(encoder, tmp_path):

    def save(name, root="models", task="pos", **provenance):
        model = build_model(tasks.get(task), encoder, 0, 0.1)
        model.provenance = provenance
        model.save(tmp_path / root / name)
        return tmp_path / root / name

    return save


@pytest.fixture
def save_with_data(save, tmp_path):
    """Saves one whose data are like the pool, or of other letters."""

    def save_with_data(lang, far):
        file, gold = tmp_path / f"{lang}.conllu", made_up(20, seed=3)
        conllu.write([type(s)(s.id, "Q Q", ("Q", "QQ"), ("X", "X")) for s in gold] if far else gold, file)
        return save(lang, lang=lang, data=str(file), data_fingerprint=fingerprint(conllu.read(file)))

    return save_with_data


@pytest.fixture
def chosen(encoder, tmp_path):

    def chosen(lang, *roots, task="pos"):
        folders = [tmp_path / root for root in roots or ("models",)]
        pool = made_up(40, seed=1)
        return choose(tasks.get(task), lang, encoder, pool, folders, "full", CPU, lambda now: None)

    return chosen


def test_the_language_that_is_ranked_first_is_taken(save, chosen):
    japanese, swedish = save("ja", lang="ja"), save("sv", lang="sv")
    save("no-language")
    assert chosen("da").place == swedish
    assert chosen("ko").place == japanese
    assert chosen("da").why.startswith("sv is first for da: it is ") and "(rank 1 of 2)" in chosen("da").why


def test_a_model_of_several_languages_stands_for_each(save, chosen):
    several = save("several", sources=[{"lang": one, "data": "x", "data_fingerprint": "0"} for one in ("ja", "de")])
    english = save("en", lang="en")
    assert chosen("ko").place == several and chosen("nl").place == several
    assert chosen("en").place == several and chosen("jpn").place == english  # what learned from the target is left out


def test_of_one_language_that_of_the_first_folder_is_taken(save, chosen):
    mine, other = save("b", "mine", lang="sv"), save("a", "other", lang="sv")
    assert chosen("da", "mine", "other").place == mine
    assert chosen("da", "other", "mine").place == other


@pytest.mark.usefixtures("no_lang2vec")
def test_where_lang2vec_is_missing_texts_decide(save_with_data, chosen, tmp_path):
    models = {lang: save_with_data(lang, far) for lang, far in (("de", True), ("sv", False))}
    found = chosen("xx")
    assert found.place == models["sv"] and "of the nearest sentences are its own" in found.why
    assert found.why.count("pip install 'fewshot[analyze]'") == 1
    (tmp_path / "sv.conllu").unlink()
    moved = chosen("xx")
    assert moved.place == models["de"] and "(the data of sv no longer exist and were not read)" in moved.why


def test_where_lang2vec_knows_no_source_texts_decide(save_with_data, chosen):
    models = {lang: save_with_data(lang, far) for lang, far in (("aqx", True), ("qfn", False))}
    found = chosen("da")
    assert found.place == models["qfn"] and "of the nearest sentences are its own" in found.why


def test_no_model_is_one_line(save, chosen, tmp_path):
    save("other", task="nli", lang="sv")
    save("no-language")
    with pytest.raises(FewshotError, match="trained on other languages than da, is in "):
        chosen("da")
    save("same", lang="dan")
    with pytest.raises(FewshotError, match="give a source model instead of auto"):
        chosen("da")
