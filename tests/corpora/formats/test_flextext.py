import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fewshot.corpora.formats import flextext
from fewshot.corpora.oddities import oddities
from fewshot.corpora.tokenization.repair import retokenized
from fewshot.errors import CorpusError

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


def test_a_tag_of_another_system_is_changed_and_one_that_is_no_upos_changes_the_system_of_its_own_file(tmp_path):
    def tagged(tag, *words):
        given = [file(tmp_path, text(phrase(one)), name=str(place)) for place, one in enumerate(words)]
        (first, second) = (flextext.read(path)[0] for path in given)
        return tags(written(tmp_path, [first.annotated(upos=(tag,)), second.annotated(upos=("VERB",))])[1])

    noun = word("kare", "chien", ("fr", "NOUN")), word("gudu", "run", ("en", "NOUN"))
    assert tagged("VERB", *noun) == [("fr", "VERB"), ("en", "VERB")]
    assert tagged("N", DOG, RUNS) == [("en-x-upos", "N"), ("fr", "VERB")]
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
    repaired = retokenized(one, ("kare", "gudu"), ()).annotated(upos=("NOUN", "VERB"))
    found = [[(item.get("lang"), item.text) for item in each] for each in written(tmp_path, [repaired])[1].iter("word")]
    assert found == [[("ha", "kare"), ("fr", "chien"), ("fr", "NOUN")], [("ha", "gudu"), ("fr", "VERB")]]


def test_a_long_title_or_list_of_media_files_does_not_come_with_every_sentence(tmp_path):
    many = MEDIA.replace("</media", '<media guid="m2" location="other.wav"/>' * 300 + "</media")
    made = text(*[phrase(DOG)] * 100, behind=LANGUAGES + many)
    given = file(tmp_path, made.replace("<paragraphs>", item("title", "long " * 1_000) + "<paragraphs>"))
    found = flextext.read(given)
    assert sum(len(json.dumps(one.record.lines)) for one in found) < 10 * given.stat().st_size
    _, root = written(tmp_path, found[:2])
    assert [child.tag for child in root[0] if child.tag != "item"] == ["paragraphs", "languages"]


def test_words_glosses_and_morphs_are_in_one_writing_system_whichever_stands_first(tmp_path):
    def items(kind, *forms):
        return "".join(item(kind, form, lang) for lang, form in forms)

    morphs = [[("ha", "a"), ("x", "A")], [("x", "B"), ("ha", "b")]]
    made = "".join(f"<morph>{items('txt', *one)}</morph>" for one in morphs)
    words = (
        items("txt", ("ha", "kare"), ("ha-Arab", "كَرٜ")) + items("gls", ("fr", "chien"), ("en", "dog")),
        items("txt", ("ha-Arab", "غُدُ"), ("ha", "gudu")) + items("gls", ("en", "run")),
        items("txt", ("ha", "yau"), ("ha-Arab", "يَوْ")) + MORPHS.format(made) + item("gls", "now", "en"),
    )
    (sentence,) = flextext.read(in_lines(tmp_path, *words))
    assert sentence.words == ("kare", "gudu", "yau")
    assert [one["Gloss"] for one in sentence.interlinear.words] == ["dog", "run", "now"]
    assert sentence.interlinear.words[2]["MSeg"] == "a-b"


def item(kind, text, lang="ha"):
    return f'<item type="{kind}" lang="{lang}">{text}</item>'


def in_lines(folder, *words):
    """A file of one phrase, whose words are in the lines from 2."""
    return file(folder, text(phrase("\n", "\n".join(f"<word>{word}</word>" for word in words))))


def categories(*tags):
    """Words a, b, c ... with their categories, as in ``en:NOUN fr:n``."""
    found = [[each.partition(":") for each in word.split()] for word in tags]
    pos = ["".join(item("pos", tag, lang) for lang, _, tag in word) for word in found]
    return [item("txt", form) + tags for form, tags in zip("abcdef", pos, strict=False)]


TAGS = {  # categories of words, their tags, what is wrong and odd, and the categories once all words are X
    "one that is no UPOS": (("en:NOUN", "en:VERB", "en:ADJEC"), "NOUN VERB _",
        "4: the category 'ADJEC' of 'c' is not a UPOS", "", ["en:X", "en:X", "en:X"]),
    "none yet": (("en:NOUN", "en:VERB", "en:***", "en:&lt;Not_Sure&gt;"), "NOUN VERB _ _", "", "", ["en:X"] * 4),
    "a second system of the language": (("en:NOUN fr:n", "en:VERB fr:v", "fr:n"), "NOUN VERB _", "",
        "4: categories other than UPOS are not read", ["en:X", "fr:n", "en:X", "fr:v", "fr:n", "en:X"]),
    "another one at the first word": (("fr:NOUN", "en:VERB", "en:ADJ"), "NOUN VERB ADJ", "", "",
        ["fr:X", "en:X", "en:X"]),
    "two systems": (("en:NOUN fr:NOUN", "en:VERB"), "NOUN VERB", "", "", ["en:X", "fr:X", "en:X"]),
    "capitals": (("EN:NOUN", "en:VERB", "en-x-UPOS:ADJ"), "NOUN VERB ADJ", "", "", ["EN:X", "en:X", "en-x-UPOS:X"]),
    "an empty one before it": (("en: en:NOUN", "en:"), "NOUN _", "", "", ["en:", "en:X", "en:X"]),
    "UPOS of its own beside": (("en:NOUN", "en:VERB", "en:ADJEC en-x-upos:ADJ"), "NOUN VERB ADJ", "", "",
        ["en:X", "en:X", "en:ADJEC", "en-x-upos:X"]),
    "categories of the language": (("en:n", "en:v", "en:DET"), "_ _ _", "",
        "2: categories other than UPOS are not read",
        ["en:n", "en-x-upos:X", "en:v", "en-x-upos:X", "en:DET", "en-x-upos:X"]),
    "two on one word": (("en:NOUN en:VERB", "en:ADJ"), "NOUN ADJ",
        "2: 'a' has several categories, NOUN and VERB; keep one", "", ["en:X", "en:X", "en:X"]),
}  # fmt: skip


