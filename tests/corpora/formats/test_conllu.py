import unicodedata
from dataclasses import replace

import pytest
from corpora import official
from corpora.drawn import numbered, sentence
from hypothesis import assume, given
from hypothesis import strategies as st

from fewshot import tasks
from fewshot.corpora.formats import conllu, export, stream

ODD = """# newdoc id = d
# a comment without an equals sign
#x
# sent_id = a1
# text = vámonos al mar
1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tvamos\tir\tVERB\t_\tMood=Imp\t0\troot\t0:root\tA=1|A=2|NER=O
2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t1:obj|2.1:nsubj\t_
2.1\tya\tya\tADV\t_\t_\t_\t_\t1:advmod\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\t_\t_\t5\tcase\t5:case\t_
4\tel\tel\tDET\t_\t_\t5\tdet\t5:det\tNER=B-LOC
5\tmar\tmar\tNOUN\t_\t_\t1\tobl\t1:obl\tSpaceAfter=No|NER=I-LOC


# sent_id = a2
1\t#\t#\tSYM\t_\t_\t0\troot\t_\t_
"""


UPLOADS = {
    "plain": ODD,
    "blank end": ODD + "\n",
    "crlf": ODD.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + ODD,
    "byte order mark before comments of the file": "\ufeff# global.columns = ID FORM\n\n" + ODD,
    "byte order mark alone": "\ufeff\n" + ODD,
    "blank start": "\n\n" + ODD,
    "no final newline": ODD.rstrip("\n"),
    "comment at the end": ODD + "\n\n# end\n",
    "heads with zeros": ODD.replace("\t5\tcase", "\t05\tcase"),
}


@pytest.mark.parametrize("text", UPLOADS.values(), ids=UPLOADS)
def test_an_export_equals_the_upload(upload, tmp_path, text):
    path, out = upload(text), tmp_path / "copy.conllu"
    for task in (tasks.get(name) for name in ("pos", "dep", "ner")):
        export(stream(path, None, "es", task), [task], "conllu", out)
        assert out.read_bytes() == path.read_bytes(), task.name


@pytest.mark.parametrize(("end", "line_end"), [("\n", "\n"), ("\n\n", "\r\n"), ("", "\n"), ("", "\r\n")])
def test_sentences_of_several_files_can_be_written_in_any_order(upload, tmp_path, end, line_end):
    text = (ODD.rstrip("\n") + end).replace("\n", line_end)
    first, second = conllu.read(upload(text))
    conllu.write([second, first, second], tmp_path / "mixed.conllu")
    mixed = conllu.read(tmp_path / "mixed.conllu")
    assert mixed == [second, first, second]
    assert [sentence.lines[-1] for sentence in mixed[:2]] == [line_end] * 2


def test_words_are_neither_ranges_nor_empty_nodes_and_a_copy_without_annotation_has_no_labels(upload):
    first, second = conllu.read(upload(ODD))
    assert (first.words, first.heads) == (("vamos", "nos", "a", "el", "mar"), (0, 1, 5, 5, 1))
    assert first.entities == ("O", "_", "_", "B-LOC", "I-LOC")
    assert (first.id, first.text, second.id) == ("a1", "vámonos al mar", "a2")
    shown = first.unannotated()
    assert {*shown.upos, *shown.deprels, *shown.entities, *shown.heads} == {"_", -1}
    assert not {"VERB", "root"} & {*conllu.to_text(shown).split()}


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_editing_changes_only_the_annotation(upload, tmp_path, end):
    first, second = conllu.read(upload(ODD.replace("\n", end)))
    tags = {"upos": ("AUX", *first.upos[1:]), "entities": ("O", "O", "_", "_", "B-LOC")}
    edited = first.annotated(heads=(5, 1, 5, 5, 0), **tags)
    export([edited, second], [tasks.get(name) for name in ("pos", "dep", "ner")], "conllu", tmp_path / "edited.conllu")
    expected = (
        ODD.replace("ir\tVERB\t_\tMood=Imp\t0\troot\t0:root", "ir\tAUX\t_\tMood=Imp\t5\troot\t5:root")
        .replace("1:obj|2.1:nsubj\t_", "1:obj|2.1:nsubj\tNER=O")
        .replace("DET\t_\t_\t5\tdet\t5:det\tNER=B-LOC", "DET\t_\t_\t5\tdet\t5:det\t_")
        .replace("NOUN\t_\t_\t1\tobl\t1:obl", "NOUN\t_\t_\t0\tobl\t0:obl")
        .replace("NER=I-LOC", "NER=B-LOC")
    )
    assert (tmp_path / "edited.conllu").read_bytes().decode() == expected.replace("\n", end)


def test_a_key_of_misc_that_stands_twice_is_read_again_as_it_was_annotated(upload, tmp_path):
    (made,) = conllu.read(upload("1\ta\t_\t_\t_\t_\t_\t_\t_\tNER=O|X=1|NER=B-PER\n\n"))
    conllu.write([made.annotated(entities=("B-LOC",))], tmp_path / "out.conllu")
    assert conllu.read(tmp_path / "out.conllu")[0].entities == ("B-LOC",)
    assert "\tNER=B-LOC|X=1\n" in (tmp_path / "out.conllu").read_text()


