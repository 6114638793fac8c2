import gzip
import json
import os

import pytest
from making import examples, made_up

from fewshot import tasks
from fewshot.corpora.formats import FORMATS, check, conllu, detect, export, jsonl, label_studio, stream, text, webanno
from fewshot.corpora.load import find_split, load, read
from fewshot.corpora.segmentation import Segmentation
from fewshot.errors import CorpusError, FewshotError


def whole(path, format, task, **options):
    return list(stream(path, format, "es", tasks.get(task), **options))


def squad(*paragraphs, **changes):
    """A file of SQuAD with one question, or with other paragraphs; changes go to the question."""
    asked = {"id": "q1", "question": "Which town?", "answers": [{"text": "Turku", "answer_start": 2}]} | changes
    context = "😀 Turku is a town, and Turku is old."
    return json.dumps(
        {"data": [{"title": "Towns", "paragraphs": paragraphs or [{"context": context, "qas": [asked]}]}]}
    )


def answer(text, start):
    return squad(answers=[{"text": text, "answer_start": start}])


def regions(*found):
    """A file of Label Studio with a region for each (start, end, text)."""
    values = [
        {"start": start, "end": end, "labels": ["PER"]} | ({"text": text} if text else {}) for start, end, text in found
    ]
    result = [{"from_name": "ner", "to_name": "text", "type": "labels", "value": value} for value in values]
    return json.dumps([{"data": {"text": "😀 Anna Smith"}, "annotations": [{"result": result}]}])


def line(**row):
    return json.dumps(row)


def span(start, end):
    return {"start": start, "end": end, "label": "X"}


