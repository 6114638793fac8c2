import os
from dataclasses import replace

import pytest
import torch
from making import small_recipe
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from training.test_fit import CPU, QUICK, alike, same, weights

from fewshot.encoders import vocabulary
from fewshot.encoders.load import load_encoder
from fewshot.encoders.vowel_signs import strip_signs, strips_signs
from fewshot.errors import FewshotError
from fewshot.training import sources
from fewshot.training.adapt import adapt
from fewshot.training.description import DESCRIPTION, WEIGHTS, read_description
from fewshot.training.model import load_model


def test_a_saved_model_holds_only_what_was_trained(source_model, encoder, tmp_path):
    source_model.save(tmp_path)
    assert not any("embeddings" in name for name in load_file(tmp_path / WEIGHTS))
    assert alike(weights(load_model(tmp_path, encoder)), weights(source_model))
    with pytest.raises(FewshotError, match="trained on another version"):
        load_model(tmp_path, replace(encoder, fingerprint="0"))


def test_a_model_that_reads_no_optional_vowel_signs_reads_none_when_it_is_loaded(source_model, encoder, tmp_path):
    source_model.with_tokenizer_of(strip_signs(encoder)).save(tmp_path)
    assert strips_signs(load_model(tmp_path, encoder).encoder)
    assert not strips_signs(source_model.encoder) and not strips_signs(encoder)


def test_a_loaded_model_leaves_the_encoder_that_it_is_given_alone(source_model, encoder, tmp_path):
    whole = source_model.copy()
    vocabulary.unshare(whole.module)
    with torch.no_grad():
        vocabulary.table(whole.module).add_(1)
    whole.trained |= {"embeddings.word_embeddings.weight"}
    whole.save(tmp_path)
    before = weights(encoder.module)
    loaded = load_model(tmp_path, encoder)
    assert not torch.equal(vocabulary.table(loaded.module), vocabulary.table(encoder.module))
    assert same(weights(encoder.module), before)


def test_embeddings_that_moved_alone_are_on_disk(source_model, sentences, tmp_path):
    recipe = replace(QUICK, method="freeze-none", regime="sequential")
    first = adapt(source_model, sentences[30:31], recipe, 0, CPU)
    first.save(tmp_path / "first")
    loaded, pieces = load_model(tmp_path / "first"), set(first.pieces.tolist())
    assert alike(weights(loaded), weights(first))
    still = [place for place in range(64) if place not in pieces]
    assert torch.equal(*(vocabulary.table(model.module)[still] for model in (loaded, source_model)))
    second = adapt(loaded, sentences[31:32], recipe, 0, CPU)
    second.save(tmp_path / "second")
    assert alike(weights(load_model(tmp_path / "second")), weights(second))
    assert pieces < set(second.pieces.tolist())
    kept = load_file(tmp_path / "second" / WEIGHTS)
    assert "encoder.embeddings.word_embeddings.weight" not in kept
    assert len(kept["embeddings.rows"]) == len(second.pieces)


@pytest.mark.parametrize(("bits", "wrong"), [(16, 2**-10), (8, 2**-6), (4, 2**-2)])
def test_changes_of_the_encoder_are_kept_in_few_bits(trained, tmp_path, bits, wrong):
    model = trained.adapted()
    base = load_encoder(model.encoder.name)
    model.save(tmp_path, base, bits)
    loaded, old = load_model(tmp_path, base), weights(load_encoder(model.encoder.name).module)
    assert same(weights(base.module), old)
    rounded = model.copy()
    rounded.round(base, bits)
    assert alike(weights(loaded.module), weights(rounded.module)) or bits == 16
    assert loaded.trained == model.trained
    for name, now in weights(model.module).items():
        change = (now - old[name]).abs().max()
        least = 2**-25  # half of the smallest step of half precision
        assert (weights(loaded.module)[name] - now).abs().max() <= wrong * change + 2**-10 * now.abs().max() + least
    model.save(tmp_path / "whole")
    small, whole = ((folder / WEIGHTS).stat().st_size for folder in (tmp_path, tmp_path / "whole"))
    assert small < whole or bits == 16


def test_a_folder_without_a_model_is_named(tmp_path):
    with pytest.raises(FewshotError, match="no saved model here"):
        load_model(tmp_path)


