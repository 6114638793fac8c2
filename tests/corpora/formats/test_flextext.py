"""Texts of FLEx keep their writing systems, languages and media files, in parts and beside other texts."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fewshot.corpora.formats import flextext
from fewshot.corpora.tokenization.repair import retokenized

SOURCE = Path(__file__).parent / "interlinear" / "wolof.flextext"
LANGUAGES = '<languages><language lang="ha" vernacular="true"/><language lang="fr" font="Times"/></languages>'
MEDIA = '<media-files offset-type=""><media guid="m1" location="hausa.wav"/></media-files>'


def word(form, gloss, *tags):
    made = "".join(f'<item type="pos" lang="{lang}">{tag}</item>' for lang, tag in tags)
    return f'<word><item type="txt" lang="ha">{form}</item><item type="gls" lang="fr">{gloss}</item>{made}</word>'


def phrase(*words):
    return f'<phrase media-file="m1"><words>{"".join(words)}</words></phrase>'


def text(*phrases, guid="t1", behind=LANGUAGES + MEDIA):
    inner = f"<paragraphs><paragraph><phrases>{''.join(phrases)}</phrases></paragraph></paragraphs>"
    return f'<interlinear-text guid="{guid}">{inner}{behind}</interlinear-text>'


def file(folder, *texts, behind="", name="hausa"):
    path = folder / f"{name}.flextext"
    path.write_text(f'<document version="2">{"".join(texts)}{behind}</document>', encoding="utf-8")
    return path


def written(folder, sentences):
    path = folder / "out.flextext"
    flextext.write(sentences, path)
    return path, ElementTree.parse(path).getroot()


def tags(root):
    return [(item.get("lang"), item.text) for item in root.iter("item") if item.get("type") == "pos"]


def upos(sentences):
    return [one.upos for one in sentences]


DOG, RUNS = word("kare", "chien"), word("gudu", "courir")


def test_texts_of_several_projects_keep_their_writing_systems_and_languages(tmp_path):
    """Their glosses are French, English beside categories of the language, and English with UPOS in an own system."""
    hausa = flextext.read(file(tmp_path, text(phrase(DOG, RUNS), phrase(DOG))))
    wolof = flextext.read(SOURCE)
    decided = [one.annotated(upos=("NOUN",) * one.length) for one in (*hausa, *wolof)]
    path, root = written(tmp_path, decided)
    systems = [{lang for lang, tag in tags(each) if tag == "NOUN"} for each in root]
    assert systems == [{"fr"}, {"en-x-upos"}, {"en-x-upos"}]
    assert [[one.get("lang") for one in each.iter("language")] for each in root] == [["ha", "fr"], ["wo", "en"], []]
    again = flextext.read(path)
    assert upos(again) == upos(decided)
    _, root = written(tmp_path, [one.annotated(upos=()) for one in again])
    assert {tag for _, tag in tags(root)} == {"n", "v", None}


def test_a_tag_of_another_system_is_changed_not_doubled(tmp_path):
    french = flextext.read(file(tmp_path, text(phrase(word("kare", "chien", ("fr", "NOUN")))), name="a"))
    english = flextext.read(file(tmp_path, text(phrase(word("gudu", "run", ("en", "NOUN")))), name="b"))
    _, root = written(tmp_path, [one.annotated(upos=("VERB",)) for one in (*french, *english)])
    assert tags(root) == [("fr", "VERB"), ("en", "VERB")]


def test_tags_that_are_not_upos_change_the_system_of_their_own_file_and_of_texts_without_tags(tmp_path):
    (one,) = flextext.read(file(tmp_path, text(phrase(DOG)), name="a"))
    (other,) = flextext.read(file(tmp_path, text(phrase(RUNS)), name="b"))
    _, root = written(tmp_path, [one.annotated(upos=("N",)), other.annotated(upos=("VERB",))])
    assert tags(root) == [("en-x-upos", "N"), ("fr", "VERB")]
    category = word("kare", "chien", ("en", "n"))
    found = flextext.read(file(tmp_path, text(phrase(category)), text(phrase(RUNS), guid="t2")))
    _, root = written(tmp_path, [one.annotated(upos=("X",)) for one in found])
    assert tags(root) == [("en", "n"), ("en-x-upos", "X"), ("en-x-upos", "X")]


@pytest.mark.parametrize("place", ["text", "document"])
def test_every_part_of_a_text_has_its_languages_and_media_files(tmp_path, place):
    behind = LANGUAGES + MEDIA
    made = {"behind": ""} if place == "document" else {}
    given = file(tmp_path, text(phrase(DOG), phrase(RUNS), phrase(DOG, RUNS), **made), behind=behind * bool(made))
    found = flextext.read(given)
    for some in (found[:1], found[1:2], found[2:], found[::2]):
        path, root = written(tmp_path, some)
        assert [child.tag for child in root[0]] == ["paragraphs", "languages", "media-files"]
        assert LANGUAGES in path.read_text() and MEDIA in path.read_text()
        again = flextext.read(path)
        assert [one.words for one in again] == [one.words for one in some]
        written(tmp_path, again[:1])
        assert MEDIA in path.read_text()  # of a part of a part, too


def test_phrases_of_a_text_are_in_one_whatever_their_order(tmp_path):
    first = flextext.read(file(tmp_path, text(phrase(DOG), phrase(RUNS)), name="a"))
    second = flextext.read(file(tmp_path, text(phrase(RUNS), guid="t2"), name="b"))
    path, root = written(tmp_path, [first[1], *second, first[0]])
    assert [each.get("guid") for each in root] == ["t1", "t2"]
    assert [one.words for one in flextext.read(path)] == [("gudu",), ("kare",), ("gudu",)]


def test_words_that_were_repaired_keep_the_writing_systems_of_their_phrase(tmp_path):
    (one,) = flextext.read(file(tmp_path, text(phrase(word("kare-gudu", "chien")))))
    repaired = retokenized(one, ("kare", "gudu"), ())
    _, root = written(tmp_path, [repaired.annotated(upos=("NOUN", "VERB"))])
    found = [[(item.get("lang"), item.text) for item in each] for each in root.iter("word")]
    assert found == [[("ha", "kare"), ("fr", "chien"), ("fr", "NOUN")], [("ha", "gudu"), ("fr", "VERB")]]


def test_a_long_list_of_media_files_does_not_come_with_every_sentence(tmp_path):
    many = MEDIA.replace("</media", '<media guid="m2" location="other.wav"/>' * 1_000 + "</media")
    given = file(tmp_path, text(*[phrase(DOG)] * 1_000, behind=LANGUAGES + many))
    found = flextext.read(given)
    assert sum(len(json.dumps(one.record.lines)) for one in found) < 10 * given.stat().st_size
    _, root = written(tmp_path, found[:2])
    assert [child.tag for child in root[0]] == ["paragraphs", "languages"]


def test_words_are_in_one_writing_system_whichever_form_stands_first(tmp_path):
    def both(*forms):
        items = (f'<item type="txt" lang="{lang}">{form}</item>' for lang, form in forms)
        return f"<word>{''.join(items)}</word>"

    words = (
        both(("ha", "kare"), ("ha-Arab", "كَرٜ")),
        both(("ha-Arab", "غُدُ"), ("ha", "gudu")),
        both(("ha", "yau"), ("ha-Arab", "يَوْ")),
    )
    (sentence,) = flextext.read(file(tmp_path, text(phrase(*words))))
    assert sentence.words == ("kare", "gudu", "yau")