ROW = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n"
WEBANNO = """#FORMAT=WebAnno TSV 3.3
#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|value


#Text=Oslo
1-1\t0-4\tOslo\tLOC\t
"""
QUESTION = ": article 'Towns', question 'q1'"
REFUSED = {
    ("conllu", "pos"): [
        (ROW + "2\tb\t_\tX\n\n", ":2", "4 tab-separated columns"),
        ("# c\n1 a _ X _ _ 0 root _ _\n\n", ":2", "1 tab-separated columns"),
        (ROW.replace("1\t", "x\t", 1), ":1", "'x' is not a word id"),
        (ROW.replace("0\troot", "7\tdep"), ":1", "head '7' is not a word of this sentence"),
        (ROW.replace("\ta\t", "\t\t"), ":1", "FORM column is empty"),
        ("1-2\tab" + "\t_" * 8 + "\n\n", ":1", "without words"),
        (b"1\t\xff\t_\tX\t_\t_\t0\troot\t_\t_\n", ":1", "byte 0xff is not UTF-8"),
        ((ROW + "\n").encode("utf-16"), "", "the file is UTF-16; save it as UTF-8"),
        ((ROW + "\n").encode() * 2 + b"# \xe9t\xe9\n", ":5", "byte 0xe9 is not UTF-8"),
    ],
    ("bio", "ner"): [
        ("Anna\tB-PER\nSmith\n", ":2", "'token TAB tag' on this line; a tag that is still to be given is _"),
        ("Anna\tPER\n", ":1", "'PER' is not an entity tag"),
        ("in\tO\nOslo\tM-LOC\n", ":2", "'M-LOC' is not an entity tag (O, B-TYPE, I-TYPE; or E-, S-, L-, U-TYPE)"),
    ],
    ("conll2003", "ner"): [("", "", "empty"), (b"PK\x03\x04\x14\x00", "", "the file is an archive (ZIP), or a docum")],
    ("webanno", "ner"): [
        (WEBANNO.replace("TSV 3.3", "TSV 2"), ":1", "the first line must be"),
        (WEBANNO.replace("|value", "|identifier"), "", "no layer of named entities"),
        (WEBANNO.replace("LOC", "LOC|LOC"), ":6", "two entities on one word"),
        (WEBANNO.replace("LOC", "LOC[1]") + "1-2\t5-6\ta\t_\t\n1-3\t7-8\tb\tLOC[1]\t\n", ":8", "[1] has words apart"),
    ],
    ("tsv", "nli"): [
        ("premise\thypothesis\tlabel\na\tb\tneutral\n \tb\tneutral\n", ":3", "empty premise"),
        ("text\na\n", ":2", "nli is about pairs; these are documents"),
    ],
    ("tsv", "topic"): [
        ("text\tlabel\na\tb\tc\n", ":2", "3 columns, but the first line names 2"),
        ("id\ttext\n7\ta\n8\tb\n\n7\tc\n", ":5", "id '7' is that of line 2 too; give each line its own"),
        ("text\tlabel\tlabel\na\tx\ty\n", ":1", "column 'label' is named twice"),
        ("text\tlabel\na\tx\n\ufeffTEXT\tlabel\nb\ty\n", ":3", "the names of the columns stand here again; remove"),
        ("text\tlabel\tgold label\na\t_\tx\n", ":1", "labels are read from the column 'label', not from 'gold label'"),
        ("text\tlabel\ttopic\na\t\tx\n", ":1", "labels are read from the column 'label', not from 'topic'; rename"),
        ("text\ttopic\tlabel\na\tx\t\n", ":1", "labels are read from the column 'label', not from 'topic'; rename"),
        ("text\tlabels\na\tx\n", ":1", "labels are read from the column 'label', not from 'labels'; rename"),
        ('"text"\t"label"\n"a"\t"x"\n"a \\"b\\""\t"x"\n', ":3", "a quote inside a cell in quotes; double it"),
        ("", "", "the file is empty"),
    ],
    ("jsonl", "dep"): [
        ("[1]", ":1", "a JSON object is expected on this line"),
        ("1" * 5000, ":1", "not JSON of this kind"),
        ("[" * 100_000, ":1", "not JSON of this kind"),
        (line(text="\ud83d a"), ":1", "half a character (a lone surrogate) after"),
        (line(tokens=["a"], ner_tags=[0]), ":1", "'text' is missing; rename 'tokens' to 'words'"),
        (line(text="a-b c", tokens=["a-b", "c"], upos=["X", "X"]), ":1", "for 4 words; rename 'tokens' to 'words'"),
        (line(words=["a", "b"], head=["2", "0"]), ":1", "write it as 'heads'"),
        (line(words=["a", "b"], lemma=["a", "b"]), ":1", "write it as 'lemmas'"),
        (line(text="a b", relations=[{"head": 0, "child": 1, "label": "x"}]), ":1", "'relations' holds relations betw"),
        (line(words=["a"], entities=["B-X"], lemma=["a"]), ":1", "write it as 'lemmas'"),
        (line(words=["a"], entities=["B-X"], pos_tags=["X"]), ":1", "write the names of tags as 'upos'"),
        (line(words=["a"], entities=["B-X"], relations=[{"head": 0, "child": 1}]), ":1", 'write "heads": [2, 0]'),
        ('{"words": ["a"], "upos": ["X"], "upos": ["_"]}', ":1", "an object has the key 'upos' twice; keep one"),
        (line(words=["a", ""]), ":1", "words: '' (number 2) is not a word or label"),
        (line(words=["a"], heads=[2]), ":1", "head 2 is not a word of this sentence (0-1"),
        (line(words=["a"], heads=[True]), ":1", "head True is not a word"),
        ("", "", "no example in this file"),
    ],
    ("jsonl", "ner"): [
        *(
            (line(words=["Ana", "b"], **{key: value}), ":1", f"'{key}' holds one value a word")
            for key, value in {
                "ner_labels": ["B-PER", "O"], "NER": ["PER", ""], "gold": ["B-PER", "O"], "fine_ner_tags": [1, 0],
                "tags": ["b-per", "o"], "target": "B-PER O",
            }.items()
        ),
        (line(text="Ana", spans=["PER: Ana"]), ":1", "'spans' holds stretches of the text"),
        (line(text="A", annotation=[{"label": ["PER"], "points": [{"start": 0, "end": 0}]}]), ":1", "'annotation'"),
        *(
            (line(text="abc", **{key: value}), ":1", f"'{key}' holds entities by type, as CLUENER has them, which")
            for key, value in {
                "label": {"company": {"ab": [[0, 1]]}}, "labels": {"company": [[0, 1]]}, "ner": {"company": ["ab"]},
            }.items()
        ),
        (line(text="abc", entities={"company": {"ab": [[0, 1]]}}), ":1", ', not a list; write "entities": [{"start'),
        (line(text="A", tokens=[{"id": 0, "start": 0, "end": 1, "pos": "X"}]), ":1", "'tokens' holds words with"),
    ],
    ("jsonl", "topic"): [
        (line(text="a", label=None, labels=["X"]), ":1", "labels are read from 'label', not from 'labels'"),
        (line(text="a", label=["X", "Y"]), ":1", "is not a text; write 'X|Y', and choose the task topic+several"),
        (line(text="a", label=["X", 1]), ":1", "is not a text; write one label in quotes"),
    ],
    ("spans", "ner"): [
        (line(words=["a"], entities=["PER"]), ":1", "'PER' is not an entity tag"),
        *(
            (line(words=["a"], entities=[f"{tag}|B-X"]), ":1", f"'{tag}|B-X' is not an entity tag")
            for tag in ("_", "O", "B-")
        ),
        (line(text="ab c", entities=[span(1, 2)]), ":1", "X at 1-2 begins or ends inside a word"),
        (line(text="ab c", entities=[span(3, 9)]), ":1", "X at 3-9 is not in the text, which has 4 characters"),
        (line(text="Ana sat", entities=[span(4, 7) | {"text": "Ana"}]), ":1", "X at 4-7 does not match its text 'Ana'"),
        (line(text="ab", entities=[span(0, 2)] * 2), ":1", "X at 0-2 overlaps another entity"),
        (line(text="ab", entities=[{"start": 0, "label": "X"}]), ":1", "a number 'end' is missing"),
        (line(text="al", words=["a", "el"], entities=[]), ":1", "the words do not occur in the text"),
    ],
    ("label-studio", "ner"): [
        (regions().replace('"text": "', '"text": "\\u0000'), ": task 1", "control character U+0000"),
        (regions((2, 40, None)), ": task 1", "the region 2-40 is not in the text"),
        (regions((2, 6, "Oslo")), ": task 1", "the region 2-6 is not in the text, or its text is not 'Oslo'"),
        (regions((-11, 6, None)), ": task 1", "the region -11-6 is not in the text"),
        (regions((2, 6, None), (2, 6, None)), ": task 1", "PER at 2-6 overlaps another entity"),
        (regions((2, 6, None)).replace('"PER"', ""), ": task 1", "a region has no label; give it one"),
        (regions(("/p[1]", 6, None)), ": task 1", "'start' is '/p[1]', not a number"),
        ('[{"data": {"text": "a"}, "annotations": [7]}]', ": task 1", "an annotation is no object with its results"),
        ('[{"data": {"text": "a", "words": ["b"]}}]', ": task 1", "the words do not occur in the text"),
    ],
    ("squad", "qa"): [
        (answer("Turku", 3), QUESTION, "'Turku' is not at answer_start 3 but at 2;"),
        (answer("x" * 50, 0), QUESTION, "but nowhere near it in the paragraph;"),
        (answer("", 0), QUESTION, "an answer without a text; write"),
        (squad(answers=[], answer="Turku"), QUESTION, "answers are read from 'answers', not from 'answer'; write"),
        (squad(answers=[], is_impossible="true"), QUESTION, "'is_impossible' is 'true'; write true or false"),
        (squad(answers=[], is_impossible=2), QUESTION, "'is_impossible' is '2'; write true or false"),
        (squad(question="\0?"), ": article 'Towns'", "control character U+0000; remove it"),
        (squad(question="\ud83d?"), QUESTION, "question holds half a character"),
        (squad(id="\ud83d1"), ": article 'Towns'", "half a character (a lone surrogate) after"),
        ("", "", "the file is empty"),
        ('{"data":\n[}', ":2", "not valid JSON: "),
        (squad({"context": " ", "qas": []}), ": article 'Towns'", "empty context"),
    ],
    ("text", "pos"): [
        (b"a\x1bb", ":1", "control character U+001B"),
        (b"a" * (text.MAX_CHARACTERS + 1), ":1", "10001 characters; write one sentence per line, with at most 10000"),
        (b"\xff", ":1", "byte 0xff is not UTF-8"),
        (gzip.compress(b"a b c"), "", "the file is compressed (gzip); unpack it"),
        ("я б\n".encode("utf-16-le"), ":1", "U+0000; remove it, or save the file as UTF-8 if it is UTF-16"),
        ("a\nb\n".encode("utf-16"), "", "the file is UTF-16; save it as UTF-8"),
        ("ab\nc\n".encode("utf-16-le"), "", "the file is UTF-16; save it as UTF-8"),
        ("ab\nc\n".encode("utf-16-be"), "", "the file is UTF-16; save it as UTF-8"),
        ("a\n\u00a0\u200b\n", ":2", "no word on this line"),
        (" \n\n", "", "the file is empty"),
    ],
    ("flextext", "pos"): [
        ("<document>", ":1", "not valid XML (no element found)"),
        ("<html/>", ":1", "<html> where flextext begins with <document>"),
        ('<document><interlinear-text><paragraphs><paragraph><phrases>\n<phrase><item type="txt">a</item></phrase>'
         "</phrases></paragraph></paragraphs></interlinear-text></document>", ":2", "a phrase with a text but no word"),
    ],
    ("eaf", "pos"): [
        ("<document/>", ":1", "<document> where an ELAN file begins with <ANNOTATION_DOCUMENT>"),
        ("<ANNOTATION_DOCUMENT/>", "", "no tier divides sentences into words; "),
        ("<ANNOTATION_DOCUMENT><TIER TIER_ID='a' LINGUISTIC_TYPE_REF='b'/></ANNOTATION_DOCUMENT>", "", "are: a (b)"),
        ("<ANNOTATION_DOCUMENT><TIER TIER_ID='tx'/><TIER TIER_ID='wd' PARENT_REF='tx' LINGUISTIC_TYPE_REF='w'/>"
         "<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID='w' CONSTRAINTS='Symbolic_Subdivision'/></ANNOTATION_DOCUMENT>", "",
         "no words on the tier wd; divide"),
    ],
    ("sfm", "pos"): [
        ("\\_sh v3.0\n\\ref 1\n", "", "no line of words"),
        ("\\ref 1\n\\tx a b\n\x1a", ":3", "control character U+001A, the end of a file in DOS; remove it"),
        ("\\ref 1\n\\tx a b\n\\upos X\n", ":3", "1 tags for 2 words; give one a word, _ where it is open"),
    ],
}  # fmt: skip
LAUGHS = (
    '<?xml version="1.0"?>\n<!DOCTYPE document [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    + "]><document>&j;</document>"
)
OUTSIDE = '<!DOCTYPE document [<!ENTITY x SYSTEM "file:///etc/passwd">]><document>&x;</document>'
DTD = "<!DOCTYPE document SYSTEM 'http://localhost/x.dtd'><document/>"
for name in ("flextext", "eaf"):
    for place, declared in ((":2", LAUGHS), (":1", OUTSIDE), (":1", DTD)):
        REFUSED[name, "pos"].append((declared, place, "a document type is not allowed in this format; remove it"))


