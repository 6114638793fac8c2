from collections import Counter
from dataclasses import replace

import pytest
import torch
from transformers import BertConfig, BertModel

from fewshot.errors import FewshotError
from fewshot.papers import bilingual, monolingual
from fewshot.papers.small_encoders.design import SCALES, Scale, find, shown, weights
from fewshot.papers.small_encoders.page import figures, published

PAPER = ("es", "hi", "ru")


def rows(table, langs=("ru",), scale=SCALES["small"]):
    return bilingual.design(scale, langs, [table], seeds=3).rows


def encoder(table, name):
    return next(row.pretraining for row in rows(table) if row.name == name)


def test_nothing_in_a_bilingual_corpus_is_aligned():
    for row in bilingual.design(SCALES["small"], PAPER, [], seeds=3).rows:
        settings = row.pretraining.settings
        assert settings.alignment == "none" and settings.pair_share == 0 and settings.train_embeddings
        assert len(row.pretraining.langs) == (4 if row.table == 7 else 2)
        fake = [lang for lang in row.pretraining.langs if lang.endswith("-fake")]
        assert all(settings.transforms[lang][0] == "fake" for lang in fake)


def test_rows_differ_from_the_base_encoder_in_one_thing():
    base = encoder(1, "enfake-X")
    for table, name in (
        (2, "0% permuted"),
        (3, "sentences"),
        (8, "no NSP"),
        (9, "no language mark"),
        (10, "wordpiece"),
    ):
        assert encoder(table, name).key == base.key
    changed = {
        (2, "50% permuted"): {"transforms": {"en-fake": ["fake", "permute-0.5"], "ru": ["permute-0.5"]}},
        (3, "unigrams"): {"transforms": {"en-fake": ["fake"], "ru": ["unigram"]}},
        (5, "heads 3"): {"heads": 3},
        (8, "NSP"): {"nsp": True},
        (9, "language mark"): {"transforms": {"en-fake": ["fake", "mark-en-fake"], "ru": ["mark-ru"]}},
        (10, "character"): {"tokenizer": "character"},
    }
    for (table, name), changes in changed.items():
        assert encoder(table, name).settings == replace(base.settings, **changes)


@pytest.mark.parametrize("name", SCALES)
def test_depth_leaves_the_weights_as_they_are(name):
    scale = SCALES[name]
    base = weights(scale.settings(("en",)))
    for row in rows(4, scale=scale):
        assert row.pretraining.settings.layers == int(row.name.split()[1])
        assert weights(row.pretraining.settings) == pytest.approx(base, rel=0.1)
    for row in rows(6, scale=scale):
        share = int(row.name.partition("%")[0]) / 100
        assert weights(row.pretraining.settings) == pytest.approx(share * base, rel=0.25)


def test_weights_are_those_of_the_encoder():
    config = SCALES["tiny"].settings(("en",), vocabulary=50)
    with torch.device("meta"):
        shape = BertConfig(
            vocab_size=config.vocabulary,
            hidden_size=config.hidden,
            num_hidden_layers=config.layers,
            num_attention_heads=config.heads,
            intermediate_size=config.intermediate,
            max_position_embeddings=config.positions,
        )
        module = BertModel(shape, add_pooling_layer=False)
    assert weights(config) == sum(weight.numel() for weight in module.parameters())


def test_every_published_figure_has_a_row_and_every_row_its_figures():
    bi = bilingual.design(SCALES["small"], PAPER, [], seeds=3)
    mono = monolingual.design(SCALES["small"], ["lv", "af", "mn", "yo"], "en", ["en", "lv"], seeds=3)
    ours = Counter()
    for plan in (bi, mono):
        for row in plan.rows:
            for test in row.tests:
                ours[plan.analysis, row.table, row.name, "X" if test == row.target else shown(test)] += 1
    theirs = {key[:-1] for key in figures()}
    assert theirs <= ours.keys()
    assert all("control" in key[2] for key in ours.keys() - theirs)
    assert published("bilingual", 3, "unigrams", "X", "ner", "hi") == "1.2"
    assert published("bilingual", 3, "unigrams", "X", "ner", "it") == "1.2–15.0"
    assert published("bilingual", 3, "untrained (control)", "X", "ner", "it") == ""


def test_monolingual_rows():
    plan = monolingual.design(SCALES["small"], ["fi"], "en", ["en", "fi", "tr"], seeds=3)
    langs = {row.name: row.pretraining.langs for row in plan.rows}
    assert langs.pop("bilingual") == ("en", "fi") and langs.pop("multilingual") == ("en", "fi", "tr")
    assert set(langs.values()) == {("fi",)} and len(langs) == 4
    assert all(row.train == "fi" and row.tests == ("fi",) for row in plan.rows)


def test_wrong_plans_are_refused(tmp_path):
    with pytest.raises(FewshotError, match="no table 11 here"):
        rows(11)
    with pytest.raises(FewshotError, match="English is the source"):
        rows(1, langs=["en"])
    with pytest.raises(FewshotError, match="its own --partner"):
        monolingual.design(SCALES["small"], ["fi"], "fi", ["fi"], seeds=1)
    for text, message in (
        ("hidden = 7", "multiple of heads"),
        ("probe_updates = 0", "must be 1 or more"),
    ):
        (tmp_path / "scale.toml").write_text(text)
        with pytest.raises(FewshotError, match=message):
            find(str(tmp_path / "scale.toml"))
    with pytest.raises(FewshotError, match="choose small or tiny"):
        find("large")
    (tmp_path / "scale.toml").write_text("updates = 7")
    assert find(str(tmp_path / "scale.toml")) == Scale(updates=7)