def read_with(path, fault, odd):
    """Read the only sentence; of faults and of what is odd there is one, which begins so after the path, or none."""
    faults = []
    (sentence,) = flextext.read(path, faults.append)
    for found, start in (([(one.where, one.message) for one in faults], fault), (oddities([sentence]), odd)):
        said = "".join(f"{where}: {message}".removeprefix(f"{path}:") for where, message in found)
        assert said.startswith(start) and bool(said) == bool(start), said
    return sentence


@pytest.mark.parametrize(("words", "expected", "fault", "odd", "changed"), TAGS.values(), ids=list(TAGS))
def test_upos_is_read_where_most_categories_are_upos(tmp_path, words, expected, fault, odd, changed):
    path = in_lines(tmp_path, *(word.replace("_", " ") for word in categories(*words)))
    sentence = read_with(path, fault, odd)
    assert " ".join(sentence.upos) == expected
    assert written(tmp_path, [sentence])[0].read_bytes() == path.read_bytes()
    out, root = written(tmp_path, [sentence.annotated(upos=("X",) * sentence.length)])
    assert [f"{lang}:{tag or ''}" for lang, tag in tags(root)] == changed
    assert flextext.read(out, lambda _: None)[0].upos == ("X",) * sentence.length
    out, _ = written(tmp_path, [sentence.annotated(upos=())])
    assert set(flextext.read(out, lambda _: None)[0].upos) == {"_"}


MORPHS = "<morphemes>{}</morphemes>"
FORMS = {  # what is in a second word, the words, and what is wrong and odd
    "morphs": (MORPHS.format(f"<morph>{item('txt', 'a-')}</morph><morph>{item('txt', 'b')}</morph>"), "a ab", "", ""),
    "a style": (item("txt", "k<run>ar</run>e"), "a kare", "", ""),
    "a phrase inside the words": (f"</word><phrase><words><word>{item('txt', 'b')}</word></words></phrase><word>",
                                  "a b", "", ""),
    "a blank at its end": (item("txt", "b&#160;"), "a b", "", ""),
    "a blank": (item("txt", "&#160;") + item("pos", "NOUN", "en"), "a", "3: a word without a form; give", "3: a word"),
    "a morph without a form": (MORPHS.format(f"<morph>{item('txt', 'ka')}</morph><morph/>"), "a",
                               "3: a word without a form; give it one in FLEx", "3: a word without a form"),
    "a gloss alone": (item("gls", "dog"), "a", "", "3: a word without a form is not read; give it one in FLEx"),
    "nothing": ("", "a", "", ""),
}  # fmt: skip


def test_every_fault_is_named_and_the_others_are_read(tmp_path):
    tags = categories("en:NOUN", "en:Adj", "en:VERB", "en:?", "en:X")
    tagged = phrase("\n".join(f"<word>{word}</word>" for word in tags))
    path = file(tmp_path, text("\n", f"<phrase>{item('txt', 'a')}</phrase>\n", tagged, "\n", phrase(DOG)), "\n", DOG)
    faults = []
    assert len(flextext.read(path, faults.append)) == 2
    assert [(int(one.where.rpartition(":")[2]), one.message.partition(";")[0]) for one in faults] == [
        (2, "a phrase with a text but no words"),
        (9, "a word that is in no phrase of a text"),
        (4, "the category 'Adj' of 'b' is not a UPOS, unlike most in its text"),
        (6, "the category '?' of 'd' is not a UPOS, unlike most in its text"),
    ]
    with pytest.raises(CorpusError):
        flextext.read(path)


@pytest.mark.parametrize(("words", "kept"), [(600, ["title", "source", "comment"]), (1_000, ["title", "source"])])
def test_a_part_of_a_text_keeps_its_title_whatever_else_is_long(tmp_path, words, kept):
    items = item("source", "s") + item("comment", "long " * words) + item("title", "t")
    path = file(tmp_path, text(phrase(DOG), phrase(RUNS)).replace("<paragraphs>", items + "<paragraphs>"))
    found = flextext.read(path)
    _, root = written(tmp_path, found[1:])
    assert root[0].get("guid") == "t1"
    assert [one.get("type") for one in root[0] if one.tag == "item"] == kept
    said = [message for _, message in oddities(found)]
    assert said == ["an export of a part of this text is without its comment, which is long"] * ("comment" not in kept)


@pytest.mark.parametrize(("inner", "words", "fault", "odd"), FORMS.values(), ids=list(FORMS))
def test_a_word_whose_form_stands_elsewhere_is_read_and_one_without_is_named(tmp_path, inner, words, fault, odd):
    sentence = read_with(in_lines(tmp_path, item("txt", "a"), inner), fault, odd)
    assert " ".join(sentence.words) == words
    out, _ = written(tmp_path, [sentence.annotated(upos=("X",) * sentence.length)])
    assert flextext.read(out, lambda _: None)[0].upos == ("X",) * sentence.length
