import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pympi
import pytest
from nltk.toolbox import StandardFormat

from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.formats import conllu, eaf, flextext, sfm
from fewshot.corpora.oddities import oddities
from fewshot.errors import CorpusError

FOLDER = Path(__file__).parent / "interlinear"
MODULES = {"flextext": flextext, "sfm": sfm, "eaf": eaf}
POS = tasks.get("pos")


@pytest.fixture(params=MODULES)
def name(request):
    return request.param


def source(name):
    return FOLDER / f"wolof.{name}"


def read(name):
    return MODULES[name].read(source(name))


def tagged(sentences):
    return [one.annotated(upos=("PRON", *["NOUN"] * (one.length - 1))) for one in sentences]


def written(name, sentences, folder):
    path = folder / f"out.{name}"
    MODULES[name].write(sentences, path)
    return path


def conllu_of(name):
    return [conllu.to_text(one).splitlines() for one in read(name)]


def misc(lines):
    return [line.split("\t")[-1] for line in lines if line]


CHANGES = [
    lambda data: data,
    lambda data: data.replace(b"\n", b"\r\n"),
    lambda data: b"\xef\xbb\xbf" + data,
    lambda data: data.rstrip(b"\n"),
]


@pytest.mark.parametrize("change", CHANGES, ids=["lf", "crlf", "byte order mark", "no final newline"])
def test_a_file_that_nobody_annotated_comes_back_as_it_is(name, tmp_path, change):
    path = tmp_path / f"in.{name}"
    path.write_bytes(change(source(name).read_bytes()))
    found = MODULES[name].read(path)
    assert len(found) == 3
    assert written(name, found, tmp_path).read_bytes() == path.read_bytes()
    again = MODULES[name].read(written(name, tagged(found), tmp_path))
    assert [one.upos for one in again] == [one.upos for one in tagged(found)]
    assert [one.interlinear for one in again] == [one.interlinear for one in found]


def test_the_tags_are_all_that_changes_in_flextext_and_toolbox(tmp_path):
    item = r'(\n                )?<item type="pos" lang="en-x-upos">(PRON|NOUN)</item>'
    for name, tags in (("flextext", item), ("sfm", r"\\upos .*\n")):
        given = source(name).read_text(encoding="utf-8")
        path = written(name, tagged(read(name)), tmp_path)
        assert re.sub(tags, "", path.read_text(encoding="utf-8")) == given
        assert (
            written(name, [one.annotated(upos=()) for one in MODULES[name].read(path)], tmp_path).read_text() == given
        )


def test_the_tags_are_all_that_changes_in_elan(tmp_path):
    before = pympi.Eaf(source("eaf"))
    after = pympi.Eaf(written("eaf", tagged(read("eaf")), tmp_path))
    assert set(after.get_tier_names()) - set(before.get_tier_names()) == {"upos@A", "upos@B"}
    for tier in before.get_tier_names():
        assert after.tiers[tier][:3] == before.tiers[tier][:3]
    assert (after.media_descriptors, after.timeslots) == (before.media_descriptors, before.timeslots)
    numbers = [int(one[1:]) for one in after.annotations]
    assert dict(after.properties)["lastUsedAnnotationId"] == str(max(numbers))
    assert after.linguistic_types["upos"]["CONSTRAINTS"] == "Symbolic_Association"
    for tier in "AB":
        given = {ref: tag for ref, tag, _, _ in after.tiers[f"upos@{tier}"][1].values()}
        assert given.keys() <= {*after.tiers[f"wd@{tier}"][0], *after.tiers[f"wd@{tier}"][1]}
    assert (given["a35"], given["a36"]) == ("PRON", "NOUN")


def test_a_tag_that_changes_stays_in_its_place_and_an_open_word_has_none(name, tmp_path):
    path = written(name, tagged(read(name)), tmp_path)
    before = path.read_text(encoding="utf-8")
    first, *others = MODULES[name].read(path)
    changed = first.annotated(upos=("DET", *first.upos[1:]))
    after = written(name, [changed, *others], tmp_path).read_text(encoding="utf-8")
    assert after == before.replace("PRON", "DET", 1)
    opened = first.annotated(upos=("_", *first.upos[1:]))
    again, *_ = MODULES[name].read(written(name, [opened, *others], tmp_path))
    assert again.upos == opened.upos


