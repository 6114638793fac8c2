import re
from pathlib import Path
from xml.etree import ElementTree

import pympi
import pytest
from corpora.formats.elan import tier, transcript
from hypothesis import given
from hypothesis import strategies as st

from fewshot.corpora.formats import eaf
from fewshot.corpora.formats.eaf.times import Moment, Stretch, owners
from fewshot.errors import CorpusError

SOURCE = Path(__file__).parent / "interlinear" / "wolof.eaf"
ANNOTATION = """        <ANNOTATION>
            <REF_ANNOTATION ANNOTATION_ID="{}" ANNOTATION_REF="{}"{}
        </ANNOTATION>
"""
UPOS = (
    '    <TIER LINGUISTIC_TYPE_REF="upos" PARENT_REF="wd@A" PARTICIPANT="A" TIER_ID="upos@A">\n'
    + ANNOTATION.format("a51", "a11", ' CVE_REF="noun"><ANNOTATION_VALUE>NOUN</ANNOTATION_VALUE></REF_ANNOTATION>')
    + ANNOTATION.format("a52", "a12", ' CVE_REF="det"><ANNOTATION_VALUE>DET</ANNOTATION_VALUE></REF_ANNOTATION>')
    + ANNOTATION.format("a53", "a13", "/>")
    + ANNOTATION.format("a54", "a14", ">\n            </REF_ANNOTATION>")
    + "    </TIER>\n"
)
BELOW = (
    '    <TIER LINGUISTIC_TYPE_REF="gloss" PARENT_REF="upos@A" TIER_ID="why@A">\n'
    + ANNOTATION.format("a61", "a51", "><ANNOTATION_VALUE>sure</ANNOTATION_VALUE></REF_ANNOTATION>")
    + "    </TIER>\n"
)
TYPE = '    <LINGUISTIC_TYPE CONSTRAINTS="Symbolic_Association" LINGUISTIC_TYPE_ID="upos"{}/>\n'
LINKS = '    <REF_LINK_SET LINK_SET_ID="links">{}</REF_LINK_SET>\n'
VOCABULARY = """    <CONTROLLED_VOCABULARY CV_ID="{}">
        <CV_ENTRY_ML CVE_ID="noun">
            <CVE_VALUE LANG_REF="wol">tur</CVE_VALUE><CVE_VALUE LANG_REF="eng">NOUN</CVE_VALUE>
        </CV_ENTRY_ML>
        <CV_ENTRY_ML CVE_ID="det"><CVE_VALUE LANG_REF="eng">DET</CVE_VALUE></CV_ENTRY_ML>
        <CV_ENTRY_ML CVE_ID="verb"><CVE_VALUE LANG_REF="eng">VERB</CVE_VALUE></CV_ENTRY_ML>
    </CONTROLLED_VOCABULARY>
"""


def file(folder, tiers=UPOS, attributes="", behind=""):
    """The example with a tier of tags, an attribute of its type, and elements behind all others."""
    text = SOURCE.read_text(encoding="utf-8")
    before = {
        '    <TIER LINGUISTIC_TYPE_REF="utterance" PARTICIPANT="B"': tiers,
        "    <LANGUAGE ": TYPE.format(attributes),
        "</ANNOTATION_DOCUMENT>": behind,
    }
    for place, new in before.items():
        text = text.replace(place, new + place)
    path = folder / "in.eaf"
    path.write_text(text, encoding="utf-8")
    return path


def rewritten(path, tags):
    first, *others = eaf.read(path)
    out = path.with_name("out.eaf")
    eaf.write([first.annotated(upos=tags), *others], out)
    return out.read_text(encoding="utf-8"), ElementTree.parse(out).getroot()


def tagged(root, tier="upos@A"):
    """Value and entry of the annotations of a tier, by the ids of words."""
    found = root.findall(f"TIER[@TIER_ID='{tier}']/ANNOTATION/REF_ANNOTATION")
    return {one.get("ANNOTATION_REF"): (one.findtext("ANNOTATION_VALUE"), one.get("CVE_REF")) for one in found}


