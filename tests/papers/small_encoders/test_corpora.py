import lzma
from dataclasses import replace

import pytest
from papers.making import write_corpus
from pretraining.making import write_lines

from fewshot import tasks
from fewshot.errors import FewshotError
from fewshot.papers.small_encoders import corpora
from fewshot.papers.small_encoders.corpora import change


def lines(folder, lang):
    return lzma.open(folder / "mono" / f"{lang}.txt.xz", "rt", encoding="utf-8").read().splitlines()


def test_a_language_and_its_fake_get_different_sentences(tmp_path):
    source = write_corpus(tmp_path / "corpus")
    folder = corpora.build(source, ["en", "en-fake"], 100, tmp_path, pytest.fail)
    mine, other = set(lines(folder, "en")), set(lines(folder, "en-fake"))
    assert len(mine) == len(other) == 100 and not mine & other
    whole = lines(source, "en")
    assert mine | other <= {corpora.separated(line) for line in whole}
    alone = corpora.build(source, ["en", "fi"], 100, tmp_path, pytest.fail)
    fake = corpora.build(source, ["en-fake", "fi"], 100, tmp_path, pytest.fail)
    assert lines(alone, "en") == lines(fake, "en-fake")  # English and Fake-English are the same but for characters


def test_sentences_stay_in_their_order_and_punctuation_is_apart():
    drawn = corpora.draw([str(n) for n in range(1000)], 120, 0, 1)
    assert drawn == sorted(drawn, key=int) and len(drawn) == 120
    assert corpora.separated("Well, a.b") == "Well , a . b"
    assert corpora.separated("हिन्दी भाषा।") == "हिन्दी भाषा ।"


def test_a_marked_sentence_begins_with_the_mark_which_has_no_label(sentences):
    sentence = replace(sentences[0], heads=(0, *[1] * (sentences[0].length - 1)))
    marked = change(sentence, ["mark-fi"])
    assert marked.words == ("[fi]", *sentence.words)
    assert marked.upos == ("_", *sentence.upos) and marked.entities == ("_", *sentence.entities)
    assert marked.heads == (-1, 0, *[2] * (sentence.length - 1))
    tasks.check_gold(tasks.get("pos"), [marked])


def test_a_small_corpus_is_said_and_an_empty_share_refused(tmp_path):
    source, said = write_corpus(tmp_path / "corpus"), []
    corpora.build(source, ["en", "fi"], 1000, tmp_path, said.append)
    assert said == [f"300 sentences of {lang} where 1000 are wanted; 0 corrupt lines" for lang in ("en", "fi")]
    write_lines(source / "mono" / "en.txt.xz", ["one", "two"])
    with pytest.raises(FewshotError, match="too few sentences of en"):
        corpora.build(source, ["en", "en-fake"], 10, tmp_path, said.append)