@pytest.mark.parametrize(
    ("name", "task", "data", "place", "message"),
    [(*key, *row) for key, rows in REFUSED.items() for row in rows],
    ids=lambda value: value if isinstance(value, str) and len(value) < 50 else "",
)
def test_what_is_wrong_is_said_in_one_line_with_its_place(upload, name, task, data, place, message):
    path = upload(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data, f"x{FORMATS[name].suffix}")
    _, (problem, *_) = check(path, name, "es", tasks.get(task))
    assert problem.where == f"{path}{place}"
    assert message in problem.message and "\n" not in problem.message
    with pytest.raises(CorpusError) as caught:
        whole(path, name, task)
    assert str(caught.value) == f"{problem.where}: {problem.message}"


def test_a_file_whose_name_is_not_utf_8_is_refused(tmp_path):
    with pytest.raises(CorpusError, match=r"not UTF-8; rename it"):
        whole(tmp_path / os.fsdecode(b"caf\xe9.bio"), "bio", "ner")


def test_of_a_value_of_megabytes_a_message_quotes_beginning_and_end(upload):
    _, (row,) = check(upload("a\t" + "x" * 10**6, "x.bio"), None, "es", tasks.get("ner"))
    assert len(row.message) < 1100
    assert row.message.startswith("'xxx") and row.message.endswith("(O, B-TYPE, I-TYPE; or E-, S-, L-, U-TYPE)")


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_refusals_and_names_a_missing_file(tmp_path, name):
    assert name in {format for format, _ in REFUSED}
    task = next(task for task in tasks.registry().values() if FORMATS[name].can_open(task))
    with pytest.raises(CorpusError, match=r"nothing.x: no such file"):
        whole(tmp_path / "nothing.x", name, task.name)
    with pytest.raises(CorpusError, match=r"nothing.x: no such file"):
        detect(tmp_path / "nothing.x")