def references(root):
    """The annotations that are named, and those that there are."""
    named = {one.get(key) for one in root.iter() for key in ("ANNOTATION_REF", "PREVIOUS_ANNOTATION", "REF1", "REF2")}
    named |= {name for one in root.iter("GROUP_REF_LINK") for name in one.get("REFS").split()}
    return named - {None}, {one.get("ANNOTATION_ID") for one in root.iter()} - {None}


CROSS = '<CROSS_REF_LINK REF_LINK_ID="l1" REF1="a51" REF2="a35"/>'
GROUP = '<GROUP_REF_LINK REF_LINK_ID="l1" REFS="a35 a51"/>'
NEXT = UPOS.replace('ANNOTATION_REF="a12"', 'ANNOTATION_REF="a12" PREVIOUS_ANNOTATION="a51"')


@pytest.mark.parametrize(
    ("tiers", "links"),
    [(UPOS + BELOW, ""), (UPOS, LINKS.format(CROSS)), (UPOS, LINKS.format(GROUP)), (NEXT, "")],
    ids=["a child", "a link", "a group", "the next one"],
)
def test_a_tag_that_others_refer_to_is_emptied_not_removed(tmp_path, tiers, links):
    path = file(tmp_path, tiers, behind=links)
    _, root = rewritten(path, ("_", "DET", "_"))
    named, there = references(root)
    assert named <= there
    assert tagged(root)["a11"] == ("", None)
    first, *_ = eaf.read(tmp_path / "out.eaf")
    assert first.upos == ("_", "DET", "_")
    _, root = rewritten(tmp_path / "out.eaf", ("PROPN", "DET", "_"))
    assert tagged(root)["a11"] == ("PROPN", None)


def test_a_tag_that_nobody_refers_to_is_removed_and_the_last_number_of_ids_changes_with_new_ones_alone(tmp_path):
    path = file(tmp_path)
    text, root = rewritten(path, ("_", "DET", "_"))
    assert "a11" not in tagged(root)
    assert len(text.splitlines()) == len(path.read_text(encoding="utf-8").splitlines()) - 3
    path.write_text(path.read_text(encoding="utf-8").replace('"a40"', '"a-123"'), encoding="utf-8")
    eaf.write(eaf.read(path), tmp_path / "out.eaf")
    assert (tmp_path / "out.eaf").read_bytes() == path.read_bytes()


def test_an_annotation_without_a_value_is_written_to(tmp_path):
    path = file(tmp_path)
    first, second, *others = eaf.read(path)
    assert (first.upos, others[0].upos) == (("NOUN", "DET", "_"), ("_", "_"))
    out = tmp_path / "out.eaf"
    third = others[0].annotated(upos=("PRON", "VERB"))
    eaf.write([first.annotated(upos=("NOUN", "DET", "VERB")), second, third, *others[1:]], out)
    assert [one.upos for one in eaf.read(out)] == [("NOUN", "DET", "VERB"), ("_", "_"), ("PRON", "VERB")]
    values = {one: value for one, (value, _) in tagged(ElementTree.parse(out).getroot()).items()}
    assert (values["a13"], values["a14"]) == ("VERB", "PRON")
    assert len(pympi.Eaf(out).tiers["upos@A"][1]) == 5  # of the fifteenth word it is new


ELSEWHERE = '    <CONTROLLED_VOCABULARY CV_ID="tags" EXT_REF="er1"/>'
ENGLISH = UPOS.replace('TIER_ID="upos@A"', 'TIER_ID="upos@A" LANG_REF="eng"')