def test_what_a_model_has_chosen_is_marked_until_somebody_decides(name, tmp_path):
    found = [replace(one, predicted=("upos",)) for one in tagged(read(name))]
    guessed = MODULES[name].read(written(name, found, tmp_path))
    assert [(one.upos, one.predicted) for one in guessed] == [(one.upos, ("upos",)) for one in found]
    decided = MODULES[name].read(written(name, [replace(one, predicted=()) for one in guessed], tmp_path))
    assert [(one.upos, one.predicted) for one in decided] == [(one.upos, ()) for one in found]


def test_glosses_of_flex_go_to_conllu():
    first, second, third = conllu_of("flextext")
    assert first[1:] == [
        "# text = Xale yi lekk, ñu dem.",
        "# ref = 1.1",
        "# text_en = The children ate and went.",
        "# text_fr = Les enfants ont mangé.",
        "# literal_en = child the eat they go",
        "# note_en = fast / speech",
        "1\tXale\t_\t_\t_\t_\t_\t_\t_\tTranslit=xalɛ|Gloss=child",
        "2\tyi\t_\t_\t_\t_\t_\t_\t_\tGloss=CL.PL-DEF=***|MSeg=y-i=a",
        "3\tlekk\t_\t_\t_\t_\t_\t_\t_\tGloss=eat|SpaceAfter=No",
        "4\t,\t_\t_\t_\t_\t_\t_\t_\t_",
        "5\tñu\t_\t_\t_\t_\t_\t_\t_\t_",
        "6\tdem\t_\t_\t_\t_\t_\t_\t_\tGloss=go|SpaceAfter=No",
        "7\t.\t_\t_\t_\t_\t_\t_\t_\t_",
        "",
    ]
    assert second[1] == "# text = «Waaw»"  # no text of the phrase: punctuation stands close
    assert third[1:3] == ["# text = Dem", "1\tDem\t_\t_\t_\t_\t_\t_\t_\t_"]


def test_glosses_of_toolbox_and_elan_go_to_conllu():
    first, second, third = conllu_of("sfm")
    said = [
        "# text = Xalé yi lekk ceeb",
        "# ref = Rice.001",
        "# text_und = The children eat rice.",
        "# note_und = slow",
    ]
    assert first[1:5] == said
    assert misc(first[5:]) == ["Gloss=child", "Gloss=CL-DEF|MSeg=y-i", "Gloss=eat", "Gloss=rice"]
    assert second[1] == "# text = Ñu dem léegi leen"
    assert misc(second[4:]) == ["Gloss=3PL", "Gloss=go", "Gloss=now", "Gloss=CL-2PL|MSeg=l-een"]
    assert third[2] == "# ref = Empty.002"  # not that of the record before it, which has no words
    first, second, third = conllu_of("eaf")  # in the order of time, of both speakers
    assert first[1:3] == ["# text = Xale yi lekk & dem", "# text_eng = The children ate and went."]
    assert [line.split("\t")[1] for line in first[3:-1]] == ["Xale", "yi", "lekk"]
    assert misc(first[3:]) == ["_", "Gloss=CL.PL-DEF|MSeg=y-i", "Gloss=eat"]
    assert [line.split("\t")[1] for line in second[2:-1]] == ["Waaw", "Dakar"]
    assert third[1] == "# text = Ñu dem."


@pytest.mark.parametrize(
    ("words", "below", "glosses"),
    [
        ("ŋééŋaa a", "x    -y    b", ["x-y", "b"]),  # columns of bytes: the letters of the first word have ten
        ("ŋééŋaa a", "x -y   b", ["x-y", "b"]),  # of characters
        ("ŋééŋaa a", "x     b", ["x", "b"]),  # by sight: a column before its word
        ("xaley yi dem", "x -y b   c", ["x-y", "b", "c"]),  # by sight, where most stand in their columns
        ("e\u0301e\u0301e\u0301 a b", "x   y z w", ["x", "y", "z w"]),  # by sight: accents take no column
        ("我們 貓貓 b", "x    y z  w", ["x", "y z", "w"]),  # by sight: Chinese characters take two
        ("ŋééŋaa a", "1 2", ["1", "2"]),  # none, but one gloss a word
        ("ŋééŋaa a", "xyz c d", ["", ""]),  # none
    ],
)
def test_columns_of_toolbox_are_bytes_or_characters(upload, words, below, glosses):
    (found,) = sfm.read(upload(f"\\ref 1\n\\tx {words}\n\\ge {below}\n", "x.sfm"))
    assert [one.get("Gloss", "") for one in found.interlinear.words] == glosses
    are_odd = [message.startswith(r"what \ge holds does not stand below its words") for _, message in oddities([found])]
    assert are_odd == [True] * (not any(glosses))