GOOD = ROW + "\n"
PAIR = '{"premise": "a", "hypothesis": "b"}\n'


@pytest.mark.parametrize(
    ("name", "task", "text", "problems", "kept"),
    [
        ("x.conllu", "pos", GOOD + "1\tb\n\n" + GOOD + GOOD.replace("0", "4"), {3: "2 tab-sep", 7: "head '4'"}, 2),
        ("x.conllu", "dep", GOOD.strip().replace("0", "9") + "\n2\tb\t_\tX\t_\t_\t8\troot\t_\t_\n3\tc\n\n" + GOOD,
         {1: "head '9'", 2: "head '8'", 3: "2 tab-sep"}, 1),
        ("x.bio", "ner", "a\tO\nb\n\nc\tO\n\nd\tX\n", {2: "expected 'token TAB tag'", 6: "'X' is not an entity"}, 1),
        ("x.tsv", "topic", "text\tlabel\na\n\nb\tx\n \tx\n", {2: "1 columns", 5: "empty text"}, 1),
        ("x.jsonl", "nli", PAIR + "[]\n{}\n", {2: "a JSON object", 3: "a text 'premise' is missing"}, 1),
        ("x.jsonl", "topic", b'\xff\n[]\n{"text": "a"}\n', {1: "byte 0xff", 2: "a JSON object"}, 1),
        ("x.txt", "dep", b"a\n\xff\nb\x00\nc\n", {2: "byte 0xff", 3: "control character U+0000"}, 2),
        ("x.conllu", "pos", f"# sent_id = 1\n{GOOD}# sent_id = 1\n{GOOD}", {4: "the id '1' is used twice"}, 1),
        ("x.csv", "topic", "x", {None: "unknown file type '.csv' for topic; save it as text with tabs between "}, 0),
        ("x.pdf", "pos", "x", {None: "unknown file type '.pdf' for pos; save it as plain text in UTF-8, named x"}, 0),
        ("x.gz", "topic", "x", {None: "unknown file type '.gz' for topic; unpack it; known are .tsv"}, 0),
        ("x.ann", "ner", "x", {None: "unknown file type '.ann' for ner; write its texts with their annotation in"}, 0),
        ("x.csv", "pos", "x", {None: "unknown file type '.csv' for pos; write its words into x.conllu, or its "}, 0),
        ("x.bio", "pos", "x", {None: "unknown file type '.bio' for pos; such a file holds entities, which another"}, 0),
        ("x.tsv", "qa", "x", {None: "unknown file type '.tsv' for qa; such a file holds sentences, pairs and doc"}, 0),
        ("x.png", "pos", "x", {None: "unknown file type '.png' for pos; known are .conllu, .jsonl, .ndjson, .json"}, 0),
    ],
)  # fmt: skip
def test_every_bad_row_is_listed_with_line_and_reason_and_the_others_are_read(upload, name, task, text, problems, kept):
    path = upload(text, name)
    found, listed = check(path, None, "es", tasks.get(task))
    assert len(found) == kept
    assert [each.where for each in listed] == [f"{path}:{line}" if line else str(path) for line in problems]
    assert all(each.message.startswith(start) for each, start in zip(listed, problems.values(), strict=True))