@pytest.mark.parametrize(
    ("tiers", "vocabulary", "tags", "entries"),
    [
        (UPOS, VOCABULARY.format("tags"), ("VERB", "DET", "VERB"), ("verb", "det", "verb")),
        (UPOS, VOCABULARY.format("others"), ("VERB", "DET", "VERB"), (None, "det", None)),
        (UPOS, ELSEWHERE, ("VERB", "DET", "VERB"), (None, "det", None)),
        (UPOS, VOCABULARY.format("tags"), ("DET", "NOUN", "NOUN"), ("det", None, None)),
        (ENGLISH, VOCABULARY.format("tags"), ("DET", "NOUN", "NOUN"), ("det", "noun", "noun")),
        ("", VOCABULARY.format("tags"), ("PRON", "DET", "VERB"), (None, "det", "verb")),
    ],
    ids=["that of the file", "another one", "one elsewhere", "its language", "that of the tier", "a new tier"],
)
def test_a_tag_refers_to_the_entry_of_its_value(tmp_path, tiers, vocabulary, tags, entries):
    _, root = rewritten(file(tmp_path, tiers, ' CONTROLLED_VOCABULARY_REF="tags"', vocabulary), tags)
    expected = dict(zip(("a11", "a12", "a13"), zip(tags, entries, strict=True), strict=True))
    assert tagged(root) == expected | ({"a14": (None, None)} if tiers else {})


def test_a_tag_of_a_tier_without_a_vocabulary_keeps_its_entry_where_it_stays(tmp_path):
    _, root = rewritten(file(tmp_path), ("VERB", "DET", "VERB"))
    assert [tagged(root)[word] for word in ("a11", "a12", "a13")] == [("VERB", None), ("DET", "det"), ("VERB", None)]


def small(folder, first, second, id):
    """A file of two sentences of a word, which stand in another order than their times."""
    texts = tier("ref", f"a2 ts3-ts4 {first}", f"a1 ts1-ts2 {second}")
    words = tier("words", f"{id} a2 mu", "a4 a1 xale", of="ref", type="part")
    return transcript(folder, "ts3=2000 ts1=0 ts4=3000 ts2=1000", texts, words)


def test_sentences_are_ordered_by_their_times_and_a_number_above_their_words_is_a_reference(tmp_path):
    first, second = eaf.read(small(tmp_path, "T1.2", "T1.1", "a3"))
    assert (first.text, second.text, first.interlinear.lines["ref"]) == ("xale", "mu", "T1.1")


def test_an_annotation_without_an_id_is_refused_with_its_line(tmp_path):
    with pytest.raises(CorpusError, match=r"\.eaf:\d+: .*without an id"):
        eaf.read(small(tmp_path, "mu", "xale", ""))


def read(path):
    told = []
    found = eaf.read(path, told.append)
    assert all(error.where.startswith(f"{path}:") for error in told)
    return found, {int(error.where.rpartition(":")[2]): error.message for error in told}


def words_of(found):
    return [" ".join(one.words) for one in found]


CHAIN = "w1 ts1-ts3 a", "w2 ts3-ts4 b", "w3 ts4-ts2 c"
AFTER = "v1 ts5-ts7 d", "v2 ts7-ts8 e", "v3 ts8-ts6 f"


@pytest.mark.parametrize(
    "times",
    [
        "ts1=0 ts3 ts4 ts2=3000 ts5=3000 ts7 ts8 ts6=6000",
        "ts8 ts7 ts4 ts3 ts6=6000 ts5=3000 ts2=3000 ts1=0",
        "ts1=0 ts2 ts5 ts6=6000 ts8 ts3 ts7 ts4",
        "ts1 ts2 ts3 ts4 ts5 ts6 ts7 ts8",
    ],
)
def test_time_slots_without_a_time_are_ordered_by_the_annotations_that_share_them(tmp_path, times):
    texts = tier("tx", "a1 ts1-ts2 a b c", "a2 ts5-ts6 d e f")
    path = transcript(tmp_path, times, texts, tier("words", *AFTER[::-1], *CHAIN[1:], CHAIN[0], of="tx", type="time"))
    assert words_of(eaf.read(path)) == ["a b c", "d e f"]


STRETCHES = st.builds(lambda begin, length: Stretch(Moment(begin), Moment(begin + length)), *[st.integers(1, 20)] * 2)