def test_upos_behind_the_marker_of_other_categories_is_warned_of_in_toolbox(upload):
    fields = [r"\ps NOUN DET", "\\ps NOUN DET\n\\upos X X", r"\ps n det"]
    path = upload("".join(f"\\ref 1\n\\tx xale yi\n{each}\n" for each in fields), "x.sfm")
    assert [where for where, _ in oddities(sfm.read(path))] == [f"{path}:3"]


def test_other_tools_read_what_is_written(tmp_path):
    """NLTK reads Toolbox, ElementTree flextext; pympi reads ELAN above and here."""
    with_tree = conllu.read(write_treebank(tmp_path))
    toolbox = StandardFormat()
    toolbox.open_string(written("sfm", with_tree, tmp_path).read_text(encoding="utf-8"))
    fields = [(marker, value) for marker, value in toolbox.fields(strip=True) if marker != "_sh"]
    wanted = [("ref", "s1"), ("tx", "Xale  yi"), ("ge", "child the"), ("upos", "NOUN DET"), ("ft", "the child")]
    assert fields == wanted
    document = ElementTree.parse(written("flextext", with_tree, tmp_path)).getroot()
    words = document.findall("interlinear-text/paragraphs/paragraph/phrases/phrase/words/word")
    assert [[item.text for item in word] for word in words] == [["Xale", "child", "NOUN"], ["yi", "the", "DET"]]
    elan = pympi.Eaf(written("eaf", with_tree, tmp_path))
    assert [value for *_, value, _ in elan.get_annotation_data_for_tier("word")] == ["Xale", "yi"]
    assert elan.get_annotation_data_for_tier("translation-gls-en") == [(0, 1000, "the child", "Xale yi")]


def write_treebank(folder):
    path = folder / "in.conllu"
    rows = ["1\tXale\t_\tNOUN\t_\t_\t0\troot\t_\tGloss=child", "2\tyi\t_\tDET\t_\t_\t1\tdet\t_\tGloss=the"]
    path.write_text("\n".join(["# sent_id = s1", "# text = Xale yi", "# text_en = the child", *rows, "", ""]))
    return path


def test_glosses_survive_from_any_format_to_any_other(name, tmp_path):
    (given,) = conllu.read(write_treebank(tmp_path))
    (found,) = MODULES[name].read(written(name, [given], tmp_path))
    assert (found.words, found.upos) == (given.words, given.upos)
    assert [one["Gloss"] for one in found.interlinear.words] == ["child", "the"]
    assert [value for key, value in found.interlinear.lines.items() if key.startswith("text_")] == ["the child"]


@pytest.mark.parametrize("name", ["flextext", "eaf"])
def test_a_character_that_xml_has_not_is_named_with_its_sentence_and_warned_of(name, tmp_path):
    path = write_treebank(tmp_path)
    path.write_text(path.read_text().replace("the child", "the\x01child"))
    (sentence,) = conllu.read(path)
    fault = "the character U+0001 cannot be written as XML; remove it"
    with pytest.raises(CorpusError, match=re.escape(f"{path}:1: s1: {fault}")):
        written(name, [sentence], tmp_path)
    assert list(oddities([sentence])) == [(f"{path}:1", fault)]


def test_a_part_of_a_text_of_flex_comes_with_its_title(tmp_path):
    _, second, third = tagged(read("flextext"))
    path = written("flextext", [third, second, *conllu.read(write_treebank(tmp_path))], tmp_path)
    texts = ElementTree.parse(path).getroot().findall("interlinear-text")
    assert [text.findtext("item") for text in texts] == ["Second text", "The children & the rice", None]
    assert [one.words for one in flextext.read(path)] == [("Dem",), ("«", "Waaw", "»"), ("Xale", "yi")]
    assert 'begin-time-offset="0"' in path.read_text()