@pytest.mark.parametrize(("name", "good", "bad"), [("x.jsonl", '{"text": "voy"}\n', "[\n"), ("x.tsv", "a\tb\n", "a\n")])
def test_of_many_bad_rows_a_thousand_are_kept_and_the_others_counted(upload, name, good, bad):
    task, first = ("nli", "premise\thypothesis\n") if name == "x.tsv" else ("pos", "")
    found, listed = check(upload(first + good + bad * 2500 + good, name), None, "es", tasks.get(task))
    assert (len(found), len(listed), listed.total) == (2, 1000, 2500)


def test_every_bad_question_is_listed(upload):
    misplaced = {"id": 1, "question": "?", "answers": [{"text": "a", "answer_start": 1}]}
    good = {"id": 2, "question": "?"}
    article = {"title": "t", "paragraphs": [{"context": "a", "qas": [misplaced, good, {"id": 3}, good]}, {}]}
    path = upload(json.dumps({"data": [article, {}]}), "x.json")
    found, problems = check(path, None, "es", tasks.get("qa"))
    assert [question.id for question in found[0].paragraphs[0].questions] == ["2"]
    places = ["'t', question '1'", "'t', question '3'", "'t'", "'t'", "'x-2'"]
    assert [each.where for each in problems] == [f"{path}: article {place}" for place in places]


