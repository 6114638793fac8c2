"""Corpora and annotated data of an analysis."""

import lzma
import shutil
from dataclasses import replace

import pytest
from analysis.making import write_corpus, write_treebanks
from making import made_up
from pretraining.making import write_lines

from fewshot import tasks
from fewshot.analysis import texts
from fewshot.analysis.probes import Treebanks, change
from fewshot.corpora import bio, conllu
from fewshot.errors import FewshotError


def lines(folder, lang):
    return lzma.open(folder / "mono" / f"{lang}.txt.xz", "rt", encoding="utf-8").read().splitlines()


def test_a_language_and_its_fake_get_different_sentences(tmp_path):
    source = write_corpus(tmp_path / "corpus")
    folder = texts.build(source, ["en", "en-fake"], 100, tmp_path, pytest.fail)
    mine, other = set(lines(folder, "en")), set(lines(folder, "en-fake"))
    assert len(mine) == len(other) == 100 and not mine & other
    whole = lines(source, "en")
    assert mine | other <= {texts.separated(line) for line in whole}
    alone = texts.build(source, ["en", "fi"], 100, tmp_path, pytest.fail)
    fake = texts.build(source, ["en-fake", "fi"], 100, tmp_path, pytest.fail)
    assert lines(alone, "en") == lines(fake, "en-fake")  # English and Fake-English are the same but for characters


def test_sentences_stay_in_their_order_and_punctuation_is_apart():
    drawn = texts.draw([str(n) for n in range(1000)], 120, 0, 1)
    assert drawn == sorted(drawn, key=int) and len(drawn) == 120
    assert texts.separated("Well, a.b") == "Well , a . b"
    assert texts.separated("हिन्दी भाषा।") == "हिन्दी भाषा ।"


def test_a_corpus_is_written_once(tmp_path):
    source = write_corpus(tmp_path / "corpus")
    folder = texts.build(source, ["en", "fi"], 100, tmp_path, pytest.fail)
    before = (folder / "mono" / "en.txt.xz").stat().st_mtime_ns
    assert texts.build(source, ["en", "fi"], 100, tmp_path, pytest.fail) == folder
    assert (folder / "mono" / "en.txt.xz").stat().st_mtime_ns == before
    assert texts.build(source, ["en", "fi"], 101, tmp_path, pytest.fail) != folder


def test_fake_english_shares_no_character_and_keeps_the_labels():
    for sentence in made_up(20, seed=3):
        fake = change(sentence, ["fake", "permute-1", "unigram"])
        assert not set("".join(fake.words) + fake.text) & set("".join(sentence.words)) and len(fake.words[0]) > 0
        assert (fake.upos, fake.entities) == (sentence.upos, sentence.entities)
        assert len("".join(fake.words)) == len("".join(sentence.words))


def test_a_marked_sentence_begins_with_the_mark_which_has_no_label(sentences):
    sentence = replace(sentences[0], heads=(0, *[1] * (sentences[0].length - 1)))
    marked = change(sentence, ["mark-fi"])
    assert marked.words == ("[fi]", *sentence.words)
    assert marked.upos == ("_", *sentence.upos) and marked.entities == ("_", *sentence.entities)
    assert marked.heads == (-1, 0, *[2] * (sentence.length - 1))
    tasks.check_gold(tasks.get("pos"), [marked])


def test_a_small_corpus_is_said_and_an_empty_share_refused(tmp_path):
    source, said = write_corpus(tmp_path / "corpus"), []
    texts.build(source, ["en", "fi"], 1000, tmp_path, said.append)
    assert said == [f"300 sentences of {lang} where 1000 are wanted; 0 corrupt lines" for lang in ("en", "fi")]
    write_lines(source / "mono" / "en.txt.xz", ["one", "two"])
    with pytest.raises(FewshotError, match="too few sentences of en"):
        texts.build(source, ["en", "en-fake"], 10, tmp_path, said.append)


def test_folders_are_chosen_by_language_task_and_collection(tmp_path):
    write_treebanks(tmp_path)
    for lang in ("en", "fi"):
        (tmp_path / f"{lang}_all").mkdir()
        shutil.copy(tmp_path / f"{lang}_made" / "test.conllu", tmp_path / f"{lang}_all")
    for name in ("aaa_en", "wiki_en", "wiki_fi"):
        (tmp_path / name).mkdir()
        for split in ("train", "test"):
            bio.write(made_up(12, seed=len(name), name=name), tmp_path / name / f"{split}.bio")
    treebanks = Treebanks([tmp_path], ["en-fake", "fi"], pytest.fail)
    pos, ner = tasks.get("pos"), tasks.get("ner")
    train = treebanks.train(pos, "en-fake", 20, within=False)
    assert train.folder.name == "en_made" and len(train.examples) == 20
    assert treebanks.test(pos, "fi", train.folder).folder.name == "fi_all"
    assert treebanks.test(pos, "en", train.folder).folder.name == "en_made"
    assert treebanks.train(ner, "en", 20, within=False).folder.name == "wiki_en"
    (tmp_path / "fi_made" / "test.conllu").unlink()
    again = Treebanks([tmp_path], ["en", "fi"], pytest.fail)
    assert again.train(pos, "fi", 20, within=False).folder.name == "fi_made"
    assert again.train(pos, "fi", 20, within=True) is None
    (tmp_path / "fi_all" / "test.conllu").unlink()
    assert Treebanks([tmp_path], ["en", "fi"], pytest.fail).test(pos, "fi", train.folder) is None


def test_files_with_other_labels_are_left_out_and_said(tmp_path):
    write_treebanks(tmp_path)
    wrong = [replace(sentence, upos=("FOO",) * sentence.length) for sentence in made_up(3, seed=0)]
    conllu.write(wrong, tmp_path / "en_made" / "train.conllu")
    shutil.copytree(tmp_path / "fi_made", tmp_path / "zz_en")
    said = []
    treebanks = Treebanks([tmp_path], ["en"], said.append)
    for _ in range(2):
        assert treebanks.train(tasks.get("pos"), "en", 20, within=False).folder.name == "zz_en"
    assert len(said) == 1 and "FOO" in said[0] and "train.conllu:1" in said[0]


def test_folders_that_are_not_there_are_refused(tmp_path):
    with pytest.raises(FewshotError, match="no such folder"):
        Treebanks([tmp_path / "none"], ["en"], pytest.fail)