@given(parts=st.lists(STRETCHES), wholes=st.lists(STRETCHES, unique=True))
def test_a_stretch_belongs_to_the_one_that_it_overlaps_most(parts, wholes):
    def shared(part, whole):
        return max(0, min(part.end, whole.end).time - max(part.begin, whole.begin).time)

    named = {f"a{number}": whole for number, whole in enumerate(wholes)}
    found = owners({f"w{number}": part for number, part in enumerate(parts)}, named)
    for number, part in enumerate(parts):
        owner = found.get(f"w{number}")
        assert (shared(part, named[owner]) if owner else 0) == max((shared(part, whole) for whole in wholes), default=0)


def test_time_slots_that_lie_each_before_the_other_are_refused(tmp_path):
    tiers = tier("tx", "a1 ts1-ts2 a", "a2 ts2-ts1 b"), tier("words", of="tx", type="time")
    with pytest.raises(CorpusError, match=r"x\.eaf: the time slots ts1, ts2 each lie before the other"):
        eaf.read(transcript(tmp_path, "ts1 ts2", *tiers))


TIMES = "ts1=0 ts2=1000 ts3=2000 ts4=990 ts5=1500 ts6=2100 ts7=2500"
TEXTS = tier("tx", "a1 ts1-ts2 x", "a2 ts2-ts3 a b")  # lines 3 to 6, those of words from 7 on
FIRST = "w0 a1 x"


@pytest.mark.parametrize(
    ("rows", "words", "faults"),
    [
        (("w0 ts1-ts4 x", "w1 ts4-ts5 a", "w2 ts5-ts3 b"), ["x", "a b"], {}),
        (("w0 ts1-ts4 x", "w1 ts5-ts5 a", "w2 ts5-ts7 b"), ["x", "a b"], {}),
        ((FIRST, "w1 a2 a", "w2 ts6-ts7 b"), ["x", "a"], {10: "'b' is in no sentence"}),
        ((FIRST, "w1 a2 a", "w2 w1 b"), ["x", "a"], {10: "'b' is in no sentence"}),
        ((FIRST, "w1 a2 a", "w2 a99 b"), ["x", "a"], {10: "refers to 'a99', which is not in the file"}),
        ((FIRST, "w1 a2 a", "w2 ts9-ts3 b"), ["x", "a"], {10: "(ts9 to ts3)"}),
        ((FIRST,), ["x"], {5: "a sentence without words on the tier 'words'"}),
        ((FIRST, "w1 a2 a&#160;", "w2 a2 &#160;"), ["x", "a"], {10: "a word of spaces"}),
        ((FIRST, "w1 a99 a", "w2 a98 b"), ["x"], {5: "without words", 9: "'a99'", 10: "'a98'"}),
    ],
)
def test_no_sentence_and_no_word_is_lost_in_silence(tmp_path, rows, words, faults):
    path = transcript(tmp_path, TIMES, TEXTS, tier("words", *rows, of="tx", type="within"))
    found, told = read(path)
    assert (words_of(found), told.keys()) == (words, faults.keys())
    assert all(message in told[line] for line, message in faults.items())


SPEAKERS = tier("tx@A", "a1 ts1-ts2 x"), tier("tx@B", "a2 ts2-ts3 a b")
OTHERS = tier("gesture@A", "g1 ts1-ts2 nods", name="gesture"), tier("note@A", "n1 a1 loud", of="tx@A", type="one")
ONE = tier("words@A", FIRST, of="tx@A", type="part")


@pytest.mark.parametrize(
    ("faults", "tiers"),
    [
        ({6: "no tier divides the sentences of 'tx@B'"}, (ONE, *OTHERS)),
        ({6: "no tier divides", 12: "'words@B' depends on 'tx@C', which is not in the file"},
         (ONE, tier("words@B", "w1 a2 a", of="tx@C", type="part"))),
        ({6: "no tier divides", 12: "does not say how it depends on 'tx@B'"},
         (ONE, tier("words@B", "w1 a2 a", of="tx@B", name="words"))),
    ],
    ids=["a speaker without words", "a tier below none", "a type without a constraint"],
)  # fmt: skip
def test_no_tier_of_sentences_is_lost_in_silence(tmp_path, faults, tiers):
    found, told = read(transcript(tmp_path, TIMES, *SPEAKERS, *tiers))
    assert (words_of(found), told.keys()) == (["x"], faults.keys())
    assert all(message in told[line] for line, message in faults.items())