def test_a_part_of_a_file_of_toolbox_is_one_of_toolbox(tmp_path):
    _, second, third = tagged(read("sfm"))
    path = written("sfm", [third, second], tmp_path)
    assert path.read_text(encoding="utf-8").startswith("\\_sh v3.0  400  Text\n\\_DateStamp")
    assert [one.words for one in sfm.read(path)] == [third.words, second.words]
    assert formats.detect(path.rename(tmp_path / "out.txt"), layer=POS).name == "sfm"
    path = tmp_path / "in.sfm"
    path.write_text("\ufeff" + TOOLBOX.replace("VERB", "VERB AUX"))
    text = written("sfm", sfm.read(path)[1:], tmp_path).read_text()
    assert text.startswith("\\_sh v3.0  400  Text\n\n\\ref 2\n")


def test_a_part_of_a_file_of_elan_is_refused(tmp_path):
    found = read("eaf")
    for some in (found[1:], [*found, *found], found[::-1]):
        with pytest.raises(CorpusError, match=r"out.eaf: an ELAN file is only written whole; of 3 .* \(--part all\)"):
            written("eaf", some, tmp_path)
    with pytest.raises(CorpusError, match="holds no sentences of other files"):
        written("eaf", [*found, *conllu.read(write_treebank(tmp_path))], tmp_path)


MIXED = (
    '<document version="2"><interlinear-text><paragraphs><paragraph><phrases><phrase><words>'
    '<word><item type="txt" lang="wo">xaj</item><item type="pos" lang="en" analysisStatus="guess">NOUN</item></word>'
    '<word><item type="txt" lang="wo">lekk</item><item type="pos" lang="en">VERB</item></word>'
    "</words></phrase></phrases></paragraph></paragraphs></interlinear-text></document>\n"
)


def test_in_flex_a_guess_beside_a_decision_is_open_and_stays_a_guess(upload, tmp_path):
    (one,) = flextext.read(upload(MIXED, "in.flextext"))
    assert (one.upos, one.predicted) == (("_", "VERB"), ())
    assert written("flextext", [one], tmp_path).read_text() == MIXED
    decided = written("flextext", [one.annotated(upos=("NOUN", "VERB"))], tmp_path).read_text()
    assert decided == MIXED.replace(' analysisStatus="guess"', "")


def test_in_elan_a_guess_beside_a_decision_is_open_and_stays_a_guess(tmp_path):
    first, *others = read("eaf")
    path = written("eaf", [first.annotated(upos=("PRON", *first.upos[1:])), *others], tmp_path)
    first, *others = eaf.read(path)
    guessed = [replace(one.annotated(upos=("NOUN",) * one.length), predicted=("upos",)) for one in others]
    eaf.write([first, *guessed], path)
    text = path.read_text()
    known = json.loads(first.record.lines[0])["words"]
    beside = json.loads(guessed[1].record.lines[0])["words"][0]  # of the same speaker
    guess = f'ANNOTATION_REF="{beside}">'
    place = text.index(guess, text.index('TIER_ID="upos-guess'))  # it goes beside the decision of the first sentence
    path.write_text(text[:place] + text[place:].replace(guess, f'ANNOTATION_REF="{known[1]}">', 1))
    before = path.read_bytes()
    again = eaf.read(path)
    assert (again[0].upos[:2], again[0].predicted) == (("PRON", "_"), ())
    eaf.write(again, path)
    assert path.read_bytes() == before


TOOLBOX = "\\_sh v3.0  400  Text\n\n\\ref 1\n\\tx xaj  bi\n\\upos NOUN\n DET\n\n\\ref 2\n\\tx lekk na\n\\upos VERB\n\n"


def test_a_sentence_of_toolbox_whose_tags_do_not_fit_is_named_and_tags_in_two_lines_are_replaced_whole(tmp_path):
    path, said = tmp_path / "in.sfm", []
    path.write_text(TOOLBOX)
    with pytest.raises(CorpusError, match="1 tags for 2 words"):
        sfm.read(path)
    first, second = sfm.read(path, said.append)
    assert (first.upos, second.upos, len(said)) == (("NOUN", "DET"), ("_", "_"), 1)
    assert written("sfm", [first, second], tmp_path).read_text() == TOOLBOX
    decided = [first.annotated(upos=("PROPN", "DET")), second.annotated(upos=("VERB", "AUX"))]
    expected = TOOLBOX.replace("\\upos VERB\n", "\\upos VERB AUX\n").replace("NOUN\n DET", "PROPN DET")
    assert written("sfm", decided, tmp_path).read_text() == expected