@given(made=numbered(sentence, label=st.just("LOC")))
def test_legal_trees_on_new_text_are_valid_and_say_where_no_space_is(tmp_path_factory, made):
    path = tmp_path_factory.getbasetemp() / "new.conllu"
    assume(all(unicodedata.is_normalized("NFC", one.text) for one in made))  # which the validator wants of any text
    made = [one.annotated(deprels=tuple("root" if head == 0 else "dep" for head in one.heads)) for one in made]
    conllu.write(made, path)
    assert official.faults(path) == []
    for read in conllu.read(path):
        rows = [line.rstrip("\n").split("\t") for line in read.lines if line[0].isdigit()]
        rebuilt = "".join(row[1] + ("" if "SpaceAfter=No" in row[9].split("|") else " ") for row in rows)
        assert rebuilt.rstrip() == " ".join(read.text.split())


MORPHOLOGY = """\
1\ttalossa\ttalo\tNOUN\tN\tCase=Ine|Number=Sing\t0\troot\t_\t_
2\t.\t.\tPUNCT\tP\t_\t1\tpunct\t_\t_
3\tx\t_\t_\t_\t_\t_\t_\t_\t_

"""


def test_lemmas_and_features_are_read_where_they_are_asked_for(upload, tmp_path):
    path = upload(MORPHOLOGY)
    (plain,), (asked,) = conllu.read(path), conllu.read(path, columns=("upos", "lemmas", "feats"))
    assert (plain.lemmas, plain.feats, plain.xpos) == ((), (), ())
    assert asked.lemmas == ("talo", ".", "_")
    assert asked.feats == ("Case=Ine|Number=Sing", "", "_")  # the last word has no tag either: nobody has annotated it
    for one in (plain, asked):
        conllu.write([one], tmp_path / "out.conllu")
        assert (tmp_path / "out.conllu").read_bytes() == path.read_bytes()


def test_lemmas_and_features_are_written_and_marked_as_a_models(upload, tmp_path):
    columns = ("upos", "lemmas", "feats")
    (read,) = conllu.read(upload(MORPHOLOGY), columns=columns)
    found = read.annotated(lemmas=("a", "b", "c"), feats=("", "Foreign=Yes", ""), upos=("X",) * 3)
    found = replace(found, predicted=columns)
    conllu.write([found], tmp_path / "out.conllu")
    assert "# predicted = UPOS LEMMA FEATS\n" in (tmp_path / "out.conllu").read_text(encoding="utf-8")
    (again,) = conllu.read(tmp_path / "out.conllu", columns=columns)
    assert (again.content, again.predicted) == (found.content, columns)
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TAGGED.format("a", "_") * 2, [("_", "_")] * 2),
        (TAGGED.format("a", "Mood=Ind") + TAGGED.format("b", "_"), [("Mood=Ind", ""), ("", "")]),
        (TAGGED.format("a", "Mood=Ind") + "# predicted = UPOS\n" + TAGGED.format("b", "_"),
         [("Mood=Ind", ""), ("_", "_")]),
        (TAGGED.format("a", "_") + "# predicted = UPOS FEATS\n" + TAGGED.format("b", "Mood=Ind"),
         [("_", "_"), ("Mood=Ind", "")]),
    ],
    ids=["none in the file", "none in a sentence of a treebank", "a tag of a model", "features of a model"],
)  # fmt: skip
def test_whether_anybody_has_annotated_features_is_told_by_the_whole_file(upload, text, expected):
    assert feats(upload(text)) == expected


def test_what_people_have_annotated_and_what_not_stays_apart(upload, tmp_path):
    path = upload("".join(TAGGED.format(name, "_") for name in "abcd"))
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
@pytest.mark.parametrize("columns", [(), ASKED])
def test_a_comment_that_says_who_annotated_stays_as_and_where_it_is(tmp_path, comment, columns):
    rows = TAGGED.format("a", "_")
    rows = rows.replace("_\t_\n", "_\tSource=model\n") if "predicted" in comment else rows
    for end in ("\n", "\r\n"):
        before = f"{comment}\n{rows}".replace("\n", end).encode()
        (tmp_path / "in.conllu").write_bytes(before)
        conllu.write(conllu.read(tmp_path / "in.conllu", columns=columns), tmp_path / "out.conllu")
        assert (tmp_path / "out.conllu").read_bytes() == before


def test_treebanks_beside_the_project_survive(shared, tmp_path):
    for path in sorted((shared / "ud").glob("*/*.conllu")):
        with path.open(encoding="utf-8", newline="") as file:
            begin = file.read(50_000).rpartition("\n\n")[0] + "\n\n"
        (tmp_path / path.name).write_text(begin, encoding="utf-8")
        assert "".join(map(conllu.to_text, conllu.read(tmp_path / path.name))) == begin, path