@pytest.mark.parametrize(
    ("task", "format", "message"),
    [
        ("nli", "bio", "BIO with tabs cannot hold annotation of nli; choose from tsv, jsonl, label-studio"),
        ("pos", "text", "raw text, one sentence a line cannot hold annotation; choose from conllu, jsonl, label"),
        ("pos", "conlu", "unknown format 'conlu': did you mean conllu or "),
        ("topics", "tsv", "unknown task 'topics': did you mean topic?"),
        ("nli", "tsv", "s-0: nli is about pairs; these are sentences"),
        ("ner", "flextext", f"{FORMATS['flextext'].title} cannot hold annotation of ner; choose from conllu, bio"),
    ],
)  # fmt: skip
def test_what_cannot_be_exported(tmp_path, task, format, message):
    with pytest.raises(FewshotError) as caught:
        export(made_up(2, seed=1), [tasks.get(task)], format, tmp_path / "x")
    assert str(caught.value).startswith(message)


def test_other_suffixes_and_how_raw_text_is_split(upload):
    assert detect(upload("a\tO\n", "x.iob2"), layer=tasks.get("ner")).name == "bio"
    assert detect(upload("\ufeff\n[]", "x.json"), layer=tasks.get("pos")).name == "label-studio"
    path = upload("Don't.\n", "x.txt")
    assert whole(path, None, "pos")[0].words == ("Don", "'", "t", ".")
    assert whole(path, None, "pos", segmentation=Segmentation("spaces"))[0].words == ("Don't.",)


def test_a_file_of_another_kind_beside_the_corpus_is_not_the_corpus(tmp_path):
    for seed, part in enumerate(("pool", "test")):
        webanno.write(examples("sentences", 6, seed, shortest=5), tmp_path / f"{part}.tsv")
    (tmp_path / "dev.tsv").write_text("text\tlabel\na\tb\n")
    with pytest.raises(FewshotError, match=r"no test file of pairs \(.tsv, .jsonl, .ndjson, .json\)"):
        load("es", tmp_path / "..", "pairs")
    (tmp_path / "x-test.tsv").write_text("text\tlabel\na\tb\n")
    assert len(load("es", tmp_path).test) == 6


def test_a_spreadsheet_in_the_folder_of_a_corpus_is_named(tmp_path):
    (tmp_path / "wo-pool.csv").write_text("text,label\na,b\n")
    (tmp_path / "test.tsv").write_text("text\tlabel\na\tb\n")
    with pytest.raises(FewshotError, match=r"wo-pool.csv: save it as text with tabs between the columns, named wo-"):
        load("es", tmp_path, "documents")


def test_what_is_read_without_a_task(tmp_path):
    found = examples("sentences", 4, seed=1)
    webanno.write(found, tmp_path / "x.tsv")
    jsonl.write(found, tmp_path / "x.ndjson", ["upos"])
    label_studio.write(found, tmp_path / "x.json", ["upos", "entities"])
    for name in ("x.tsv", "x.ndjson"):
        assert [one.key for one in read(tmp_path / name)] == [one.key for one in found]
    assert [one.upos for one in read(tmp_path / "x.json", task=tasks.get("pos"))] == [one.upos for one in found]
    for kind in (None, "sentences"):
        with pytest.raises(FewshotError, match="do not name their task"):
            read(tmp_path / "x.json", kind=kind)


def test_an_export_for_another_tool_is_not_the_data_and_an_empty_file_the_split_that_it_is_called(tmp_path):
    found = examples("sentences", 4, seed=1)
    conllu.write(found, tmp_path / "test.conllu")
    label_studio.write(found, tmp_path / "x-test.json", ["upos"])
    webanno.write(found, tmp_path / "x-test.tsv")
    (tmp_path / "y-test.json").mkdir()
    assert find_split(tmp_path, "test") == tmp_path / "test.conllu"
    (tmp_path / "test.json").touch()
    assert find_split(tmp_path, "test", "articles") == tmp_path / "test.json"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.txt", "voy al mar\nmar al sol\n"),
        ("x.jsonl", '{"words": ["voy", "al", "mar"]}\n{"words": ["mar", "al", "sol"]}\n'),
        ("x.conllu", "".join(f"1\t{word}\t_\tNOUN\t_\t_\t_\t_\t_\t_\n\n" for word in ("mar", "mar"))),
    ],
)
def test_sentences_share_their_words_and_columns_that_are_equal(upload, name, text):
    first, second = whole(upload(text, name), None, "pos")
    assert first.words[-1] is second.words[0]
    assert first.upos[0] is second.upos[0]
    assert name == "x.conllu" or first.heads is second.heads
