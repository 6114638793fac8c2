from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewshot.corpora.formats import conllu
from fewshot.errors import CorpusError

ODD = """# newdoc
# a comment without an equals sign
#x
# sent_id = a1
# text = vámonos al mar
1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tvamos\tir\tVERB\t_\tMood=Imp\t0\troot\t_\tA=1|A=2|NER=O
2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t1:obj|3:nsubj\t_
2.1\tya\tya\tADV\t_\t_\t_\t_\t1:advmod\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\t_\t_\t5\tcase\t_\t_
4\tel\tel\tDET\t_\t_\t5\tdet\t_\tNER=B-LOC
5\tmar\tmar\tNOUN\t_\t_\t1\tobl\t_\tSpaceAfter=No|NER=I-LOC


# sent_id = a2
1\t#\t#\tSYM\t_\t_\t0\troot\t_\t_
"""


@pytest.fixture
def write_file(tmp_path):
    def write(text, name="x.conllu"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.mark.parametrize(
    "text",
    [ODD, ODD + "\n", ODD.replace("\n", "\r\n"), "\ufeff" + ODD, "\n\n" + ODD, ODD.rstrip("\n"), ODD + "\n\n# end\n"],
    ids=["plain", "blank end", "crlf", "bom", "blank start", "no final newline", "comment at the end"],
)
def test_round_trip_gives_the_same_bytes(write_file, tmp_path, text):
    path = write_file(text)
    conllu.write(conllu.read(path), tmp_path / "copy.conllu")
    assert (tmp_path / "copy.conllu").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("end", ["\n", "\n\n", ""])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_sentences_of_several_files_can_be_written_in_any_order(write_file, tmp_path, end, line_end):
    text = (ODD.rstrip("\n") + end).replace("\n", line_end)
    first, second = conllu.read(write_file(text))
    conllu.write([second, first, second], tmp_path / "mixed.conllu")
    mixed = conllu.read(tmp_path / "mixed.conllu")
    assert mixed == [second, first, second]
    assert [sentence.lines[-1] for sentence in mixed[:2]] == [line_end] * 2


def test_words_are_neither_ranges_nor_empty_nodes(write_file):
    first, second = conllu.read(write_file(ODD))
    assert first.words == ("vamos", "nos", "a", "el", "mar")
    assert first.heads == (0, 1, 5, 5, 1)
    assert first.entities == ("O", "_", "_", "B-LOC", "I-LOC")
    assert (first.id, first.text, second.id) == ("a1", "vámonos al mar", "a2")


def test_editing_changes_only_the_annotation(write_file, tmp_path):
    first, second = conllu.read(write_file(ODD))
    edited = first.annotated(upos=("VERB", "PRON", "ADP", "DET", "PROPN"), entities=("O", "O", "_", "_", "B-LOC"))
    conllu.write([edited, second], tmp_path / "edited.conllu")
    expected = (
        ODD.replace("mar\tNOUN", "mar\tPROPN")
        .replace("1:obj|3:nsubj\t_", "1:obj|3:nsubj\tNER=O")
        .replace("DET\t_\t_\t5\tdet\t_\tNER=B-LOC", "DET\t_\t_\t5\tdet\t_\t_")
        .replace("NER=I-LOC", "NER=B-LOC")
    )
    assert (tmp_path / "edited.conllu").read_text() == expected


MORPHOLOGY = """\
1\ttalossa\ttalo\tNOUN\tN\tCase=Ine|Number=Sing\t0\troot\t_\t_
2\t.\t.\tPUNCT\tP\t_\t1\tpunct\t_\t_
3\tx\t_\t_\t_\t_\t_\t_\t_\t_

"""


def test_lemmas_and_features_are_read_where_they_are_asked_for(write_file, tmp_path):
    path = write_file(MORPHOLOGY)
    (plain,), (asked,) = conllu.read(path), conllu.read(path, columns=("upos", "lemmas", "feats"))
    assert (plain.lemmas, plain.feats, plain.xpos) == ((), (), ())
    (tagged,) = conllu.read(path, columns=("upos", "xpos"))
    assert tagged.xpos == ("N", "P", "_")
    assert asked.lemmas == ("talo", ".", "_")
    assert asked.feats == ("Case=Ine|Number=Sing", "", "_")  # the last word has no tag either: nobody has annotated it
    for sentence in (plain, asked):
        conllu.write([sentence], tmp_path / "out.conllu")
        assert (tmp_path / "out.conllu").read_bytes() == path.read_bytes()
    assert plain.content != asked.content


def test_lemmas_and_features_are_written_and_marked_as_a_models(write_file, tmp_path):
    columns = ("upos", "lemmas", "feats")
    (read,) = conllu.read(write_file(MORPHOLOGY), columns=columns)
    found = read.annotated(lemmas=("a", "b", "c"), feats=("", "Foreign=Yes", ""), upos=("X",) * 3)
    found = replace(found, predicted=columns)
    conllu.write([found], tmp_path / "out.conllu")
    assert "# predicted = UPOS LEMMA FEATS\n" in (tmp_path / "out.conllu").read_text(encoding="utf-8")
    (again,) = conllu.read(tmp_path / "out.conllu", columns=columns)
    assert again.content == found.content
    assert again.predicted == columns
    conllu.write([read.unannotated()], tmp_path / "blank.conllu")
    (blank,) = conllu.read(tmp_path / "blank.conllu", columns=columns)
    assert (blank.upos, blank.lemmas, blank.feats) == (("_",) * 3,) * 3


TAGGED = """\
# sent_id = {0}
1\tta\tta\tVERB\t_\t{1}\t_\t_\t_\t_
2\tku\tku\tNOUN\t_\t_\t_\t_\t_\t_

"""
ASKED = ("upos", "feats")


def feats(path):
    return [one.feats for one in conllu.read(path, columns=ASKED)]


def test_a_file_without_any_features_has_not_annotated_them(write_file):
    assert feats(write_file(TAGGED.format("a", "_") * 2)) == [("_", "_")] * 2
    whole = TAGGED.format("a", "Mood=Ind") + TAGGED.format("b", "_")
    assert feats(write_file(whole)) == [("Mood=Ind", ""), ("", "")]  # no feature in a sentence of a treebank


def test_what_people_have_annotated_and_what_not_stays_apart(write_file, tmp_path):
    path = write_file("".join(TAGGED.format(name, "_") for name in "abcd"))
    known = [("Mood=Ind", ""), ("", ""), ("_", "Case=Nom")]
    read = conllu.read(path, columns=ASKED)
    for chosen in ([0, 1, 2, 3], [0, 3], [1], [1, 3], [0, 1]):
        made = [read[place].annotated(feats=known[place]) if place < len(known) else read[place] for place in chosen]
        conllu.write(made, tmp_path / "out.conllu")
        assert feats(tmp_path / "out.conllu") == [one.feats for one in made]
        again = conllu.read(tmp_path / "out.conllu", columns=ASKED)
        for copy in (again, conllu.read(tmp_path / "out.conllu")):
            conllu.write(copy, tmp_path / "copy.conllu")
            assert (tmp_path / "copy.conllu").read_bytes() == (tmp_path / "out.conllu").read_bytes()
    conllu.write(read, tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("comment", ["# annotated = FEATS", "#annotated=FEATS", "# predicted = FEATS UPOS"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("columns", [(), ASKED])
def test_a_comment_that_says_who_annotated_stays_as_and_where_it_is(tmp_path, comment, end, columns):
    rows = TAGGED.format("a", "_")
    rows = rows.replace("_\t_\n", "_\tSource=model\n") if "predicted" in comment else rows
    before = f"{comment}\n{rows}".replace("\n", end).encode()
    (tmp_path / "in.conllu").write_bytes(before)
    conllu.write(conllu.read(tmp_path / "in.conllu", columns=columns), tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_bytes() == before


def test_sentences_of_no_file_that_have_no_features_come_back(tmp_path):
    from fewshot.corpora.types import Sentence

    made = Sentence("n1", "ta ku", ("ta", "ku"), upos=("VERB", "NOUN"), feats=("", ""))
    conllu.write([made], tmp_path / "new.conllu")
    assert conllu.read(tmp_path / "new.conllu", columns=ASKED) == [made]


def test_a_tag_of_a_model_does_not_say_that_there_are_no_features(write_file):
    tagged = "# predicted = UPOS\n" + TAGGED.format("b", "_")
    assert feats(write_file(TAGGED.format("a", "Mood=Ind") + tagged)) == [("Mood=Ind", ""), ("_", "_")]
    both = "# predicted = UPOS FEATS\n" + TAGGED.format("b", "Mood=Ind")
    assert feats(write_file(TAGGED.format("a", "_") + both)) == [("_", "_"), ("Mood=Ind", "")]


def test_unannotated_copy_has_no_labels(write_file):
    shown = conllu.read(write_file(ODD))[0].unannotated()
    assert set(shown.upos + shown.deprels + shown.entities) == {"_"}
    assert set(shown.heads) == {-1}
    assert "VERB" not in conllu.to_text(shown)
    assert "root" not in conllu.to_text(shown)


def test_sentence_from_elsewhere_becomes_valid_conllu(tmp_path):
    from fewshot.corpora.types import Sentence

    made = Sentence("n1", "a b", ("a", "b"), upos=("X", "X"), heads=(2, 0), deprels=("dep", "root"))
    conllu.write([made], tmp_path / "new.conllu")
    assert conllu.read(tmp_path / "new.conllu") == [made]


GOOD = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (GOOD + "2\tb\t_\tX\n\n", 2, "4 tab-separated columns"),
        ("# c\n1 a _ X _ _ 0 root _ _\n\n", 2, "1 tab-separated columns"),
        (GOOD + "\n" + GOOD.replace("1\t", "2\t", 1), 3, "word id 2 where 1 was expected"),
        (GOOD.replace("1\t", "x\t", 1), 1, "'x' is no word id"),
        (GOOD.replace("0\troot", "7\tdep"), 1, "head '7' is no word of this sentence"),
        (GOOD.replace("0\troot", "one\tdep"), 1, "head 'one'"),
        (GOOD.replace("\ta\t", "\t\t"), 1, "FORM column is empty"),
        ("1-2\tab" + "\t_" * 8 + "\n\n", 1, "without words"),
        (b"1\t\xff\t_\tX\t_\t_\t0\troot\t_\t_\n", 1, "byte 0xff is not UTF-8"),
        ((GOOD + "\n").encode() * 2 + b"# \xe9t\xe9\n", 5, "byte 0xe9 is not UTF-8"),
    ],
)
def test_bad_lines_are_named(write_file, text, line, message):
    path = write_file(text)
    with pytest.raises(CorpusError) as caught:
        conllu.read(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize(("text", "message"), [("", "empty"), ("\n \n", "empty"), ("# only\n", "no sentence")])
def test_file_without_sentences(write_file, text, message):
    with pytest.raises(CorpusError, match=message):
        conllu.read(write_file(text))


def test_missing_file(tmp_path):
    with pytest.raises(CorpusError, match="no such file"):
        conllu.read(tmp_path / "nothing.conllu")


word = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp", "Zs")), min_size=1, max_size=6)


@given(st.lists(st.lists(word, min_size=1, max_size=6), min_size=1, max_size=4))
def test_any_words_survive(tmp_path_factory, texts):
    blocks = [
        "".join(f"{n}\t{w}\t_\tX\t_\t_\t0\troot\t_\t_\n" for n, w in enumerate(words, 1)) + "\n" for words in texts
    ]
    path = tmp_path_factory.mktemp("words") / "x.conllu"
    path.write_bytes("".join(blocks).encode())
    read = conllu.read(path)
    assert [list(sentence.words) for sentence in read] == texts
    assert "".join(map(conllu.to_text, read)).encode() == path.read_bytes()


def test_treebanks_beside_the_project_survive(shared):
    for path in sorted((shared / "ud").glob("*/*.conllu")):
        text = "".join(conllu.to_text(sentence) for sentence in conllu.read(path))
        assert text.encode() == path.read_bytes(), path


def test_sentences_hold_columns_that_are_equal_together(tmp_path):
    rows = "1\t{}\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\t{}\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    path = tmp_path / "short.conllu"
    path.write_text("".join(rows.format(f"a{n}", f"b{n}") for n in range(50)), encoding="utf-8")
    sentences = conllu.read(path)
    for column in ("upos", "heads", "deprels", "entities"):
        assert len({id(getattr(one, column)) for one in sentences}) == 1