@pytest.mark.parametrize(
    "text",
    [
        "\\ref 1\n\\tx a b\n\n\\ref 2\n\\tx c d\n",
        "\\tx a b\n\\ref 1\n\n\\tx c d\n\\ref 2\n",
        "\\ft 1\n\\tx a b\n\n\\ft 2\n\\tx c d\n",
        "\\tx a b\n\\ft 1\n\n\\tx c d\n\\ft 2\n",
        "\\id T\n\\ft Title\n\\tx a b\n\\ft 1\n\n\\tx c d\n\\ft 2\n",
        "\\ref 1\n\\ft 1\n\\tx a b\n\n\\ref 2\n\\ft 2\n\\tx c d\n",
    ],
)
def test_references_and_translations_of_toolbox_are_of_the_sentence_that_they_stand_beside(upload, text):
    found = sfm.read(upload(text, "in.sfm"))
    assert [one.words for one in found] == [("a", "b"), ("c", "d")]
    assert [{line.split(" / ")[-1] for line in one.interlinear.lines.values()} for one in found] == [{"1"}, {"2"}]


def test_a_line_of_words_that_may_be_a_comment_is_warned_of(upload):
    (sentence,) = sfm.read(path := upload("\\ref 1\n\\tx a b\n# my comment\n", "in.sfm"))
    assert sentence.words == ("a", "b", "#", "my", "comment")
    assert [where for where, _ in oddities([sentence])] == [f"{path}:3"]


ODD_TOOLBOX = {  # text, words and tags of its sentences, and what it is once all words are X
    "markers behind spaces": ("\\ref 1\n  \\tx a b\n  \\upos N V\n", [("a b", "N V")],
        "\\ref 1\n  \\tx a b\n  \\upos X X\n"),
    "a title under a marker of words": ("\\id 1\n\\t Title here\n\\ref 1\n\\tx a b\n", [("a b", "_ _")],
        "\\id 1\n\\t Title here\n\\ref 1\n\\tx a b\n\\upos X X\n"),
    "a comment at the end": ("\\ref 1\n\\tx a b\n\\upos N V\n\n# comment\n", [("a b", "N V")],
        "\\ref 1\n\\tx a b\n\\upos X X\n\n# comment\n"),
    "no reference behind a translation": ("\\ref 1\n\\tx a\n\\tx b\n\\ft A\n\n\\tx c\n\\ft C\n",
        [("a b", "_ _"), ("c", "_")], "\\ref 1\n\\tx a\n\\tx b\n\\upos X X\n\\ft A\n\n\\tx c\n\\upos X\n\\ft C\n"),
    "guesses above tags of people": ("\\ref 1\n\\tx a b\n\\uposguess N N\n\\upos A V\n", [("a b", "A V")],
        "\\ref 1\n\\tx a b\n\\uposguess N N\n\\upos X X\n"),
    "tags below each line of words": ("\\ref 1\n\\tx a b\n\\upos N V\n\\tx c\n\\upos D\n", [("a b c", "N V D")],
        "\\ref 1\n\\tx a b\n\\upos X X\n\\tx c\n\\upos X\n"),
    "a marker in capitals": ("\\ref 1\n\\tx a\n\\UPOS N\n", [("a", "N")], "\\ref 1\n\\tx a\n\\UPOS X\n"),
    "other lines below words": ("\\ref 1\n\\t a\n\\m a\n\\g x\n\\p n\n\\gr y\n\\f A\n", [("a", "_")],
        "\\ref 1\n\\t a\n\\m a\n\\g x\n\\p n\n\\gr y\n\\upos X\n\\f A\n"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected", "changed"), ODD_TOOLBOX.values(), ids=list(ODD_TOOLBOX))
def test_odd_files_of_toolbox_are_read_as_meant_and_only_tags_change(upload, tmp_path, text, expected, changed):
    found = sfm.read(upload(text, "in.sfm"))
    assert [(" ".join(one.words), " ".join(one.upos)) for one in found] == expected
    assert written("sfm", found, tmp_path).read_text() == text
    made = [one.annotated(upos=("X",) * one.length) for one in found]
    assert written("sfm", made, tmp_path).read_text() == changed