WORDS = tier("words", FIRST, "w1 a2 a", "w2 a2 b", of="tx", type="part")


def test_tags_whose_type_is_not_in_the_file_are_read_and_written_and_the_type_is_named(tmp_path):
    tags = tier("upos", "u1 w1 NOUN", of="words", name="upos")
    path = transcript(tmp_path, TIMES, TEXTS, WORDS, tags)
    found, told = read(path)
    assert [one.upos for one in found] == [("_",), ("NOUN", "_")]
    assert told.keys() == {12} and "the type 'upos' of the tier 'upos' does not say how it depends" in told[12]
    eaf.write([found[0], found[1].annotated(upos=("VERB", "NOUN"))], path.with_name("out.eaf"))
    assert read(path.with_name("out.eaf"))[0][1].upos == ("VERB", "NOUN")


@pytest.mark.parametrize(
    ("times", "tiers", "fault"),
    [
        (TIMES, (TEXTS, WORDS, tier("words", "v1 a2 a", of="tx", type="part")), (12, "tier id 'words'")),
        (TIMES + " ts1=7", (TEXTS, WORDS), (2, "time slot id 'ts1'")),
        (TIMES, (TEXTS, WORDS, tier("x", "w2 a2 a", of="tx", type="part")), (13, "annotation id 'w2'")),
    ],
)
def test_an_id_that_is_used_twice_is_refused_with_its_line(tmp_path, times, tiers, fault):
    path = transcript(tmp_path, times, *tiers)
    with pytest.raises(CorpusError, match=rf"x\.eaf:{fault[0]}: the {fault[1]} is used twice"):
        eaf.read(path, lambda error: None)


@pytest.mark.parametrize(
    ("previous", "words", "fault"),
    [
        ((None, None, None), ["a", "b", "c"], None),
        ((None, "w3", "w1"), ["a", "c", "b"], None),
        ((None, "w1", "w9"), ["a", "b", "c"], (10, "'w3' follows 'w9', which is not in the file")),
        ((None, "w1", "w1"), ["a", "b", "c"], (8, "the annotations of 'a2' have no order")),
        ((None, "w3", "w2"), ["a", "b", "c"], (8, "the annotations of 'a2' have no order")),
        ((None, "w1", None), ["a", "b", "c"], (8, "the annotations of 'a2' have no order")),
    ],
)
def test_words_stand_as_each_names_the_one_before_it_or_their_order_is_refused(tmp_path, previous, words, fault):
    path = transcript(tmp_path, TIMES, TEXTS, tier("words", "w1 a2 a", "w2 a2 b", "w3 a2 c", of="tx", type="part"))
    text = path.read_text()
    for number, name in enumerate(previous, start=1):
        if name:
            own = f'ANNOTATION_ID="w{number}"'
            text = text.replace(own, f'{own} PREVIOUS_ANNOTATION="{name}"')
    path.write_text(text)
    found, told = read(path)
    assert words_of(found) == [" ".join(words)]
    told.pop(4)  # of the sentence without words
    assert list(told) == ([fault[0]] if fault else [])
    assert fault is None or fault[1] in told[fault[0]]


@pytest.mark.parametrize(("tag", "outer"), [("TIME_SLOT", "TIME_ORDER"), ("ANNOTATION", "TIER")])
def test_what_stands_where_elan_does_not_read_it_is_refused_with_its_line(tmp_path, tag, outer):
    path = transcript(tmp_path, TIMES, TEXTS, WORDS)
    text = path.read_text()
    (element,) = re.findall(rf"<{tag}\b.*?(?:/>|</{tag}>)", text, re.DOTALL)[-1:]
    path.write_text(text.replace(element, "").replace("</ANNOTATION_DOCUMENT>", f"{element}</ANNOTATION_DOCUMENT>"))
    with pytest.raises(CorpusError, match=rf"x\.eaf:\d+: <{tag}> in <ANNOTATION_DOCUMENT>, not in <{outer}>"):
        eaf.read(path, lambda error: None)