def test_missing_or_cut_weights_are_named(source_model, encoder, tmp_path):
    source_model.save(tmp_path)
    file = tmp_path / WEIGHTS
    for size in (10_000, 100, 0, None):
        if size is None:
            file.unlink()
        else:
            file.write_bytes(file.read_bytes()[:size])
        with pytest.raises(FewshotError, match=r"model\.safetensors: missing or damaged .* train again"):
            load_model(tmp_path, encoder)


def test_weights_of_another_kind_are_named(source_model, encoder, tmp_path):
    source_model.save(tmp_path)
    save_file({"changes.no.such.layer": torch.zeros(1)}, tmp_path / WEIGHTS)
    with pytest.raises(FewshotError, match=r"model\.safetensors: missing or damaged .*no.* train again"):
        load_model(tmp_path, encoder)


def test_a_full_disk_leaves_no_description_beside_cut_weights(source_model, tmp_path, monkeypatch):
    def full(*_, **__):
        raise SafetensorError("I/O error: No space left on device (os error 28)")

    source_model.save(tmp_path)
    monkeypatch.setattr("fewshot.encoders.packed.save_file", full)
    with pytest.raises(FewshotError, match=r"the model cannot be written: .*No space left"):
        source_model.save(tmp_path)
    assert read_description(tmp_path) is None


def test_source_models_are_found_by_their_method_and_damaged_ones_hide_no_other(trained, encoder, tmp_path):
    trained.source().save(tmp_path / "plain")
    trained.source("pos", "feature-based").save(tmp_path / "features")
    for name, card in (("empty", ""), ("list", "[]"), ("other", "{}")):
        (tmp_path / name).mkdir()
        (tmp_path / name / DESCRIPTION).write_text(card)
    task = trained.source().task
    for name, method in (("plain", "full"), ("plain", "lora"), ("features", "feature-based")):
        assert sources.find(task, encoder, [tmp_path], method) == tmp_path / name
    (tmp_path / "features" / DESCRIPTION).unlink()
    with pytest.raises(FewshotError, match=r"no source model .* trained with --method feature-based; .*-based --data"):
        sources.find(task, encoder, [tmp_path], "feature-based")


def test_a_source_model_that_was_trained_whole_comes_before_newer_ones(source_model, encoder, tmp_path):
    model = source_model.copy()
    for age, (name, method) in enumerate([("b", "lora"), ("a", "full"), ("c", "full"), ("d", "freeze-1")], start=-4):
        model.provenance = {"recipe": {"method": method}}
        model.save(tmp_path / name)
        os.utime(tmp_path / name / DESCRIPTION, (2e9 + age, 2e9 + age))
    for found in ("c", "a", "d", "b"):
        assert sources.find(model.task, encoder, [tmp_path], "lora") == tmp_path / found
        (tmp_path / found / DESCRIPTION).unlink()


def test_a_source_model_of_some_languages_is_of_these_and_no_others(source_model, encoder, tmp_path):
    model = source_model.copy()
    for name, langs in (("one", ["fi"]), ("both", ["fin", "en"]), ("newest", ["en", "fi", "tr"])):
        model.provenance = {"sources": [{"lang": lang, "data": "x", "data_fingerprint": "0"} for lang in langs]}
        model.save(tmp_path / name)
    for langs, name in ((["fi"], "one"), (["en", "fi"], "both"), (["fi", "en"], "both")):
        assert sources.find(model.task, encoder, [tmp_path], langs=langs) == tmp_path / name
    missing = r"no source model of fi, tr for .* --lang fi,tr --data FOLDER_OF_FI_SENTENCES --data FOLDER_OF_TR_"
    with pytest.raises(FewshotError, match=missing):
        sources.find(model.task, encoder, [tmp_path], langs=["fi", "tr"])


def test_the_description_of_an_adapted_model_holds_its_own_facts_and_those_of_its_source(source_model, sentences):
    source = source_model.copy()
    source.provenance = {}
    assert sources.languages(source.provenance) == []
    source.provenance = {"lang": "fr"}
    adapted = adapt(source, sentences[:3], small_recipe(regime="sequential", updates=1), 7, CPU).provenance
    assert (adapted["k"], adapted["seed"], adapted["recipe"]["updates"]) == (3, 7, 1)
    assert adapted["shots"] == [sentence.id for sentence in sentences[:3]]
    assert adapted["source"] == {"lang": "fr"}
    assert sources.languages({"lang": "ja", **adapted}) == ["fr"]