@pytest.mark.parametrize(
    ("name", "type"),
    [("upos", "one"), ("UPOS", "part"), *((f"Upos{end}", "one") for end in ("", "@A", "-A", "_A", " 2")),
     ("A-upos", "part"), ("A_upos", "part")],
)  # fmt: skip
def test_a_tier_of_tags_has_any_speaker_in_its_name(tmp_path, name, type):
    path = transcript(tmp_path, TIMES, TEXTS, WORDS, tier(name, "t1 w1 NOUN", of="words", type=type))
    found = eaf.read(path)
    assert [one.upos for one in found] == [("_",), ("NOUN", "_")]
    assert found[1].interlinear.words == ({}, {})
    out = tmp_path / "out.eaf"
    eaf.write([found[0].annotated(upos=("X",)), found[1].annotated(upos=("VERB", "DET"))], out)
    assert [one.upos for one in eaf.read(out)] == [("X",), ("VERB", "DET")]
    assert out.read_text().count("<TIER ") == 3


TIMED = tier("words", "w0 ts1-ts2 x", "w1 ts2-ts5 a", "w2 ts5-ts3 b", of="tx", type="time")


@pytest.mark.parametrize("type", ["time", "within"])
def test_tags_with_times_are_of_the_word_at_that_time_and_new_ones_have_its_time_slots(tmp_path, type):
    path = transcript(tmp_path, TIMES, TEXTS, TIMED, tier("upos", "t1 ts2-ts5 NOUN", of="words", type=type))
    first, second = eaf.read(path)
    assert second.upos == ("NOUN", "_")
    out = tmp_path / "out.eaf"
    eaf.write([first, second.annotated(upos=("VERB", "DET"))], out)
    assert [one.upos for one in eaf.read(out)] == [("_",), ("VERB", "DET")]
    tags = ElementTree.parse(out).getroot().findall("TIER[@TIER_ID='upos']/ANNOTATION/ALIGNABLE_ANNOTATION")
    assert [[one.get(f"TIME_SLOT_REF{end}") for end in (1, 2)] for one in tags] == [["ts2", "ts5"], ["ts5", "ts3"]]


@pytest.mark.parametrize(
    ("words", "tags", "faults"),
    [
        (WORDS, [tier("upos", "t1 a2 NOUN", "t2 a2 ADP", of="tx", type="part")], {12: "'upos' are not read"}),
        (WORDS, [tier("upos@A", "t1 ts2-ts3 NOUN")], {12: "'upos@A' are not read"}),
        (WORDS, [tier("pos", "t1 a2 NOUN", of="words", type="one")], {12: "the tier 'pos' holds UPOS, which is read"}),
        (WORDS, [tier("pos", "t1 a2 n", of="words", type="one")], {}),
        (WORDS, [tier("upos", "t1 ts2-ts3 NOUN", of="words", type="time")], {12: "'upos' are not read"}),
        (WORDS, [tier("upos", "t1 w1 _", of="words", type="one"), tier("UPOS", "t2 w2 X", of="words", type="one")],
         {15: "'UPOS' are not read"}),
        (WORDS, [tier("upos", "t1 a2 NOUN", "t2 w9 X", of="words", type="one")],
         {13: "'NOUN' belongs to no word", 14: "refers to 'w9'"}),
        (TIMED, [tier("upos", "t1 ts3-ts6 NOUN", of="words", type="within")], {13: "'NOUN' belongs to no word"}),
        (WORDS, [tier("upos", "t1 w1 NOUN", "t2 w1 ADP", of="words", type="one")],
         {14: "a second tag of a word, 'ADP'"}),
        (WORDS, [tier("upos", "t1 w1 NOUN", "t2 w1 ADP", of="words", type="part")],
         {14: "a second tag of a word, 'ADP'"}),
        (TIMED, [tier("upos", "t1 ts2-ts5 NOUN", "t2 ts2-ts5 ADP", of="words", type="within")], {14: "a second tag"}),
    ],
)  # fmt: skip
def test_no_tag_is_lost_in_silence(tmp_path, words, tags, faults):
    path = transcript(tmp_path, TIMES, TEXTS, words, *tags)
    found, told = read(path)
    assert ([one.upos for one in found], told.keys()) == ([("_",), ("_", "_")], faults.keys())
    assert all(message in told[line] for line, message in faults.items())
    out = tmp_path / "out.eaf"
    eaf.write(found, out)
    assert out.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("type", ["one", "part"])
def test_of_two_tags_of_a_word_the_decision_is_left(tmp_path, type):
    path = transcript(tmp_path, TIMES, TEXTS, WORDS, tier("upos", "t1 w1 NOUN", "t2 w1 ADP", of="words", type=type))
    (first, second), _ = read(path)
    eaf.write([first, second.annotated(upos=("ADP", "_"))], tmp_path / "out.eaf")
    assert [one.upos for one in eaf.read(tmp_path / "out.eaf")] == [("_",), ("ADP", "_")]


PHRASES = (
    tier("turn", "u1 ts1-ts3 x a b"),
    tier("utterance", "a1 ts1-ts2 x y", "a2 ts2-ts3 a b", of="turn", type="time"),
)
FORMS = tier("WordForms", "w0 a1 x", "w1 a2 a", "w2 a2 b", of="utterance", type="part")
MORPHS = "m1 w1 a", "m2 w1 c"


@pytest.mark.parametrize(
    ("tiers", "morphs"),
    [
        ((*PHRASES, FORMS), ""),
        ((*PHRASES, FORMS, tier("parts", *MORPHS, of="WordForms", type="part")), "a-c"),
        ((TEXTS, WORDS, tier("morph", *MORPHS, of="words", type="part", name="words")), "a-c"),
        ((TEXTS, WORDS, tier("morph", "m1 a2 a", "m2 a2 c", of="tx", type="part", name="words")), ""),
    ],
)
def test_neither_utterances_nor_morphs_are_words(tmp_path, tiers, morphs):
    found = eaf.read(transcript(tmp_path, TIMES, *tiers))
    assert words_of(found) == ["x", "a b"]
    assert found[1].interlinear.words[0].get("MSeg", "") == morphs


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_the_gloss_of_a_word_comes_before_those_of_its_morphs_wherever_its_tier_stands(tmp_path, order):
    below = (
        tier("morph", *MORPHS, of="words", type="part"),
        tier("morph-gls", "g1 m1 go", "g2 m2 PST", of="morph", type="one"),
        tier("word-gls", "g3 w1 went", of="words", type="one"),
    )
    found = eaf.read(transcript(tmp_path, TIMES, TEXTS, WORDS, *(below[place] for place in order)))
    assert [word for one in found for word in one.interlinear.words if word] == [{"Gloss": "went", "MSeg": "a-c"}]


@pytest.mark.parametrize(
    ("texts", "words", "is_text"),
    [
        (("kakataibo_001", "kakataibo_002"), ("ka ta", "mu"), False),
        (("aba.12", "mu.13"), ("a b", "mu"), False),
        (("Xale lekk, dem!", "xxx"), ("xale dem", "mu"), True),
        (("N'a pas", "猫が好き"), ("n' a pas", "猫 が 好き"), True),
    ],
)
def test_of_a_whole_tier_it_is_decided_whether_it_has_texts_or_references(tmp_path, texts, words, is_text):
    rows = [f"w{n}{m} a{n} {word}" for n, form in enumerate(words, start=1) for m, word in enumerate(form.split())]
    tiers = tier("tx", f"a1 ts1-ts2 {texts[0]}", f"a2 ts2-ts3 {texts[1]}"), tier("words", *rows, of="tx", type="part")
    found = eaf.read(transcript(tmp_path, TIMES, *tiers))
    assert tuple(one.text for one in found) == (texts if is_text else words)
    assert tuple(one.interlinear.lines.get("ref") for one in found) == ((None, None) if is_text else texts)


def test_new_lines_end_as_those_of_the_file(tmp_path):
    path = file(tmp_path, "")
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    rewritten(path, ("NOUN", "DET", "VERB"))
    data = (tmp_path / "out.eaf").read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n") > path.read_bytes().count(b"\n")
